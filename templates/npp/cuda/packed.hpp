// Arithmetic on all 8-bit or 16-bit elements of a 32-bit word at once; each wraps around.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// Repeats the bits of one element in each position of a word.
template <int n_bits>
NPP_FUNCTION constexpr uint32 in_each_element(uint32 bits) {
  return n_bits == 8 ? bits * 0x01010101u : bits * 0x00010001u;
}

template <int n_bits>
inline constexpr uint32 kTopBits = in_each_element<n_bits>(1u << (n_bits - 1));

// Adds the lower bits with room for their carry; the top bit is added without one.
template <int n_bits>
NPP_FUNCTION uint32 add_packed(uint32 a, uint32 b) {
  constexpr uint32 kTop = kTopBits<n_bits>;
  return ((a & ~kTop) + (b & ~kTop)) ^ ((a ^ b) & kTop);
}

// Lower bits borrow from the set top bit.
template <int n_bits>
NPP_FUNCTION uint32 subtract_packed(uint32 a, uint32 b) {
  constexpr uint32 kTop = kTopBits<n_bits>;
  return ((a | kTop) - (b & ~kTop)) ^ (~(a ^ b) & kTop);
}

}  // namespace npp
