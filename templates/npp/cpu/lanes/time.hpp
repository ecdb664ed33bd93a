// Operations of dates and durations in lanes, with the names, values and flags of those on numbers
// (time/arithmetic.hpp). The calendar's have no branches and are called in a loop over the lanes.
#pragma once

#include "npp/cpu/lanes/functions.hpp"
#include "npp/time/calendar.hpp"

namespace npp::lanes {

template <int size>
using Ticks = Lanes<int64, size>;
template <int size>
using Mask = Lanes<bool, size>;

template <int size>
NPP_FUNCTION Mask<size> is_nat(Ticks<size> a) {
  return equal(a, Ticks<size>(kNat));
}
template <int size>
NPP_FUNCTION Mask<size> is_either_nat(Ticks<size> a, Ticks<size> b) {
  return bitwise_or(is_nat(a), is_nat(b));
}
template <int size>
NPP_FUNCTION Ticks<size> nat_where(Mask<size> is_missing, Ticks<size> value) {
  return select(is_missing, Ticks<size>(kNat), value);
}

// ---- sums and products

template <int size>
NPP_FUNCTION Ticks<size> time_add(Ticks<size> a, Ticks<size> b) {
  return nat_where(is_either_nat(a, b), add(a, b));
}
template <int size>
NPP_FUNCTION Ticks<size> time_subtract(Ticks<size> a, Ticks<size> b) {
  return nat_where(is_either_nat(a, b), subtract(a, b));
}
template <int size>
NPP_FUNCTION Ticks<size> time_negative(Ticks<size> a) {
  return negative(a);
}
template <int size>
NPP_FUNCTION Ticks<size> time_absolute(Ticks<size> a) {
  return absolute(a);
}
template <int size>
NPP_FUNCTION Ticks<size> time_sign(Ticks<size> a) {
  return sign(a);
}
template <int size>
NPP_FUNCTION Ticks<size> time_multiply(Ticks<size> a, Ticks<size> factor) {
  return nat_where(is_nat(a), multiply(a, factor));
}

// By numbers that are not finite, or are 0, idle lanes might raise flags.
template <int size>
NPP_FUNCTION Ticks<size> time_scale(Mask<size> mask, Ticks<size> a, Lanes<double, size> factor) {
  return all<int64>([](int64 ticks, double number) { return npp::time_scale(ticks, number); },
                    kept(mask, a), kept(mask, factor));
}
template <int size>
NPP_FUNCTION Ticks<size> time_scale(Ticks<size> a, Lanes<double, size> factor) {
  return time_scale(Mask<size>(true), a, factor);
}
template <int size>
NPP_FUNCTION Ticks<size> time_divide_float(Mask<size> mask, Ticks<size> a,
                                           Lanes<double, size> divisor) {
  return all<int64>(
      [](int64 ticks, double number) { return npp::time_divide_float(ticks, number); },
      kept(mask, a), select(mask, divisor, Lanes<double, size>(1.0)));
}
template <int size>
NPP_FUNCTION Ticks<size> time_divide_float(Ticks<size> a, Lanes<double, size> divisor) {
  return time_divide_float(Mask<size>(true), a, divisor);
}

// ---- quotients of times

template <int size>
NPP_FUNCTION Lanes<double, size> time_ratio(Mask<size> mask, Ticks<size> a, Ticks<size> b) {
  const Mask<size> is_valid = and_not(mask, is_either_nat(a, b));
  const Lanes<double, size> one(1.0), nan(Limits<double>::kNan);
  const Lanes<double, size> divisor = select(is_valid, cast<double>(b), one);
  return select(is_valid, true_divide(is_valid, cast<double>(a), divisor), nan);
}
template <int size>
NPP_FUNCTION Lanes<double, size> time_ratio(Ticks<size> a, Ticks<size> b) {
  return time_ratio(Mask<size>(true), a, b);
}

// 0 for NaT, whose lanes take no part in the division and raise "invalid".
template <int size, class Divide>
NPP_FUNCTION Ticks<size> floor_divided(Mask<size> mask, Mask<size> is_missing, Divide divide) {
  if (any(bitwise_and(mask, is_missing))) raise_invalid();
  return select(is_missing, Ticks<size>(0), divide(and_not(mask, is_missing)));
}
template <int size>
NPP_FUNCTION Ticks<size> time_floor_divide(Mask<size> mask, Ticks<size> a, Ticks<size> b) {
  return floor_divided<size>(mask, is_either_nat(a, b),
                             [&](Mask<size> valid) { return floor_divide(valid, a, b); });
}
template <int size>
NPP_FUNCTION Ticks<size> time_floor_divide(Ticks<size> a, Ticks<size> b) {
  return time_floor_divide(Mask<size>(true), a, b);
}
template <int size>
NPP_FUNCTION Ticks<size> time_remainder(Mask<size> mask, Ticks<size> a, Ticks<size> b) {
  const Mask<size> is_missing = is_either_nat(a, b);
  const Ticks<size> rest = remainder(and_not(mask, is_missing), a, b);
  return nat_where(bitwise_or(is_missing, equal(b, Ticks<size>(0))), rest);
}
template <int size>
NPP_FUNCTION Ticks<size> time_remainder(Ticks<size> a, Ticks<size> b) {
  return time_remainder(Mask<size>(true), a, b);
}

// ---- quotients by a positive constant

template <uint64 divisor, int size>
NPP_FUNCTION Ticks<size> floor_of_quotient_by(Ticks<size> a) {
  return all<int64>([](int64 ticks) { return npp::floor_of_quotient(ticks, int64(divisor)); }, a);
}
template <uint64 divisor, int size>
NPP_FUNCTION Ticks<size> time_floor_divide_by(Mask<size> mask, Ticks<size> a) {
  return floor_divided<size>(mask, is_nat(a),
                             [&](Mask<size>) { return floor_of_quotient_by<divisor>(a); });
}
template <uint64 divisor, int size>
NPP_FUNCTION Ticks<size> time_floor_divide_by(Ticks<size> a) {
  return time_floor_divide_by<divisor>(Mask<size>(true), a);
}
template <uint64 divisor, int size>
NPP_FUNCTION Ticks<size> time_remainder_by(Ticks<size> a) {
  const Ticks<size> whole = multiply(floor_of_quotient_by<divisor>(a), Ticks<size>(int64(divisor)));
  return nat_where(is_nat(a), subtract(a, whole));
}
// Truncated towards zero.
template <uint64 divisor, int size>
NPP_FUNCTION Ticks<size> time_divide_int_by(Ticks<size> a) {
  const Ticks<size> magnitude = floor_of_quotient_by<divisor>(absolute(a));
  const Mask<size> is_below = less(a, Ticks<size>(0));
  return nat_where(is_nat(a), select(is_below, negative(magnitude), magnitude));
}

// ---- comparisons

template <int size>
NPP_FUNCTION Mask<size> time_less(Ticks<size> a, Ticks<size> b) {
  return and_not(less(a, b), is_nat(a));
}
template <int size>
NPP_FUNCTION Mask<size> time_less_equal(Ticks<size> a, Ticks<size> b) {
  return and_not(less_equal(a, b), is_nat(a));
}
template <int size>
NPP_FUNCTION Mask<size> time_equal(Ticks<size> a, Ticks<size> b) {
  return and_not(equal(a, b), is_nat(a));
}
template <int size>
NPP_FUNCTION Mask<size> time_not_equal(Ticks<size> a, Ticks<size> b) {
  return bitwise_or(not_equal(a, b), is_nat(a));
}

// ---- minima and maxima

template <int size>
NPP_FUNCTION Ticks<size> time_minimum(Ticks<size> a, Ticks<size> b) {
  return minimum(a, b);
}
template <int size>
NPP_FUNCTION Ticks<size> time_fmax(Ticks<size> a, Ticks<size> b) {
  return maximum(a, b);
}
template <int size>
NPP_FUNCTION Ticks<size> time_maximum(Ticks<size> a, Ticks<size> b) {
  return nat_where(is_either_nat(a, b), maximum(a, b));
}
template <int size>
NPP_FUNCTION Ticks<size> time_fmin(Ticks<size> a, Ticks<size> b) {
  return select(is_either_nat(a, b), maximum(a, b), minimum(a, b));
}

// ---- tests of years

#define NPP_LEAP_YEARS(name)                                                               \
  template <int size>                                                                      \
  NPP_FUNCTION Mask<size> name(Ticks<size> year) {                                         \
    return truth(all<int64>([](int64 number) { return int64(npp::name(number)); }, year)); \
  }
NPP_LEAP_YEARS(is_leap_year)
NPP_LEAP_YEARS(is_leap_year_noleap)
NPP_LEAP_YEARS(is_leap_year_360_day)
NPP_LEAP_YEARS(is_leap_year_julian)
#undef NPP_LEAP_YEARS

}  // namespace npp::lanes
