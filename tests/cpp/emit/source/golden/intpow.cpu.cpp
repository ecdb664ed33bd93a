#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES)
#include "npp/cpu/lanes/blocks.hpp"
#endif
#include "npp/core/scalar_choices.hpp"

namespace {

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
#if NPP_LANES
  static constexpr int kLaneSize = 8;
  NPP_FUNCTION static npp::Lanes<double, 8> lanes(npp::Lanes<double, 8> x, npp::Lanes<npp::int64, 8> n) {
    npp::Lanes<double, 8> out = npp::Lanes<double, 8>(1.0);
    const npp::Lanes<npp::int64, 8> start = npp::Lanes<npp::int64, 8>(npp::int64(0));
    const npp::Lanes<npp::uint64, 8> trips = npp::lanes::trip_count(start, n);
    npp::Lanes<bool, 8> running(true);
    for (npp::uint64 trip = 0;; ++trip) {
      running = npp::lanes::bitwise_and(running, npp::lanes::less(npp::Lanes<npp::uint64, 8>(trip), trips));
      if (!npp::lanes::any(running)) break;
      npp::Lanes<npp::int64, 8> i = npp::lanes::add(start, npp::Lanes<npp::int64, 8>(npp::int64(trip)));
      out = npp::lanes::select(running, npp::lanes::multiply(running, out, x), out);
    }
    return out;
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
