// Loops for the greatest or the least of some values, as people write them.
#pragma once

#include <vector>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

// `if value > best: best = value`, the same with `<`, `best = max(best, value)` or `np.maximum`.
struct RunningExtremum {
  int best;  // a local of float32 or float64
  bool is_least;
  bool finds_nan;  // as np.maximum does
  const declare::Expression* value;
};

// Those of a loop `for i in range(start, stop)` that has nothing else in it, or assignments before
// its only one; empty for other loops.
std::vector<RunningExtremum> find_running_extrema(const declare::Statement& loop);

}  // namespace numpy_plugin::analysis
