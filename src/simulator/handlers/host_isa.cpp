// Instruction sets from the processor's features.
#include "simulator/handlers/host_isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace numpy_plugin::sim {

#if defined(__x86_64__)
namespace {

// Features of x86-64-v3 unknown to some compilers' __builtin_cpu_supports.
bool has_rest_of_v3() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((ecx & bit_F16C) == 0 || (ecx & bit_MOVBE) == 0) return false;
  return __get_cpuid(0x8000'0001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_LZCNT) != 0;
}

}  // namespace
#endif

const char* name_of(HostIsa isa) {
  constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

HostIsa best_host_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // All of x86-64-v3 and of x86-64-v4: the compiler may use any of it.
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                      has_rest_of_v3();
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return HostIsa::kAvx512;
  if (has_v3) return HostIsa::kAvx2;
#endif
  return HostIsa::kBaseline;
}

}  // namespace numpy_plugin::sim
