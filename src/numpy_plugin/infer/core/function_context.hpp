// One function under inference: its task, its local names, and the findings of the current pass.
// Functions of expressions/, arrays/, calls/ and statements/ take it as their first argument.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/infer/core/control_flow.hpp"
#include "numpy_plugin/infer/core/infer_values.hpp"
#include "numpy_plugin/infer/core/kernel_inference.hpp"
#include "numpy_plugin/infer/core/scope.hpp"

namespace numpy_plugin::declare {

// Arrays of the function, by the local that holds each.
struct ArrayState {
  std::set<int> written;
  std::set<int> made_on_trips;                    // local arrays created anew on each trip
  std::set<int> counted;                          // variables: sizes that depend on elements
  std::map<int, InferredType> stored;             // by parameter: types stored by the body itself
  std::map<const ConstantArray*, int> constants;  // captured arrays
  std::int64_t n_local_bytes = 0;
  std::int64_t n_shared_bytes = 0;
};

struct ResultState {
  std::optional<InferredType> before;  // at the end of the previous pass
  std::optional<InferredType> now;
  std::optional<SourceSpan> first_return;  // of a value
  std::optional<SourceSpan> bare_return;   // without a value, in a device function
  std::size_t n_returned = 0;              // number of values at the first return
  int parameter = -1;                      // the array parameter that is returned itself
  std::optional<InferredType> made;        // an array of the function's own that is returned
  bool has_error = false;
};

// The statement under inference.
struct StatementState {
  bool orders_loads = false;              // has an effect: the order of loads matters
  const SyntaxNode* discarded = nullptr;  // an expression whose value is unused
  const SyntaxNode* number = nullptr;     // an expression that must not be an array
  const SyntaxNode* optional = nullptr;   // an expression that may be None
  const SyntaxNode* augmented = nullptr;  // the statement, where its target is augmented
  // A call that creates the only array of a variable: the variable holds its elements.
  const SyntaxNode* only_value = nullptr;
  int only_target = 0;
};

// Variables that have a value where a loop is left or begins its next trip.
struct LoopExits {
  const SyntaxNode* loop = nullptr;
  std::optional<Flow> at_break;
  std::optional<Flow> at_continue;
};

struct FunctionContext {
  KernelInference& kernel;
  const FunctionTask& task;
  const FunctionSyntax& syntax;
  int source_base;  // of the function's sources among the kernel's

  Scope scope = {};
  bool is_tentative = true;  // types are not final: an error may vanish in the next pass

  // Of the current pass.
  Findings findings = {};
  Flow flow{0};
  ArrayState arrays = {};
  ResultState results = {};
  StatementState statement = {};
  std::vector<LoopExits> loops = {};        // enclosing loops
  std::vector<Statement>* block = nullptr;  // receives the typed statements
  // In a loop over the elements of arrays: what stands for a node of their expression.
  const std::map<const SyntaxNode*, Value>* elements = nullptr;
  // Operands of expressions of this package, evaluated once: what stands for their names.
  std::map<const SyntaxNode*, Value> held = {};
  std::string precedence_hint = {};  // for a comparison around '&' or '|'
  // Whether values used twice go into locals: not where they may stay unevaluated, since a
  // conditional expression without statements is faster than an `if`.
  bool uses_locals = true;
  bool has_effects = false;
  bool may_raise = false;
  std::optional<Statement> too_deep = {};  // as in TypedFunction
  std::size_t n_unrolled_trips = 0;
};

inline void add_statement(FunctionContext& context, Statement statement) {
  context.block->push_back(std::move(statement));
}

// The flag of a variable whose value is checked where it is read: whether it has one.
Expression value_flag(const FunctionContext& context, int variable, const SyntaxNode& node);
void set_value_flag(FunctionContext& context, int variable, bool has_value,
                    const SourceSpan& where);

// Messages of inference: places in the source, quoted expressions, errors and warnings.
SourceSpan place(const FunctionContext& context, const SyntaxNode& node);
SourceSpan keyword_place(const FunctionContext& context, const SyntaxNode& node,
                         std::string_view keyword);
SourceSpan first_line_place(const FunctionContext& context, const SyntaxNode& node);
SourceSpan find_token(const FunctionContext& context, std::string_view token,
                      const SourceSpan& from, const SourceSpan& to);
std::string text(const FunctionContext& context, const SourceSpan& where);
std::string text(const FunctionContext& context, const SyntaxNode& node);
// The text, in parentheses where it becomes an operand of an operator or an attribute's owner.
std::string inner_text(const FunctionContext& context, const SyntaxNode& node);
// Reports an error; returns the unknown value, which suppresses further errors.
Value error(FunctionContext& context, const SourceSpan& where, std::string message,
            std::string hint = {}, std::vector<Note> notes = {});
void warn(FunctionContext& context, const SourceSpan& where, std::string message,
          std::string hint = {}, std::vector<Note> notes = {});
// At a node's source span.
Value error(FunctionContext& context, const SyntaxNode& node, std::string message,
            std::string hint = {}, std::vector<Note> notes = {});
void warn(FunctionContext& context, const SyntaxNode& node, std::string message,
          std::string hint = {}, std::vector<Note> notes = {});

}  // namespace numpy_plugin::declare
