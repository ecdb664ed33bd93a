#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES && !NPP_MASK_REGISTERS && !NPP_NEON)
#define NPP_LANE_PARTS 1
#include "npp/cpu/lanes/blocks.hpp"
#endif

namespace {

// float64(float64, float64)
struct Kernel0 {
  using Inputs = npp::Types<double, double>;
  using Outputs = npp::Types<double>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = true;

  NPP_FUNCTION static double call(double x, double y) {
    double sign;
    if (npp::greater(x, 0.0) && (npp::less(y, 1.0) || npp::isnan(y))) {
      sign = 1.0;
    } else if (npp::less(x, 0.0)) {
      sign = -1.0;
    } else {
      sign = 0.0;
    }
    return npp::copysign((npp::equal(sign, 0.0) ? y : x), sign);
  }
#if NPP_LANES && !NPP_MASK_REGISTERS && !NPP_NEON
  static constexpr int kLaneSize = 8;
  NPP_FUNCTION static npp::Lanes<double, 8> lanes(npp::Lanes<double, 8> x, npp::Lanes<double, 8> y) {
    npp::Lanes<double, 8> sign = npp::Lanes<double, 8>(0);
    const npp::Lanes<bool, 8> condition = npp::lanes::bitwise_and(npp::lanes::greater(x, npp::Lanes<double, 8>(0.0)), npp::lanes::bitwise_or(npp::lanes::less(y, npp::Lanes<double, 8>(1.0)), npp::lanes::isnan(y)));
    const npp::Lanes<bool, 8> active = npp::lanes::invert(condition);
    sign = npp::lanes::select(condition, npp::Lanes<double, 8>(1.0), sign);
    sign = npp::lanes::select(active, npp::lanes::select(npp::lanes::less(x, npp::Lanes<double, 8>(0.0)), npp::Lanes<double, 8>(-1.0), npp::Lanes<double, 8>(0.0)), sign);
    return npp::lanes::copysign(npp::lanes::select(npp::lanes::equal(sign, npp::Lanes<double, 8>(0.0)), y, x), sign);
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
