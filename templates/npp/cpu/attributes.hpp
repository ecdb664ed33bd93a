// Attributes of loops and functions, spelled for each host compiler.
#pragma once

// NPP_ANY_ORDER: the iterations of this loop are independent. NPP_ANY_ORDER_BLOCK: likewise, and
// its constant length is for vectorization, not for unrolling. NPP_EXACT_FLAGS: no operation of the
// function is speculated before its branch. NPP_STRIDED_EXACT_FLAGS: likewise, where vectors gain
// too little for their compile time. NPP_SCALAR_EXACT_FLAGS: likewise, without vector variants of
// scalar functions. Such functions begin with NPP_KEEP_EXACT_FLAGS.
#if defined(__clang__)
// Some kernels can't be vectorized, which is no fault of their author.
#pragma clang diagnostic ignored "-Wpass-failed"
#define NPP_ANY_ORDER _Pragma("clang loop vectorize(assume_safety)")
#define NPP_ANY_ORDER_BLOCK _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define NPP_EXACT_FLAGS __attribute__((noinline))
#define NPP_STRIDED_EXACT_FLAGS NPP_EXACT_FLAGS
#define NPP_SCALAR_EXACT_FLAGS __attribute__((noinline, optnone))
#define NPP_KEEP_EXACT_FLAGS
#else
#define NPP_ANY_ORDER _Pragma("GCC ivdep")
#define NPP_ANY_ORDER_BLOCK _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#define NPP_EXACT_FLAGS __attribute__((noinline, optimize("trapping-math")))
#define NPP_STRIDED_EXACT_FLAGS __attribute__((noinline, optimize("O2", "trapping-math")))
#define NPP_SCALAR_EXACT_FLAGS                                                            \
  __attribute__((noinline, noclone,                                                       \
                 optimize("O2", "trapping-math", "no-tree-vectorize", "no-if-conversion", \
                          "no-if-conversion2")))
// A function without floating-point values of its own would inherit the options of functions
// inlined into it: this provides one.
#define NPP_KEEP_EXACT_FLAGS \
  float own;                 \
  asm volatile("" : "=r"(own))
#endif
