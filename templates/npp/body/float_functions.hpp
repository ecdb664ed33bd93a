// The functions of <cmath> and CUDA under their names for float, such as sinf, for the host: NVRTC
// provides them. Templates, since a C header that a preamble includes declares some, which are then
// preferred.
#pragma once

#include "npp/body/cuda_functions.hpp"

#if !NPP_DEVICE
namespace npp::cmath {

#define NPP_FLOAT_ONE(name, ...)                             \
  template <class T>                                         \
  requires(kIsReal<T>) NPP_FUNCTION float name##f(T value) { \
    return cmath::name(static_cast<float>(value));           \
  }
#define NPP_FLOAT_TWO(name)                                                 \
  template <class A, class B>                                               \
  requires(kIsReal<A> && kIsReal<B>) NPP_FUNCTION float name##f(A a, B b) { \
    return cmath::name(static_cast<float>(a), static_cast<float>(b));       \
  }
#define NPP_FLOAT_THREE(name)                                                                  \
  template <class A, class B, class C>                                                         \
  requires(kIsReal<A> && kIsReal<B> && kIsReal<C>) NPP_FUNCTION float name##f(A a, B b, C c) { \
    return cmath::name(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));   \
  }
#define NPP_FLOAT_FOUR(name)                                                                \
  template <class A, class B, class C, class D>                                             \
  requires(kIsReal<A> && kIsReal<B> && kIsReal<C> && kIsReal<D>)                            \
      NPP_FUNCTION float name##f(A a, B b, C c, D d) {                                      \
    return cmath::name(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c), \
                       static_cast<float>(d));                                              \
  }
// clang-format off
#define NPP_FLOATS_OF_ONE(row)                                                                   \
  row(lgamma) row(tgamma) row(sqrt) row(floor) row(ceil) row(trunc) row(rint) row(nearbyint)     \
  row(fabs) row(round) row(rsqrt) row(rcbrt) row(exp10) row(sinpi) row(cospi)
#define NPP_FLOATS_OF_TWO(row)                                                                   \
  row(pow) row(remainder) row(atan2) row(hypot) row(fmod) row(fmin) row(fmax) row(copysign)      \
  row(nextafter) row(fdim) row(rhypot)
// clang-format on
NPP_MATH_OF_ONE(NPP_FLOAT_ONE)
NPP_FLOATS_OF_ONE(NPP_FLOAT_ONE)
NPP_FLOATS_OF_TWO(NPP_FLOAT_TWO)
NPP_FLOAT_THREE(fma)
NPP_FLOAT_THREE(norm3d)
NPP_FLOAT_THREE(rnorm3d)
NPP_FLOAT_FOUR(norm4d)
NPP_FLOAT_FOUR(rnorm4d)
#undef NPP_FLOAT_ONE
#undef NPP_FLOAT_TWO
#undef NPP_FLOAT_THREE
#undef NPP_FLOAT_FOUR
#undef NPP_FLOATS_OF_ONE
#undef NPP_FLOATS_OF_TWO

template <class T>
requires(kIsReal<T>) NPP_FUNCTION float ldexpf(T value, int exponent) {
  return cmath::ldexp(static_cast<float>(value), exponent);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION float scalbnf(T value, int exponent) {
  return cmath::ldexp(static_cast<float>(value), exponent);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION int ilogbf(T value) {
  return cmath::ilogb(static_cast<float>(value));
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION float frexpf(T value, int* exponent) {
  return cmath::frexp(static_cast<float>(value), exponent);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION float modff(T value, float* whole) {
  return cmath::modf(static_cast<float>(value), whole);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION void sincosf(T value, float* sine, float* cosine) {
  cmath::sincos(static_cast<float>(value), sine, cosine);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION void sincospif(T value, float* sine, float* cosine) {
  cmath::sincospi(static_cast<float>(value), sine, cosine);
}

}  // namespace npp::cmath
#endif
