#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"

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
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 1, 1)
