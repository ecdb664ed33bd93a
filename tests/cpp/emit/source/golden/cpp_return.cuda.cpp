#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#define NPP_WITHOUT_ROUNDING_NAMES 1
#define NPP_WITHOUT_SPECIAL_NAMES 1
#include "npp/cuda/contiguous.hpp"
#include "npp/body/names.hpp"

#line 1 "<preamble of 'hypot '2''>"
static constexpr float scale = 2;
#line 1 "npp-generated"

// float32(float32, float32)
struct Kernel0 {
  using Inputs = npp::Types<float, float>;
  using Outputs = npp::Types<float>;
  static constexpr bool kHasVectorMath = true;
  static constexpr bool kHasBranches = true;

  NPP_FUNCTION static float call(const float x, const float y) {
    using x_t [[maybe_unused]] = float;
    using y_t [[maybe_unused]] = float;
    using T [[maybe_unused]] = float;
    using namespace npp::cmath;
#line 1 "<body of 'hypot '2''>"
return sqrt(x*x + scale*y*y);
#line 1 "npp-generated"
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 4, 2)
