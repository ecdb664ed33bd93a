// Quotients of gamma functions: binomial coefficients and Pochhammer's symbol, of real arguments.
// Small integers are products; otherwise Stirling's formula with logarithms of double-double
// numbers, so that large gamma functions cancel without a loss of digits.
#pragma once

#include "npp/special/gamma.hpp"

namespace npp::special {

// factor * exp(logarithm).
struct Scaled {
  double factor;
  Pair logarithm;
};
NPP_FUNCTION Scaled product_of(Scaled a, Scaled b) {
  return {a.factor * b.factor, pair_of_sum(a.logarithm, b.logarithm)};
}
NPP_FUNCTION Scaled inverse_of(Scaled a) { return {1 / a.factor, negative_pair(a.logarithm)}; }
// The exponential in two factors: it overflows before the result does.
NPP_FUNCTION double value_of(Scaled a) {
  const double half = scalar::exp(a.logarithm.high / 2);
  return a.factor * half * (half * (1 + a.logarithm.low));
}

NPP_FUNCTION double sine_of_half_turns(Pair x) {
  const double nearest = builtin::rint(x.high);
  const double size = scalar::sin(kPi * ((x.high - nearest) + x.low));
  return nearest / 2 == builtin::rint(nearest / 2) ? size : -size;
}
NPP_FUNCTION bool is_pole(Pair x) { return x.low == 0 && is_pole(x.high); }

NPP_LONG_FUNCTION Scaled scaled_gamma_of_positive(Pair x) {
  if (x.high < 20) {
    return {scalar::tgamma(x.high) * (1 + x.low * digamma_of_positive(x.high)), {0, 0}};
  }
  const Pair power = pair_of_product(pair_of_sum(x, {-0.5, 0}), log_of_pair(x));
  const Pair constant{0.91893853320467278056, -3.8782941580672414e-17};
  const Pair rest = pair_of_sum(constant, {stirling_rest(x.high), 0});
  return {1, pair_of_sum(pair_of_sum(power, negative_pair(x)), rest)};
}
// gamma(x), x being no pole; reflected for x < 0.
NPP_FUNCTION Scaled scaled_gamma(Pair x) {
  if (x.high > 0) return scaled_gamma_of_positive(x);
  Scaled result = inverse_of(scaled_gamma_of_positive(pair_of_sum({1, 0}, negative_pair(x))));
  result.factor *= kPi / sine_of_half_turns(x);
  return result;
}

// start (start + 1) ... for `count` factors, over 1 2 ... `count` if it divides.
NPP_LONG_FUNCTION double product_upwards(Pair start, int count, bool divides) {
  Pair product{1, 0};
  double plain = 1;
  for (int i = 0; i < count; ++i) {
    const Pair factor = pair_of_sum(start, {static_cast<double>(i), 0});
    const double divisor = divides ? i + 1 : 1;
    product = pair_of_quotient(pair_of_product(product, factor), {divisor, 0});
    plain = plain * factor.high / divisor;
  }
  return builtin::fabs(plain) < 1e290 ? product.high
                                      : plain;  // a pair does not overflow to infinity
}

// factor gamma(x + (d + 1) / 2) / gamma(x - (d - 1) / 2) for large x, where logarithms would cancel
// (DLMF 5.11.14); the power in two factors, as it may overflow.
NPP_FUNCTION double gamma_quotient_far(Pair x, double d, double factor) {
  const double root = power_of_pair(x, d / 2), z = 1 / (x.high * x.high), square = d * d;
  const double first = d * (square - 1) * z / 24, second = (3 * square - 7) * z / 40;
  return root * (factor * root) * scalar::exp(-first * (1 + second));
}
// Whether the series' next term is negligible.
NPP_FUNCTION bool is_far(double x, double d) {
  const double ratio = d / x;
  return x > 3e4 && ratio * ratio * ratio * ratio * ratio * ratio * builtin::fabs(d) < 4e-13;
}

inline constexpr double kMostFactors = 60;

// Of whole k >= 0.
NPP_FUNCTION double binom_by_product(Pair n, double k) {
  const Pair first = pair_of_sum(n, {1 - k, 0});
  return product_upwards(first, static_cast<int>(k), true);
}
// For k up to n / 2, as powers of n; if k is not in reach of gamma, the result is not either.
NPP_FUNCTION double binom_of_large_n(double n, Pair k) {
  if (k.high > 170) return Limits<double>::kInfinity;
  if (k.high < -170) return 0;
  const Pair middle = pair_of_sum({n, 0}, {(1 - k.high) / 2, 0});
  const Pair rise = pair_of_sum(k.high, 1);
  const double lost = k.high > 0 ? rise.low * digamma_of_positive(rise.high) : 0;
  return gamma_quotient_far(middle, k.high, rgamma(rise.high) * (1 - lost));
}
// For k far above n > -1, where the sign alternates.
NPP_FUNCTION double binom_of_large_k(double n, double k) {
  const double sine = k > 0 ? sine_of_half_turns(pair_of_sum(k, -n)) : -sine_of_half_turns(k);
  const Pair middle = pair_of_sum(builtin::fabs(k), k > 0 ? -n / 2 : n / 2);
  const Pair rise = pair_of_sum(n, 1);
  const double factor =
      scalar::tgamma(rise.high) * (1 - rise.low * scalar::log(middle.high)) * sine / kPi;
  return gamma_quotient_far(middle, -rise.high, factor);
}
NPP_FUNCTION double binom_of_infinity(double k) {
  if (builtin::floor(k) != k) return Limits<double>::kNan;
  return k == 0 ? 1 : k < 0 ? 0 : Limits<double>::kInfinity;
}

NPP_LONG_FUNCTION double binom(double n, double k) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const bool is_whole = builtin::floor(n) == n;
  if (has_nan(n, k) || (n < 0 && is_whole) || k == kInfinity) return Limits<double>::kNan;
  if (k == -kInfinity) return 0;
  if (n == kInfinity) return binom_of_infinity(k);
  const Pair other = pair_of_sum(n, -k);
  if (builtin::floor(k) == k) {
    if (k < 0 || (is_whole && k > n)) return 0;
    if (k <= kMostFactors) return binom_by_product({n, 0}, k);
    if (is_whole && other.high <= kMostFactors) return binom_by_product({n, 0}, other.high);
  }
  const Pair least = other.high < k ? other : Pair{k, 0};
  if (is_far(n, least.high)) return binom_of_large_n(n, least);
  if (n > -1 && n < 170 && is_far(builtin::fabs(k), n + 1)) return binom_of_large_k(n, k);
  const Pair rest = pair_of_sum(other, {1, 0});
  if (is_pole(rest)) return 0;
  const Scaled below = product_of(scaled_gamma(pair_of_sum(k, 1)), scaled_gamma(rest));
  return value_of(product_of(scaled_gamma(pair_of_sum(n, 1)), inverse_of(below)));
}

NPP_FUNCTION double poch_at_infinity(double a, double m) {
  if (builtin::fabs(a) == Limits<double>::kInfinity) {
    if (m == 0) return 1;
    return a < 0 ? Limits<double>::kNan : m < 0 ? 0 : a;
  }
  return is_pole(a) ? 0 : m < 0 ? Limits<double>::kNan : m * gammasgn(a);
}
// Of two poles: the limit.
NPP_FUNCTION double poch_of_poles(double a, double m) {
  const Scaled ratio = product_of(scaled_gamma(pair_of_sum(1, -a)),
                                  inverse_of(scaled_gamma(pair_of_sum(1, -(a + m)))));
  return builtin::rint(m / 2) == m / 2 ? value_of(ratio) : -value_of(ratio);
}
// gamma(a + m) / gamma(a).
NPP_LONG_FUNCTION double poch(double a, double m) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(a, m)) return Limits<double>::kNan;
  if (builtin::fabs(a) == kInfinity || builtin::fabs(m) == kInfinity) return poch_at_infinity(a, m);
  const Pair sum = pair_of_sum(a, m);
  if (builtin::floor(m) == m && builtin::fabs(m) <= kMostFactors) {
    if (m >= 0) return product_upwards({a, 0}, static_cast<int>(m), false);
    const double product = product_upwards(sum, static_cast<int>(-m), false);
    return product == 0 ? kInfinity : 1 / product;
  }
  if (is_pole(sum)) return is_pole(a) ? poch_of_poles(a, m) : kInfinity;
  if (is_pole(a)) return 0;
  if (is_far(a, m)) return gamma_quotient_far(pair_of_sum(a, (m - 1) / 2), m, 1);
  if (m > 1e17) return kInfinity * gammasgn(a);
  return value_of(product_of(scaled_gamma(sum), inverse_of(scaled_gamma({a, 0}))));
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(binom)
NPP_SPECIAL_OF_TWO(poch)

}  // namespace npp
