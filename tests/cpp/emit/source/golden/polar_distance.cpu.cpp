#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES && NPP_LIBMVEC < 22)
#define NPP_LANE_PARTS 1
#include "npp/cpu/lanes/blocks.hpp"
#endif
#if NPP_LANES && NPP_LIBMVEC < 22
#include "npp/vector_math/trigonometric.hpp"
#endif

namespace {

NPP_FUNCTION npp::Tuple<double, double> polar_to_cartesian_0(double rho, double theta) {
  return npp::Tuple<double, double>{npp::multiply(rho, npp::cos(theta)), npp::multiply(rho, npp::sin(theta))};
}

// float64(float64, float64, float64, float64)
struct Kernel0 {
  using Inputs = npp::Types<double, double, double, double>;
  using Outputs = npp::Types<double>;
  static constexpr bool kHasVectorMath = true;
  static constexpr bool kHasBranches = false;

  NPP_FUNCTION static double call(double rho1, double theta1, double rho2, double theta2) {
    npp::Tuple<double, double> p = polar_to_cartesian_0(rho1, theta1);
    npp::Tuple<double, double> q = polar_to_cartesian_0(rho2, theta2);
    return npp::sqrt(npp::add(npp::square(npp::subtract(npp::get<0>(p), npp::get<0>(q))), npp::square(npp::subtract(npp::get<1>(p), npp::get<1>(q)))));
  }
#if NPP_LANES && NPP_LIBMVEC < 22
  static constexpr int kLaneSize = 8;
  NPP_FUNCTION static npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<double, 8>> polar_to_cartesian_0_lanes(npp::Lanes<bool, 8> active, npp::Lanes<double, 8> rho, npp::Lanes<double, 8> theta) {
    return npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<double, 8>>(npp::lanes::multiply(active, rho, npp::lanes::own_or_math<1024, 22>(active, 0.5, [](auto... x) { return npp::vector_math::cos(x...); }, [](auto... x) { return npp::cos(x...); }, theta)), npp::lanes::multiply(active, rho, npp::lanes::own_or_math<1024, 22>(active, 0.5, [](auto... x) { return npp::vector_math::sin(x...); }, [](auto... x) { return npp::sin(x...); }, theta)));
  }
  NPP_FUNCTION static npp::Lanes<double, 8> lanes(npp::Lanes<double, 8> rho1, npp::Lanes<double, 8> theta1, npp::Lanes<double, 8> rho2, npp::Lanes<double, 8> theta2) {
    npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<double, 8>> p = polar_to_cartesian_0_lanes(npp::Lanes<bool, 8>(true), rho1, theta1);
    npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<double, 8>> q = polar_to_cartesian_0_lanes(npp::Lanes<bool, 8>(true), rho2, theta2);
    return npp::lanes::sqrt(npp::lanes::add(npp::lanes::square(npp::lanes::subtract(npp::get<0>(p), npp::get<0>(q))), npp::lanes::square(npp::lanes::subtract(npp::get<1>(p), npp::get<1>(q)))));
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
