#include "numpy_plugin/analysis/running_extremum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "numpy_plugin/analysis/scalar_loops.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

// Of `if value > best: best = value`.
std::optional<RunningExtremum> of_comparison(const Statement& test) {
  if (test.kind != StatementKind::kIf || !test.orelse.empty() || test.body.size() != 1) return {};
  const Statement& update = test.body.front();
  if (update.kind != StatementKind::kAssign || !is_ordering(*test.value)) return {};
  const auto operation = detail<Operation>(*test.value);
  if (operation != Operation::kLess && operation != Operation::kGreater) return {};
  const Expression &left = test.value->operands[0], &right = test.value->operands[1];
  const bool is_first = declare::read_local(right) == update.local;
  if (!is_first && declare::read_local(left) != update.local) return {};
  const Expression& value = is_first ? left : right;
  if (!is_same_value(value, *update.value)) return {};
  return RunningExtremum{update.local, (operation == Operation::kLess) == is_first, false, &value};
}

// Of `best = max(best, value)`.
std::optional<RunningExtremum> of_function(const Statement& update) {
  if (update.kind != StatementKind::kAssign || update.value->kind != ExpressionKind::kCall)
    return {};
  const auto operation = detail<Operation>(*update.value);
  const bool finds_nan = operation == Operation::kMinimum || operation == Operation::kMaximum;
  const bool is_least = operation == Operation::kMinimum || operation == Operation::kPythonMin;
  if (!finds_nan && !is_least && operation != Operation::kPythonMax) return {};
  const auto& operands = update.value->operands;
  if (declare::read_local(operands[0]) != update.local) return {};
  return RunningExtremum{update.local, is_least, finds_nan, &operands[1]};
}

std::optional<RunningExtremum> extremum_of(const Statement& update) {
  const auto found =
      update.kind == StatementKind::kIf ? of_comparison(update) : of_function(update);
  if (!found || !is_number(*found->value)) return {};
  return found;
}

// Trips of a known number up to which compilers unroll the loop.
constexpr std::int64_t kFewTrips = 7;

bool counts_up_from_constant(const Statement& loop) {
  const auto start = as_int64(loop.range[0]);
  const auto stop = as_int64(loop.range[1]);
  if (start && stop && *stop - *start <= kFewTrips) return false;
  return start && *start >= 0 && is_constant(loop.range[2], 1) &&
         !is_assigned(loop.body, loop.local);
}

bool is_assignment_apart(const Statement& statement, int best) {
  return statement.kind == StatementKind::kAssign && statement.local != best &&
         statement.value->kind != ExpressionKind::kScratchArray && !is_mentioned(statement, best);
}

// Whether each trip computes every value from others.
bool are_apart(const Block& body, const std::vector<RunningExtremum>& extrema) {
  const auto before = body.end() - static_cast<std::ptrdiff_t>(extrema.size());
  if (extrema.size() > 1 && before != body.begin()) return false;
  return std::ranges::all_of(extrema, [&](const RunningExtremum& each) {
    const auto is_apart = [&](const Statement& other) {
      return is_assignment_apart(other, each.best);
    };
    const auto n_updates = std::ranges::count(extrema, each.best, &RunningExtremum::best);
    return n_updates == 1 && std::all_of(body.begin(), before, is_apart) &&
           std::ranges::none_of(extrema, [&](const RunningExtremum& other) {
             return is_mentioned(*other.value, each.best);
           });
  });
}

}  // namespace

std::vector<RunningExtremum> find_running_extrema(const Statement& loop) {
  std::vector<RunningExtremum> found;
  if (loop.kind != StatementKind::kForRange || loop.fold != declare::Fold::kNone) return found;
  if (!counts_up_from_constant(loop)) return found;
  for (auto update = loop.body.rbegin(); update != loop.body.rend(); ++update) {
    const auto extremum = extremum_of(*update);
    if (!extremum) break;
    found.push_back(*extremum);
  }
  if (!are_apart(loop.body, found)) found.clear();
  return found;
}

}  // namespace numpy_plugin::analysis
