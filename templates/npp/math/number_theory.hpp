// Functions of integers: divisors, roots, counts. Computed on magnitudes, so that the smallest
// signed number needs no special case.
#pragma once

#include "npp/core/builtin.hpp"
#include "npp/core/integer.hpp"

namespace npp {

template <class T>
NPP_FUNCTION Unsigned<T> magnitude_of(T value) {
  const Unsigned<T> bits = static_cast<Unsigned<T>>(value);
  return is_negative(value) ? integer::subtract(Unsigned<T>(0), bits) : bits;
}

// Euclid's algorithm; for 0 and x it is x.
template <class T>
NPP_FUNCTION T gcd(T a, T b) {
  Unsigned<T> large = magnitude_of(a), small = magnitude_of(b);
  while (small != 0) {
    const Unsigned<T> rest = static_cast<Unsigned<T>>(large % small);
    large = small;
    small = rest;
  }
  return static_cast<T>(large);
}

template <class T>
NPP_FUNCTION T lcm(T a, T b) {
  using Bits = Unsigned<T>;
  const Bits first = magnitude_of(a), second = magnitude_of(b), divisor = gcd(first, second);
  if (divisor == 0) return 0;
  return static_cast<T>(integer::multiply(static_cast<Bits>(first / divisor), second));
}

// The integer part of the square root; 0 for negative numbers. A double's root may be off by one.
template <class T>
NPP_FUNCTION T isqrt(T value) {
  if (is_negative(value)) return 0;
  const uint64 number = static_cast<uint64>(value);
  const double near = builtin::sqrt(static_cast<double>(number));
  uint64 root = near < 0x1p32 ? static_cast<uint64>(static_cast<int64>(near)) : 0xffffffffu;
  if (root * root > number) --root;
  if (number - root * root > 2 * root) ++root;
  return static_cast<T>(root);
}

// a * b, or 0 where it overflows T or either is 0.
template <class T>
NPP_FUNCTION uint64 product_that_fits(uint64 a, uint64 b) {
  constexpr uint64 kMost = static_cast<uint64>(Limits<T>::kMax);
  return b != 0 && a > kMost / b ? 0 : a * b;
}

// The counts below are 0 where they overflow T and for negative numbers.
template <class T>
NPP_FUNCTION T permutations(T n, T k) {
  if (is_negative(n) || is_negative(k) || k > n) return 0;
  uint64 result = 1;
  for (uint64 i = 0; i < static_cast<uint64>(k) && result != 0; ++i) {
    result = product_that_fits<T>(result, static_cast<uint64>(n) - i);
  }
  return static_cast<T>(result);
}

template <class T>
NPP_FUNCTION T factorial(T n) {
  return permutations(n, n);
}

// Each division is exact, and partial results increase up to the result.
template <class T>
NPP_FUNCTION T combinations(T n, T k) {
  if (is_negative(n) || is_negative(k) || k > n) return 0;
  const uint64 from = static_cast<uint64>(n), chosen = static_cast<uint64>(k);
  const uint64 count = chosen < from - chosen ? chosen : from - chosen;
  uint64 result = 1;
  for (uint64 i = 0; i < count && result != 0; ++i) {
    const uint64 shared = gcd(result, i + 1);
    result = product_that_fits<T>(result / shared, (from - i) / ((i + 1) / shared));
  }
  return static_cast<T>(result);
}

// Number of bits set in the magnitude.
template <class T>
NPP_FUNCTION uint8 bitwise_count(T value) {
  uint64 bits = magnitude_of(value);
  bits -= (bits >> 1) & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<uint8>((bits * 0x0101010101010101u) >> 56);
}

}  // namespace npp
