// Branches without which a loop goes on: what they compute is there in any case.
#include <algorithm>
#include <cstddef>
#include <set>

#include "numpy_plugin/analysis/scalar_loops.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

bool reads_local(const Expression& expression, int local) {
  return declare::read_local(expression) == local;
}

// Whether a condition reads the element in any case.
bool tests(const Expression& condition, const Expression& element) {
  if (condition.kind != ExpressionKind::kCall) return false;
  return std::ranges::any_of(condition.operands, [&](const Expression& operand) {
    return is_same_value(operand, element) || tests(operand, element);
  });
}

bool is_known(const Expression& value) {
  return value.type.kind == declare::ValueType::Kind::kScalar &&
         (value.kind == ExpressionKind::kConstant || declare::read_local(value));
}

// Whether reading the value does nothing that testing the condition does not.
bool is_there(const Expression& value, const Expression& condition) {
  return is_known(value) ||
         (value.type.kind == declare::ValueType::Kind::kScalar && tests(condition, value));
}

// n + 1, of integers that have no exceptions.
bool is_known_sum(const Expression& value) {
  return is_call(value, {Operation::kAdd, Operation::kSubtract}) &&
         base::is_integer(value.type.dtype) && std::ranges::all_of(value.operands, is_known);
}

bool is_known_comparison(const Expression& value) {
  return is_comparison(value) && std::ranges::all_of(value.operands, is_known);
}

// A branch's assignments, more of which take longer than a branch that is mispredicted now and
// then.
constexpr int kMostAssignments = 4;

// Counts the assignments of a branch; more than the most where it does something else.
int count_selections(const Block& branch, const Expression& condition) {
  int n = 0;
  for (const Statement& each : branch) {
    if (each.kind == StatementKind::kAssign &&
        (is_there(*each.value, condition) || is_known_sum(*each.value)))
      n += 1;
    else if (each.kind == StatementKind::kIf && is_known_comparison(*each.value))
      n += count_selections(each.body, condition) + count_selections(each.orelse, condition);
    else
      return kMostAssignments + 1;
  }
  return n;
}

// Whether a branch assigns a local that the condition mentions.
bool are_replaced(const Block& branch, const Expression& condition) {
  bool found = false;
  visit_statements(branch, [&](const Statement& each) {
    found |= each.kind == StatementKind::kAssign && is_mentioned(condition, each.local);
  });
  return found;
}

// Whether it is `array[i - 1]` or so, where `array[i]` is stored, and the variable i of the loop
// counts up from a number from which that is an element.
bool is_earlier_element(const Expression& value, const Statement& store, const Statement& loop) {
  if (value.kind != ExpressionKind::kLoad || loop.kind != StatementKind::kForRange) return false;
  if (detail<declare::ElementLoad>(value).array != store.local || store.indices.size() != 1)
    return false;
  const Expression& index = value.operands.front();
  if (!is_call(index, {Operation::kSubtract})) return false;
  const auto distance = as_int64(index.operands[1]), start = as_int64(loop.range[0]);
  return reads_local(index.operands[0], loop.local) && reads_local(store.indices[0], loop.local) &&
         distance && start && 0 <= *distance && *distance <= *start &&
         is_constant(loop.range[2], 1) && !is_assigned(loop.body, loop.local);
}

bool stores_one_number(const Block& branch) {
  if (branch.size() != 1 || branch[0].kind != StatementKind::kStore) return false;
  const declare::ValueType& type = branch[0].value->type;
  return branch[0].exception < 0 && type.kind == declare::ValueType::Kind::kScalar &&
         (base::is_integer(type.dtype) || is_number(*branch[0].value));
}

bool mentions_any(const Expression& expression, const std::set<int>& locals) {
  return std::ranges::any_of(locals, [&](int local) { return is_mentioned(expression, local); });
}

// The locals whose values follow from those of some, in any order of statements.
void add_followers(const Block& body, std::set<int>& locals) {
  for (std::size_t n = 0; n != locals.size();) {
    n = locals.size();
    visit_statements(body, [&](const Statement& each) {
      if (each.kind == StatementKind::kAssign && mentions_any(*each.value, locals))
        locals.insert(each.local);
    });
  }
}

}  // namespace

bool is_search(const Statement& conditional) {
  return conditional.orelse.empty() && is_ordering(*conditional.value) &&
         are_replaced(conditional.body, *conditional.value);
}

bool is_steering(const Statement& conditional, const Statement& loop) {
  std::set<int> locals;
  const auto add = [&](const Statement& each) {
    if (each.kind == StatementKind::kAssign) locals.insert(each.local);
  };
  visit_statements(conditional.body, add);
  visit_statements(conditional.orelse, add);
  if (mentions_any(*conditional.value, locals)) return false;
  add_followers(loop.body, locals);
  bool found = loop.kind == StatementKind::kWhile && mentions_any(*loop.value, locals);
  visit_statements(loop.body, [&](const Statement& each) {
    found |= each.kind == StatementKind::kWhile && mentions_any(*each.value, locals);
  });
  visit_expressions(loop.body, [&](const Expression& each) {
    found |= each.kind == ExpressionKind::kLoad &&
             std::ranges::any_of(each.operands, [&](const Expression& index) {
               return mentions_any(index, locals);
             });
  });
  return found;
}

bool is_selection(const Statement& conditional, const Statement& loop) {
  const Expression& condition = *conditional.value;
  const int n = count_selections(conditional.body, condition) +
                count_selections(conditional.orelse, condition);
  if (n == 0 || n > kMostAssignments) return false;
  if (!is_search(conditional))
    return !are_replaced(conditional.body, condition) &&
           !are_replaced(conditional.orelse, condition) && !is_steering(conditional, loop);
  return std::ranges::any_of(conditional.body, [&](const Statement& each) {
    return std::ranges::any_of(condition.operands, [&](const Expression& operand) {
      return each.kind == StatementKind::kAssign && reads_local(operand, each.local);
    });
  });
}

bool is_selected_store(const Statement& conditional, const Statement& loop) {
  if (!stores_one_number(conditional.body) || !stores_one_number(conditional.orelse)) return false;
  const Statement& first = conditional.body[0];
  const Statement& second = conditional.orelse[0];
  const auto is_readable = [&](const Expression& value) {
    return is_there(value, *conditional.value) || is_earlier_element(value, first, loop);
  };
  return first.local == second.local &&
         std::ranges::equal(first.indices, second.indices, is_same_value) &&
         is_readable(*first.value) && is_readable(*second.value);
}

bool is_conditional_sum(const Statement& conditional) {
  if (!conditional.orelse.empty() || conditional.body.size() != 1) return false;
  const Statement& update = conditional.body.front();
  if (update.kind != StatementKind::kAssign || !is_number(*update.value)) return false;
  if (!is_call(*update.value, {Operation::kAdd})) return false;
  const Expression& value = update.value->operands[1];
  return reads_local(update.value->operands[0], update.local) &&
         !reads_local(value, update.local) && is_there(value, *conditional.value) &&
         !is_mentioned(*conditional.value, update.local);
}

}  // namespace numpy_plugin::analysis
