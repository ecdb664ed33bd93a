#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES && (NPP_MASK_REGISTERS || NPP_LIBMVEC < 22))
#define NPP_LANE_PARTS 1
#include "npp/cpu/lanes/blocks.hpp"
#endif
#if NPP_LANES && (NPP_MASK_REGISTERS || NPP_LIBMVEC < 22)
#include "npp/vector_math/exponential.hpp"
#endif

namespace {

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
#if NPP_LANES && (NPP_MASK_REGISTERS || NPP_LIBMVEC < 22)
  static constexpr int kLaneSize = 4;
  NPP_FUNCTION static npp::Lanes<float, 4> lanes(npp::Lanes<float, 4> x, npp::Lanes<float, 4> mean, npp::Lanes<float, 4> sigma) {
    npp::Lanes<float, 4> t = npp::lanes::true_divide(npp::lanes::subtract(x, mean), sigma);
    return npp::lanes::true_divide(npp::lanes::own_or_math<64, 22>(0.5, [](auto... x) { return npp::vector_math::exp(x...); }, [](auto... x) { return npp::exp(x...); }, npp::lanes::multiply(npp::Lanes<float, 4>(-0.5f), npp::lanes::square(t))), npp::lanes::multiply(sigma, npp::Lanes<float, 4>(2.5066283f)));
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
