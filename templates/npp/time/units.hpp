// Casts between units of time. Quotients by a constant are the floor, exact for all int64, in
// operations that AVX2 has for vectors: it has no division and no high product of 64 bits.
#pragma once

#include "npp/time/arithmetic.hpp"

namespace npp {

template <class Rest>
struct FloorQuotient {
  int64 quotient;
  Rest rest;  // below the divisor, not negative
};

// Rounds a double below 2**51 * step to a multiple of a power of 2, and counts its steps.
NPP_FUNCTION int64 rounded_steps(double value, double step) {
  const double rounder = 0x1.8p52 * step;
  return integer::subtract(bit_cast<int64>(value + rounder), bit_cast<int64>(rounder));
}

// Rest is int32 where the divisor is below 2**31. The quotient of doubles has an error below 1/2
// where it is below 2**50: rounded, it is the floor or the next integer. Smaller divisors first
// take off a multiple of 4096 quotients.
template <class Rest>
NPP_FUNCTION FloorQuotient<Rest> floor_quotient(int64 value, int64 divisor) {
  using Bits = Unsigned<Rest>;
#if NPP_DEVICE
  const int64 quotient = integer::floor_divide(value, divisor);
  const Bits product = static_cast<Bits>(static_cast<Bits>(quotient) * static_cast<Bits>(divisor));
  return {quotient, static_cast<Rest>(static_cast<Bits>(value) - product)};
#else
  const double reciprocal = 1.0 / static_cast<double>(divisor);
  int64 quotient = 0, left = value;
  double number = nearest_double(value);
  if (divisor < 8192) {
    quotient = integer::multiply(rounded_steps(number * reciprocal, 4096), int64(4096));
    left = integer::subtract(value, integer::multiply(quotient, divisor));
    // Below 2**26, so that few operations convert it.
    constexpr double kRounder = 0x1.8p52;
    number = bit_cast<double>(integer::add(left, bit_cast<int64>(kRounder))) - kRounder;
  }
  const int64 near = rounded_steps(number * reciprocal, 1);
  // Exact in the rest's bits, whatever the product loses.
  const Bits rest = static_cast<Bits>(left) - static_cast<Bits>(near) * static_cast<Bits>(divisor);
  const bool is_above = is_negative(static_cast<Rest>(rest));
  const int64 moved = integer::subtract(near, is_above ? int64(1) : int64(0));
  return {integer::add(quotient, moved),
          static_cast<Rest>(rest + (is_above ? static_cast<Bits>(divisor) : Bits(0)))};
#endif
}

// Any divisor above 0.
NPP_FUNCTION int64 floor_of_quotient(int64 value, int64 divisor) {
  if (divisor == 1) return value;
  if (divisor <= Limits<int32>::kMax) return floor_quotient<int32>(value, divisor).quotient;
#if !NPP_DEVICE && !defined(__AVX512DQ__)
  // A day of nanoseconds is an odd number of 31 bits, shifted. AVX2 shifts without a sign only.
  const int shift = __builtin_ctzll(static_cast<uint64>(divisor));
  if (shift > 0 && (divisor >> shift) <= Limits<int32>::kMax) {
    const uint64 bias = uint64(1) << 63;
    const uint64 shifted = (static_cast<uint64>(value) + bias) >> shift;
    return floor_quotient<int32>(static_cast<int64>(shifted - (bias >> shift)), divisor >> shift)
        .quotient;
  }
#endif
  return floor_quotient<int64>(value, divisor).quotient;
}

// ---- linear units

// To a coarser unit: the floor, for timedelta64 as well.
NPP_FUNCTION int64 time_floor_ticks(int64 ticks, int64 divisor) {
  const int64 quotient = floor_of_quotient(ticks, divisor);
  return nat_where(is_nat(ticks), quotient);
}
// Of larger ticks, of which the next larger unit has n, the rest: the minute of an hour.
NPP_FUNCTION int64 time_part(int64 ticks, int64 divisor, int64 n) {
  const int64 quotient = floor_of_quotient(ticks, divisor);
  return nat_where(is_nat(ticks), int64(floor_quotient<int32>(quotient, n).rest));
}
// By a reduced fraction, as from [15m] to [h].
NPP_FUNCTION int64 time_convert(int64 ticks, int64 numerator, int64 denominator) {
  const int64 product = integer::multiply(ticks, numerator);
  const int64 quotient = floor_of_quotient(product, denominator);
  return nat_where(is_nat(ticks), quotient);
}

}  // namespace npp
