// The NVRTC for tests: $NUMPY_PLUGIN_TEST_NVRTC (paths separated by ':'), else the system's.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"

namespace numpy_plugin::jit {

inline std::vector<std::string> nvrtc_paths() {
  const char* const variable = std::getenv("NUMPY_PLUGIN_TEST_NVRTC");
  std::string text = variable == nullptr ? "" : variable;
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    paths.push_back(text.substr(0, end));
    text.erase(0, end == std::string::npos ? text.size() : end + 1);
  }
  return paths;
}

// The directory of packages of a path such as "packages/nvidia/cu13/lib/libnvrtc.so.13"; empty for
// other paths.
inline std::string packages_of(const std::string& path) {
  const std::size_t end = path.rfind("/nvidia/");
  return end == std::string::npos ? "" : path.substr(0, end);
}

inline void use_packages_of(const std::vector<std::string>& paths) {
  std::vector<std::string> directories;
  for (const std::string& path : paths) directories.push_back(packages_of(path));
  system::set_package_directories(directories);
}

inline bool find_nvrtc() {
  use_packages_of(nvrtc_paths());
  try {
    nvrtc_library();
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace numpy_plugin::jit
