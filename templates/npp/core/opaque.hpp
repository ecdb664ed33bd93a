// Values hidden from the host compilers' optimizers. clang computes both sides of selections it
// recognizes, folding constant ones, and so raises too many flags or too few. Both compilers assume
// that casts to integers never overflow.
#pragma once

#include "npp/core/prelude.hpp"

#if !NPP_DEVICE
// Constant, so that loads of it move out of loops, but defined where compilers can't see its value.
__asm__(
    ".pushsection .rodata\n"
    ".weak npp_opaque_zero\n"
    ".hidden npp_opaque_zero\n"
    ".p2align 3\n"
    "npp_opaque_zero:\n"
    ".quad 0\n"
    ".popsection");
namespace npp {
extern const uint64 kOpaqueZero __asm__("npp_opaque_zero") __attribute__((visibility("hidden")));
}  // namespace npp
#endif

namespace npp {

// The same value, unknown to the optimizer.
template <class T>
NPP_FUNCTION T opaque(T value) {
#if NPP_DEVICE
  return value;
#else
  using Bits = Unsigned<T>;
  return bit_cast<T>(Bits(bit_cast<Bits>(value) ^ Bits(kOpaqueZero)));
#endif
}

// Keeps a branch, which is predicted: the instruction that selects would wait for each comparison.
NPP_FUNCTION void keep_branch() {
#if !NPP_DEVICE
  __asm__ volatile("");
#endif
}

// All ones or all zeros. g++ does not recognize a mask as a selection.
template <class Bits>
NPP_FUNCTION Bits mask_where(bool condition) {
  const Bits mask = Bits(Bits(0) - Bits(condition));
#if defined(__clang__)
  return opaque(mask);
#else
  return mask;
#endif
}

}  // namespace npp
