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

// In plain numbers, with the sum of n |term| over that of the terms, to which the error is in
// proportion; infinite where too many terms matter.
struct PlainSum {
  double value;
  double error;
};
NPP_LONG_FUNCTION PlainSum plain_hypergeometric_series(double a, double b, double c, double x) {
  const double start = largest_size({{a, 0}, {b, 0}, {c, 0}});
  double term = 1, before = 1, sum = 1, lost = 0, steps = 0;
  for (int n = 0; n < 300; ++n) {
    term *= (a + n) * (b + n) * x / ((c + n) * (n + 1.0));
    const double next = sum + term, size = builtin::fabs(term);
    const bool shrinks = size < 0.9 * before;
    before = size;
    lost += library::lost_in_sum(sum, term, next);
    sum = next;
    steps += size * (n + 1.0);
    if (n >= start && shrinks && size < 1e-18 * builtin::fabs(sum)) {
      return {sum + lost, steps / builtin::fabs(sum)};
    }
  }
  return {sum, Limits<double>::kInfinity};
}

// Terms below this share of the sum are plain numbers.
inline constexpr double kSmallShare = 1e-14;

struct Tail {
  double value;
  double slope;
};
// The terms after the one of x**n, `last`, up to x**most.
NPP_FUNCTION Tail tail_of_series(HypergeometricParameters p, double x, int n, double last,
                                 int most) {
  const double least = 1e-16 * builtin::fabs(last);
  Tail tail{0, 0};
  for (; n < most && last != 0; ++n) {
    const double above = (p.a.high + n) * (p.b.high + n), below = (p.c.high + n) * (n + 1.0);
    const double coefficient = last * (above / below), before = builtin::fabs(last);
    last = coefficient * x;
    tail.value += last;
    tail.slope += coefficient * (n + 1.0);
    const double size = builtin::fabs(last);
    if (size < least && size < 0.9 * before) break;
  }
  return tail;
}
// At most `most` powers of x. Beyond the parameters' sizes it ends where terms are negligible.
NPP_LONG_FUNCTION HypergeometricSum hypergeometric_series(HypergeometricParameters p, Pair x,
                                                          int most) {
  constexpr double kTooLarge = 1e290, kInfinity = Limits<double>::kInfinity;
  const double start = largest_size(p);
  Pair term{1, 0}, value{1, 0}, slope{0, 0};
  double size = 1;
  bool shrinks = false;
  int n = 0;
  for (; n < most && term.high != 0; ++n) {
    if (n > start && shrinks && builtin::fabs(term.high) < kSmallShare * size) break;
    const Pair count{n * 1.0, 0}, next{n + 1.0, 0};
    const Pair above = pair_of_product(pair_of_sum(p.a, count), pair_of_sum(p.b, count));
    const Pair below = pair_of_product(pair_of_sum(p.c, count), next);
    const Pair coefficient = pair_of_product(term, pair_of_quotient(above, below));
    const double before = builtin::fabs(term.high);
    term = pair_of_product(coefficient, x);
    shrinks = builtin::fabs(term.high) < 0.9 * before;
    value = pair_of_sum(value, term);
    slope = pair_of_sum(slope, pair_of_product(coefficient, next));
    size += builtin::fabs(term.high);
    if (!(size < kTooLarge)) return {{{builtin::copysign(kInfinity, term.high), 0}, {}}, kInfinity};
  }
  const Tail tail = tail_of_series(p, x.high, n, term.high, most);
  value = pair_of_sum(value, {tail.value, 0});
  slope = pair_of_sum(slope, {tail.slope, 0});
  return {{value, slope}, size * 0x1p-98 / builtin::fabs(value.high)};
}

// Of Taylor's series of a solution around a point:
// (n + 2) T(n + 2) = second (n + a) (n + b) / (n + 1) T(n) - (n bend + first) T(n + 1).
struct TaylorRecurrence {
  Pair sum;      // a + b
  Pair product;  // a b
  Pair first;
  Pair bend;
  Pair second;
};
NPP_FUNCTION TaylorRecurrence taylor_recurrence(HypergeometricParameters p, Pair x, Pair step) {
  const Pair rest = difference_of({1, 0}, x), sum = pair_of_sum(p.a, p.b);
  const Pair scale = pair_of_quotient(step, pair_of_product(x, rest));
  const Pair shift = difference_of(p.c, pair_of_product(pair_of_sum(sum, {1, 0}), x));
  return {sum, pair_of_product(p.a, p.b), pair_of_product(scale, shift),
          pair_of_product(scale, difference_of(rest, x)), pair_of_product(scale, step)};
}
NPP_FUNCTION Tail tail_of_solution(TaylorRecurrence r, int n, int most, double last, double now) {
  const double least = 1e-14 * (builtin::fabs(last) + builtin::fabs(now));
  Tail tail{0, 0};
  for (; n < most; ++n) {
    const double from_last = r.second.high * ((r.sum.high + n) * n + r.product.high) * last;
    const double scaled = from_last / (n + 1.0) - (r.bend.high * n + r.first.high) * now;
    last = now;
    now = scaled / (n + 2.0);
    tail.value += now;
    tail.slope += scaled;
    if (!(builtin::fabs(last) + builtin::fabs(now) > least)) break;
  }
  return tail;
}
// A solution at x + step, for a step of up to half the distance from 0 and 1.
NPP_LONG_FUNCTION Solution continued(HypergeometricParameters p, Solution start, Pair x,
                                     Pair step) {
  constexpr int kMost = 2000;
  const TaylorRecurrence r = taylor_recurrence(p, x, step);
  const double least = largest_size(p);
  Pair term = start.value, next = pair_of_product(start.slope, step);
  Pair value = pair_of_sum(term, next), slope = next;
  int n = 0;
  for (; n < kMost; ++n) {
    const double size = builtin::fabs(term.high) + builtin::fabs(next.high);
    if (n > least && !(size >= kSmallShare * builtin::fabs(value.high))) break;
    const Pair growth = scaled_pair(pair_of_sum(r.sum, {n * 1.0, 0}), n);
    const Pair factor = pair_of_product(r.second, pair_of_sum(growth, r.product));
    const Pair from_term = pair_of_quotient(pair_of_product(factor, term), {n + 1.0, 0});
    const Pair from_next = pair_of_product(pair_of_sum(scaled_pair(r.bend, n), r.first), next);
    const Pair scaled = difference_of(from_term, from_next);
    term = next;
    next = pair_of_quotient(scaled, {n + 2.0, 0});
    value = pair_of_sum(value, next);
    slope = pair_of_sum(slope, scaled);
  }
  const Tail tail = tail_of_solution(r, n, kMost, term.high, next.high);
  value = pair_of_sum(value, {tail.value, 0});
  slope = pair_of_sum(slope, {tail.slope, 0});
  return {value, pair_of_quotient(slope, step)};
}

}  // namespace npp::special
