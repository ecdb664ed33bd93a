// Reduction of large angles by integer arithmetic, after M. H. Payne and R. N. Hanek, "Radian
// reduction for trigonometric functions", ACM SIGNUM Newsletter 18 (1983): only those digits of
// 2 / pi are multiplied that decide the product modulo 4 and its first 190 digits.
#pragma once

#include "npp/vector/tables.hpp"

namespace npp::vector_math {

// An angle modulo 2 pi: the nearest multiple of pi / 2, and the rest, the sum of two numbers.
template <class V>
struct Angle {
  vector::Bits<V> quadrant;
  V high, low;
};

// A word of zeros, and the first 1280 digits of 2 / pi.
NPP_TABLE uint64 kTwoOverPi[21] = {0x0,
                                   0xa2f9836e4e441529,
                                   0xfc2757d1f534ddc0,
                                   0xdb6295993c439041,
                                   0xfe5163abdebbc561,
                                   0xb7246e3a424dd2e0,
                                   0x06492eea09d1921c,
                                   0xfe1deb1cb129a73e,
                                   0xe88235f52ebb4484,
                                   0xe99c7026b45f7e41,
                                   0x3991d639835339f4,
                                   0x9c845f8bbdf9283b,
                                   0x1ff897ffde05980f,
                                   0xef2f118b5a0a6d1f,
                                   0x6d367ecf27cb09b7,
                                   0x4f463f669e5fea2d,
                                   0x7527bac7ebe5f17b,
                                   0x3d0739f78a5292ea,
                                   0x6bfb5fb11f8d5d08,
                                   0x56033046fc7b6bab,
                                   0xf0cfbc209af4361d};

NPP_FUNCTION uint64 upper_product(uint64 a, uint64 b) {
#if NPP_DEVICE
  return __umul64hi(a, b);
#else
  return static_cast<uint64>((static_cast<unsigned __int128>(a) * b) >> 64);
#endif
}

// 64 digits of 2 / pi from a place on.
NPP_FUNCTION uint64 digits_from(int place) {
  const uint64 first = kTwoOverPi[place >> 6], next = kTwoOverPi[(place >> 6) + 1];
  const int shift = place & 63;
  return (first << shift) | ((next >> 1) >> (63 - shift));
}

// A fraction of two's complement words, most significant first, times pi / 2.
NPP_FUNCTION Angle<double> angle_of(int64 quadrant, int64 first, uint64 second, uint64 third) {
  const double a = static_cast<double>(first >> 32) * 0x1p-32;
  const double b = static_cast<double>(first & 0xffffffff) * 0x1p-64;
  const double c = static_cast<double>(second >> 11) * 0x1p-117;
  const double d = static_cast<double>(((second & 0x7ff) << 42) | (third >> 22)) * 0x1p-170;
  const double sum = a + b, all = sum + c;
  const double rest = (((a - sum) + b) + ((sum - all) + c)) + d;
  const double high = all + rest, low = (all - high) + rest;
  constexpr double kHalfPi = 0x1.921fb54442d18p0;
  const double angle = high * kHalfPi;
  const double more = vector::fma(high, 0x1.1a62633145c07p-54, low * kHalfPi);
  return {quadrant, angle, vector::fma(high, kHalfPi, -angle) + more};
}

// For finite |x| of at least 2**30.
NPP_FUNCTION Angle<double> reduce_huge(double x) {
  const uint64 bits = bit_cast<uint64>(x);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1075;
  const uint64 integer = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  // Digits before this place contribute multiples of 4.
  const int place = exponent - 2 + 64;
  const uint64 w2 = digits_from(place), w1 = digits_from(place + 64), w0 = digits_from(place + 128);
  const uint64 third = integer * w0, low1 = integer * w1;
  const uint64 second = upper_product(integer, w0) + low1;
  const uint64 first = integer * w2 + upper_product(integer, w1) + (second < low1 ? 1 : 0);
  // Two digits for the quadrant; a rest of a half or more is negative.
  const uint64 rest = (first << 2) | (second >> 62);
  const int64 quadrant = static_cast<int64>((first >> 62) + (rest >> 63));
  const Angle<double> angle =
      angle_of(quadrant, static_cast<int64>(rest), (second << 2) | (third >> 62), third << 2);
  if (bits >> 63 == 0) return angle;
  return {-angle.quadrant, -angle.high, -angle.low};
}

}  // namespace npp::vector_math
