// Relatives of the gamma function, in double.
#pragma once

#include "npp/special/pairs.hpp"

namespace npp::special {

inline constexpr double kPi = 3.14159265358979323846;

// sin(pi x) for any x, with whole periods removed exactly.
NPP_FUNCTION double sine_of_half_turns(double x) {
  const double nearest = builtin::rint(x);
  const double size = scalar::sin(kPi * (x - nearest));
  return nearest / 2 == builtin::rint(nearest / 2) ? size : -size;
}

NPP_FUNCTION bool is_pole(double x) { return x <= 0 && builtin::floor(x) == x; }

NPP_FUNCTION double gammasgn(double x) {
  if (builtin::isnan(x)) return x;
  if (x == 0) return builtin::copysign(1.0, x);
  if (x > 0) return 1;
  if (is_pole(x)) return Limits<double>::kNan;
  const double below = builtin::floor(x) / 2;
  return builtin::floor(below) == below ? 1 : -1;
}

// 1 / gamma(x), which is 0 at the poles; where gamma would overflow, some of its factors are
// divided out.
NPP_LONG_FUNCTION double rgamma(double x) {
  if (is_pole(x)) return x == 0 ? x : 0;
  if (builtin::fabs(x) < 170) return 1 / scalar::tgamma(x);
  if (x < 0) return sine_of_half_turns(x) / kPi * scalar::tgamma(1 - x);
  if (!(x < 180)) return builtin::isnan(x) ? x : 0;
  double product = 1;
  for (int i = 1; i <= 12; ++i) product *= x - i;
  return 1 / scalar::tgamma(x - 12) / product;
}

// psi(x) for x > 0: below 10 the distance from the root times a polynomial on [1, 2], reached by
// recurrence; Stirling's series beyond.
NPP_FUNCTION double digamma_of_positive(double x) {
  double sum = 0;
  if (x >= 10) {
    const double y = 1 / (x * x);
    const double series =
        polynomial(y, 0.083333333333333333333, -0.0083333333333333333333, 0.0039682539682539682540,
                   -0.0041666666666666666667, 0.0075757575757575757576, -0.021092796092796092796,
                   0.083333333333333333333, -0.44325980392156862745);
    return scalar::log(x) - 0.5 / x - y * series;
  }
  while (x > 2) {
    x -= 1;
    sum += 1 / x;
  }
  if (x < 1) {
    sum -= 1 / x;
    x += 1;
  }
  const double distance = x - 1.4616321449683622 - 9.5499954299656977e-17;
  const double t = 2 * x - 3;
  const double slope = polynomial(
      t, 0.9510558760318328, -0.2118137106407303, 0.060135621060196744, -0.018550615381735115,
      0.005936795278305649, -0.0019350666648590097, 0.0006368880303257201, -0.00021074841140458636,
      6.995018873950506e-05, -2.325824239445257e-05, 7.741232223504057e-06, -2.57809436305308e-06,
      8.589127353033379e-07, -2.86315275846934e-07, 9.542050972688906e-08, -3.163020268955334e-08,
      1.0542687624027994e-08, -3.7075072647122386e-09, 1.2358072433984831e-09,
      -2.7619635330317715e-10, 9.206434499177992e-11, -8.498137230186096e-11,
      2.832706668021759e-11);
  return sum + distance * slope;
}
NPP_FUNCTION double digamma(double x) {
  if (builtin::same_bits(x, Limits<double>::kInfinity) || builtin::isnan(x)) return x;
  if (x == 0) return builtin::copysign(Limits<double>::kInfinity, -x);
  if (x > 0) return digamma_of_positive(x);
  if (is_pole(x)) return Limits<double>::kNan;
  const double rest = x - builtin::rint(x);
  return digamma_of_positive(1 - x) - kPi / scalar::tan(kPi * rest);
}

// The remainder of Stirling's formula: lgamma(x) = (x - 1/2) log(x) - x + log(2 pi) / 2 + rest, x
// >= 10.
NPP_FUNCTION double stirling_rest(double x) {
  const double y = 1 / (x * x);
  return polynomial(y, 0.083333333333333333333, -0.0027777777777777777778,
                    0.00079365079365079365079, -0.00059523809523809523810,
                    0.00084175084175084175084, -0.0019175269175269175269, 0.0064102564102564102564,
                    -0.029550653594771241830) /
         x;
}

NPP_FUNCTION bool has_large_gamma(double a, double b) {
  return builtin::fabs(a) > 170 || builtin::fabs(b) > 170 || builtin::fabs(a + b) > 170;
}

// After A. DiDonato and A. Morris (1992): the large terms of the three Stirling formulas are
// cancelled analytically.
NPP_FUNCTION double betaln_of_large(double small, double large) {
  const double ratio = small / large;
  if (small < 10) {
    const double shrinks =
        small * (1 - scalar::log(large)) - (large + small - 0.5) * scalar::log1p(ratio);
    return scalar::lgamma(small) + shrinks + stirling_rest(large) - stirling_rest(large + small);
  }
  const double rest = stirling_rest(small) + stirling_rest(large) - stirling_rest(large + small);
  const double part = small * scalar::log(small / (large + small)) - large * scalar::log1p(ratio);
  return 0.91893853320467274178 - scalar::log(small) / 2 + scalar::log1p(ratio) / 2 + part + rest;
}

// The rounding error of a sum, times the derivative of log(gamma).
NPP_FUNCTION double growth_lost_in_sum(double a, double b, double sum) {
  const double slope = sum > 1 ? scalar::log(sum) - 0.5 / sum : 0;
  return library::lost_in_sum(a, b, sum) * slope;
}

NPP_LONG_FUNCTION double betaln(double a, double b) {
  if (builtin::isnan(a) || builtin::isnan(b)) return Limits<double>::kNan;
  if (a > 0 && b > 0) {
    const double small = a < b ? a : b, large = a < b ? b : a;
    if (builtin::same_bits(large, Limits<double>::kInfinity)) return -large;
    if (large >= 10) return betaln_of_large(small, large);
    const double sum = small + large;
    return scalar::log(scalar::tgamma(small) / scalar::tgamma(sum) * scalar::tgamma(large)) -
           growth_lost_in_sum(large, small, sum);
  }
  return scalar::lgamma(a) + scalar::lgamma(b) - scalar::lgamma(a + b);
}

// part / (part + rest).
NPP_FUNCTION Pair pair_of_share(double part, double rest) {
  const double sum = part + rest, lost = library::lost_in_sum(part, rest, sum);
  const double share = part / sum;
  return {share, (library::fma(-share, sum, part) - share * lost) / sum};
}
// The power of a share by repeated squaring; the fractional exponent by pow.
NPP_FUNCTION double power_of_share(Pair share, double exponent) {
  const double whole = builtin::floor(exponent), rest = exponent - whole;
  Pair result{1, 0}, square = share;
  for (double left = whole; left > 0 && result.high > 0;) {
    const double half = builtin::floor(left / 2);
    if (left != 2 * half) result = pair_of_product(result, square);
    square = pair_of_product(square, square);
    left = half;
  }
  return result.high *
         (rest == 0 ? 1 : library::pow(share.high, rest) * (1 + rest * share.low / share.high));
}

// beta(a, b) for a large b by Stirling's formula, the powers of a / (a + b) and b / (a + b) to more
// than double precision; gamma(a) is computed directly where a is small.
NPP_FUNCTION double beta_of_large(double small, double large) {
  constexpr double kRootOfTwoPi = 2.50662827463100050242;
  if (builtin::same_bits(large, Limits<double>::kInfinity)) return 0;
  const double sum = small + large;
  const double others = power_of_share(pair_of_share(large, small), large);
  const double rest = stirling_rest(large) - stirling_rest(sum);
  if (small >= 10) {
    const double scale = kRootOfTwoPi * builtin::sqrt(sum / large / small);
    return scale * power_of_share(pair_of_share(small, large), small) * others *
           scalar::exp(rest + stirling_rest(small));
  }
  const double lost = library::lost_in_sum(small, large, sum);
  const double scale = scalar::tgamma(small) * builtin::sqrt(sum / large);
  // Not of the sum, whose rounding error it would multiply by up to 10.
  const double growth = scalar::exp(small) * scalar::exp(rest - small * lost / sum);
  return scale * others * growth * library::pow(sum, -small);
}

NPP_LONG_FUNCTION double beta(double a, double b) {
  const double small = a < b ? a : b, large = a < b ? b : a, sum = a + b;
  if (!has_large_gamma(a, b)) {
    return scalar::tgamma(large) * rgamma(sum) * scalar::tgamma(small) *
           (1 - growth_lost_in_sum(large, small, sum));
  }
  if (small > 0) return beta_of_large(small, large);
  return gammasgn(a) * gammasgn(b) * gammasgn(a + b) * scalar::exp(betaln(a, b));
}

NPP_FUNCTION double loggamma(double x) { return x < 0 ? Limits<double>::kNan : scalar::lgamma(x); }

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_ONE(gammasgn)
NPP_SPECIAL_OF_ONE(rgamma)
NPP_SPECIAL_OF_ONE(digamma)
NPP_SPECIAL_OF_ONE(loggamma)
NPP_SPECIAL_OF_TWO(beta)
NPP_SPECIAL_OF_TWO(betaln)

}  // namespace npp
