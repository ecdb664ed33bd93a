// Owen's T function by Gauss-Legendre quadrature of its integral, the method T5 of M. Patefield and
// D. Tandy (2000), "Fast and accurate calculation of Owen's T function", with enough nodes for
// every h; slopes above 1 by their equation (2.4).
#pragma once

#include "npp/special/erf.hpp"

namespace npp::special {

// For h >= 0 and 0 <= a <= 1. Beyond 9 / h the integrand is negligible.
NPP_LONG_FUNCTION double owens_t_below_one(double h, double a) {
  constexpr int kPairs = 13;
  constexpr double kNodes[kPairs] = {0.05923009342931321, 0.17685882035689018, 0.2920048394859569,
                                     0.4030517551234863,  0.5084407148245057,  0.6066922930176181,
                                     0.6964272604199573,  0.7763859488206789,  0.845445942788498,
                                     0.9026378619843071,  0.9471590666617142,  0.978385445956471,
                                     0.9958857011456169};
  constexpr double kWeights[kPairs] = {
      0.11832141527926228, 0.11666044348529658, 0.11336181654631966,  0.10847184052857659,
      0.10205916109442542, 0.09421380035591415, 0.08504589431348523,  0.07468414976565975,
      0.06327404632957484, 0.05097582529714781, 0.037962383294362766, 0.02441785109263191,
      0.010551372617343006};
  const double end = h * a > 9 ? 9 / h : a, half = end / 2;
  double sum = 0;
  for (int i = 0; i < kPairs; ++i) {
    const double near = half * (1 - kNodes[i]), far = half * (1 + kNodes[i]);
    sum += kWeights[i] * (scalar::exp(-h * h * near * near / 2) / (1 + near * near) +
                          scalar::exp(-h * h * far * far / 2) / (1 + far * far));
  }
  const double high = upper_half(h);
  const double scale = scalar::exp(-high * high / 2) * scalar::exp((high - h) * (high + h) / 2);
  return scale * (half * sum) * 0.15915494309189533577;
}

NPP_FUNCTION double owens_t_of_positive(double h, double a) {
  if (h > 40) return 0;
  if (a <= 1) return owens_t_below_one(h, a);
  const double near = ndtr(-h), far = ndtr(-h * a);
  if (h * a > 40) return near / 2;
  return near / 2 * (1 - far) + (far / 2 * (1 - near) - owens_t_below_one(h * a, 1 / a));
}
NPP_LONG_FUNCTION double owens_t(double h, double a) {
  if (has_nan(h, a)) return Limits<double>::kNan;
  const double size = builtin::fabs(h), slope = builtin::fabs(a);
  const bool is_vertical = slope == Limits<double>::kInfinity;
  const double value = !is_vertical ? owens_t_of_positive(size, slope) : ndtr(-size) / 2;
  return a < 0 ? -value : value;
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(owens_t)

}  // namespace npp
