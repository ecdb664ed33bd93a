#include "numpy_plugin/jit/host/host_architecture.hpp"

#include <algorithm>
#include <string_view>

#include "numpy_plugin/base/cpu_levels.hpp"
#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/quoted.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr const char* kVariable = "NUMPY_PLUGIN_CPU";

#if defined(__x86_64__)
constexpr std::string_view kNative = "-march=native";
#else
constexpr std::string_view kNative = "-mcpu=native";
#endif

// "'native', 'x86-64' or 'x86-64-v2'"
std::string expected_names() {
  std::string names = "'native'";
  const auto levels = base::cpu_levels();
  for (const base::CpuLevel& level : levels) {
    names += (&level == &levels.back() ? " or " : ", ") + base::quoted(level.name);
  }
  return names;
}

[[noreturn]] void fail(const std::string& message) {
  throw base::Error(base::ErrorKind::kValue, message);
}

const base::CpuLevel& find_level(const std::string& name) {
  const auto levels = base::cpu_levels();
  const auto found = std::find_if(levels.begin(), levels.end(),
                                  [&](const base::CpuLevel& level) { return level.name == name; });
  if (found == levels.end()) {
    fail(std::string(kVariable) + " is " + base::quoted(name) + "; expected " + expected_names());
  }
  return *found;
}

std::string level_flag(HostCompilerFamily family, std::string name) {
  if (family == HostCompilerFamily::kZig) std::replace(name.begin(), name.end(), '-', '_');
  return "-march=" + name;
}

}  // namespace

std::string host_architecture_flag(HostCompilerFamily family, const std::string& level) {
  if (!level.empty()) return level_flag(family, level);
  const std::string name = base::environment_variable(kVariable);
  if (name.empty() || name == "native") return std::string(kNative);
  if (!find_level(name).is_supported) {
    fail(std::string(kVariable) + " is " + base::quoted(name) +
         ", whose instructions this processor lacks");
  }
  return level_flag(family, name);
}

}  // namespace numpy_plugin::jit
