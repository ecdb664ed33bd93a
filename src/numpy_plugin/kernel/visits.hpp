// Visits of a kernel's tree, in the order of the source.
#pragma once

#include <functional>
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

}  // namespace numpy_plugin::declare
