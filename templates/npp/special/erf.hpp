// Relatives of the error function and the normal distribution, in double: for the host, whose
// library has only erf and erfc. The polynomials are Chebyshev interpolations of the functions
// named beside them, computed with 40 digits.
#pragma once

#include "npp/special/scalar_math.hpp"

namespace npp::special {

// exp(sign * x * x), sign being 1 or -1, without the rounding error of x * x: the square of x's
// upper half is exact.
NPP_FUNCTION double exp_of_square(double x, double sign) {
  const double high = upper_half(x);
  return scalar::exp(sign * high * high) * scalar::exp(sign * ((x - high) * (x + high)));
}

// exp(x * x) * erfc(x). After M. Shepherd and J. Laframboise (1981): (1 + 2 x) erfcx(x) as a
// polynomial in (x - 4) / (x + 4).
NPP_FUNCTION double erfcx_of_positive(double x) {
  if (x > 1e9) return 0.56418958354775628695 / x;
  const double t = (x - 4) / (x + 4);
  return polynomial(t, 1.2329951186255526, -0.13962111684056228, 0.015379652102619974,
                    0.06809705425466839, -0.10103906603631811, 0.09373283499911264,
                    -0.06633036581186058, 0.037167515526338006, -0.01619773406293477,
                    0.005031970069102256, -0.0007577732435942575, -0.00019925715247265212,
                    0.0001506214260865191, -2.4397731143022357e-05, -1.1221135665964922e-05,
                    5.706578299238968e-06, 2.917342557290342e-07, -8.210647933275638e-07,
                    7.771943241315064e-08, 1.06318175936524e-07, -2.0725802489924743e-08,
                    -1.2338731403081173e-08, 3.2323973452623877e-09, 9.297625262367834e-10,
                    -2.7641202351454575e-10) /
         (1 + 2 * x);
}
NPP_FUNCTION double erfcx(double x) {
  if (builtin::isnan(x)) return x;
  if (x >= 0) return erfcx_of_positive(x);
  if (x < -27) return Limits<double>::kInfinity;
  return 2 * exp_of_square(x, 1) - erfcx_of_positive(-x);
}

// The y >= 0 with erf(y) = x and erfc(y) = q, where x + q = 1 and x >= 0, to 7 digits.
NPP_FUNCTION double rough_inverse_erf(double x, double q) {
  const double w = -scalar::log(q * (1 + x));
  if (w < 6.25) {
    return x * polynomial(w / 3.125 - 1, 1.6536545626832229, 0.7504943165895515,
                          -0.05892268704115612, -0.02260433070415425, 0.017810764524181302,
                          -0.004138654380316672, -0.0012852012034891343, 0.0012388417689710655,
                          -0.00023331155477556708, -0.00013095719016860315, 6.202754514694855e-05);
  }
  const double root = builtin::sqrt(w),
               t = (1 / root - 0.21824817518248175182) / 0.18175182481751824818;
  return root * polynomial(t, 0.9663012254417063, -0.03662289175704763, 0.0007226236811140957,
                           0.004056707742232908, -0.0011623859341265866, 0.00029600857859745283,
                           -0.00010792155079167461, 3.343244167004978e-05, -9.991675729474384e-05,
                           3.7221406360438105e-05, 5.443265279252619e-05, -1.7018737524316963e-05,
                           -3.296318890136022e-05, 1.7269403884008195e-05);
}

// erf(y) - x without rounding, by the function whose own error counts less.
NPP_FUNCTION double excess_of_erf(double y, double x, double q) {
  if (x <= 0.5) return scalar::erf(y) - x;
  return y < 0.5 ? (scalar::erf(y) - 1) + q : q - scalar::erfc(y);
}
// The y to all digits, by one step of Halley's method. From 1.25 on erf and erfc would lose digits
// of it; erfcx does not. exp(y * y) has two factors there, as it may overflow.
NPP_FUNCTION double inverse_erf(double x, double q) {
  constexpr double kSlope = 0.88622692545275801365;
  const double y = rough_inverse_erf(x, q);
  double step;
  if (y < 1.25) {
    step = excess_of_erf(y, x, q) * (kSlope * scalar::exp(y * y));
  } else {
    const double half = scalar::exp(y * y / 2);
    step = kSlope * (q * half * half - erfcx_of_positive(y));
  }
  return y - step / (1 + y * step);
}

NPP_FUNCTION double erfinv(double x) {
  const double size = builtin::fabs(x);
  if (!(size < 1)) return size == 1 ? x * Limits<double>::kInfinity : Limits<double>::kNan;
  return x == 0 ? x : builtin::copysign(inverse_erf(size, 1 - size), x);
}
NPP_FUNCTION double erfcinv(double q) {
  if (!(q > 0 && q < 2)) {
    return q == 0   ? Limits<double>::kInfinity
           : q == 2 ? -Limits<double>::kInfinity
                    : Limits<double>::kNan;
  }
  return q <= 1 ? inverse_erf(1 - q, q) : -inverse_erf(q - 1, 2 - q);
}

NPP_FUNCTION double ndtri(double p) {
  return p >= 0 && p <= 1 ? -1.41421356237309504880 * erfcinv(2 * p) : Limits<double>::kNan;
}

NPP_FUNCTION double ndtr(double x) {
  constexpr double kHalfRoot = 0.70710678118654752440;
  if (!(x < -1)) return scalar::erfc(-x * kHalfRoot) / 2;
  if (x < -39) return 0;
  const double high = upper_half(x);
  const double scale =
      scalar::exp((high - x) * (high + x) / 2) * erfcx_of_positive(-x * kHalfRoot) / 2;
  return scalar::exp(-high * high / 2) * scale;
}

NPP_FUNCTION double log_ndtr(double x) {
  if (!(x < -1)) return scalar::log1p(-ndtr(-x));
  return scalar::log(erfcx_of_positive(-x * 0.70710678118654752440) / 2) - x * x / 2;
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_IN_CUDA(erfinv, erfinvf)
NPP_SPECIAL_IN_CUDA(erfcinv, erfcinvf)
NPP_SPECIAL_IN_CUDA(erfcx, erfcxf)
NPP_SPECIAL_IN_CUDA(ndtr, normcdff)
NPP_SPECIAL_IN_CUDA(ndtri, normcdfinvf)
NPP_SPECIAL_OF_ONE(log_ndtr)

}  // namespace npp
