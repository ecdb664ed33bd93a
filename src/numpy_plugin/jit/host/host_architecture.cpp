// The levels of x86-64: System V ABI, AMD64 supplement, "micro-architecture levels".
#include "numpy_plugin/jit/host/host_architecture.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/quoted.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr const char* kVariable = "NUMPY_PLUGIN_CPU";

#if defined(__x86_64__)
constexpr std::string_view kNative = "-march=native";

struct Level {
  std::string_view name;
  bool is_supported;
};

// Compilers generate v3 for processors that also have BMI and the like, as all with AVX2 do.
std::array<Level, 4> levels() {
  const bool has_v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool has_v3 = has_v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return {{{"x86-64", true}, {"x86-64-v2", has_v2}, {"x86-64-v3", has_v3}, {"x86-64-v4", has_v4}}};
}

std::string expected_names() {
  return "'native', 'x86-64', 'x86-64-v2', 'x86-64-v3' or 'x86-64-v4'";
}
#else
constexpr std::string_view kNative = "-mcpu=native";

struct Level {
  std::string_view name;
  bool is_supported;
};

std::array<Level, 0> levels() { return {}; }
std::string expected_names() { return "'native'"; }
#endif

[[noreturn]] void fail(const std::string& message) {
  throw base::Error(base::ErrorKind::kValue, message);
}

}  // namespace

std::string host_architecture_flag(HostCompilerFamily family) {
  const std::string name = base::environment_variable(kVariable);
  if (name.empty() || name == "native") return std::string(kNative);
  const auto known = levels();
  const auto level =
      std::find_if(known.begin(), known.end(), [&](const Level& row) { return row.name == name; });
  if (level == known.end()) {
    fail(std::string(kVariable) + " is " + base::quoted(name) + "; expected " + expected_names());
  }
  if (!level->is_supported) {
    fail(std::string(kVariable) + " is " + base::quoted(name) +
         ", whose instructions this processor lacks");
  }
  std::string flag = "-march=" + name;
  if (family == HostCompilerFamily::kZig) {
    std::replace(flag.begin() + std::string_view("-march=").size(), flag.end(), '-', '_');
  }
  return flag;
}

}  // namespace numpy_plugin::jit
