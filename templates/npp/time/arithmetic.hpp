// Arithmetic of datetime64 and timedelta64: int64 counts of a unit, of which the smallest is NaT.
// NumPy 2.4's values and floating-point flags, without branches where it raises no flag by hand.
#pragma once

#include "npp/core/ops.hpp"

namespace npp {

inline constexpr int64 kNat = Limits<int64>::kMin;

NPP_FUNCTION bool is_nat(int64 a) { return a == kNat; }

// The double nearest to an integer. Only AVX-512 has an instruction for vectors; by halves g++
// vectorizes it too: 2**84 + 2**32 high and 2**52 + low, both exact, so that one sum rounds.
NPP_FUNCTION double nearest_double(int64 a) {
#if NPP_DEVICE || defined(__AVX512DQ__) || !defined(__x86_64__)
  return static_cast<double>(a);
#else
  const uint64 bits = static_cast<uint64>(a);
  const double high = bit_cast<double>((bits >> 32) ^ 0x4530000080000000u);  // + 2**63
  const double low = bit_cast<double>((bits & 0xffffffffu) | 0x4330000000000000u);
  const double high_part = high - (0x1p84 + 0x1p63 + 0x1p52);
#if defined(__ASSOCIATIVE_MATH__) || defined(__clang__)
  return opaque(high_part) + low;  // reordered, the sums would lose the low half
#else
  return high_part + low;
#endif
#endif
}

// By a mask: of several selections of NaT in one loop, g++ makes branches, which it does not
// vectorize.
NPP_FUNCTION int64 nat_where(bool is_missing, int64 value) {
  const uint64 mask = uint64(0) - uint64(is_missing);
  return int64((uint64(value) & ~mask) | (uint64(kNat) & mask));
}

// ---- sums

NPP_FUNCTION int64 time_add(int64 a, int64 b) {
  return nat_where(builtin::either(is_nat(a), is_nat(b)), integer::add(a, b));
}
NPP_FUNCTION int64 time_subtract(int64 a, int64 b) {
  return nat_where(builtin::either(is_nat(a), is_nat(b)), integer::subtract(a, b));
}
// NaT is its own negative, as all arithmetic wraps.
NPP_FUNCTION int64 time_negative(int64 a) { return integer::subtract(int64(0), a); }
NPP_FUNCTION int64 time_absolute(int64 a) { return a < 0 ? time_negative(a) : a; }
// -1 for NaT, as in NumPy.
NPP_FUNCTION int64 time_sign(int64 a) { return int64(a > 0) - int64(a < 0); }

// ---- products and quotients with numbers

NPP_FUNCTION int64 time_multiply(int64 a, int64 factor) {
  return nat_where(is_nat(a), integer::multiply(a, factor));
}

// The integer of a double below 2**51, moved up to where its unit is the last bit.
NPP_FUNCTION int64 integer_of_small(double whole) {
  constexpr double kRounder = 0x1.8p52;
  return integer::subtract(bit_cast<int64>(whole + kRounder), bit_cast<int64>(kRounder));
}

// Towards zero; beyond int64 it is NaT's integer and raises "invalid". Not for NaN. By halves where
// no vector instruction converts to int64.
NPP_FUNCTION int64 truncated_integer(double value) {
#if !NPP_DEVICE && defined(__SSE4_1__) && !defined(__AVX512DQ__)
  const bool fits = builtin::fabs(value) < 0x1p63;
  // The lowest integer fits as well, and is the result for all others.
  const bool is_beyond = builtin::both(!fits, value != -0x1p63);
  const double infinity = builtin::only_if(is_beyond, Limits<double>::kInfinity);
  const double number = builtin::only_if(fits, value) - (infinity - infinity);
  const double high = builtin::trunc(number * 0x1p-32);
  const double low = builtin::trunc(number - high * 0x1p32);
  const uint64 whole = (static_cast<uint64>(integer_of_small(high)) << 32) +
                       static_cast<uint64>(integer_of_small(low));
  return fits ? static_cast<int64>(whole) : kNat;
#else
  return cast<int64>(value);
#endif
}

// NaT where the number is not finite.
NPP_FUNCTION int64 time_of_double(double value, bool is_valid) {
  is_valid = builtin::both(is_valid, npp::isfinite(value));
  const int64 whole = truncated_integer(builtin::only_if(is_valid, value));
  return is_valid ? whole : kNat;
}
// NaT's operands are replaced: their product would raise flags.
NPP_FUNCTION int64 time_scale(int64 a, double factor) {
  const bool is_valid = !is_nat(a);
  return time_of_double(nearest_double(a) * builtin::only_if(is_valid, factor), is_valid);
}
// Also NumPy's floor_divide: truncated towards zero.
NPP_FUNCTION int64 time_divide_float(int64 a, double divisor) {
  const bool is_valid = !is_nat(a);
  return time_of_double(nearest_double(a) / npp::choose(is_valid, divisor, 1.0), is_valid);
}

// Truncated towards zero, in NumPy's floor_divide too; NaT for divisor 0. NumPy raises "divide by
// zero" for that only where the divisor is one number for all elements.
NPP_FUNCTION int64 time_divide_int(int64 a, int64 divisor) {
  const bool is_valid = builtin::both(!is_nat(a), divisor != 0);
  const int64 quotient = (is_valid ? a : 0) / (divisor != 0 ? divisor : 1);
  return is_valid ? quotient : kNat;
}

// ---- quotients of times

// NaN for NaT, without a flag.
NPP_FUNCTION double time_ratio(int64 a, int64 b) {
  const bool is_valid = !builtin::either(is_nat(a), is_nat(b));
  const double divisor = npp::choose(is_valid, nearest_double(b), 1.0);
  return npp::choose(is_valid, nearest_double(a) / divisor, Limits<double>::kNan);
}

// 0 for NaT, which raises "invalid", and for divisor 0.
NPP_FUNCTION int64 time_floor_divide(int64 a, int64 b) {
  if (builtin::either(is_nat(a), is_nat(b))) {
    raise_invalid();
    return 0;
  }
  return integer::floor_divide(a, b);
}

// NaT for NaT, and for divisor 0.
NPP_FUNCTION int64 time_remainder(int64 a, int64 b) {
  if (builtin::either(is_nat(a), is_nat(b))) return kNat;
  const int64 rest = integer::remainder(a, b);
  return b == 0 ? kNat : rest;
}

// ---- comparisons: false for NaT, but for not_equal

// Greater by exchanged operands: then only the left one needs a test, as nothing is below NaT.
NPP_FUNCTION bool time_less(int64 a, int64 b) { return builtin::both(a < b, !is_nat(a)); }
NPP_FUNCTION bool time_less_equal(int64 a, int64 b) { return builtin::both(a <= b, !is_nat(a)); }
NPP_FUNCTION bool time_equal(int64 a, int64 b) { return builtin::both(a == b, !is_nat(a)); }
NPP_FUNCTION bool time_not_equal(int64 a, int64 b) { return builtin::either(a != b, is_nat(a)); }

// ---- minima and maxima: NaT wins, in fmin and fmax it loses

// NaT is the smallest integer, so that two of the four need no test for it.
NPP_FUNCTION int64 time_minimum(int64 a, int64 b) { return a < b ? a : b; }
NPP_FUNCTION int64 time_fmax(int64 a, int64 b) { return a < b ? b : a; }
NPP_FUNCTION int64 time_maximum(int64 a, int64 b) {
  const int64 larger = a < b ? b : a, smaller = a < b ? a : b;
  return is_nat(smaller) ? kNat : larger;
}
NPP_FUNCTION int64 time_fmin(int64 a, int64 b) {
  const int64 larger = a < b ? b : a, smaller = a < b ? a : b;
  return is_nat(smaller) ? larger : smaller;
}

}  // namespace npp
