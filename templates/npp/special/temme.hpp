// Common parts of the series of N. Temme (1975, 1976) for Bessel functions of orders in [-1/2, 1/2]
// and small x. The polynomials are Chebyshev interpolations in the order's square, computed with 45
// digits.
#pragma once

#include "npp/special/gamma.hpp"

namespace npp::special {

// At the start of a series; the limits at order 0 are finite.
struct TemmeTerms {
  double middle;  // (gamma1 cosh(e) + gamma2 d sinh(e) / e) pi order / sin(pi order)
  double above;   // exp(e) gamma(1 + order), where e = order d and d = log(2 / x)
  double below;   // exp(-e) gamma(1 - order)
};
NPP_FUNCTION TemmeTerms temme_terms(double order, double x) {
  const double t = 8 * order * order - 1;
  // Half the difference of 1 / gamma(1 - order) and 1 / gamma(1 + order), by the order; their mean.
  const double slope = polynomial(
      t, -0.5713200422589904, 0.006526923331866358, 0.0006173624820439556, -1.3883243452475924e-05,
      5.555664237316278e-08, 5.884767600004043e-10, -4.340604058931978e-12, -2.355249961419841e-15,
      6.986633789476134e-17, -6.269608314213544e-20, -4.680430143700817e-22);
  const double mean = polynomial(
      t, 0.9205983333878486, -0.07683792442311572, 0.002544119279202914, -1.989179309204794e-05,
      -2.650007863514362e-07, 3.877120634401922e-09, -5.448218484434638e-12, -9.564114063055685e-14,
      3.0498429222592856e-16, 7.428504334361922e-19, -3.468048850082577e-21);
  // Half of a subnormal x may be 0.
  const double d = x < 1e-300 ? 0.69314718055994530942 - scalar::log(x) : -scalar::log(x / 2);
  const double e = order * d, power = scalar::exp(e);
  const double sine =
      builtin::fabs(e) < 0.5 ? (scalar::expm1(e) - scalar::expm1(-e)) / 2 : (power - 1 / power) / 2;
  const double share = e == 0 ? 1 : sine / e;
  const double scale = order == 0 ? 1 : kPi * order / scalar::sin(kPi * order);
  return {scale * (slope * (power + 1 / power) / 2 + mean * share * d),
          power / (mean - order * slope), 1 / (power * (mean + order * slope))};
}

// An order as an integer and a rest of up to one half.
struct SplitOrder {
  int whole;
  double rest;
};
NPP_FUNCTION SplitOrder split_order(double order) {
  const double whole = builtin::rint(order);
  return {static_cast<int>(whole), order - whole};
}
// (x / 2)**order.
NPP_FUNCTION double power_of_half(double x, double order) {
  if (x < 1e-300) return library::pow(x, order) * library::pow(0.5, order);
  return library::pow(x / 2, order);
}
// sin(pi order) of any order, and cos.
NPP_FUNCTION double cosine_of_half_turns(double x) {
  const double nearest = builtin::rint(x), rest = builtin::fabs(x - nearest);
  const double size = rest > 0.25 ? scalar::sin(kPi * (0.5 - rest)) : scalar::cos(kPi * rest);
  return nearest / 2 == builtin::rint(nearest / 2) ? size : -size;
}

}  // namespace npp::special
