// Loops: `while` and `for`, the iterables and targets of `for`, and the parts of all loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void while_statement(FunctionContext& context, const SyntaxNode& node);
void for_statement(FunctionContext& context, const SyntaxNode& node);

// Parts of all loops: the body, `break`, `else`, and the variables with a value after the loop.

// Where a loop is left without a `break`.
struct LoopEnd {
  std::optional<Flow> normal_exit;  // nullopt where it never is
  SourceSpan decides;               // the condition, or what is iterated over
  PathEnd never;                    // why it never is
  std::optional<int> break_flag;    // a local: whether a `break` left the loop
};

// Variables assigned by statements, those in their blocks included.
std::vector<int> assigned_in(const FunctionContext& context,
                             const std::vector<SyntaxNode>& statements);
// Variables that each trip of a loop may change.
std::vector<int> changed_by(const FunctionContext& context, const SyntaxNode& loop);
std::vector<Statement> loop_body(FunctionContext& context, const SyntaxNode& node, LoopExits& loop);
// Where an `else` block must know about breaks: adds a flag before the loop, which they set.
std::optional<int> mark_breaks(FunctionContext& context, const SyntaxNode& node,
                               const LoopExits& loop, std::vector<Statement>& body);
// Adds the loop's statements and its `else` block.
void end_loop(FunctionContext& context, const SyntaxNode& node, std::vector<Statement> statements,
              const LoopExits& loop, const LoopEnd& end);

// Iterables of `for` loops: ranges, arrays, tuples, and enumerate, zip and reversed of these;
// indices and elements of several dimensions, in C order. Every loop counts positions from 0; the
// item at a position is a value.

struct Iterable {
  enum class Kind : std::uint8_t {
    kRange,
    kArray,
    kTuple,
    kEnumerate,
    kZip,
    kReversed,
    kIndices,         // np.ndindex
    kElements,        // a.flat
    kIndexedElements  // np.ndenumerate
  };
  Kind kind = Kind::kRange;
  const SyntaxNode* node = nullptr;
  Value value = {};                  // of an array or a tuple
  std::vector<Value> numbers = {};   // start, stop, step of a range; start of enumerate; sizes
  std::vector<Iterable> parts = {};  // of enumerate, zip and reversed
};

// The iterable of a loop in which the variables `changed` are assigned; nullopt after an error.
std::optional<Iterable> infer_iterable(FunctionContext& context, const SyntaxNode& node,
                                       const std::vector<int>& changed);
// Items of a tuple have types of their own: such a loop is unrolled.
bool has_tuple(const Iterable& iterable);
// A plain int64; a constant where it is known. A range of no items may have a negative length.
Value length(FunctionContext& context, const Iterable& iterable);
// `position` is a constant where the iterable has a tuple.
Value item_at(FunctionContext& context, const Iterable& iterable, const Value& position);
// An item of a tuple; its number as a constant where it is one.
Value tuple_part(const FunctionContext& context, const Value& tuple, std::size_t index,
                 const SyntaxNode& node);
// Arithmetic of plain integers.
Value plus(FunctionContext& context, const Value& left, const Value& right, const SyntaxNode& node);
Value minus(FunctionContext& context, const Value& left, const Value& right,
            const SyntaxNode& node);
// A value that stays the same while the variables `changed` are assigned, and can be used again.
Value settled(FunctionContext& context, Value value, const std::vector<int>& changed);

// A list that is not kept, as the tuple of its items; other expressions as they are.
Value listed_tuple(FunctionContext& context, const SyntaxNode& node);

// The expression after `in`: range, enumerate, zip and reversed, and the values they take.

// The range of a call of `range`, or of another function with its arguments and some keywords;
// nullopt after an error.
std::optional<Iterable> counted_range(FunctionContext& context, const std::string& name,
                                      const SyntaxNode& node,
                                      const std::vector<std::string>& keywords = {});

// The numbers of ranges as they are written; arrays and tuples are settled.
std::optional<Iterable> called_iterable(FunctionContext& context, const SyntaxNode& node,
                                        const std::vector<int>& changed);

// The targets of a `for` loop and the item that each takes on a trip.

struct TargetItem {
  const SyntaxNode* target;
  Value value;
};

bool is_sequence(const SyntaxNode& target);
// Names in a target.
void collect_names(const SyntaxNode& target, std::vector<const SyntaxNode*>& names);
// The name that takes the position itself, as in enumerate(a); null where there is none.
const SyntaxNode* find_counter(const Iterable& iterable, const SyntaxNode& target);
// The items at a position, in the order of their assignment; none for `counter`.
std::vector<TargetItem> target_items(FunctionContext& context, const Iterable& iterable,
                                     const SyntaxNode& target, const Value& position,
                                     const SyntaxNode* counter = nullptr);

// `for` over a tuple, or several iterables with a tuple among them: the body is typed and compiled
// once per item, because items have types of their own.
void unrolled_loop(FunctionContext& context, const SyntaxNode& node, const Iterable& iterable);

}  // namespace numpy_plugin::declare
