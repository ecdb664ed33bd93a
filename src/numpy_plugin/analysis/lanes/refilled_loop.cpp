// Which loop is worth it: each time lanes take further elements, all others wait.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>
#include <limits>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::Statement;
using declare::StatementKind;

bool has_locals(const Expression& expression) {
  return declare::named_local(expression).has_value() ||
         std::any_of(expression.operands.begin(), expression.operands.end(), has_locals);
}

// Whether lanes leave a block by `break`, but not one of its inner loops.
bool breaks(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& each) {
    if (is_loop(each)) return false;
    return each.kind == StatementKind::kBreak || breaks(each.body) || breaks(each.orelse);
  });
}

// Of a range by steps of their own, lanes count nothing. Ranges that are not left early are mostly
// of short trips, for which compiling a second form would take longer than it saves.
bool has_own_trips(const Statement& loop) {
  if (loop.kind == StatementKind::kWhile) return true;
  if (!is_left_early(loop)) return false;
  const bool has_own_bounds = std::any_of(loop.range.begin(), loop.range.end(), has_locals);
  if (!has_own_bounds) return constant_trips(loop).has_value();
  return is_constant(loop.range[2], 1) || is_constant(loop.range[2], -1);
}

bool has_costly_bounds(const LanePlan& plan, const Statement& loop) {
  return std::any_of(loop.range.begin(), loop.range.end(),
                     [&](const Expression& bound) { return is_costly_in_lanes(plan, bound); });
}

}  // namespace

bool is_left_early(const Statement& loop) {
  bool returns = false;
  visit_statements(loop.body, [&](const Statement& each) {
    returns |= each.kind == StatementKind::kReturn || each.kind == StatementKind::kRaise;
  });
  return returns || breaks(loop.body);
}

std::optional<std::size_t> find_refilled(const declare::PythonKernel& kernel,
                                         const LanePlan& plan) {
  const Block& body = kernel.function.body;
  if (!kernel.exceptions.empty() && !kernel.device_functions.empty()) return {};
  const auto loop = std::find_if(body.begin(), body.end(), is_loop);
  if (loop == body.end() || !has_own_trips(*loop) || has_costly_bounds(plan, *loop)) return {};
  if (is_costly_in_lanes(plan, Block(body.begin(), loop)) ||
      is_costly_in_lanes(plan, Block(loop + 1, body.end())))
    return {};
  return loop - body.begin();
}

std::optional<std::uint64_t> constant_trips(const Statement& loop) {
  if (loop.kind != StatementKind::kForRange) return {};
  const auto start = as_int64(loop.range[0]), stop = as_int64(loop.range[1]),
             step = as_int64(loop.range[2]);
  if (!start || !stop || !step || *step == 0) return {};
  const bool is_upward = *step > 0;
  if (is_upward ? *start >= *stop : *start <= *stop) return 0;
  const auto low = static_cast<std::uint64_t>(is_upward ? *start : *stop);
  const auto high = static_cast<std::uint64_t>(is_upward ? *stop : *start);
  const auto size = static_cast<std::uint64_t>(*step);
  return (high - low - 1) / (is_upward ? size : 0 - size) + 1;
}

base::DType trip_dtype(const Statement& loop, int size) {
  const auto trips = constant_trips(loop);
  const bool is_small = trips && *trips < std::numeric_limits<std::uint32_t>::max();
  return size == 4 && is_small ? base::DType::kUInt32 : base::DType::kUInt64;
}

bool reads_variable(const declare::Function& function, const Statement& loop) {
  bool found = false;
  visit_expressions(function.body, [&](const Expression& expression) {
    found |= declare::named_local(expression) == loop.local;
  });
  return found;
}

}  // namespace numpy_plugin::analysis
