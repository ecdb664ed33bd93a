#include "numpy_plugin/analysis/lanes/lane_eligibility.hpp"

#include <algorithm>
#include <bit>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/analysis/scalar_loops.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

bool has_8_bytes(base::DType dtype) { return base::info(dtype).n_bytes == 8; }

// Each is much code in lanes, and functions are inlined: compilers take a second for two.
constexpr int kMostQuotients = 8;

// Conversions that lanes compute with arithmetic of float64, and g++ number by number.
bool is_wide_cast(const Expression& cast) {
  const base::DType from = cast.operands.front().type.dtype, to = cast.type.dtype;
  if (to == base::DType::kFloat64) return base::is_integer(from) && has_8_bytes(from);
  return to == base::DType::kInt64 && base::is_floating(from) && !base::is_half(from);
}

// Powers of 2 are shifts and masks in any form; compilers vectorize those of times.
bool is_wide_quotient(const Expression& call) {
  if (is_of_times(call)) return false;
  const auto divisor = known_divisor(call);
  return has_8_bytes(call.type.dtype) && divisor && !std::has_single_bit(*divisor);
}

// Which processors divide about as fast one by one.
bool is_unknown_quotient(const Expression& call) {
  return is_floor_division(call) && base::is_integer(call.type.dtype) && !known_divisor(call);
}

int count_quotients(const Block& block, const std::vector<int>& of_called) {
  int n = 0;
  visit_expressions(block, [&](const Expression& each) {
    if (each.kind == ExpressionKind::kCall && is_unknown_quotient(each)) ++n;
    if (each.kind == ExpressionKind::kCallFunction)
      n += of_called.at(
          static_cast<std::size_t>(detail<declare::DeviceFunctionCall>(each).function));
  });
  return n;
}

// Those of a kernel with the functions that are inlined into it, which precede their callers.
int count_quotients(const declare::PythonKernel& kernel) {
  std::vector<int> of_called;
  for (const declare::Function& function : kernel.device_functions)
    of_called.push_back(count_quotients(function.body, of_called));
  return count_quotients(kernel.function.body, of_called);
}

// For which g++ has no vector instruction that is quiet about NaN.
bool orders_float64(const Expression& call) {
  if (call.operands.front().type.dtype != base::DType::kFloat64) return false;
  return is_ordering(call) || is_extremum(detail<Operation>(call));
}

// Of which a vector has as many as of numbers that lanes compute with.
bool has_wide_results(const declare::ValueType& result) {
  if (result.kind == declare::ValueType::Kind::kTuple)
    return std::ranges::all_of(result.items, has_wide_results);
  return base::info(result.dtype).n_bytes >= 4;
}

bool profits_from_masks(const Profit& profit) {
  const bool has_vector_math = profit.math != declare::MathMode::kLibm;
  return profit.has_loops || (profit.has_guarded_math && has_vector_math);
}

}  // namespace

void Profit::block(const Block& statements, bool is_in_loop, bool is_guarded) {
  for (const Statement& each : statements) {
    const bool is_inner = is_in_loop || is_loop(each);
    has_loops |= is_loop(each);
    has_branches |= each.kind == StatementKind::kIf;
    if (each.value) value(*each.value, is_inner, is_guarded);
    block(each.body, is_inner, true);
    block(each.orelse, is_inner, true);
    is_guarded |= parts_lanes({each});
  }
}

void Profit::value(const Expression& expression, bool is_in_loop, bool is_guarded) {
  if (expression.kind == ExpressionKind::kCall) call(expression, is_in_loop, is_guarded);
  if (expression.kind == ExpressionKind::kCast) {
    has_scalar_calls |= is_scalar_cast(expression);
    lacks_instructions |= is_wide_cast(expression);
  }
  if (expression.kind == ExpressionKind::kCallFunction) {
    const int function = detail<declare::DeviceFunctionCall>(expression).function;
    if (called.emplace(function, is_in_loop, is_guarded).second)
      block(kernel.device_functions.at(function).body, is_in_loop, is_guarded);
  }
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const bool is_branch = expression.kind == ExpressionKind::kSelect ||
                           expression.kind == ExpressionKind::kAnd ||
                           expression.kind == ExpressionKind::kOr;
    value(expression.operands[i], is_in_loop, is_guarded || (is_branch && i > 0));
  }
}

void Profit::call(const Expression& call, bool is_in_loop, bool is_guarded) {
  has_times |= is_of_times(call);
  rounds_to_halves |= base::is_half(call.type.dtype) && computes_in_float32(call);
  lacks_instructions |= is_wide_quotient(call) || orders_float64(call);
  divides_integers |= is_unknown_quotient(call);
  divides_numbers |= is_floor_division(call) && base::is_floating(call.type.dtype);
  const LaneForm form = lane_form(call, math);
  has_guarded_math |= is_guarded && form == LaneForm::kMath;
  own_vector_bytes = std::min(own_vector_bytes, analysis::own_vector_bytes(call, math));
  if (const OwnFunction* const own = own_lane_function(call, math))
    library_since = std::max(library_since, own->since);
  has_scalar_calls |=
      form == LaneForm::kEach || (form == LaneForm::kMath && math == declare::MathMode::kLibm);
  has_scalar_calls_in_loops |= is_in_loop && form == LaneForm::kEach;
}

// Of times, compilers have fewer instructions for both branches than lanes.
bool Profit::has_masked_branches() const {
  return has_branches && !divides_integers && !has_times &&
         has_wide_results(kernel.function.result);
}

LanePlan::Target target_of(const Profit& profit) {
  if (profits_from_masks(profit) || profit.rounds_to_halves || profit.divides_numbers ||
      profit.own_vector_bytes <= 32)
    return LanePlan::Target::kAny;
  const bool lacks_code = profit.lacks_instructions || profit.has_masked_branches();
  if (lacks_code && profit.library_since == 0) return LanePlan::Target::kOnlyAvx2;
  return profit.own_vector_bytes <= 64 ? LanePlan::Target::kWideOrOwnMath
                                       : LanePlan::Target::kOwnMath;
}

std::string why_not_worth(const declare::TypedKernel& kernel, const LanePlan& plan,
                          const Profit& profit) {
  if (profit.has_scalar_calls_in_loops) return "a loop with functions that have no vector form";
  if (count_quotients(profit.kernel) > kMostQuotients)
    return base::format("more than {} quotients by unknown integers", kMostQuotients);
  if (kernel.layout) return why_no_core_lanes(kernel, plan);
  if (profits_from_masks(profit)) return "";
  const bool profits_from_vectors = profit.library_since > 0 || profit.own_vector_bytes <= 32 ||
                                    profit.rounds_to_halves || profit.divides_numbers ||
                                    profit.lacks_instructions || profit.has_masked_branches();
  if (profits_from_vectors && !profit.has_scalar_calls) return "";
  return "nothing that lanes compute faster";
}

}  // namespace numpy_plugin::analysis
