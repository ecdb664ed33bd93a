// Complex numbers under the names that CuPy, Thrust and PyCUDA give them.
#pragma once

#include "npp/math/cmath.hpp"
#include "npp/math/complex_math.hpp"

namespace npp::cmath {

template <class T>
using complex = Complex<T>;

// Also for std::exp and thrust::exp.
#define NPP_COMPLEX_NAME(name)                     \
  template <class T>                               \
  NPP_FUNCTION Complex<T> name(Complex<T> value) { \
    return library::name(value);                   \
  }
NPP_COMPLEX_MATH(NPP_COMPLEX_NAME)
NPP_COMPLEX_NAME(log10)
#undef NPP_COMPLEX_NAME

template <class T>
NPP_FUNCTION T real(Complex<T> value) {
  return value.real;
}
template <class T>
NPP_FUNCTION T imag(Complex<T> value) {
  return value.imag;
}
template <class T>
requires(kIsFloating<T>) NPP_FUNCTION Complex<T> polar(T size, WithoutConst<T> angle) {
  return {size * cmath::cos(angle), size * cmath::sin(angle)};
}
template <class T>
NPP_FUNCTION Complex<T> proj(Complex<T> value) {
  if (!cmath::isinf(value.real) && !cmath::isinf(value.imag)) return value;
  return {Limits<T>::kInfinity, builtin::copysign(T(0), value.imag)};
}

}  // namespace npp::cmath

namespace thrust {
using namespace npp::cmath;
}
namespace pycuda {
using namespace npp::cmath;
}
