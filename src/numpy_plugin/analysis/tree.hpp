// Questions about the tree of a kernel that more than one printer asks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

using Block = std::vector<declare::Statement>;

// Calls `visit` with every expression of the block, operands included.
void visit_expressions(const Block& block,
                       const std::function<void(const declare::Expression&)>& visit);
// Calls `visit` with every statement of the block, those of inner blocks included.
void visit_statements(const Block& block,
                      const std::function<void(const declare::Statement&)>& visit);

bool is_loop(const declare::Statement& statement);
bool is_assigned(const Block& block, int local);
// How many statements of the block give a local its value, assignments and loops over it.
int count_settings(const Block& block, int local);
bool is_mentioned(const declare::Expression& expression, int local);
bool is_mentioned(const declare::Statement& statement, int local);
// Whether an int64 expression is this constant.
bool is_constant(const declare::Expression& expression, std::int64_t value);
// Likewise the constant itself; nothing for any other expression.
std::optional<std::int64_t> int64_constant(const declare::Expression& expression);

// Properties of a kernel that the loop templates ask for.
struct KernelTraits {
  bool has_vector_math = false;  // some call is of a function whose value depends on the target
  bool has_branches = false;
  bool moves_flags =
      false;  // an operation may be done before a choice inside another one's template
  bool has_loops = false;
  int cost = 0;  // of the function calls of one element, in calls like expf
};
KernelTraits traits(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
