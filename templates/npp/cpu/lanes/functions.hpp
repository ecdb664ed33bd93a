// Parts of functions in lanes besides operations: exceptions, numbers of trips, integer powers.
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

// Of integers, by squaring. A negative exponent has that of the inverse, rounded to 0.
template <class T, int size>
NPP_FUNCTION Lanes<T, size> power(Lanes<bool, size> mask, Lanes<T, size> base,
                                  Lanes<T, size> exponent) {
  const Lanes<T, size> zero(T(0)), one(T(1));
  exponent = select(mask, exponent, zero);
  if constexpr (kIsSigned<T>) {
    const Lanes<bool, size> is_negative = less(exponent, zero);
    const Lanes<bool, size> has_inverse = equal(absolute(base), one);
    base = select(and_not(is_negative, has_inverse), zero, base);
    exponent = select(is_negative, negative(exponent), exponent);
  }
  Lanes<Unsigned<T>, size> rest = bits(exponent);
  const Lanes<Unsigned<T>, size> none(0), first(1);
  Lanes<T, size> result = one;
  while (any(not_equal(rest, none))) {
    result = select(equal(bitwise_and(rest, first), first), multiply(result, base), result);
    base = multiply(base, base);
    rest = shift_right(rest, first);
  }
  return result;
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> power(Lanes<T, size> base, Lanes<T, size> exponent) {
  return power(Lanes<bool, size>(true), base, exponent);
}

}  // namespace lanes

}  // namespace npp
