// Position of each local's declaration: the first statement that mentions it in the innermost block
// with all its mentions.
#include "numpy_plugin/emit/printing/statement.hpp"

#include <algorithm>

namespace numpy_plugin::emit {
namespace {

using declare::Statement;
using declare::StatementKind;

bool is_mentioned_in(const declare::Block& block, int local) {
  return std::any_of(block.begin(), block.end(),
                     [&](const Statement& s) { return analysis::is_mentioned(s, local); });
}

// The inner block that contains all of a statement's mentions of a local; null where there is none.
const declare::Block* only_block(const Statement& statement, int local) {
  Statement header = statement;
  header.body.clear();
  header.orelse.clear();
  if (analysis::is_mentioned(header, local)) return nullptr;
  const bool in_body = is_mentioned_in(statement.body, local);
  const bool in_orelse = is_mentioned_in(statement.orelse, local);
  if (in_body == in_orelse) return nullptr;
  return in_body ? &statement.body : &statement.orelse;
}

bool can_declare(const Statement& statement, int local, bool is_only) {
  if (statement.local != local) return false;
  if (statement.kind == StatementKind::kAssign)
    return !analysis::is_mentioned(*statement.value, local);
  return statement.kind == StatementKind::kForRange && is_only;
}

void plan(const declare::Block& block, int local, Declarations& declarations) {
  const auto mentions = [&](const Statement& s) { return analysis::is_mentioned(s, local); };
  const auto first = std::find_if(block.begin(), block.end(), mentions);
  if (first == block.end()) return;
  const bool is_only = std::none_of(first + 1, block.end(), mentions);
  const declare::Block* inner = is_only ? only_block(*first, local) : nullptr;
  if (inner != nullptr)
    plan(*inner, local, declarations);
  else if (can_declare(*first, local, is_only))
    declarations.declaring.insert(&*first);
  else
    declarations.before[&*first].push_back(local);
}

// Constants are defined outside of the function.
bool is_declared(const declare::Local& local) {
  return local.storage.kind != declare::ArrayStorage::Kind::kConstant;
}

// Whether this expression creates a longer-lived alias of an array; arguments of functions do not.
bool is_aliased(const declare::Expression& expression, int local) {
  if (expression.kind == declare::ExpressionKind::kCallFunction) return false;
  if (declare::read_local(expression) == local) return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [local](const auto& operand) { return is_aliased(operand, local); });
}

// Whether a local array has views, through which it may be used without being mentioned.
bool has_views(const declare::Function& function, std::size_t local) {
  if (function.locals[local].storage.kind != declare::ArrayStorage::Kind::kLocal) return false;
  bool found = false;
  declare::visit_statements(function.body, [&](const Statement& each) {
    found = found || (each.kind == StatementKind::kAssign &&
                      is_aliased(*each.value, static_cast<int>(local)));
  });
  return found;
}

}  // namespace

Declarations plan_declarations(const declare::Function& function,
                               const std::set<int>& first_locals) {
  Declarations declarations;
  for (std::size_t i = function.n_parameters; i < function.locals.size(); ++i)
    if (has_views(function, i) || first_locals.contains(static_cast<int>(i)))
      declarations.before[&function.body.front()].push_back(static_cast<int>(i));
    else if (is_declared(function.locals[i]))
      plan(function.body, static_cast<int>(i), declarations);
  return declarations;
}

}  // namespace numpy_plugin::emit
