#define NPP_WITHOUT_FLOAT16 1
#include "npp/cuda/contiguous.hpp"
#include "npp/core/scalar_choices.hpp"
#include "npp/core/trips.hpp"

// int32(complex128, int32)
struct Kernel0 {
  using Inputs = npp::Types<npp::complex128, npp::int32>;
  using Outputs = npp::Types<npp::int32>;
  static constexpr bool kHasVectorMath = true;
  static constexpr bool kHasBranches = true;

  NPP_FUNCTION static npp::int32 call(npp::complex128 c, npp::int32 maxiter) {
    npp::complex128 z = npp::complex128{0.0, -0.0};
    npp::int32 n = 0;
    while (npp::less(n, maxiter)) {
      if (npp::scalar_greater(npp::absolute(z), 2.0)) {
        break;
      }
      z = npp::add(npp::multiply(z, z), c);
      n = npp::add(n, 1);
    }
    return n;
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 1, 1)
