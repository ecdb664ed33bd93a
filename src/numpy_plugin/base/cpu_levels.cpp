// The levels of x86-64: System V ABI, AMD64 supplement, "micro-architecture levels".
#include "numpy_plugin/base/cpu_levels.hpp"

#include <array>

namespace numpy_plugin::base {

#if defined(__x86_64__)
namespace {

// Compilers generate v3 for processors that also have BMI and the like, as all with AVX2 do.
std::array<CpuLevel, 4> find_cpu_levels() {
  __builtin_cpu_init();
  const bool has_v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool has_v3 = has_v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return {{{"x86-64", true}, {"x86-64-v2", has_v2}, {"x86-64-v3", has_v3}, {"x86-64-v4", has_v4}}};
}

const std::array<CpuLevel, 4> found_cpu_levels = find_cpu_levels();

}  // namespace

std::span<const CpuLevel> cpu_levels() { return found_cpu_levels; }
#elif defined(__aarch64__)
std::span<const CpuLevel> cpu_levels() {
  static constexpr std::array<CpuLevel, 1> kLevels = {{{"armv8-a", true}}};
  return kLevels;
}
#else
std::span<const CpuLevel> cpu_levels() { return {}; }
#endif

}  // namespace numpy_plugin::base
