// What the vectorizers of g++ and clang ask of a loop, as far as the tree shows it.
#include "numpy_plugin/analysis/scalar_loops.hpp"

#include <algorithm>
#include <cstdlib>

#include "numpy_plugin/analysis/generalized_kernel.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

constexpr auto kOrderings = {Operation::kLess, Operation::kLessEqual, Operation::kGreater,
                             Operation::kGreaterEqual};
constexpr auto kComparisons = {Operation::kLess,    Operation::kLessEqual,
                               Operation::kGreater, Operation::kGreaterEqual,
                               Operation::kEqual,   Operation::kNotEqual};

bool reads(const Expression& expression, int local) {
  return declare::read_local(expression) == local;
}

int count_reads(const Block& body, int local) {
  int n = 0;
  visit_expressions(body, [&](const Expression& each) { n += reads(each, local) ? 1 : 0; });
  return n;
}

// n = n + 1, any = any | is_so.
bool is_integer_sum(const Statement& assignment) {
  const Expression& value = *assignment.value;
  return !is_number(value) &&
         is_call(value, {Operation::kAdd, Operation::kSubtract, Operation::kMultiply,
                         Operation::kBitwiseAnd, Operation::kBitwiseOr, Operation::kBitwiseXor}) &&
         reads(value.operands[0], assignment.local);
}

// Whether a local that the loop carries is only added to: floating-point numbers, whose sums
// compilers reorder with fast-math flags, in each trip.
bool is_only_summed(const Block& body, int local) {
  int n_sums = 0;
  visit_statements(body, [&](const Statement& each) {
    n_sums += each.kind == StatementKind::kAssign && each.local == local && is_integer_sum(each);
  });
  for (const Statement& each : body) {
    const Statement& sum = is_conditional_sum(each) ? each.body.front() : each;
    n_sums += sum.kind == StatementKind::kAssign && sum.local == local && is_number(*sum.value) &&
              is_call(*sum.value, {Operation::kAdd, Operation::kSubtract}) &&
              reads(sum.value->operands[0], local);
  }
  return count_assignments(body, local) == n_sums && count_reads(body, local) == n_sums;
}

// Of locals, constants, and sums of two of them.
bool is_same_index(const Expression& first, const Expression& second) {
  if (is_call(first, {Operation::kAdd, Operation::kSubtract}))
    return is_call(second, {detail<Operation>(first)}) &&
           std::ranges::equal(first.operands, second.operands, is_same_index);
  const auto local = declare::read_local(first);
  if (local) return local == declare::read_local(second);
  const auto number = as_int64(first);
  return number && number == as_int64(second);
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

// The step of "n = n + 1" or "n = n - 1"; 0 for other statements.
int step_of(const Statement& statement) {
  if (statement.kind != StatementKind::kAssign) return 0;
  const Expression& value = *statement.value;
  if (!is_call(value, {Operation::kAdd, Operation::kSubtract})) return 0;
  if (!reads(value.operands[0], statement.local) || !is_constant(value.operands[1], 1)) return 0;
  return detail<Operation>(value) == Operation::kAdd ? 1 : -1;
}

constexpr std::int64_t kFar = std::int64_t{1} << 62;  // from the least and the greatest number

// Whether a condition keeps a local that steps towards a bound on this side of it, beyond which
// there are numbers: the step never wraps around.
bool bounds_step(const Expression& condition, const Statement& step, const Block& body) {
  if (condition.kind == ExpressionKind::kAnd)
    return std::ranges::any_of(
        condition.operands, [&](const Expression& each) { return bounds_step(each, step, body); });
  if (!is_call(condition, kOrderings)) return false;
  const auto operation = detail<Operation>(condition);
  const bool is_left = reads(condition.operands[0], step.local);
  if (!is_left && !reads(condition.operands[1], step.local)) return false;
  const bool is_below = operation == Operation::kLess || operation == Operation::kLessEqual;
  if (step_of(step) != (is_below == is_left ? 1 : -1)) return false;
  const Expression& bound = condition.operands[is_left ? 1 : 0];
  const bool is_strict = operation == Operation::kLess || operation == Operation::kGreater;
  const auto constant = as_int64(bound);
  if (constant) return is_strict || std::abs(*constant) < kFar;
  const auto local = declare::read_local(bound);
  return is_strict &&
         (bound.kind == ExpressionKind::kArraySize || (local && !is_assigned(body, *local)));
}

bool is_bounded_step(const Statement& loop, const Statement& step) {
  return step_of(step) != 0 && count_assignments(loop.body, step.local) == 1 &&
         bounds_step(*loop.value, step, loop.body);
}

}  // namespace

bool is_number(const Expression& expression) {
  return expression.type.kind == declare::ValueType::Kind::kScalar &&
         (expression.type.dtype == base::DType::kFloat32 ||
          expression.type.dtype == base::DType::kFloat64);
}

bool is_same_value(const Expression& first, const Expression& second) {
  if (first.kind != ExpressionKind::kLoad || second.kind != ExpressionKind::kLoad)
    return is_same_index(first, second);
  return detail<declare::ElementLoad>(first).array == detail<declare::ElementLoad>(second).array &&
         std::ranges::equal(first.operands, second.operands, is_same_index);
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

bool is_comparison(const Expression& expression) {
  if (!is_call(expression, kComparisons)) return false;
  const Expression& first = expression.operands[0];
  return first.type == expression.operands[1].type &&
         (is_number(first) || base::is_integer(first.type.dtype));
}

bool is_plain_test(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kCast:
      return std::ranges::all_of(expression.operands, is_plain_test);
    case ExpressionKind::kCall:
      return is_call(expression, kComparisons) &&
             std::ranges::all_of(expression.operands, is_plain_test);
    case ExpressionKind::kLocal:
    case ExpressionKind::kConstant:
      return expression.type.kind == declare::ValueType::Kind::kScalar &&
             !base::is_complex(expression.type.dtype);
    default:
      return false;
  }
}

bool is_ordering(const Expression& expression) {
  return is_call(expression, kOrderings) && std::ranges::all_of(expression.operands, is_number);
}

bool is_python_extremum(const Expression& expression) {
  return is_call(expression, {Operation::kPythonMin, Operation::kPythonMax}) &&
         is_number(expression);
}

bool counts_to_bound(const Statement& loop) {
  bool goes_on = false;
  visit_statements(
      loop.body, [&](const Statement& each) { goes_on |= each.kind == StatementKind::kContinue; });
  return !goes_on && std::ranges::any_of(loop.body, [&](const Statement& each) {
    return is_bounded_step(loop, each);
  });
}

}  // namespace numpy_plugin::analysis
