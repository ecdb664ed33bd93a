// Functions of C++'s <cmath> under their plain names, for C++ bodies: for every real type, in any
// mixture (integers count as double), with C++'s own results. Bodies are compiled with `using
// namespace npp::cmath`. Every template is constrained, so that it is preferred to NVRTC's own
// overloads for integers.
#pragma once

#include "npp/core/floating_parts.hpp"
#include "npp/core/ops.hpp"

namespace npp::library {

#if NPP_DEVICE
template <class T>
NPP_FUNCTION int ilogb(T value) {
  return ::ilogb(value);
}
#else
int ilogb(double) __asm__("ilogb") NPP_SCALAR;
int ilogb(float) __asm__("ilogbf") NPP_SCALAR;
#endif

}  // namespace npp::library

namespace npp::cmath {

// The type in which C++ computes a function of these arguments.
template <class T>
using Promoted = Conditional<kIsFloating<T>, T, double>;
template <class A, class B>
using Common = Conditional<
    kIsSame<A, B>, Promoted<A>,
    Conditional<kIsSame<Promoted<A>, double> || kIsSame<Promoted<B>, double>, double, float>>;

// ---- one argument

#define NPP_CMATH_ONE(result, name, function)              \
  template <class T>                                       \
  requires(kIsReal<T>) NPP_FUNCTION result name(T value) { \
    return function(static_cast<Promoted<T>>(value));      \
  }
#define NPP_CMATH_PLAIN(name, ...) NPP_CMATH_ONE(Promoted<T>, name, npp::name)
NPP_MATH_OF_ONE(NPP_CMATH_PLAIN)
NPP_CMATH_PLAIN(lgamma)
NPP_CMATH_PLAIN(tgamma)
NPP_CMATH_PLAIN(sqrt)
NPP_CMATH_PLAIN(floor)
NPP_CMATH_PLAIN(ceil)
NPP_CMATH_PLAIN(trunc)
NPP_CMATH_PLAIN(rint)
NPP_CMATH_ONE(Promoted<T>, nearbyint, npp::rint)
NPP_CMATH_ONE(Promoted<T>, fabs, npp::absolute)
NPP_CMATH_ONE(bool, isnan, npp::isnan)
NPP_CMATH_ONE(bool, isinf, npp::isinf)
NPP_CMATH_ONE(bool, isfinite, npp::isfinite)
NPP_CMATH_ONE(bool, signbit, npp::signbit)
#undef NPP_CMATH_PLAIN
#undef NPP_CMATH_ONE

// Rounds halves away from zero.
template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> round(T value) {
  using Wide = Compute<Promoted<T>>;
  const Wide wide = static_cast<Wide>(value), whole = builtin::trunc(wide);
  const Wide away = builtin::copysign(Wide(1), wide);
  const bool is_half = builtin::less_equal(Wide(0.5), builtin::fabs(wide - whole));
  return static_cast<Promoted<T>>(builtin::copysign(is_half ? whole + away : whole, wide));
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION long lround(T value) {
  return npp::cast<int64>(cmath::round(value));
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION long long llround(T value) { return cmath::lround(value); }

// Integers narrower than int are promoted to int, as in all of C++'s arithmetic.
template <class T>
requires(kIsReal<T> || kIsComplex<T>) NPP_FUNCTION auto abs(T value) {
  if constexpr (kIsBool<T> || (kIsInteger<T> && sizeof(T) < sizeof(int))) {
    return npp::absolute(static_cast<int>(value));
  } else {
    return npp::absolute(value);
  }
}

// ---- two arguments

#define NPP_CMATH_TWO(name, function)                                            \
  template <class A, class B>                                                    \
  requires(kIsReal<A> && kIsReal<B>) NPP_FUNCTION Common<A, B> name(A a, B b) {  \
    return function(static_cast<Common<A, B>>(a), static_cast<Common<A, B>>(b)); \
  }
NPP_CMATH_TWO(pow, npp::power)
NPP_CMATH_TWO(remainder, npp::ieee_remainder)
NPP_CMATH_TWO(atan2, npp::atan2)
NPP_CMATH_TWO(hypot, npp::hypot)
NPP_CMATH_TWO(fmod, npp::fmod)
NPP_CMATH_TWO(fmin, npp::fmin)
NPP_CMATH_TWO(fmax, npp::fmax)
NPP_CMATH_TWO(copysign, npp::copysign)
NPP_CMATH_TWO(nextafter, npp::nextafter)
#undef NPP_CMATH_TWO

template <class A, class B>
requires(kIsReal<A>&& kIsReal<B>) NPP_FUNCTION Common<A, B> fdim(A a, B b) {
  using T = Common<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return npp::less_equal(x, y) ? T(0) : npp::subtract(x, y);
}

// As CUDA's: mixed types are converted to that of C++'s arithmetic, a NaN is ignored.
#define NPP_CMATH_EXTREME(name, function)                               \
  template <class A, class B>                                           \
  requires(kIsReal<A> && kIsReal<B>) NPP_FUNCTION auto name(A a, B b) { \
    using T = Conditional<kIsSame<A, B>, A, decltype(a + b)>;           \
    return npp::function(static_cast<T>(a), static_cast<T>(b));         \
  }
NPP_CMATH_EXTREME(min, fmin)
NPP_CMATH_EXTREME(max, fmax)
#undef NPP_CMATH_EXTREME
template <class T>
requires(kIsReal<T>) NPP_FUNCTION T clamp(T value, WithoutConst<T> low, WithoutConst<T> high) {
  return npp::less(value, low) ? low : npp::less(high, value) ? high : value;
}

// ---- an integer as argument or result, three arguments

template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> ldexp(T value, int exponent) {
  return static_cast<Promoted<T>>(
      library::ldexp(static_cast<Compute<Promoted<T>>>(value), exponent));
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> scalbn(T value, int exponent) {
  return cmath::ldexp(value, exponent);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION int ilogb(T value) {
  return library::ilogb(static_cast<Compute<Promoted<T>>>(value));
}
template <class A, class B, class C>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>) NPP_FUNCTION Common<Common<A, B>, C> fma(A a, B b,
                                                                                        C c) {
  using T = Compute<Common<Common<A, B>, C>>;
  return library::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
}

// ---- complex numbers

template <class T>
NPP_FUNCTION Complex<T> pow(Complex<T> base, Complex<T> exponent) {
  return npp::power(base, exponent);
}
template <class T, class Number>
requires(kIsReal<Number>) NPP_FUNCTION Complex<T> pow(Complex<T> base, Number exponent) {
  return npp::power(base, Complex<T>{static_cast<T>(exponent), 0});
}
template <class T>
NPP_FUNCTION Complex<T> conj(Complex<T> value) {
  return npp::conjugate(value);
}
template <class T>
NPP_FUNCTION T arg(Complex<T> value) {
  return npp::atan2(value.imag, value.real);
}
template <class T>
NPP_FUNCTION T norm(Complex<T> value) {
  return value.real * value.real + value.imag * value.imag;
}

// ---- types and constants of <cstdint>, <cmath>, <cfloat> and <climits>; where these are included
// already, the names are macros

using int8_t = npp::int8;
using int16_t = npp::int16;
using int32_t = npp::int32;
using int64_t = npp::int64;
using uint8_t = npp::uint8;
using uint16_t = npp::uint16;
using uint32_t = npp::uint32;
using uint64_t = npp::uint64;
using size_t = npp::uint64;
using ptrdiff_t = npp::int64;

#ifndef M_PI
inline constexpr double M_PI = 3.14159265358979323846;
inline constexpr double M_PI_2 = 1.57079632679489661923;
inline constexpr double M_PI_4 = 0.78539816339744830962;
inline constexpr double M_1_PI = 0.31830988618379067154;
inline constexpr double M_2_PI = 0.63661977236758134308;
inline constexpr double M_2_SQRTPI = 1.12837916709551257390;
inline constexpr double M_E = 2.71828182845904523536;
inline constexpr double M_LOG2E = 1.44269504088896340736;
inline constexpr double M_LOG10E = 0.43429448190325182765;
inline constexpr double M_LN2 = 0.69314718055994530942;
inline constexpr double M_LN10 = 2.30258509299404568402;
inline constexpr double M_SQRT2 = 1.41421356237309504880;
inline constexpr double M_SQRT1_2 = 0.70710678118654752440;
#endif
#ifndef INFINITY
inline constexpr float INFINITY = Limits<float>::kInfinity;
#endif
#ifndef NAN
inline constexpr float NAN = Limits<float>::kNan;
#endif
#ifndef HUGE_VAL
inline constexpr double HUGE_VAL = Limits<double>::kInfinity;
#endif
#ifndef DBL_MAX
inline constexpr float FLT_MAX = Limits<float>::kMax;
inline constexpr float FLT_MIN = 0x1p-126f;
inline constexpr float FLT_EPSILON = 0x1p-23f;
inline constexpr double DBL_MAX = Limits<double>::kMax;
inline constexpr double DBL_MIN = 0x1p-1022;
inline constexpr double DBL_EPSILON = 0x1p-52;
#endif
#ifndef INT_MAX
inline constexpr int INT_MAX = Limits<int>::kMax;
inline constexpr int INT_MIN = Limits<int>::kMin;
inline constexpr long LONG_MAX = Limits<long>::kMax;
inline constexpr long LONG_MIN = Limits<long>::kMin;
#endif

}  // namespace npp::cmath

// Bodies also say std::sqrt, std::max, ...
namespace std {
using namespace npp::cmath;
}
