// Describes the end of a process as the second half of a sentence.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <cstring>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::jit {

std::string process_report(const system::ProcessResult& result, std::chrono::milliseconds limit) {
  using End = system::ProcessResult::End;
  switch (result.end) {
    case End::kSignalled:
      return format("was killed by signal {} ({})", result.code, ::strsignal(result.code));
    case End::kTimedOut:
      return format("did not end within {} ms", limit.count());
    case End::kNotStarted:
      return format("could not be started ({})", std::strerror(result.code));
    case End::kExited:
      break;
  }
  return format("exited with status {}", result.code);
}

}  // namespace numpy_plugin::jit
