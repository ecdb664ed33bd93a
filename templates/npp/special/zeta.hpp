// Hurwitz's and Riemann's zeta functions: Euler-Maclaurin summation (DLMF 2.10.1); Riemann's also
// by a Chebyshev interpolation around its pole, computed with 45 digits, and by the reflection
// formula (DLMF 25.4.1).
#pragma once

#include "npp/special/gamma.hpp"
#include "npp/special/pairs.hpp"

namespace npp::special {

// The sum of (q + k)**-x over all k >= 0, where x > 1 and q > 0.
NPP_LONG_FUNCTION double zeta_by_summation(double x, double q) {
  constexpr int kDirect = 10;
  // Bernoulli's number B(2 j) / (2 j)!.
  constexpr double kTerms[] = {0.08333333333333333,    -0.001388888888888889,
                               3.306878306878307e-05,  -8.267195767195768e-07,
                               2.08767569878681e-08,   -5.284190138687493e-10,
                               1.3382536530684679e-11, -3.3896802963225827e-13,
                               8.586062056277845e-15,  -2.174868698558062e-16};
  const double end = q + kDirect, inverse = 1 / end, last = library::pow(end, -x);
  double factor = x * inverse, rest = 0.5;
  for (int j = 0; j < 10 && last > 0; ++j) {
    rest += kTerms[j] * factor;
    factor *= (x + (2 * j + 1)) * inverse * ((x + (2 * j + 2)) * inverse);
  }
  double sum = library::pow(end, 1 - x) / (x - 1) + (last > 0 ? last * rest : 0);
  for (int k = kDirect - 1; k >= 0; --k) sum += library::pow(q + k, -x);
  return sum;
}

// For q < 0 the terms before and after the change of sign are two other sums.
NPP_FUNCTION double zeta_of_negative(double x, double q) {
  const double below = builtin::floor(q);
  if (below == q) return Limits<double>::kInfinity;
  if (builtin::floor(x) != x) return Limits<double>::kNan;
  const double rest = q - below;
  const double before = zeta_by_summation(x, 1 - rest) - zeta_by_summation(x, 1 - q);
  const bool is_odd = 2 * builtin::floor(x / 2) != x;
  return zeta_by_summation(x, rest) + (is_odd ? -before : before);
}

NPP_LONG_FUNCTION double hurwitz_zeta(double x, double q) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(x, q) || x < 1) return Limits<double>::kNan;
  if (x == 1) return kInfinity;
  if (x == kInfinity) return q == 1 ? 1 : q > 1 ? 0 : kInfinity;
  if (q == kInfinity) return 0;
  if (q == 0 || q == -kInfinity) return kInfinity;
  return q > 0 ? zeta_by_summation(x, q) : zeta_of_negative(x, q);
}

// The zeta function at 1 - x, x > 2, with the gamma function's duplication formula: its result
// would overflow first.
NPP_FUNCTION double zeta_of_reflected(double s) {
  const Pair place = pair_of_sum(1, -s);
  const double x = place.high, root = library::pow(kPi, -x / 2);
  const Pair above = pair_of_sum(x, 1);
  const double scale = root * scalar::tgamma(x / 2) * (root * scalar::tgamma(above.high / 2));
  // The rounding errors of pi, of 1 - s and of x + 1.
  const double lost = place.low * scalar::log(x / (2 * kPi)) + above.low / 2 * scalar::log(x / 2) -
                      x * 3.8981718325193755e-17;
  return sine_of_half_turns(s / 2) * zeta_by_summation(x, 1) * scale * (1 + lost) *
         0.56418958354775628695;
}
NPP_LONG_FUNCTION double riemann_zeta(double x) {
  if (has_nan(x) || x == -Limits<double>::kInfinity) return Limits<double>::kNan;
  if (x == 1) return Limits<double>::kInfinity;
  if (x > 55) return 1;
  if (x > 3) return zeta_by_summation(x, 1);
  if (x < -1) return x / 2 == builtin::floor(x / 2) ? 0 : zeta_of_reflected(x);
  return polynomial((x - 1) / 2, 1.0, 1.1544313298030657, 0.2912633819347069, -0.03876145277148928,
                    -0.005476891787475589, 0.003100493420623067, -0.0004231060358938998,
                    -4.244788363203516e-05, 2.678296213626432e-05, -4.4714076673427765e-06,
                    9.705756450687209e-08, 1.1588448108950246e-07, -2.772455371491384e-08,
                    2.8607413402768685e-09, 7.226046473363654e-11, -7.863612968351133e-11,
                    1.4206360081719728e-11, -1.2510900924992984e-12, -1.9298839564986946e-14,
                    2.5227715161092353e-14, -4.374159673544673e-15, 3.7828818370665403e-16) /
         (x - 1);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(hurwitz_zeta)
NPP_SPECIAL_OF_ONE(riemann_zeta)

}  // namespace npp
