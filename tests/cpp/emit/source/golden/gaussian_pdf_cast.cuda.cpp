#define NPP_WITHOUT_FLOAT16 1
#include "npp/cuda/cast.hpp"
#include "npp/cuda/contiguous.hpp"

// float32(float32, float32, float32)
struct Kernel0 {
  using Inputs = npp::Types<float, float, float>;
  using Outputs = npp::Types<float>;
  static constexpr bool kHasVectorMath = true;
  static constexpr bool kHasBranches = false;

  NPP_FUNCTION static float call(float x, float mean, float sigma) {
    float t = npp::true_divide(npp::subtract(x, mean), sigma);
    return npp::true_divide(npp::exp(npp::multiply(-0.5f, npp::square(t))), npp::multiply(sigma, 2.5066283f));
  }
};

using CastKernel0 =
    npp::CastKernel<Kernel0, npp::Types<npp::int8, bool, float>, npp::Types<npp::complex64>>;

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, CastKernel0, npp::Narrow, npp::Mask::kNone, 2, 2)
