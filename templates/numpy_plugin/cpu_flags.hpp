// The floating-point status flags, and the attribute of functions that raise exactly the flags that
// their C++ text says. The registers are used directly: fenv.h costs a call and more each time.
#pragma once

#include "numpy_plugin/prelude.hpp"

namespace npp {

// kWatchedFlags: invalid, divide by zero, overflow. Underflow is as the vector functions report it.
#if defined(__x86_64__)
inline constexpr unsigned kAllFlags = 0x3f;
inline constexpr unsigned kWatchedFlags = 0x01 | 0x04 | 0x08;
static inline unsigned read_flags() { return __builtin_ia32_stmxcsr() & kAllFlags; }
static inline void write_flags(unsigned flags) {
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~kAllFlags) | flags);
}
#elif defined(__aarch64__)
inline constexpr unsigned kAllFlags = 0x1f;
inline constexpr unsigned kWatchedFlags = 0x01 | 0x02 | 0x04;
static inline unsigned read_flags() {
  uint64 status;
  asm volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
  return unsigned(status) & kAllFlags;
}
static inline void write_flags(unsigned flags) {
  uint64 status;
  asm volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
  asm volatile("msr fpsr, %0" : : "r"((status & ~uint64(kAllFlags)) | flags) : "memory");
}
#else
inline constexpr unsigned kWatchedFlags = 0;
static inline unsigned read_flags() { return 0; }
static inline void write_flags(unsigned) {}
#endif

// NPP_EXACT_FLAGS: no operation runs before the branch that guards it was taken.
// NPP_SCALAR_EXACT_FLAGS: and no vector function stands in for a scalar one.
#if defined(__clang__)
#define NPP_EXACT_FLAGS __attribute__((noinline))
#define NPP_SCALAR_EXACT_FLAGS __attribute__((noinline, optnone))
#else
#define NPP_EXACT_FLAGS __attribute__((noinline, optimize("trapping-math")))
#define NPP_SCALAR_EXACT_FLAGS \
  __attribute__((              \
      noinline, noclone,       \
      optimize("trapping-math", "no-tree-vectorize", "no-if-conversion", "no-if-conversion2")))
#endif

}  // namespace npp
