// Recurrence of Bessel functions to higher orders (DLMF 10.6.1), in double-double numbers: hundreds
// of steps add no error to that of their start.
#pragma once

#include "npp/special/pairs.hpp"

namespace npp::special {

// A function of an order and of the next one.
struct Neighbours {
  double value;
  double above;
};
struct PairOfNeighbours {
  Pair value;
  Pair above;
};
// From `order` up by a number of steps; beyond the range of double to an infinity.
NPP_LONG_FUNCTION Neighbours raised(PairOfNeighbours start, double order, double steps, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const Pair inverse = pair_of_quotient({2, 0}, {x, 0});
  Pair value = start.value, above = start.above;
  for (double k = 1; k <= steps; k += 1) {
    const Pair product = pair_of_product(pair_of_product(inverse, {order + k, 0}), above);
    const Pair next = pair_of_sum(product, negative_pair(value));
    if (!(builtin::fabs(next.high) < kInfinity)) {
      const double limit = builtin::copysign(kInfinity, above.high);
      return {k < steps ? limit : above.high, limit};
    }
    value = above;
    above = next;
  }
  return {value.high, above.high};
}

}  // namespace npp::special
