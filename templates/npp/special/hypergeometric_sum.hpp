// Sums for the hypergeometric function in double-double numbers, so that terms of opposite signs
// may cancel: its power series (DLMF 15.2.1), and Taylor's series of the solutions of its
// differential equation (DLMF 15.10.1), whose coefficients have a recurrence of three terms.
#pragma once

#include "npp/special/pairs.hpp"

namespace npp::special {

struct HypergeometricParameters {
  Pair a;
  Pair b;
  Pair c;
};
// A solution of the differential equation at a point.
struct Solution {
  Pair value;
  Pair slope;
};
struct HypergeometricSum {
  Solution at;
  double error;  // roughly the relative one of the value
};

NPP_FUNCTION double largest_size(HypergeometricParameters p) {
  const double a = builtin::fabs(p.a.high), b = builtin::fabs(p.b.high);
  const double c = builtin::fabs(p.c.high), larger = a > b ? a : b;
  return larger > c ? larger : c;
}

// The terms up to x**most; beyond the parameters' sizes it ends where they are negligible.
NPP_LONG_FUNCTION HypergeometricSum hypergeometric_series(HypergeometricParameters p, Pair x,
                                                          int most) {
  constexpr double kTooLarge = 1e290;
  const double start = largest_size(p);
  Pair term{1, 0}, value{1, 0}, slope{0, 0};
  double size = 1;
  for (int n = 0; n < most; ++n) {
    const Pair count{static_cast<double>(n), 0}, next{n + 1.0, 0};
    const Pair above = pair_of_product(pair_of_sum(p.a, count), pair_of_sum(p.b, count));
    const Pair below = pair_of_product(pair_of_sum(p.c, count), next);
    const Pair coefficient = pair_of_product(term, pair_of_quotient(above, below));
    const double before = builtin::fabs(term.high);
    term = pair_of_product(coefficient, x);
    value = pair_of_sum(value, term);
    slope = pair_of_sum(slope, pair_of_product(coefficient, next));
    const double now = builtin::fabs(term.high);
    size += now;
    if (now == 0) break;
    if (!(size < kTooLarge)) {
      const double limit = Limits<double>::kInfinity;
      return {{{builtin::copysign(limit, term.high), 0}, slope}, limit};
    }
    if (n >= start && now < size * 1e-30 && now < 0.9 * before) break;
  }
  return {{value, slope}, size * 0x1p-98 / builtin::fabs(value.high)};
}

// A solution at x + step, for a step of up to half the distance from 0 and 1.
NPP_LONG_FUNCTION Solution continued(HypergeometricParameters p, Solution start, Pair x,
                                     Pair step) {
  constexpr int kMost = 2000;
  const Pair rest = pair_of_sum({1, 0}, negative_pair(x));
  const Pair scale = pair_of_quotient(step, pair_of_product(x, rest));
  const Pair sum = pair_of_sum(p.a, p.b), product = pair_of_product(p.a, p.b);
  const Pair bend = pair_of_product(scale, difference_of(rest, x));
  const Pair shift = difference_of(p.c, pair_of_product(pair_of_sum(sum, {1, 0}), x));
  const Pair first = pair_of_product(scale, shift), second = pair_of_product(scale, step);
  const double least = largest_size(p);
  Pair term = start.value, next = pair_of_product(start.slope, step);
  Pair value = pair_of_sum(term, next), slope = next;
  for (int n = 0; n < kMost; ++n) {
    // (n + 2) T(n + 2) = second (n + a) (n + b) / (n + 1) T(n) - (n bend + first) T(n + 1).
    const Pair factor = pair_of_sum(scaled_pair(pair_of_sum(sum, {n * 1.0, 0}), n), product);
    const Pair from_term = pair_of_product(pair_of_product(second, factor), term);
    const Pair from_next = pair_of_product(pair_of_sum(scaled_pair(bend, n), first), next);
    const Pair both = difference_of(pair_of_quotient(from_term, {n + 1.0, 0}), from_next);
    term = next;
    next = pair_of_quotient(both, {n + 2.0, 0});
    value = pair_of_sum(value, next);
    slope = pair_of_sum(slope, both);
    const double size = builtin::fabs(term.high) + builtin::fabs(next.high);
    if (n >= least && size < 1e-28 * builtin::fabs(value.high)) break;
  }
  return {value, pair_of_quotient(slope, step)};
}

}  // namespace npp::special
