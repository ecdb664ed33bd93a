// Floating-point modes of a thread, such as the direction of rounding, which another one takes over
// for a while. On x86-64 without fenv.h, whose functions take 60 nanoseconds each.
#pragma once

#include <cfenv>

#include "numpy_plugin/run/cpu/floating_point_flags.hpp"

namespace numpy_plugin::run {

#if defined(__x86_64__)
class FloatingPointModes {
 public:
  FloatingPointModes() : sse_(__builtin_ia32_stmxcsr() & ~load::kAllFlags), x87_(x87_modes()) {}

  // In this thread, with clear flags.
  void adopt() const {
    __builtin_ia32_ldmxcsr(sse_);
    if (x87_flags() != 0) asm volatile("fnclex" : : : "memory");
    if (x87_modes() != x87_) asm volatile("fldcw %0" : : "m"(x87_) : "memory");
  }

  static int raised_flags() { return static_cast<int>(load::read_flags() | x87_flags()); }
  static void raise(int flags) {
    load::write_flags(load::read_flags() | static_cast<unsigned>(flags));
  }

 private:
  static unsigned short x87_modes() {
    unsigned short modes = 0;
    asm volatile("fnstcw %0" : "=m"(modes) : : "memory");
    return modes;
  }
  static unsigned x87_flags() {
    unsigned short status = 0;
    asm volatile("fnstsw %0" : "=m"(status) : : "memory");
    return status & load::kAllFlags;
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
