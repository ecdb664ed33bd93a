// Description of how a child process ended.
#pragma once

#include <string>

#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::jit {

inline bool has_succeeded(const system::ProcessResult& result) {
  return result.end == system::ProcessResult::End::kExited && result.code == 0;
}

// "exited with status 1", "was killed by signal 11 (Segmentation fault)", ...
std::string process_report(const system::ProcessResult& result, std::chrono::milliseconds limit);

}  // namespace numpy_plugin::jit
