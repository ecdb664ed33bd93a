// Identifies the processor by CPUID rather than by "native": machines with different processors may
// share a cache directory.
#include <cstdint>
#include <string>

#include "numpy_plugin/jit/host/host_flags.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else
#include <sys/auxv.h>

#include "numpy_plugin/system/file.hpp"
#endif

namespace numpy_plugin::jit {

#if defined(__x86_64__) || defined(__i386__)
namespace {

// Appends the four registers of one leaf; `mask_b` hides bits that differ between equal cores.
void add_leaf(std::string& text, unsigned leaf, unsigned part, unsigned mask_b) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(leaf, part, &a, &b, &c, &d) == 0) return;
  for (const unsigned value : {leaf, part, a, b & mask_b, c, d}) {
    text += std::to_string(value) + ' ';
  }
}

// Registers that the operating system saves (XCR0): without them AVX cannot be used.
std::uint64_t saved_registers() {
  constexpr unsigned kHasXgetbv = 1u << 27;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kHasXgetbv) == 0) return 0;
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

}  // namespace

std::string cpu_identity() {
  constexpr unsigned kWithoutCoreNumber = 0x0000ffff;
  std::string text = "x86 ";
  add_leaf(text, 0, 0, ~0u);                 // vendor
  add_leaf(text, 1, 0, kWithoutCoreNumber);  // model, older features
  add_leaf(text, 7, 0, ~0u);                 // newer features
  add_leaf(text, 7, 1, ~0u);
  add_leaf(text, 0x80000001, 0, ~0u);
  return text + std::to_string(saved_registers());
}
#else
std::string cpu_identity() {
  const auto model =
      system::read_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1").value_or("");
  return format("auxv {} {} {}", ::getauxval(AT_HWCAP), ::getauxval(AT_HWCAP2), model);
}
#endif

}  // namespace numpy_plugin::jit
