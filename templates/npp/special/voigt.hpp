// Voigt's profile: the real part of the Faddeeva function by the trapezoidal rules of M. Al Azah
// and S. Chandler-Wilde (2021), "Computation of the complex error function using modified
// trapezoidal rules". The real parts of a rule's terms are positive, so none cancel.
#pragma once

#include "npp/special/erf.hpp"
#include "npp/special/pairs.hpp"

namespace npp::special {

inline constexpr int kVoigtNodes = 14;
inline constexpr double kVoigtStep = 0.5116633539732443;  // sqrt(pi / 12)

// The real part of 2 i z / (z * z - t * t), z = x + i y.
NPP_FUNCTION double voigt_term(double x, double y, double t) {
  const double square = y * y, size = x * x + square;
  return 2 * y * (size + t * t) / (((x - t) * (x - t) + square) * ((x + t) * (x + t) + square));
}
NPP_FUNCTION double voigt_by_midpoints(double x, double y) {
  constexpr double kWeights[kVoigtNodes] = {
      0.9366460212365959,     0.5548549101598534,     0.1947095780852903,    0.04047614460380574,
      0.004984423132468586,   0.00036360898638930446, 1.571296901780048e-05, 4.022405421564814e-07,
      6.0998249159121596e-09, 5.479650239757527e-11,  2.916031755179499e-13, 9.192541525134372e-16,
      1.7166544857036055e-18, 1.8990400591625347e-21};
  double sum = 0;
  for (int k = kVoigtNodes - 1; k >= 0; --k) {
    sum += kWeights[k] * voigt_term(x, y, (k + 0.5) * kVoigtStep);
  }
  return sum * (kVoigtStep / 3.14159265358979323846);
}
NPP_FUNCTION double voigt_by_trapezoids(double x, double y) {
  constexpr double kWeights[kVoigtNodes - 1] = {
      0.7696654124932398,    0.350919807178411,     0.09478022484215486,    0.01516461986454657,
      0.0014373060804075317, 8.06995175703046e-05,  2.684086793096743e-06,  5.2884221169441576e-08,
      6.17247886522431e-10,  4.267731135455224e-12, 1.7479879405655014e-14, 4.241151183016078e-17,
      6.095832383276605e-20};
  double sum = 0;
  for (int k = kVoigtNodes - 1; k > 0; --k) {
    sum += kWeights[k - 1] * voigt_term(x, y, k * kVoigtStep);
  }
  return (sum + y / (x * x + y * y)) * (kVoigtStep / 3.14159265358979323846);
}

// The real part of 2 exp(-z * z) / (1 + sign exp(-2 pi i z / step)), the residue of the rule's
// pole; `fall` is x * x - y * y.
NPP_FUNCTION double voigt_residue(double x, double y, Pair fall, double sign) {
  const double turns = x / kVoigtStep;
  const double angle = 6.28318530717958647693 * (turns - builtin::rint(turns));
  const double growth = sign * scalar::exp(6.28318530717958647693 / kVoigtStep * y);
  const double real = 1 + growth * scalar::cos(angle), imag = growth * scalar::sin(angle);
  const double wave = scalar::cos(2 * x * y) * real + scalar::sin(2 * x * y) * imag;
  return 2 * exp_of_pair(negative_pair(fall)) * wave / (real * real + imag * imag);
}

// For x >= 0 and y > 0.
NPP_FUNCTION double faddeeva_real(Pair x_pair, Pair y_pair) {
  const double x = x_pair.high, y = y_pair.high;
  if (y >= 6.2 || y >= x + 6.2) return voigt_by_midpoints(x, y);
  const Pair fall =
      pair_of_sum(pair_of_product(x_pair, x_pair), negative_pair(pair_of_product(y_pair, y_pair)));
  const double turns = x / kVoigtStep, rest = turns - builtin::floor(turns);
  if (rest >= 0.25 && rest <= 0.75)
    return voigt_by_trapezoids(x, y) + voigt_residue(x, y, fall, -1);
  return voigt_by_midpoints(x, y) + voigt_residue(x, y, fall, 1);
}

NPP_FUNCTION double lorentz_profile(double x, double gamma) {
  if (gamma == 0) return x == 0 ? Limits<double>::kInfinity : 0;
  const double size = library::scalar_hypot(x, gamma);
  return size == Limits<double>::kInfinity ? 0 : 0.31830988618379067154 * (gamma / size) / size;
}
NPP_LONG_FUNCTION double voigt_profile(double x, double sigma, double gamma) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(x, sigma, gamma)) return Limits<double>::kNan;
  if (sigma == 0) return lorentz_profile(x, gamma);
  const double distance = builtin::fabs(x), width = builtin::fabs(gamma);
  if (distance == kInfinity || width == kInfinity || builtin::fabs(sigma) == kInfinity) return 0;
  const Pair scale =
      pair_of_product({builtin::fabs(sigma), 0}, {1.4142135623730951455, -9.6672933134529134e-17});
  const Pair u = pair_of_quotient({distance, 0}, scale), v = pair_of_quotient({width, 0}, scale);
  const bool is_inverted = gamma != 0 && (gamma < 0) != (sigma < 0);
  if (!(u.high < 1e7 && v.high < 1e7)) {
    const double value =
        is_inverted && v.high > u.high ? -kInfinity : lorentz_profile(distance, width);
    return (sigma < 0) != is_inverted ? -value : value;
  }
  const Pair square = pair_of_product(u, u);
  double value = v.high == 0 ? exp_of_pair(negative_pair(square)) : faddeeva_real(u, v);
  if (is_inverted) {
    const Pair fall = pair_of_sum(square, negative_pair(pair_of_product(v, v)));
    value = 2 * exp_of_pair(negative_pair(fall)) * scalar::cos(2 * u.high * v.high) - value;
  }
  return value / (sigma * 2.50662827463100050242);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_THREE(voigt_profile)

}  // namespace npp
