// The NVRTC for tests: $NUMPY_PLUGIN_TEST_NVRTC (paths separated by ':'), else the system's.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

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

inline bool find_nvrtc() {
  set_nvrtc_candidates(nvrtc_paths());
  try {
    nvrtc_version();
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace numpy_plugin::jit
