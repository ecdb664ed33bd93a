// <cuComplex.h>: complex numbers as structs with x and y, and their functions. Operands convert
// from and to them.
#pragma once

#include "npp/body/names.hpp"

namespace npp::cmath {

template <class T>
struct CudaComplex {
  T x, y;

  CudaComplex() = default;
  NPP_FUNCTION constexpr CudaComplex(T x, T y) : x(x), y(y) {}
  NPP_FUNCTION constexpr CudaComplex(Complex<T> value) : x(value.real), y(value.imag) {}
  NPP_FUNCTION constexpr operator Complex<T>() const { return {x, y}; }
};
using cuFloatComplex = CudaComplex<float>;
using cuDoubleComplex = CudaComplex<double>;
using cuComplex = cuFloatComplex;

#define NPP_CUDA_COMPLEX(Number, T, suffix)                                                 \
  NPP_FUNCTION T cuCreal##suffix(Number a) { return a.x; }                                  \
  NPP_FUNCTION T cuCimag##suffix(Number a) { return a.y; }                                  \
  NPP_FUNCTION Number cuConj##suffix(Number a) { return {a.x, -a.y}; }                      \
  NPP_FUNCTION Number cuCadd##suffix(Number a, Number b) { return {a.x + b.x, a.y + b.y}; } \
  NPP_FUNCTION Number cuCsub##suffix(Number a, Number b) { return {a.x - b.x, a.y - b.y}; } \
  NPP_FUNCTION Number cuCmul##suffix(Number a, Number b) {                                  \
    return complex_multiply(Complex<T>(a), Complex<T>(b));                                  \
  }                                                                                         \
  NPP_FUNCTION Number cuCdiv##suffix(Number a, Number b) {                                  \
    return complex_divide(Complex<T>(a), Complex<T>(b));                                    \
  }                                                                                         \
  NPP_FUNCTION T cuCabs##suffix(Number a) { return cmath::hypot(a.x, a.y); }
NPP_CUDA_COMPLEX(cuDoubleComplex, double, )
NPP_CUDA_COMPLEX(cuFloatComplex, float, f)
#undef NPP_CUDA_COMPLEX

NPP_FUNCTION cuDoubleComplex make_cuDoubleComplex(double x, double y) { return {x, y}; }
NPP_FUNCTION cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }
NPP_FUNCTION cuComplex make_cuComplex(float x, float y) { return {x, y}; }
NPP_FUNCTION cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
NPP_FUNCTION cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
NPP_FUNCTION cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return cuCadd(cuCmul(a, b), c);
}
NPP_FUNCTION cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return cuCaddf(cuCmulf(a, b), c);
}

}  // namespace npp::cmath
