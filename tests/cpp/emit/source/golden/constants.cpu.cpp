#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES)
#define NPP_LANE_PARTS 1
#include "npp/cpu/lanes/blocks.hpp"
#endif

namespace {

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
    float unit_real = 0.0f;
    float unit_imag = 1.0f;
    bool flag = true;
    return npp::multiply(x, npp::cast<npp::float16>(0.099975586f));
  }
#if NPP_LANES
  static constexpr int kLaneSize = 8;
  NPP_FUNCTION static npp::Lanes<npp::float16, 8> lanes(npp::Lanes<npp::float16, 8> x) {
    npp::Lanes<npp::int64, 8> least = npp::Lanes<npp::int64, 8>(npp::int64(-9223372036854775807 - 1));
    npp::Lanes<npp::uint64, 8> most = npp::Lanes<npp::uint64, 8>(npp::uint64(18446744073709551615u));
    npp::Lanes<double, 8> infinite = npp::Lanes<double, 8>(-npp::Limits<double>::kInfinity);
    npp::Lanes<float, 8> unit_real = npp::Lanes<float, 8>(0.0f);
    npp::Lanes<float, 8> unit_imag = npp::Lanes<float, 8>(1.0f);
    npp::Lanes<bool, 8> flag = npp::Lanes<bool, 8>(true);
    return npp::lanes::cast<npp::float16>(npp::lanes::multiply(npp::lanes::cast<float>(x), npp::Lanes<float, 8>(npp::cast<float>(npp::cast<npp::float16>(0.099975586f)))));
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
