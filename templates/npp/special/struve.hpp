// Struve's functions H and L of real order. Their power series (DLMF 11.2.1) in double-double
// numbers, as its terms cancel; a series of Bessel functions for large orders; for large x their
// differences from Y and I: asymptotic expansions (DLMF 11.6.1), and between the two the integral
// of DLMF 11.5.2, whose integrand is positive, by the trapezoidal rule after a substitution: H.
// Takahasi and M. Mori (1974), "Double exponential formulas for numerical integration".
#pragma once

#include "npp/special/bessel_ik_real.hpp"
#include "npp/special/bessel_jy_real.hpp"
#include "npp/special/gamma_ratio.hpp"

namespace npp::special {

inline constexpr double kStruveExact = 0x1p-55;

// x**exponent / gamma(argument), each of which may be out of range.
NPP_LONG_FUNCTION double power_over_gamma(double x, Pair exponent, Pair argument) {
  if (is_pole(argument)) return 0;
  const double power = library::pow(x, exponent.high);
  if (power > 1e-200 && power < 1e200 && builtin::fabs(argument.high) < 20) {
    const double slope = argument.high > 0 ? digamma_of_positive(argument.high) : 0;
    const double lost = exponent.low * scalar::log(x) - argument.low * slope;
    return power * rgamma(argument.high) * (1 + lost);
  }
  const Scaled above{1, pair_of_product(exponent, log_of_pair({x, 0}))};
  return value_of(product_of(above, inverse_of(scaled_gamma(argument))));
}

struct Estimate {
  double value;
  double error;  // roughly the relative one
};

// H for sign = -1, L for sign = 1.
NPP_LONG_FUNCTION Estimate struve_by_series(double order, double x, double sign) {
  const Pair z = scaled_pair(pair_of_product({x, 0}, {x, 0}), sign / 4);
  const Pair start = pair_of_sum(order, 1.5);
  Pair term{1, 0}, sum{1, 0};
  double size = 1;
  for (int k = 0; k < 2000; ++k) {
    const Pair below = scaled_pair(pair_of_sum(start, {k * 1.0, 0}), k + 1.5);
    const double before = builtin::fabs(term.high);
    term = pair_of_product(term, pair_of_quotient(z, below));
    sum = pair_of_sum(sum, term);
    const double now = builtin::fabs(term.high);
    size += now;
    if (!(size < 1e290)) return {0, Limits<double>::kInfinity};
    if (k > -order && now < before / 2 && now < 1e-20 * builtin::fabs(sum.high)) break;
  }
  constexpr double kTwoByRootOfPi = 1.12837916709551257390;
  const double scale = power_over_gamma(x / 2, pair_of_sum(order, 1), start);
  return {sum.high * scale * kTwoByRootOfPi, size * 0x1p-101 / builtin::fabs(sum.high)};
}

// H - Y and L - I(-order), over x**(order - 1) / gamma(order + 1 / 2).
NPP_FUNCTION Estimate struve_rest_far(double order, double x, double sign) {
  const double z = 4 / (x * x);
  double term = 1, sum = 1;
  for (int k = 0; k < 500; ++k) {
    const double next = -sign * term * ((k + 0.5) * (order - 0.5 - k) * z);
    if (k > order && builtin::fabs(next) >= builtin::fabs(term)) break;
    term = next;
    sum += term;
    if (builtin::fabs(term) < 1e-18) break;
  }
  return {sum, builtin::fabs(term)};
}
NPP_FUNCTION double struve_rest_between(double order, double x) {
  const double width = 0.5 / builtin::sqrt(builtin::fabs(order) + 1);
  const double step = width < 0.2 ? width : 0.2;
  double sum = 0;
  for (int k = 0; k < 2000; ++k) {
    const double s = k * step - 4, inverse = scalar::exp(-s), u = scalar::exp(s - inverse);
    const double square = u / x * (u / x);
    const double term = scalar::exp((order - 0.5) * scalar::log1p(square) - u) * u * (1 + inverse);
    sum += term;
    if (s > 1 && u > 2 * order && term < 1e-18 * sum) break;
  }
  return sum * step;
}

NPP_FUNCTION double struve_scale(double order, double x) {
  constexpr double kInverseRootOfPi = 0.56418958354775628695;
  return power_over_gamma(x / 2, pair_of_sum(order, -1), pair_of_sum(order, 0.5)) *
         kInverseRootOfPi;
}
// The series of Bessel functions of orders above x, which are positive (DLMF 11.4.19), with their
// quotients from backward recurrence.
NPP_FUNCTION double struve_by_bessel(double order, double x) {
  if (x > kMostSteps) return Limits<double>::kNan;
  const Pair least = pair_of_sum(order, 0.5), inverse = pair_of_quotient({2, 0}, {x, 0});
  Pair ratio{0, 0}, sum{0, 0};
  for (int k = 60 + static_cast<int>(x); k >= 0; --k) {
    const Pair next = pair_of_product(inverse, pair_of_sum(least, {k + 1.0, 0}));
    ratio = pair_of_quotient({1, 0}, difference_of(next, ratio));
    const Pair share = pair_of_quotient({x / 2, 0}, {k + 1.0, 0});
    const Pair rest = pair_of_product(share, pair_of_product(ratio, sum));
    sum = pair_of_sum(pair_of_quotient({1, 0}, {k + 0.5, 0}), rest);
  }
  // The derivative of log(J) with respect to the order, roughly.
  const double share = least.high / x;
  const double slope = -scalar::log(share + builtin::sqrt(share * share - 1));
  return builtin::sqrt(x / (2 * kPi)) * jv(least.high, x) * sum.high * (1 + least.low * slope);
}
// For x > 0.
NPP_LONG_FUNCTION double struve_of_positive(double order, double x) {
  if (order >= x && x > 20) return struve_by_bessel(order, x);
  Estimate near{0, Limits<double>::kInfinity};
  if (x < 40) near = struve_by_series(order, x, -1);
  if (near.error < kStruveExact) return near.value;
  const Estimate far = struve_rest_far(order, x, -1);
  const double rest = far.error < kStruveExact ? far.value : struve_rest_between(order, x);
  return struve_scale(order, x) * rest + yv(order, x);
}
NPP_LONG_FUNCTION double modstruve_of_positive(double order, double x) {
  const Estimate near = struve_by_series(order, x, 1);
  if (near.error < kStruveExact) return near.value;
  const Estimate far = struve_rest_far(order, x, 1);
  if (!(far.error < near.error)) return near.value;
  const double other = iv(-order, x);
  return other == Limits<double>::kInfinity ? other : other - struve_scale(order, x) * far.value;
}

// The limits of H for x = 0 and x = infinity.
NPP_FUNCTION double struve_at_zero(double order) {
  if (order > -1) return 0;
  const double sign = rgamma(order + 1.5);
  if (order == -1) return 0.63661977236758134308;
  return sign == 0 ? 0 : builtin::copysign(Limits<double>::kInfinity, sign);
}
NPP_FUNCTION double struve_at_infinity(double order) {
  if (order == 1) return 0.63661977236758134308;
  return order < 1 ? 0 : Limits<double>::kInfinity;
}
// Of any x: negative ones only for whole orders (DLMF 11.4.18).
NPP_FUNCTION double with_sign_of_order(double order, double x, double value) {
  const bool is_odd = 2 * builtin::floor(order / 2) != order;
  return x < 0 && !is_odd ? -value : value;
}
NPP_FUNCTION bool has_no_struve(double order, double x) {
  if (has_nan(order, x) || order == -Limits<double>::kInfinity) return true;
  return x < 0 && builtin::floor(order) != order;
}
NPP_LONG_FUNCTION double struve(double order, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const double size = builtin::fabs(x);
  if (has_no_struve(order, x)) return Limits<double>::kNan;
  if (order == kInfinity) return size == kInfinity ? Limits<double>::kNan : 0;
  if (x == 0) return struve_at_zero(order);
  const double value =
      size == kInfinity ? struve_at_infinity(order) : struve_of_positive(order, size);
  return with_sign_of_order(order, x, value);
}
NPP_LONG_FUNCTION double modstruve(double order, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const double size = builtin::fabs(x);
  if (has_no_struve(order, x)) return Limits<double>::kNan;
  if (order == kInfinity) return size == kInfinity ? Limits<double>::kNan : 0;
  if (x == 0) return struve_at_zero(order);
  const double value = size == kInfinity ? size : modstruve_of_positive(order, size);
  return with_sign_of_order(order, x, value);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(struve)
NPP_SPECIAL_OF_TWO(modstruve)

}  // namespace npp
