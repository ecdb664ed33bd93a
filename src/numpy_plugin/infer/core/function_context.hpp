// One function under inference: its task, its local names, and what the pass under way has found.
// The functions of expressions/, calls/ and statements/ take it as their first argument.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/infer/core/control_flow.hpp"
#include "numpy_plugin/infer/core/infer_values.hpp"
#include "numpy_plugin/infer/core/kernel_inference.hpp"
#include "numpy_plugin/infer/core/scope.hpp"

namespace numpy_plugin::declare {

struct FunctionContext;

// Types a call. Expressions have calls within them, and calls are the later room.
using InferCall = Value (*)(FunctionContext& context, const SyntaxNode& call);

// The arrays of the function, by the local that holds each.
struct ArrayState {
  std::set<int> written;
  std::set<int> made_on_trips;                    // local arrays that a loop makes on each trip
  std::map<int, InferredType> stored;             // by parameter: what the body itself stores
  std::map<const ConstantArray*, int> constants;  // arrays from outside of the function
  std::int64_t n_local_bytes = 0;
  std::int64_t n_shared_bytes = 0;
};

struct ResultState {
  std::optional<InferredType> before;  // at the end of the pass before
  std::optional<InferredType> now;
  std::optional<SourceSpan> first_return;  // of a value
  std::optional<SourceSpan> bare_return;   // of none, in a device function
  std::size_t n_returned = 0;              // values at the first return
  bool has_error = false;
};

// The statement under inference.
struct StatementState {
  bool orders_loads = false;  // it has an effect: elements are read before or after that
  const SyntaxNode* discarded = nullptr;   // an expression whose value is not used
  const SyntaxNode* part_store = nullptr;  // the statement, where its target is a part of an array
  // A call whose array is the only value of a variable: the variable holds its elements.
  const SyntaxNode* only_value = nullptr;
  int only_target = 0;
};

// The variables that have a value where a loop is left or begins its next trip.
struct LoopExits {
  std::optional<Flow> at_break;
  std::optional<Flow> at_continue;
};

struct FunctionContext {
  KernelInference& kernel;
  const FunctionTask& task;
  const FunctionSyntax& syntax;
  int source_base;  // of the function's places among the kernel's sources
  InferCall infer_call;

  Scope scope = {};
  bool is_tentative = true;  // types are not settled: an error may be gone in the next pass

  // Of the pass under way.
  Findings findings = {};
  Flow flow{0};
  ArrayState arrays = {};
  ResultState results = {};
  StatementState statement = {};
  std::vector<LoopExits> loops = {};        // around the statement
  std::vector<Statement>* block = nullptr;  // takes the typed statements
  std::string precedence_hint = {};         // of a comparison around '&' or '|'
  bool can_hoist = true;  // the expression is always evaluated: statements can precede its own
  bool has_effects = false;
};

inline void add_statement(FunctionContext& context, Statement statement) {
  context.block->push_back(std::move(statement));
}

}  // namespace numpy_plugin::declare
