// The processor's register with the flags of floating-point exceptions.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// kRaisedFlags: invalid, division by zero, overflow, underflow. kStatusFlags: these, and those that
// no one asks for.
#if defined(__x86_64__)
inline constexpr uint32 kRaisedFlags = 0b11101, kStatusFlags = 0b111111;
NPP_FUNCTION uint32 floating_point_status() { return __builtin_ia32_stmxcsr(); }
NPP_FUNCTION void set_floating_point_status(uint32 status) { __builtin_ia32_ldmxcsr(status); }
#elif defined(__aarch64__)
inline constexpr uint32 kRaisedFlags = 0b1111, kStatusFlags = 0b11111;
NPP_FUNCTION uint32 floating_point_status() {
  uint64 status;
  asm volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
  return uint32(status);
}
NPP_FUNCTION void set_floating_point_status(uint32 status) {
  asm volatile("msr fpsr, %0" : : "r"(uint64(status)) : "memory");
}
#else
inline constexpr uint32 kRaisedFlags = 0, kStatusFlags = 0;
NPP_FUNCTION uint32 floating_point_status() { return 0; }
NPP_FUNCTION void set_floating_point_status(uint32) {}
#endif

}  // namespace npp
