#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
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

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 4, 2)
