// Sums of squares without cancellation, and the logarithm of a complex number's absolute value.
#pragma once

#include "npp/math/math.hpp"

namespace npp::library {

// The rounding error of a sum.
template <class T>
NPP_FUNCTION T lost_in_sum(T a, T b, T sum) {
  const T part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// start + x * x + y * y. Beside |z| = 1 these terms cancel, and so do the lower halves of the
// squares and what the sums lose, of which the last bits count.
template <class T>
NPP_FUNCTION T add_squares(T start, T x, T y) {
  const T x_square = x * x, y_square = y * y;
  const T first = start + x_square, sum = first + y_square;
  const T x_low = library::fma(x, x, -x_square), y_low = library::fma(y, y, -y_square);
  const T low = x_low + y_low, lost = lost_in_sum(start, x_square, first);
  const T rest = lost + low, total = sum + rest;
  return total + (lost_in_sum(sum, rest, total) + lost_in_sum(first, y_square, sum) +
                  lost_in_sum(lost, low, rest) + lost_in_sum(x_low, y_low, low));
}

// log(hypot(x, y)), also for sizes that overflow and for subnormal ones.
template <class T>
NPP_FUNCTION T log_of_size(T x, T y) {
  constexpr bool kIsFloat = kIsSame<T, float>;
  constexpr T kSmall = kIsFloat ? T(0x1p-100f) : T(0x1p-960);
  const T size = library::scalar_hypot(x, y);
  if (size > T(0.5) && size < 2) return library::log1p(add_squares(T(-1), x, y)) / 2;
  if (size >= kSmall && size < Limits<T>::kInfinity) return library::log(size);
  constexpr T kLogOf2 = T(0.693147180559945309417);
  constexpr T kScale = kIsFloat ? T(0x1p+60f) : T(0x1p+60);
  const T scale = size < kSmall ? kScale : T(0.25), exponent = size < kSmall ? T(60) : T(-2);
  return library::log(library::scalar_hypot(x * scale, y * scale)) - exponent * kLogOf2;
}

}  // namespace npp::library
