// The processor's rounding mode.
#include "simulator/handlers/common/rounding.hpp"

#if !defined(__x86_64__)
#include <cfenv>
#endif

namespace numpy_plugin::sim::NPP_ISA {
namespace {

#if defined(__x86_64__)

// To the compiler, the asm statements access memory, so that operand loads and result stores, and
// with them the arithmetic, stay between the two changes of the mode.
std::uint32_t read_mode() {
  std::uint32_t mode;
  asm volatile("stmxcsr %0" : "=m"(mode) : : "memory");
  return mode;
}

void write_mode(std::uint32_t mode) { asm volatile("ldmxcsr %0" : : "m"(mode) : "memory"); }

std::uint32_t with_direction(std::uint32_t mode, Rounding rounding) {
  constexpr std::uint32_t kNearest = 0, kDown = 1, kUp = 2, kZero = 3;
  constexpr int kPosition = 13;
  std::uint32_t direction = kNearest;
  if (rounding == Rounding::kDown) direction = kDown;
  if (rounding == Rounding::kUp) direction = kUp;
  if (rounding == Rounding::kZero) direction = kZero;
  return (mode & ~(3u << kPosition)) | direction << kPosition;
}

#else

int read_mode() { return std::fegetround(); }

void write_mode(int mode) {
  asm volatile("" : : : "memory");
  std::fesetround(mode);
  asm volatile("" : : : "memory");
}

int with_direction(int, Rounding rounding) {
  if (rounding == Rounding::kDown) return FE_DOWNWARD;
  if (rounding == Rounding::kUp) return FE_UPWARD;
  return rounding == Rounding::kZero ? FE_TOWARDZERO : FE_TONEAREST;
}

#endif

}  // namespace

__attribute__((noinline)) void run_rounded(Handler nearest, Warp& warp,
                                           const Instruction& instruction) {
  const auto mode = read_mode();
  write_mode(with_direction(mode, instruction.operation.rounding));
  nearest(warp, instruction);
  write_mode(mode);
}

}  // namespace numpy_plugin::sim::NPP_ISA
