// Functions composed of operators and library functions: those of NumPy and of Python's math and
// cmath that C lacks.
#pragma once

#include "npp/core/floating_parts.hpp"
#include "npp/core/ops.hpp"
#include "npp/math/number_theory.hpp"

namespace npp {

template <class T>
NPP_FUNCTION T heaviside(T value, T at_zero) {
  using Wide = Compute<T>;
  const Wide wide = static_cast<Wide>(value);
  if (builtin::isnan(wide)) return value;
  return wide == 0 ? at_zero : T(builtin::only_if(builtin::less(Wide(0), wide), Wide(1)));
}

template <class T>
NPP_FUNCTION bool isposinf(T value) {
  return npp::isinf(value) && !npp::signbit(value);
}
template <class T>
NPP_FUNCTION bool isneginf(T value) {
  return npp::isinf(value) && npp::signbit(value);
}

// The same value. Raises "invalid" for NaN, like NumPy's comparisons: by a difference of
// infinities, since a branch would prevent vectorization.
template <class T>
NPP_FUNCTION T raise_for_nan(T value) {
#if NPP_DEVICE
  return value;
#else
  const T infinity = builtin::only_if(builtin::isnan(value), Limits<T>::kInfinity);
  return value - (infinity - infinity);
#endif
}

// The logarithm of a sum of exponentials, with the larger one factored out.
template <class T>
NPP_FUNCTION T logaddexp(T a, T b) {
  using Wide = Compute<T>;
  const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
  if (x == y) return static_cast<T>(x + Wide(0.693147180559945309417));
  const Wide size = builtin::fabs(x - y), larger = builtin::less(x, y) ? y : x;
  const Wide sum = larger + library::log1p(library::exp(-size));
  return static_cast<T>(raise_for_nan(builtin::isnan(size) ? size : sum));
}
template <class T>
NPP_FUNCTION T logaddexp2(T a, T b) {
  using Wide = Compute<T>;
  constexpr Wide kLog2E = Wide(1.44269504088896340736);
  const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
  if (x == y) return static_cast<T>(x + 1);
  const Wide size = builtin::fabs(x - y), larger = builtin::less(x, y) ? y : x;
  const Wide more = kLog2E * library::log1p(library::exp2(-size));
  return static_cast<T>(raise_for_nan(builtin::isnan(size) ? size : larger + more));
}

// sin(pi x), with whole periods removed exactly.
template <class T>
NPP_FUNCTION T sine_of_turns(T value) {
  constexpr T kPi = T(3.14159265358979323846);
  const T nearest = builtin::rint(value);
  const T size = library::sin(kPi * (value - nearest));
  const T half = nearest * T(0.5);
  return builtin::trunc(half) == half ? size : -size;
}

template <class T>
NPP_FUNCTION T sinc(T value) {
  if constexpr (kIsComplex<T>) {
    if (value.real == 0 && value.imag == 0) return {1, 0};
    // Removes whole periods of the sine, as for real numbers.
    using Part = Real<T>;
    constexpr Part kPi = Part(3.14159265358979323846);
    const Part nearest = builtin::rint(value.real), half = nearest * Part(0.5);
    const T rest = library::sin(T{kPi * (value.real - nearest), kPi * value.imag});
    const T turns{kPi * value.real, kPi * value.imag};
    return (builtin::trunc(half) == half ? rest : -rest) / turns;
  } else {
    using Wide = Compute<T>;
    const Wide wide = static_cast<Wide>(value);
    if (wide == 0) return T(1.0f);
    return static_cast<T>(sine_of_turns(wide) / (Wide(3.14159265358979323846) * wide));
  }
}

template <class T>
NPP_FUNCTION Real<T> phase(T value) {
  return npp::atan2(npp::imag(value), npp::real(value));
}

template <class T>
NPP_FUNCTION Complex<Compute<T>> rect(T size, T angle) {
  using Wide = Compute<T>;
  const Wide r = static_cast<Wide>(size), phi = static_cast<Wide>(angle);
  if (phi == 0) return {r, builtin::signbit(r) ? -phi : phi};
  if (r == 0 && !builtin::isnan(phi)) return {r, r};
  return {r * library::cos(phi), r * library::sin(phi)};
}

// Python's isclose: relative to the larger one, or within an absolute distance.
template <class T, class Tolerance>
NPP_FUNCTION bool isclose(T a, T b, Tolerance relative, Tolerance absolute_most) {
  if (a == b) return true;
  if (npp::isinf(a) || npp::isinf(b)) return false;
  const Real<T> distance = npp::absolute(subtract(a, b));
  return builtin::either(
      builtin::either(builtin::less_equal(distance, relative * npp::absolute(a)),
                      builtin::less_equal(distance, relative * npp::absolute(b))),
      builtin::less_equal(distance, absolute_most));
}

// NumPy's isclose: relative to the second one plus an absolute distance.
template <class T, class Tolerance>
NPP_FUNCTION bool is_near(T a, T b, Tolerance relative, Tolerance absolute_most) {
  using Wide = Compute<Real<T>>;
  if (npp::equal(a, b)) return true;
  if (!npp::isfinite(b)) return false;
  const Real<T> most = add(absolute_most, multiply(relative, npp::absolute(b)));
  return builtin::less_equal(static_cast<Wide>(npp::absolute(subtract(a, b))),
                             static_cast<Wide>(most));
}

}  // namespace npp
