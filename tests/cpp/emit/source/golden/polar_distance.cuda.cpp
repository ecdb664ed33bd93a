#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"

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
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 2, 1)
