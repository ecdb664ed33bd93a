// Loops over the elements of arrays, as a user would write them: every array of an elementwise
// expression is replaced by its element, so that its operators and functions are typed as those of
// numbers. Everything else in the expression is evaluated once, before the loop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// An array whose elements a loop reads or writes.
struct ElementSource {
  Value array;
  int local = 0;                                   // whose elements are accessed
  std::vector<std::optional<Expression>> indices;  // of the local; nullopt: the next dimension
  std::vector<int> axes;                           // of the local, for each dimension
  std::vector<bool> is_broadcast;                  // by dimension: its size may be 1 at run time
  // The array as written, where it is a part of one array: that array's local and sizes, an item
  // for each of its dimensions, and the items that are kept.
  int base = -1;
  std::vector<std::int64_t> base_sizes;
  std::vector<Expression> items;
  std::vector<std::size_t> kept;
};

struct LoopAxis {
  Expression size;
  int counter = 0;
  bool is_ordered = false;   // only one direction is right
  bool is_reversed = false;  // from the last index to the first
};

struct ElementLoop {
  std::vector<ElementSource> sources;
  std::vector<LoopAxis> axes;
  std::map<const SyntaxNode*, Value> elements;  // what stands for each node in the loop
  std::vector<Value> whole;                     // arrays among them
};

// Adds the arrays of an expression, and evaluates its other parts; false after an error.
bool add_expression(FunctionContext& context, ElementLoop& loop, const SyntaxNode& node);
ElementSource element_source(FunctionContext& context, Value array, const SyntaxNode& node);

// NumPy's broadcasting of all sources, or to the first, which is stored to; false after an error.
// Sizes that may differ are compared at run time.
bool broadcast(FunctionContext& context, ElementLoop& loop, bool is_store, const SyntaxNode& node);
// Requires that a source can be broadcast to a loop's axes, those of an indexing result or, where
// `is_masked`, of a mask's elements; false after an error.
bool broadcast_to(FunctionContext& context, const ElementLoop& loop, ElementSource& source,
                  bool is_masked, const SyntaxNode& node);

// One index per dimension of a source's local.
std::vector<Expression> element_indices(const ElementLoop& loop, const ElementSource& source);
// The element of a source; `node` is what messages show for it.
Value load_element(FunctionContext& context, const ElementLoop& loop, const ElementSource& source,
                   const SyntaxNode& node);

// Types an expression for one element; its statements go to `body`.
Value infer_element(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& node,
                    std::vector<Statement>& body);
// The loop over an axis, without a body.
Statement counting(const LoopAxis& axis, const SourceSpan& where);
// `fold` is that of the loop over the last axis.
void add_loop(FunctionContext& context, const ElementLoop& loop, std::vector<Statement> body,
              const SyntaxNode& node, Fold fold = Fold::kNone);

// The number of elements.
Expression n_elements(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& node);

// Facts about two arrays of a loop: equal sizes, and shared elements. As in NumPy, an element must
// be read before it is overwritten.

// Whether two arrays have the same size in these dimensions, whatever the call's sizes are.
bool has_same_size(const ElementSource& first, std::size_t first_axis, const ElementSource& second,
                   std::size_t second_axis);

// Chooses the directions of a loop that stores to its first source and reads another one that may
// share its elements; false where no directions are known to be right.
bool order_loop(ElementLoop& loop, const ElementSource& read);

// Raises NumPy's exception where the condition holds: a test and a `raise`. Each "{}" of the
// message is the next of at most four int64 values.
void raise_where(FunctionContext& context, Expression condition, const std::string& message,
                 std::vector<Expression> values, const SyntaxNode& node,
                 const std::string& type_name = "ValueError");

}  // namespace numpy_plugin::declare
