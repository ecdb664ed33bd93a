#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"

// int64(int64, int64)
struct Kernel0 {
  using Inputs = npp::Types<npp::int64, npp::int64>;
  using Outputs = npp::Types<npp::int64>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = true;

  NPP_FUNCTION static npp::int64 call(npp::int64 n, npp::int64 step) {
    npp::int64 total = npp::int64(0);
    for (npp::int64 i = 0, stop = npp::floor_divide(n, npp::int64(2)); i < stop; ++i) {
      total = npp::add(total, i);
    }
    for (npp::int64 j = n; j > 0; --j) {
      total = npp::add(total, j);
      n = npp::subtract(n, npp::int64(1));
    }
    const npp::int64 stop_2 = n;
    const npp::int64 step_2 = step;
    const npp::uint64 trips = npp::trip_count(0, stop_2, step_2);
    for (npp::uint64 trip = 0; trip < trips; ++trip) {
      npp::int64 k = npp::multiply(npp::int64(trip), step_2);
      if (npp::equal(k, npp::int64(7))) {
        continue;
      }
      total = npp::add(total, k);
    }
    npp::int64 last = npp::int64(-1);
    const npp::uint64 trips_2 = npp::trip_count(0, 3, 1);
    for (npp::uint64 trip_2 = 0; trip_2 < trips_2; ++trip_2) {
      last = npp::int64(trip_2);
      total = npp::add(total, last);
    }
    return npp::add(total, last);
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 1, 1)
