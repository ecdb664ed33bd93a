// Parts of functions in lanes besides operations: exceptions, and numbers of trips.
#pragma once

#include "npp/cpu/lanes/division.hpp"
#include "npp/cpu/lanes/known_division.hpp"

namespace npp {

// The first exception of each lane, from 1; 0: none.
template <int size>
struct LaneErrors {
  Lanes<int32, size> numbers{0};
  Lanes<bool, size> raised{false};

  NPP_FUNCTION void report(Lanes<bool, size> mask, int32 number) {
    mask = lanes::and_not(mask, raised);
    numbers = lanes::select(mask, Lanes<int32, size>(number), numbers);
    raised = lanes::bitwise_or(raised, mask);
  }
};

namespace lanes {

// Numbers of trips of ranges by 1; those by -1 are from `stop` to `start`.
template <int size>
NPP_FUNCTION Lanes<uint64, size> trip_count(Lanes<int64, size> start, Lanes<int64, size> stop) {
  const Lanes<int64, size> none(0);
  return bits(select(less(start, stop), subtract(stop, start), none));
}

}  // namespace lanes

}  // namespace npp
