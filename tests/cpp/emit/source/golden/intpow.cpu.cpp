#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"
#if (NPP_LANES)
#include "npp/cpu/lanes/refill.hpp"
#endif

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
    const npp::Lanes<npp::uint64, 8> trips = npp::blocks::trip_count(start, n);
    npp::Lanes<bool, 8> running(true);
    for (npp::uint64 trip = 0;; ++trip) {
      running = npp::blocks::bitwise_and(running, npp::blocks::less(npp::Lanes<npp::uint64, 8>(trip), trips));
      if (!npp::blocks::any(running)) break;
      npp::Lanes<npp::int64, 8> i = npp::blocks::add(start, npp::Lanes<npp::int64, 8>(npp::int64(trip)));
      out = npp::blocks::select(running, npp::blocks::multiply(running, out, x), out);
    }
    return out;
  }
  static constexpr bool kRefillsLanes = true;
  template <class Elements>
  NPP_FUNCTION static void refilled_lanes(Elements& elements) {
    npp::Lanes<double, 8> x = npp::Lanes<double, 8>(0);
    npp::Lanes<npp::int64, 8> n = npp::Lanes<npp::int64, 8>(0);
    npp::Lanes<double, 8> out = npp::Lanes<double, 8>(0);
    npp::Lanes<npp::uint64, 8> trip = npp::Lanes<npp::uint64, 8>(0);
    npp::Lanes<npp::uint64, 8> trips = npp::Lanes<npp::uint64, 8>(0);
    npp::Lanes<bool, 8> running(false);
    npp::Trips trips_2;
    for (;;) {
      if (elements.is_due(running)) {
        const npp::Lanes<bool, 8> finished = elements.finished(running);
        elements.store(finished, out);
        const npp::Lanes<bool, 8> entering = elements.refill(running);
        x = npp::blocks::select(entering, elements.template operand<0>(), x);
        n = elements.template operand<1>();
        out = npp::blocks::select(entering, npp::Lanes<double, 8>(1.0), out);
        running = npp::blocks::bitwise_or(running, entering);
        trip = npp::blocks::select(entering, npp::Lanes<npp::uint64, 8>(0), trip);
        trips = npp::blocks::select(entering, npp::blocks::trip_count(npp::Lanes<npp::int64, 8>(npp::int64(0)), n), trips);
        if (elements.are_over()) return;
      }
      if (trips_2.are_interrupted()) return;
      NPP_SEVERAL_TRIPS(several) {
        running = npp::blocks::bitwise_and(running, npp::blocks::less(trip, trips));
        if (!npp::blocks::any(running)) break;
        trip = npp::blocks::add(trip, npp::Lanes<npp::uint64, 8>(1));
        out = npp::blocks::select(running, npp::blocks::multiply(running, out, x), out);
      }
    }
  }
#endif
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
