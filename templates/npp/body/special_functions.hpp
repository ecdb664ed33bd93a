// CUDA's special functions, and their names for float on the host, as in cuda_functions.hpp and
// float_functions.hpp. Apart from these, since reading their formulas takes the host compiler
// longer than compiling a short body.
#pragma once

#include "npp/body/cuda_functions.hpp"
#include "npp/special/bessel_ik.hpp"
#include "npp/special/bessel_jn.hpp"
#include "npp/special/erf.hpp"

namespace npp::cmath {

#if NPP_DEVICE
#define NPP_FLOAT_NAME(name)
#else
#define NPP_FLOAT_NAME(name)                                 \
  template <class T>                                         \
  requires(kIsReal<T>) NPP_FUNCTION float name##f(T value) { \
    return cmath::name(static_cast<float>(value));           \
  }
#endif
#define NPP_SPECIAL(name, function)                                                  \
  template <class T>                                                                 \
  requires(kIsReal<T>) NPP_FUNCTION Promoted<T> name(T value) {                      \
    return static_cast<Promoted<T>>(npp::function(static_cast<Computed<T>>(value))); \
  }                                                                                  \
  NPP_FLOAT_NAME(name)
NPP_SPECIAL(erfinv, erfinv)
NPP_SPECIAL(erfcinv, erfcinv)
NPP_SPECIAL(erfcx, erfcx)
NPP_SPECIAL(normcdf, ndtr)
NPP_SPECIAL(normcdfinv, ndtri)
NPP_SPECIAL(cyl_bessel_i0, i0)
NPP_SPECIAL(cyl_bessel_i1, i1)
NPP_SPECIAL(j0, j0)
NPP_SPECIAL(j1, j1)
NPP_SPECIAL(y0, y0)
NPP_SPECIAL(y1, y1)
#undef NPP_SPECIAL
#undef NPP_FLOAT_NAME

template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> jn(int order, T value) {
  return static_cast<Promoted<T>>(npp::jn(order, static_cast<Computed<T>>(value)));
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION Promoted<T> yn(int order, T value) {
  return static_cast<Promoted<T>>(npp::yn(order, static_cast<Computed<T>>(value)));
}

#if !NPP_DEVICE
template <class T>
requires(kIsReal<T>) NPP_FUNCTION float jnf(int order, T value) {
  return cmath::jn(order, static_cast<float>(value));
}
template <class T>
requires(kIsReal<T>) NPP_FUNCTION float ynf(int order, T value) {
  return cmath::yn(order, static_cast<float>(value));
}
#endif

}  // namespace npp::cmath
