// CUDA's mathematical functions beyond <cmath>, for every real type, in any mixture, as in
// cmath.hpp; the special ones are in special_functions.hpp. On a device CUDA's own are preferred
// for float and double.
#pragma once

#include "npp/core/floating_parts.hpp"
#include "npp/math/cmath.hpp"
#include "npp/math/functions.hpp"
#include "npp/special/elementary.hpp"

namespace npp::turns {

// sin(pi x) and cos(pi x): whole periods are removed exactly.
template <class T>
NPP_FUNCTION T sine(T x) {
  const T nearest = builtin::rint(x), rest = x - nearest;
  if (rest == 0) return builtin::copysign(T(0), x);
  return npp::sine_of_turns(x);
}
template <class T>
NPP_FUNCTION T cosine(T x) {
  constexpr T kPi = T(3.14159265358979323846);
  const T turn = builtin::fabs(x - T(2) * builtin::rint(x * T(0.5)));
  if (turn <= T(0.25)) return library::cos(kPi * turn);
  if (turn < T(0.75)) return library::sin(kPi * (T(0.5) - turn));
  return -library::cos(kPi * (T(1) - turn));
}

}  // namespace npp::turns

namespace npp::cmath {

// The type that a function of CUDA computes in: float or double.
template <class T>
using Computed = Compute<Promoted<T>>;

#define NPP_CUDA_ONE(name, ...)                                 \
  template <class T>                                            \
  requires(kIsReal<T>) NPP_FUNCTION Promoted<T> name(T value) { \
    using Number = Computed<T>;                                 \
    const Number x = static_cast<Number>(value);                \
    return static_cast<Promoted<T>>(__VA_ARGS__);               \
  }
NPP_CUDA_ONE(rsqrt, Number(1) / builtin::sqrt(x))
NPP_CUDA_ONE(rcbrt, Number(1) / library::cbrt(x))
NPP_CUDA_ONE(exp10, npp::exp10(x))
NPP_CUDA_ONE(sinpi, turns::sine(x))
NPP_CUDA_ONE(cospi, turns::cosine(x))
#undef NPP_CUDA_ONE

// ---- lengths

template <class A, class B>
requires(kIsReal<A>&& kIsReal<B>) NPP_FUNCTION Common<A, B> rhypot(A a, B b) {
  return Common<A, B>(1) / cmath::hypot(a, b);
}
template <class A, class B, class C>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>) NPP_FUNCTION auto norm3d(A a, B b, C c) {
  return cmath::hypot(cmath::hypot(a, b), c);
}
template <class A, class B, class C>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>) NPP_FUNCTION auto rnorm3d(A a, B b, C c) {
  const auto size = cmath::norm3d(a, b, c);
  return 1 / size;
}
template <class A, class B, class C, class D>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>&& kIsReal<D>) NPP_FUNCTION
    auto norm4d(A a, B b, C c, D d) {
  return cmath::hypot(cmath::hypot(a, b), cmath::hypot(c, d));
}
template <class A, class B, class C, class D>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>&& kIsReal<D>) NPP_FUNCTION
    auto rnorm4d(A a, B b, C c, D d) {
  const auto size = cmath::norm4d(a, b, c, d);
  return 1 / size;
}

// ---- two results

template <class T>
requires(kIsReal<T>) NPP_FUNCTION void sincos(T value, Promoted<T>* sine, Promoted<T>* cosine) {
  *sine = cmath::sin(value);
  *cosine = cmath::cos(value);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION void sincospi(T value, Promoted<T>* sine, Promoted<T>* cosine) {
  *sine = cmath::sinpi(value);
  *cosine = cmath::cospi(value);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> frexp(T value, int* exponent) {
  const Promoted<T> wide = static_cast<Promoted<T>>(value);
  *exponent = npp::frexp_exponent(wide);
  return npp::frexp_mantissa(wide);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> modf(T value, Promoted<T>* whole) {
  const Promoted<T> wide = static_cast<Promoted<T>>(value);
  *whole = cmath::trunc(wide);
  return npp::fraction(wide);
}

}  // namespace npp::cmath
