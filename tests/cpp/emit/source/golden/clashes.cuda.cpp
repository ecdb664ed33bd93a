#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"

// float32(float32, float32, float32, float32, float32, float32, float32, float32)
struct Kernel0 {
  using Inputs = npp::Types<float, float, float, float, float, float, float, float>;
  using Outputs = npp::Types<float>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = false;

  NPP_FUNCTION static float call(float double_, float npp_, float double_2, float _u65E5_u672C, float _x, float v_X, float call, float NPP_FUNCTION_) {
    return npp::add(npp::add(npp::add(npp::add(npp::add(npp::add(npp::add(double_, npp_), double_2), _u65E5_u672C), _x), v_X), call), NPP_FUNCTION_);
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 4, 1)
