// Floating-point status flags and modes of this thread. The registers are accessed directly: fenv.h
// takes up to 60 nanoseconds each time, and a loop checks the flags after every chunk.
#pragma once

#include <cfenv>

#include "npp/cpu/floating_point_status.hpp"

namespace numpy_plugin::run {

// kWatchedFlags: invalid, divide by zero, overflow, underflow. Vector functions may also fail to
// report underflow, which is not detected.
inline constexpr unsigned kWatchedFlags = npp::kRaisedFlags;
inline unsigned read_flags() { return npp::floating_point_status() & npp::kStatusFlags; }
inline void write_flags(unsigned flags) {
  npp::set_floating_point_status((npp::floating_point_status() & ~npp::kStatusFlags) | flags);
}

// Modes of a thread, such as the direction of rounding, which another one takes over for a while.
#if defined(__x86_64__)
class FloatingPointModes {
 public:
  FloatingPointModes() : sse_(__builtin_ia32_stmxcsr() & ~npp::kStatusFlags), x87_(x87_modes()) {}

  // In this thread, with clear flags.
  void adopt() const {
    __builtin_ia32_ldmxcsr(sse_);
    if (x87_flags() != 0) asm volatile("fnclex" : : : "memory");
    if (x87_modes() != x87_) asm volatile("fldcw %0" : : "m"(x87_) : "memory");
  }

  static int raised_flags() { return static_cast<int>(read_flags() | x87_flags()); }
  static void raise(int flags) { write_flags(read_flags() | static_cast<unsigned>(flags)); }

 private:
  static unsigned short x87_modes() {
    unsigned short modes = 0;
    asm volatile("fnstcw %0" : "=m"(modes) : : "memory");
    return modes;
  }
  static unsigned x87_flags() {
    unsigned short status = 0;
    asm volatile("fnstsw %0" : "=m"(status) : : "memory");
    return status & npp::kStatusFlags;
  }

  unsigned sse_;
  unsigned short x87_;
};
#else
class FloatingPointModes {
 public:
  FloatingPointModes() { std::fegetenv(&state_); }

  // In this thread, with clear flags.
  void adopt() const {
    std::fesetenv(&state_);
    std::feclearexcept(FE_ALL_EXCEPT);
  }

  static int raised_flags() { return std::fetestexcept(FE_ALL_EXCEPT); }
  static void raise(int flags) { std::feraiseexcept(flags); }

 private:
  std::fenv_t state_;
};
#endif

}  // namespace numpy_plugin::run
