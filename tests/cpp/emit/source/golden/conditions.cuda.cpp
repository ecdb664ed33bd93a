#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"

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
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 2, 2)
