// Which vectors and functions of them the target profits from.
#pragma once

#include "npp/core/prelude.hpp"

// NPP_NEON: whether these are AArch64's.
#if defined(__AARCH64EL__) && defined(__ARM_NEON) && !NPP_DEVICE
#define NPP_NEON 1
#else
#define NPP_NEON 0
#endif

// NPP_NATIVE_VECTOR_BYTES: the target's widest vector with fused multiply-add; 0 without one.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && !NPP_DEVICE
#define NPP_NATIVE_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__) && !NPP_DEVICE
#define NPP_NATIVE_VECTOR_BYTES 32
#elif NPP_NEON
#define NPP_NATIVE_VECTOR_BYTES 16
#else
#define NPP_NATIVE_VECTOR_BYTES 0
#endif

// NPP_HAS_VARIANTS: loops call a function's variant for vectors, which these headers define.
#if NPP_NATIVE_VECTOR_BYTES >= 32 && !defined(__clang__)
#define NPP_HAS_VARIANTS 1
#else
#define NPP_HAS_VARIANTS 0
#endif

// NPP_LIBMVEC: the minor version of glibc 2 whose vector functions loops call, 0 without any. clang
// knows those of 2.22 only, for 32 bytes. NPP_NO_LIBMVEC hides them, for tests.
#if NPP_DEVICE || !defined(__x86_64__) || defined(NPP_NO_LIBMVEC)
#define NPP_LIBMVEC 0
#elif !defined(__clang__)
#define NPP_LIBMVEC NPP_GLIBC_MINOR
#elif NPP_NATIVE_VECTOR_BYTES == 32 && NPP_GLIBC_MINOR >= 22
#define NPP_LIBMVEC 22
#else
#define NPP_LIBMVEC 0
#endif

// NPP_OWN_POW, NPP_OWN_POWF: loops call the powers of this directory. The emitter asks for them
// where a kernel has some; without variants for vectors the C library's are faster.
#if defined(NPP_ASKS_FOR_POW) && NPP_HAS_VARIANTS
#define NPP_OWN_POW 1
#else
#define NPP_OWN_POW 0
#endif
#if defined(NPP_ASKS_FOR_POWF) && NPP_HAS_VARIANTS
#define NPP_OWN_POWF 1
#else
#define NPP_OWN_POWF 0
#endif
