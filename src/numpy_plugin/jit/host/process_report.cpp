// Describes the end of a process as the second half of a sentence.
#include "numpy_plugin/jit/host/process_report.hpp"

#include <cstring>

namespace numpy_plugin::jit {

std::string process_report(const system::ProcessResult& result, std::chrono::milliseconds limit) {
  using End = system::ProcessResult::End;
  switch (result.end) {
    case End::kSignalled:
      return "was killed by signal " + std::to_string(result.code) + " (" +
             ::strsignal(result.code) + ")";
    case End::kTimedOut:
      return "did not end within " + std::to_string(limit.count()) + " ms";
    case End::kNotStarted:
      return std::string("could not be started (") + std::strerror(result.code) + ")";
    case End::kExited:
      break;
  }
  return "exited with status " + std::to_string(result.code);
}

}  // namespace numpy_plugin::jit
