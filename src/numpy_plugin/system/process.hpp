// Child processes with captured output and a time limit, without a shell.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace numpy_plugin::base {

struct ProcessResult {
  enum class End { kExited, kSignalled, kTimedOut, kNotStarted };
  End end = End::kExited;
  int code = 0;        // exit status, signal number, or errno of the spawn (ECHILD: of the wait)
  std::string output;  // stdout and stderr, in the order written
};

// Runs command[0] (searched in PATH) with LC_ALL=C and `variables` ("NAME=value") added to the
// environment. At the limit, on interruption of this thread (throws Interruption) and at process
// exit, the child and its descendants are killed.
ProcessResult run_process(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::vector<std::string> variables = {});

}  // namespace numpy_plugin::base
