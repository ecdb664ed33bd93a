// Visits of a kernel's tree, in the order of the source, and what they find.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

using Block = std::vector<Statement>;
using ExpressionVisitor = std::function<void(const Expression&)>;

// Calls `visit` for the expression and its operands, and theirs.
void visit_expression(const Expression& expression, const ExpressionVisitor& visit);
// Likewise for the expressions of the statement itself, not of its inner blocks.
void visit_own_expressions(const Statement& statement, const ExpressionVisitor& visit);
// Calls `visit` for every expression of the block, including operands.
void visit_expressions(const Block& block, const ExpressionVisitor& visit);
// Calls `visit` for every statement of the block, including inner blocks.
void visit_statements(const Block& block, const std::function<void(const Statement&)>& visit);

bool is_loop(const Statement& statement);
// Whether one is in the block or its inner blocks.
bool has_loop(const Block& block);

// Number of statements in the block that set a local: assignments and loops over it.
int count_assignments(const Block& block, int local);
bool is_assigned(const Block& block, int local);
// Whether an expression has the same value before and after every statement of a block.
bool is_settled(const Expression& expression, const Block& block);
// An int64 constant; nullopt for other expressions.
std::optional<std::int64_t> as_int64(const Expression& expression);

}  // namespace numpy_plugin::declare
