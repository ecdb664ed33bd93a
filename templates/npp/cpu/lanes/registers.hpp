// Instructions on vectors that operators do not have, under one name for every target:
//
//   floor, ceil, trunc, rint, sqrt   of the numbers of a vector
//   chosen            of two vectors, by a mask of their shape
//   quiet_comparison  a mask, without a flag for NaN
//   is_any, bits_of   of the parts of a mask
//   floats_of_halves, halves_of_floats   float16 as its bits
//   clock             ticks of any length
//
// Masks are vectors of integers, all ones or zeros; AVX-512 has its own (mask_registers.hpp).
#pragma once

#include "npp/cpu/lanes/vector.hpp"

#if NPP_NEON
#include "npp/cpu/lanes/registers_neon.hpp"
#else
#include "npp/cpu/lanes/registers_x86.hpp"
#endif
