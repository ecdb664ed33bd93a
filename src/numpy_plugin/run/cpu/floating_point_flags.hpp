// Floating-point status flags of this thread. The registers are accessed directly: fenv.h costs
// more than a call each time, and a loop checks them after every chunk.
#pragma once

#include <cstdint>

namespace numpy_plugin::load {

// kWatchedFlags: invalid, divide by zero, overflow, underflow. Vector functions may also fail to
// report underflow, which is not detected.
#if defined(__x86_64__)
inline constexpr unsigned kAllFlags = 0x3f;
inline constexpr unsigned kWatchedFlags = 0x01 | 0x04 | 0x08 | 0x10;
inline unsigned read_flags() { return __builtin_ia32_stmxcsr() & kAllFlags; }
inline void write_flags(unsigned flags) {
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~kAllFlags) | flags);
}
#elif defined(__aarch64__)
inline constexpr unsigned kAllFlags = 0x1f;
inline constexpr unsigned kWatchedFlags = 0x01 | 0x02 | 0x04 | 0x08;
inline std::uint64_t read_status() {
  std::uint64_t status = 0;
  asm volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
  return status;
}
inline unsigned read_flags() { return static_cast<unsigned>(read_status()) & kAllFlags; }
inline void write_flags(unsigned flags) {
  asm volatile("msr fpsr, %0"
               :
               : "r"((read_status() & ~std::uint64_t{kAllFlags}) | flags)
               : "memory");
}
#else
inline constexpr unsigned kWatchedFlags = 0;
inline unsigned read_flags() { return 0; }
inline void write_flags(unsigned) {}
#endif

}  // namespace numpy_plugin::load
