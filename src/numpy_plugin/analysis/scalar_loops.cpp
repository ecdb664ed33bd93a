// What the vectorizers of g++ and clang ask of a loop, as far as the tree shows it.
#include "numpy_plugin/analysis/scalar_loops.hpp"

#include <algorithm>
#include <initializer_list>

#include "numpy_plugin/analysis/generalized_kernel.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

bool is_operation(const Expression& expression, std::initializer_list<Operation> operations) {
  return expression.kind == ExpressionKind::kCall &&
         std::ranges::find(operations, detail<Operation>(expression)) != operations.end();
}

bool reads(const Expression& expression, int local) {
  return declare::read_local(expression) == local;
}

int count_reads(const Block& body, int local) {
  int n = 0;
  visit_expressions(body, [&](const Expression& each) { n += reads(each, local) ? 1 : 0; });
  return n;
}

// n = n + 1, any = any | is_so; of floating-point numbers with fast-math flags.
bool is_sum(const Statement& assignment) {
  const Expression& value = *assignment.value;
  return is_operation(value,
                      {Operation::kAdd, Operation::kSubtract, Operation::kMultiply,
                       Operation::kBitwiseAnd, Operation::kBitwiseOr, Operation::kBitwiseXor}) &&
         reads(value.operands[0], assignment.local);
}

// Whether a local that the loop carries is only added to.
bool is_only_summed(const Block& body, int local) {
  int n_sums = 0;
  bool is_other = false;
  visit_statements(body, [&](const Statement& each) {
    if (each.kind != StatementKind::kAssign || each.local != local) return;
    is_other |= !is_sum(each);
    ++n_sums;
  });
  return !is_other && count_reads(body, local) == n_sums;
}

// Whether an element of the array is read at other indices than those of the store.
bool reads_other_elements(const Block& body, const Statement& store) {
  bool found = false;
  visit_expressions(body, [&](const Expression& each) {
    if (each.kind != ExpressionKind::kLoad) return;
    if (detail<declare::ElementLoad>(each).array != store.local) return;
    found |= !std::ranges::equal(each.operands, store.indices, is_same_index);
  });
  return found;
}

bool ends_or_nests(const Block& body) {
  bool found = false;
  visit_statements(body, [&](const Statement& each) {
    found |= is_loop(each) || each.kind == StatementKind::kBreak ||
             each.kind == StatementKind::kReturn || each.kind == StatementKind::kRaise;
  });
  return found;
}

}  // namespace

bool is_same_index(const Expression& first, const Expression& second) {
  const auto local = declare::read_local(first);
  if (local) return local == declare::read_local(second);
  const auto number = int64_constant(first);
  return number && number == int64_constant(second);
}

bool is_scalar_loop(const declare::Function& function, const Statement& loop) {
  if (loop.kind == StatementKind::kWhile || ends_or_nests(loop.body)) return true;
  const auto carried = find_carried_locals(function, loop.body);
  const auto is_sum_of_loop = [&](int local) { return is_only_summed(loop.body, local); };
  if (!std::ranges::all_of(carried, is_sum_of_loop)) return true;
  bool found = false;
  visit_statements(loop.body, [&](const Statement& each) {
    found |= each.kind == StatementKind::kStore && reads_other_elements(loop.body, each);
  });
  return found;
}

bool is_ordering(const Expression& expression) {
  if (!is_operation(expression, {Operation::kLess, Operation::kLessEqual, Operation::kGreater,
                                 Operation::kGreaterEqual}))
    return false;
  return std::ranges::all_of(expression.operands, [](const Expression& operand) {
    return operand.type.dtype == base::DType::kFloat32 ||
           operand.type.dtype == base::DType::kFloat64;
  });
}

bool is_search(const Statement& conditional) {
  if (!conditional.orelse.empty() || !is_ordering(*conditional.value)) return false;
  return std::ranges::any_of(conditional.body, [&](const Statement& each) {
    return each.kind == StatementKind::kAssign && is_mentioned(*conditional.value, each.local);
  });
}

}  // namespace numpy_plugin::analysis
