#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"
#include "npp/core/scalar_choices.hpp"

// float64(float64, int64)
struct Kernel0 {
  using Inputs = npp::Types<double, npp::int64>;
  using Outputs = npp::Types<double>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = true;

  NPP_FUNCTION static double call(double x, npp::int64 n) {
    double out = 1.0;
    for (npp::int64 i = 0; i < n; ++i) {
      out = npp::multiply(out, x);
    }
    return out;
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 1, 1)
