// Known miscompilations as functions of numbers: compiled and run once per compiler
// (jit/host/compiler_check.cpp has the inputs and the correct results).
#pragma once

#include "npp/core/ops.hpp"

namespace npp {

inline constexpr int kCheckedNumbers = 8;

NPP_FUNCTION complex128 lost_in_narrowing(complex128 value) {
  return subtract(value, cast<complex128>(cast<complex64>(value)));
}

}  // namespace npp

#define NPP_COMPILER_CHECK(name, expression)                                                \
  extern "C" __attribute__((visibility("default"))) void name(const double* x, double* y) { \
    for (int i = 0; i < npp::kCheckedNumbers; ++i) y[i] = expression;                       \
  }

// g++ 12: rounding two adjacent numbers to float32 and back is optimized away.
extern "C" __attribute__((visibility("default"))) void npp_check_narrowing(const double* x,
                                                                           double* y) {
  const npp::complex128 first = npp::lost_in_narrowing({x[0], x[1]});
  y[0] = first.real;
  y[1] = first.imag;
}
// g++ 12: an adjacent sum and difference of products are fused despite -ffp-contract=off.
extern "C" __attribute__((visibility("default"))) void npp_check_products(const double* x,
                                                                          double* y) {
  for (int i = 0; i < npp::kCheckedNumbers; i += 2) {
    const npp::complex128 square =
        npp::multiply(npp::complex128{x[i], x[i + 1]}, npp::complex128{x[i], x[i + 1]});
    y[i] = square.real;
    y[i + 1] = square.imag;
  }
}
// The integer of an absolute value is assumed positive, the double of an integer rounded.
NPP_COMPILER_CHECK(npp_check_absolute, npp::cast<npp::int64>(npp::absolute(x[i])) < 0 ? 1 : 0)
NPP_COMPILER_CHECK(npp_check_integers, npp::cast<double>(npp::cast<npp::int32>(x[i])))
NPP_COMPILER_CHECK(npp_check_constants,
                   x[i] + npp::cast<double>(npp::cast<npp::int32>(npp::Limits<double>::kNan)) +
                       npp::cast<double>(npp::cast<npp::int32>(1e10)))
// Detects options such as -ffast-math.
NPP_COMPILER_CHECK(npp_check_nan, npp::not_equal(x[i], x[i]) ? 1 : 0)
NPP_COMPILER_CHECK(npp_check_zeros, npp::copysign(1.0, npp::add(x[i], 0.0)))
NPP_COMPILER_CHECK(npp_check_order, npp::subtract(npp::add(x[i], 1e16), 1e16))
