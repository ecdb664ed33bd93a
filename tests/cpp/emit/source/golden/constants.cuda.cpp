#include "npp/cuda/contiguous.hpp"

// float16(float16)
struct Kernel0 {
  using Inputs = npp::Types<npp::float16>;
  using Outputs = npp::Types<npp::float16>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = false;

  NPP_FUNCTION static npp::float16 call(npp::float16 x) {
    npp::int64 least = npp::int64(-9223372036854775807 - 1);
    npp::uint64 most = npp::uint64(18446744073709551615u);
    double infinite = -npp::Limits<double>::kInfinity;
    npp::complex64 unit = npp::complex64{0.0f, 1.0f};
    bool flag = true;
    return npp::multiply(x, npp::cast<npp::float16>(0.099975586f));
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 8, 4)
