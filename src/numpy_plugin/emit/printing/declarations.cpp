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

// Whether statements may use a local before they assign it, as on a path on which the trip before
// did.
class UseBeforeAssignment {
 public:
  explicit UseBeforeAssignment(int local) : local_(local) {}

  bool is_in(const declare::Block& block) {
    visit(block, false);
    return is_found_;
  }

 private:
  // Returns whether the local has a value after a block, or the block's end is not reached.
  bool visit(const declare::Block& block, bool is_assigned) {
    for (const Statement& each : block) is_assigned = visit(each, is_assigned);
    return is_assigned;
  }

  bool visit(const Statement& statement, bool is_assigned) {
    switch (statement.kind) {
      case StatementKind::kAssign:
        use(*statement.value, is_assigned);
        return is_assigned || statement.local == local_;
      case StatementKind::kIf: {
        use(*statement.value, is_assigned);
        const bool in_body = visit(statement.body, is_assigned);
        const bool in_orelse = visit(statement.orelse, is_assigned);
        return in_body && in_orelse;
      }
      case StatementKind::kForRange:
        for (const declare::Expression& part : statement.range) use(part, is_assigned);
        visit(statement.body, is_assigned || statement.local == local_);
        return is_assigned;
      case StatementKind::kWhile:
        use(*statement.value, is_assigned);
        visit(statement.body, is_assigned);
        return is_assigned;
      default:
        is_found_ |= !is_assigned && analysis::is_mentioned(statement, local_);
        return is_assigned || statement.kind == StatementKind::kBreak ||
               statement.kind == StatementKind::kContinue ||
               statement.kind == StatementKind::kReturn || statement.kind == StatementKind::kRaise;
    }
  }

  void use(const declare::Expression& expression, bool is_assigned) {
    is_found_ |= !is_assigned && analysis::is_mentioned(expression, local_);
  }

  const int local_;
  bool is_found_ = false;
};

// Whether a local keeps its value from trip to trip of a loop that contains all of its mentions.
bool outlives_trip(const Statement& loop, const declare::Block& body, int local) {
  return analysis::is_loop(loop) && UseBeforeAssignment(local).is_in(body);
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
  if (inner != nullptr && !outlives_trip(*first, *inner, local))
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
