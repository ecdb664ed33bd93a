#include "numpy_plugin/jit/host/host_flags.hpp"

#include <algorithm>
#include <string_view>

#include "numpy_plugin/base/cpu_levels.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::jit {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kNative = "-march=native";
#else
constexpr std::string_view kNative = "-mcpu=native";
#endif

const base::CpuLevel& find_level(const std::string& name) {
  const auto levels = base::cpu_levels();
  const auto found = std::find_if(levels.begin(), levels.end(),
                                  [&](const base::CpuLevel& level) { return level.name == name; });
  NPP_ASSERT(found != levels.end(), name);
  return *found;
}

std::string level_flag(HostCompilerFamily family, std::string name) {
  if (family == HostCompilerFamily::kZig) std::replace(name.begin(), name.end(), '-', '_');
  return "-march=" + name;
}

}  // namespace

std::string host_architecture_flag(HostCompilerFamily family, const std::string& level) {
  if (!level.empty()) return level_flag(family, level);
  const std::string name = system::setting_text(system::Setting::kCpu);
  if (name == "native") return std::string(kNative);
  if (!find_level(name).is_supported) {
    throw base::Error(base::ErrorKind::kValue, system::setting_in_words(system::Setting::kCpu) +
                                                   ": this processor lacks its instructions");
  }
  return level_flag(family, name);
}

}  // namespace numpy_plugin::jit
