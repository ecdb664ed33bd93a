#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES)
#define NPP_LANE_PARTS 1
#include "npp/cpu/lanes/blocks.hpp"
#endif

namespace {

// float64, float64(float64, float64)
struct Kernel0 {
  using Inputs = npp::Types<double, double>;
  using Outputs = npp::Types<double, double>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = false;
  static constexpr bool kMovesFlags = true;

  NPP_FUNCTION static npp::Tuple<double, double> call(double x, double y) {
    return npp::Tuple<double, double>{npp::floor_divide(x, y), npp::remainder(x, y)};
  }
#if NPP_LANES
  static constexpr int kLaneSize = 8;
  NPP_FUNCTION static npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<double, 8>> lanes(npp::Lanes<double, 8> x, npp::Lanes<double, 8> y) {
    return npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<double, 8>>(npp::lanes::floor_divide(x, y), npp::lanes::remainder(x, y));
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
