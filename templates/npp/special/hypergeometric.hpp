// Gauss's hypergeometric function of real numbers. Its power series near 0 and where it ends, in
// plain numbers where those are exact enough. For other arguments a linear transformation (DLMF
// 15.8.1) to [0, 1), where the differential equation is integrated from a point of the power series
// towards 1, in steps that halve the distance: no formula of connection is needed, and no case of
// integer differences is special. Taylor's series for this equation: J. Pearson, S. Olver and M.
// Porter (2017), "Numerical methods for the computation of the confluent and Gauss hypergeometric
// functions", section 4.6.
#pragma once

#include "npp/special/gamma_ratio.hpp"
#include "npp/special/hypergeometric_sum.hpp"

namespace npp::special {

// Of series, before cancellation.
inline constexpr int kMostTerms = 20000;
inline constexpr double kExact = 0x1p-57;
// Up to which the power series takes fewer terms than the differential equation.
inline constexpr double kFar = 0.85;

NPP_FUNCTION bool ends_series(Pair a) { return is_pole(a) && a.high > -kMostTerms; }

NPP_FUNCTION bool is_whole(Pair a) { return a.low == 0 && builtin::floor(a.high) == a.high; }
// value * x**exponent; the power in two factors where it is out of range.
NPP_FUNCTION double times_power(double value, Pair x, Pair exponent) {
  if (exponent.high == 0) return value;
  if (x.high == 0) return value * library::pow(0.0, exponent.high);
  if (exponent.low != 0) value *= 1 + exponent.low * scalar::log(x.high);
  const double power = power_of_pair(x, exponent.high);
  if (power > 1e-290 && power < Limits<double>::kInfinity) return value * power;
  if (!(x.high > 0)) return value * power;
  const double root = power_of_pair(x, exponent.high / 2);
  return root * (value * root);
}

// A point where the power series is exact enough to continue from, and its sum there.
struct HypergeometricStart {
  Pair x;
  HypergeometricSum sum;
};
// Beside a zero of the value its slope counts.
NPP_FUNCTION HypergeometricSum sum_to_continue(HypergeometricParameters p, Pair x) {
  HypergeometricSum sum = hypergeometric_series(p, x, kMostTerms);
  const double size = builtin::fabs(sum.at.value.high);
  const double change = builtin::fabs(x.high * sum.at.slope.high);
  if (0 < size && size < change) sum.error *= size / change;
  return sum;
}
NPP_FUNCTION HypergeometricStart hypergeometric_start(HypergeometricParameters p, Pair x) {
  HypergeometricStart start{x, sum_to_continue(p, x)};
  Pair half = x;
  double growth = 1;
  for (int i = 0; i < 8 && !(start.sum.error < kExact * 0x1p-20); ++i) {
    // Closer to 0 terms cancel less; but from there the other solution, x**(1 - c), may grow.
    half = scaled_pair(half, 0.5);
    HypergeometricSum sum = sum_to_continue(p, half);
    if (p.c.high < 1) growth *= library::pow(2.0, 1 - p.c.high);
    sum.error *= growth;
    if (sum.error < start.sum.error) start = {half, sum};
  }
  return start;
}

NPP_FUNCTION Pair excess_of(HypergeometricParameters p) {
  return difference_of(difference_of(p.c, p.a), p.b);
}
// At 1 - near, 0 < near < 1, by the differential equation.
NPP_LONG_FUNCTION double hypergeometric_from(HypergeometricStart start, HypergeometricParameters p,
                                             Pair near) {
  constexpr double kLast = 0x1p-75;
  const Pair excess = excess_of(p);
  const HypergeometricParameters around{p.a, p.b, difference_of({1, 0}, excess)};
  Solution solution{start.sum.at.value, negative_pair(start.sum.at.slope)};
  Pair at = difference_of({1, 0}, start.x);
  bool has_arrived = false;
  while (!has_arrived && at.high > kLast) {
    const double distance = at.high < 0.5 ? at.high : 1 - at.high;
    Pair step{-distance / 2, 0};
    has_arrived = at.high + step.high <= near.high;
    if (has_arrived) step = difference_of(near, at);
    solution = continued(around, solution, at, step);
    at = pair_of_sum(at, step);
  }
  if (has_arrived) return solution.value.high;
  // From here on the slope is a constant times near**(excess - 1).
  const double turns = scalar::log(near.high / at.high), power = excess.high * turns;
  const double integral = power == 0 ? turns : turns * (scalar::expm1(power) / power);
  return solution.value.high + at.high * solution.slope.high * integral;
}
// For c - a - b >= 0, so that the other solution there, a power of `near`, is no larger.
NPP_LONG_FUNCTION double hypergeometric_near_one(HypergeometricParameters p, Pair near) {
  const Pair x = difference_of({1, 0}, near);
  if (x.high < kFar) {
    const HypergeometricSum sum = hypergeometric_series(p, x, kMostTerms);
    if (sum.error < kExact) return sum.at.value.high;
  }
  const Pair begin = x.high < 0.5 ? x : Pair{0.5, 0};
  const HypergeometricStart start = hypergeometric_start(p, begin);
  // For such c the first terms and those far behind, which grow, may differ by all digits.
  if (p.c.high < -10) {
    const HypergeometricParameters other{difference_of(p.c, p.a), difference_of(p.c, p.b), p.c};
    const HypergeometricStart better = hypergeometric_start(other, begin);
    if (better.sum.error < start.sum.error) {
      // This one may overflow where the other does not.
      const double rest = hypergeometric_from(better, other, near);
      const double value = times_power(rest, near, excess_of(p));
      if (builtin::fabs(value) < Limits<double>::kInfinity) return value;
    }
  }
  return hypergeometric_from(start, p, near);
}

// A polynomial of degree -a as one of 1 - x (DLMF 15.8.7).
NPP_LONG_FUNCTION HypergeometricSum polynomial_around_one(HypergeometricParameters p, Pair rest) {
  const Pair above = difference_of(p.c, p.b);
  Pair factor{1, 0};
  for (int k = 0; k < -p.a.high; ++k) {
    const Pair count{k * 1.0, 0};
    const Pair share = pair_of_quotient(pair_of_sum(above, count), pair_of_sum(p.c, count));
    factor = pair_of_product(factor, share);
  }
  if (rest.high == 0) return {{factor, {}}, 0};
  const Pair third = pair_of_sum(difference_of(p.a, above), {1, 0});
  if (ends_series(third)) return {{}, Limits<double>::kInfinity};
  HypergeometricSum sum = hypergeometric_series({p.a, p.b, third}, rest, kMostTerms);
  sum.at.value = pair_of_product(factor, sum.at.value);
  return sum;
}
// A polynomial of degree -a at x, and at 1 - rest.
NPP_LONG_FUNCTION HypergeometricSum polynomial_sum(HypergeometricParameters p, Pair x, Pair rest) {
  const HypergeometricSum sum = hypergeometric_series(p, x, kMostTerms);
  if (sum.error < kExact) return sum;
  const HypergeometricSum other = polynomial_around_one(p, rest);
  const HypergeometricSum best = other.error < sum.error ? other : sum;
  if (best.error < kExact || !(x.high > 0 && rest.high > 0)) return best;
  if (excess_of(p).high < 0) return best;
  return {{{hypergeometric_near_one(p, rest), 0}, {}}, kExact};
}
// The limit of a polynomial of degree -a, and of one whose terms overflow.
NPP_FUNCTION double polynomial_at_infinity(HypergeometricParameters p, double x) {
  double sign = 1;
  for (double k = 0; k < -p.a.high; k += 1) {
    const bool flips = (p.b.high + k < 0) != (p.c.high + k < 0);
    if (flips != (x > 0)) sign = -sign;
  }
  return sign * Limits<double>::kInfinity;
}
// (1 - x)**exponent times the polynomial of degree -a, for x < 0 also by DLMF 15.8.1.
NPP_LONG_FUNCTION double times_polynomial(Pair exponent, HypergeometricParameters p, double x) {
  const Pair base = pair_of_sum(1, -x);
  const HypergeometricSum sum = polynomial_sum(p, {x, 0}, base);
  if (x < 0 && !(sum.error < kExact)) {
    const HypergeometricParameters other{p.a, difference_of(p.c, p.b), p.c};
    const Pair inverse = pair_of_quotient({1, 0}, base);
    const HypergeometricSum scaled = polynomial_sum(other, scaled_pair(inverse, -x), inverse);
    if (scaled.error < sum.error) {
      return times_power(scaled.at.value.high, base, difference_of(exponent, p.a));
    }
  }
  const bool overflows = sum.error == Limits<double>::kInfinity && x > 1;
  const double value = overflows ? polynomial_at_infinity(p, x) : sum.at.value.high;
  return times_power(value, base, exponent);
}

// For x < 1, and parameters for which the series does not end.
NPP_LONG_FUNCTION double hypergeometric_inside(HypergeometricParameters p, double x) {
  if (-0.5 < x && x < kFar) {
    const HypergeometricSum sum = hypergeometric_series(p, {x, 0}, kMostTerms);
    if (sum.error < kExact) return sum.at.value.high;
  }
  const Pair base = pair_of_sum(1, -x);
  if (x < 0) {
    // Of the parameters whose difference c - a - b is positive.
    const bool swaps = p.a.high > p.b.high;
    const Pair first = swaps ? p.b : p.a, second = swaps ? p.a : p.b;
    const HypergeometricParameters other{first, difference_of(p.c, second), p.c};
    const double value = hypergeometric_near_one(other, pair_of_quotient({1, 0}, base));
    return times_power(value, base, negative_pair(first));
  }
  const Pair excess = excess_of(p);
  if (excess.high >= 0) return hypergeometric_near_one(p, base);
  const HypergeometricParameters other{difference_of(p.c, p.a), difference_of(p.c, p.b), p.c};
  return times_power(hypergeometric_near_one(other, base), base, excess);
}

// Gauss's formula (DLMF 15.4.20).
NPP_FUNCTION double hypergeometric_at_one(HypergeometricParameters p) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const Pair first = difference_of(p.c, p.a), second = difference_of(p.c, p.b);
  const Pair excess = difference_of(first, p.b);
  if (excess.high <= 0) {
    return kInfinity * gammasgn(p.a.high) * gammasgn(p.b.high) * gammasgn(p.c.high);
  }
  if (is_pole(first) || is_pole(second)) return 0;
  const Scaled below = product_of(scaled_gamma(first), scaled_gamma(second));
  const Scaled above = product_of(scaled_gamma(p.c), scaled_gamma(excess));
  return value_of(product_of(above, inverse_of(below)));
}

// For c a negative integer or 0: SciPy's choices where a or b are the same integer.
NPP_FUNCTION double hypergeometric_of_pole(double a, double b, double c, double x) {
  const bool is_inside = -1 <= x && x < 1;
  if (is_inside && b == c) {
    return hypergeometric_series({{a, 0}, {b, 0}, {c, 0}}, {x, 0}, static_cast<int>(-b))
        .at.value.high;
  }
  if (is_inside && a == c) return power_of_pair(pair_of_sum(1, -x), -b);
  return Limits<double>::kInfinity;
}
// The parameter a or b that ends the series first, if any, as the first one.
NPP_FUNCTION HypergeometricParameters ended_first(HypergeometricParameters p) {
  const bool swaps = ends_series(p.b) && !(ends_series(p.a) && p.a.high >= p.b.high);
  return swaps ? HypergeometricParameters{p.b, p.a, p.c} : p;
}

NPP_LONG_FUNCTION double hyp2f1(double a, double b, double c, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(a, b, c, x)) return Limits<double>::kNan;
  if (x == 0 || ((a == 0 || b == 0) && c != 0)) return 1;
  if (!(builtin::fabs(a) + builtin::fabs(b) < kInfinity)) return Limits<double>::kNan;
  if (builtin::fabs(c) == kInfinity) return builtin::fabs(x) < kInfinity ? 1 : Limits<double>::kNan;
  const HypergeometricParameters p = ended_first({{a, 0}, {b, 0}, {c, 0}});
  const bool ends = ends_series(p.a) && !(is_pole(c) && p.a.high <= c);
  if (builtin::fabs(x) == kInfinity)
    return ends ? polynomial_at_infinity(p, x) : Limits<double>::kNan;
  if (is_pole(c)) return ends ? times_polynomial({0, 0}, p, x) : hypergeometric_of_pole(a, b, c, x);
  if (-0.5 < x && x < kFar) {
    const PlainSum sum = plain_hypergeometric_series(a, b, c, x);
    if (sum.error < 4) return sum.value;
  }
  const HypergeometricParameters other =
      ended_first({pair_of_sum(c, -a), pair_of_sum(c, -b), {c, 0}});
  const bool other_ends = ends_series(other.a);
  if (ends && !(other_ends && other.a.high > p.a.high)) return times_polynomial({0, 0}, p, x);
  if (x == 1 && !ends) return hypergeometric_at_one(p);
  const Pair excess = difference_of(pair_of_sum(c, -a), {b, 0});
  if (other_ends && (x < 1 || is_whole(excess))) return times_polynomial(excess, other, x);
  return x > 1 ? kInfinity : hypergeometric_inside(p, x);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_FOUR(hyp2f1)

}  // namespace npp
