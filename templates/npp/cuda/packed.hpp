// Arithmetic on all elements of 8 or 16 bits that a 32-bit word holds, at once; each wraps around.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// The bits of one element in each place of a word.
template <int n_bits>
NPP_FUNCTION constexpr uint32 in_each_element(uint32 bits) {
  return n_bits == 8 ? bits * 0x01010101u : bits * 0x00010001u;
}

template <int n_bits>
inline constexpr uint32 kTopBits = in_each_element<n_bits>(1u << (n_bits - 1));

// The lower bits are added with room for their carry; the top bit is their sum without one.
template <int n_bits>
NPP_FUNCTION uint32 add_packed(uint32 a, uint32 b) {
  constexpr uint32 kTop = kTopBits<n_bits>;
  return ((a & ~kTop) + (b & ~kTop)) ^ ((a ^ b) & kTop);
}

// A set top bit is what the lower bits may borrow from.
template <int n_bits>
NPP_FUNCTION uint32 subtract_packed(uint32 a, uint32 b) {
  constexpr uint32 kTop = kTopBits<n_bits>;
  return ((a | kTop) - (b & ~kTop)) ^ (~(a ^ b) & kTop);
}

}  // namespace npp
