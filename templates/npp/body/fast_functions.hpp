// CUDA's approximate functions, such as __expf, on the host: the accurate functions of float.
#pragma once

#include "npp/body/float_functions.hpp"

#if !NPP_DEVICE
namespace npp::cmath {

#define NPP_FAST_ONE(name) \
  template <class T>       \
  requires(kIsReal<T>) NPP_FUNCTION float __##name(T x) { return cmath::name(x); }
NPP_FAST_ONE(sinf)
NPP_FAST_ONE(cosf)
NPP_FAST_ONE(tanf)
NPP_FAST_ONE(tanhf)
NPP_FAST_ONE(expf)
NPP_FAST_ONE(exp10f)
NPP_FAST_ONE(logf)
NPP_FAST_ONE(log2f)
NPP_FAST_ONE(log10f)
#undef NPP_FAST_ONE

template <class A, class B>
requires(kIsReal<A>&& kIsReal<B>) NPP_FUNCTION float __powf(A base, B exponent) {
  return cmath::powf(base, exponent);
}
template <class A, class B>
requires(kIsReal<A>&& kIsReal<B>) NPP_FUNCTION float __fdividef(A a, B b) {
  return static_cast<float>(a) / static_cast<float>(b);
}
template <class A, class B>
requires(kIsReal<A>&& kIsReal<B>) NPP_FUNCTION float fdividef(A a, B b) {
  return static_cast<float>(a) / static_cast<float>(b);
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION void __sincosf(T value, float* sine, float* cosine) {
  cmath::sincosf(value, sine, cosine);
}
// To [0, 1]; NaN becomes 0.
template <class T>
requires(kIsReal<T>) NPP_FUNCTION float __saturatef(T value) {
  const float x = static_cast<float>(value);
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

}  // namespace npp::cmath
#endif
