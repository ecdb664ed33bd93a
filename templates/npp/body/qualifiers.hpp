// CUDA's qualifiers of functions and variables for host compilers, so that preambles written for
// CUDA compile unchanged.
#pragma once

#include "npp/core/prelude.hpp"

#if !NPP_DEVICE
#define __host__
#define __device__
#define __forceinline__ __attribute__((always_inline))
// Empty, since the C++ library writes __attribute__((__noinline__)).
#define __noinline__
// Unlike const it may be repeated: "__constant__ const float table[]".
#define __constant__ constexpr
#define __align__(n_bytes) __attribute__((aligned(n_bytes)))
#define __launch_bounds__(...)
#endif
