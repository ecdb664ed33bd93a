// The regularized incomplete beta function I(a, b, x), on the side of the mean where it converges
// quickly, by the continued fraction of A. DiDonato and A. Morris (1992), "Significant digit
// computation of the incomplete beta function ratios"; around the mean of large parameters by the
// uniform expansion of N. Temme (1992), "Asymptotic inversion of the incomplete beta function".
#pragma once

#include "npp/special/gamma_incomplete.hpp"

namespace npp::special {

// b x - a y, where x + y is 1: x's distance from a / (a + b), times a + b.
NPP_FUNCTION Pair distance_from_mean(double a, double b, Pair x, Pair y) {
  return pair_of_sum(pair_of_product({b, 0}, x), negative_pair(pair_of_product({a, 0}, y)));
}
// a log(x) + b log(y), less its maximum at x = a / (a + b), negated.
NPP_FUNCTION Pair beta_phase(double a, double b, Pair x, Pair y) {
  const Pair distance = distance_from_mean(a, b, x, y);
  const Pair of_x = excess_over_log1p(pair_of_quotient(distance, {a, 0}));
  const Pair of_y = excess_over_log1p(pair_of_quotient(negative_pair(distance), {b, 0}));
  return pair_of_sum(pair_of_product({a, 0}, of_x), pair_of_product({b, 0}, of_y));
}

// x**a y**b / beta(a, b).
NPP_FUNCTION double beta_density(double a, double b, Pair x, Pair y) {
  const double small = a < b ? a : b, sum = a + b;
  if (small < 10 || sum < 100) {
    const double power = power_of_pair(x, a), rest = power_of_pair(y, b) / beta(a, b);
    if (power > 1e-290) return power * rest;
    const double root = power_of_pair(x, a / 2);  // the power alone would lose digits
    return root * (root * rest);
  }
  const double rest = stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);
  return exp_of_pair(negative_pair(beta_phase(a, b, x, y))) * scalar::exp(rest) *
         builtin::sqrt(a / sum * (b / (2 * kPi)));
}

// The continued fraction by Steed's method.
NPP_FUNCTION double beta_share_by_fraction(double a, double b, Pair x, Pair y) {
  const double missing = 1 - distance_from_mean(a, b, x, y).high;
  double inverse = (a + 1) / (a * missing), step = inverse, sum = step;
  for (int n = 1; n < 10000; ++n) {
    const double place = a + (2 * n - 1), part = n * (b - n) * x.high / place;
    const double above = (a + (n - 1)) / place * (a + b + (n - 1)) * (x.high * part);
    const double below = n + part + (a + n) * (missing + n * (1 + y.high)) / (a + (2 * n + 1));
    inverse = 1 / (below + above * inverse);
    step *= below * inverse - 1;
    sum += step;
    if (builtin::fabs(step) <= builtin::fabs(sum) * 1e-17) break;
  }
  return beta_density(a, b, x, y) * sum;
}

// log(y**b gamma(a + b) / gamma(a)) for b <= 1, a multiple of b: Stirling's formula for both, with
// the terms' differences divided by b, beyond 10.
NPP_FUNCTION double log_of_rise(double a, double b, double y) {
  double sum = 0;
  for (; a < 10; a += 1) sum -= scalar::log1p(b / a);
  constexpr double kTerms[] = {0.083333333333333333333,   -0.0027777777777777777778,
                               0.00079365079365079365079, -0.00059523809523809523810,
                               0.00084175084175084175084, -0.0019175269175269175269,
                               0.0064102564102564102564,  -0.029550653594771241830};
  const double u = 1 / (a + b), v = 1 / a;
  double value = 0, slope = 0;  // of the polynomial in 1 / a**2, between both arguments
  for (int k = 7; k >= 0; --k) {
    slope = slope * (u * u) + value;
    value = value * (v * v) + kTerms[k];
  }
  // u P(u**2) - v P(v**2) = (u - v) (P(v**2) + u (u + v) slope).
  const double rest = -b * u * v * (value + u * (u + v) * slope);
  return sum + b * scalar::log(y * (a + b)) + ((a - 0.5) * scalar::log1p(b / a) - b) + rest;
}
// 1 - I(b, a, y) for b < 1, where I may be close to 1: after DLMF 8.17.7.
NPP_FUNCTION double beta_share_beside_one(double a, double b, double y) {
  double power = 1, sum = 0;
  for (int n = 1; n < 1000; ++n) {
    power *= (n - a) / n * y;
    sum += power / (b + n);
    if (builtin::fabs(power) <= builtin::fabs(sum) * 1e-17) break;
  }
  const double logarithm = log_of_rise(a, b, y) - b * slope_of_lgamma1p(b);
  const double first = -scalar::expm1(logarithm);
  return first - (1 - first) * b * sum;
}

// The power series of z / (t - p), times sqrt(p q), where q = 1 - p and
// z * z / 2 = -p log(t / p) - q log((1 - t) / q).
NPP_FUNCTION void beta_phase_series(double p, double q, double (&series)[kPhaseTerms]) {
  constexpr int kCount = kPhaseTerms + 2;
  double shift[kCount + 1] = {0, builtin::sqrt(p * q)};  // t - p
  double square[kCount + 1] = {0, 0, p * q};
  for (int n = 3; n <= kCount; ++n) {
    square[n] = 2 * ((q - p) * shift[n - 2] - square[n - 2]) / n;
    double sum = square[n];
    for (int k = 2; k < n - 1; ++k) sum -= shift[k] * shift[n - k];
    shift[n - 1] = sum / (2 * shift[1]);
  }
  for (int n = 1; n <= kPhaseTerms; ++n) {
    double sum = -shift[n + 1];
    for (int k = 1; k < n; ++k) sum -= shift[k + 1] * series[n - k - 1];
    series[n - 1] = sum / shift[1];
  }
}

NPP_FUNCTION double beta_share_near(double a, double b, Pair phase, bool is_below) {
  double series[kPhaseTerms];
  beta_phase_series(a / (a + b), b / (a + b), series);
  const double eta = builtin::sqrt(2 * phase.high / (a + b));
  return shares_by_phase(series, a + b, is_below ? -eta : eta, phase).below;
}

NPP_FUNCTION double betainc_at_edge(double a, double b, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const bool is_nan = !(a >= 0 && b >= 0 && x >= 0 && x <= 1) || (a == 0 && b == 0) ||
                      (a == kInfinity && b == kInfinity);
  if (is_nan) return Limits<double>::kNan;
  if (x == 0 || x == 1) return x;
  return a == 0 || b == kInfinity ? 1 : 0;
}
NPP_LONG_FUNCTION double betainc(double a, double b, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(a, b, x)) return Limits<double>::kNan;
  const bool is_inside = a > 0 && b > 0 && a < kInfinity && b < kInfinity && x > 0 && x < 1;
  if (!is_inside) return betainc_at_edge(a, b, x);
  const Pair part{x, 0}, rest = pair_of_sum(1, -x);
  const double small = a < b ? a : b;
  if (small >= 40) {
    const Pair phase = beta_phase(a, b, part, rest);
    const bool is_below = distance_from_mean(a, b, part, rest).high < 0;
    if (phase.high < 0.5 * small) return beta_share_near(a, b, phase, is_below);
  }
  if (x <= (a + 1) / (a + b + 2)) return beta_share_by_fraction(a, b, part, rest);
  if (b < 1) return beta_share_beside_one(a, b, rest.high);
  return 1 - beta_share_by_fraction(b, a, rest, part);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_THREE(betainc)

}  // namespace npp
