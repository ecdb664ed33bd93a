// Whether the target has instructions for lanes.
#pragma once

#include "npp/vector/native.hpp"

// NPP_LANES: whether lanes pay; without blends and comparisons of 64 bits they do not.
#if defined(NPP_SCALAR_LOOPS)
#define NPP_LANES 0
#elif NPP_NEON || (defined(__AVX2__) && defined(__FMA__) && defined(__F16C__))
#define NPP_LANES 1
#else
#define NPP_LANES 0
#endif

// NPP_MASK_REGISTERS: whether masks have registers of their own.
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define NPP_MASK_REGISTERS 1
#else
#define NPP_MASK_REGISTERS 0
#endif
