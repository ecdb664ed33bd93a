// Child processes with their output caught and a limit on their time, no shell involved.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace numpy_plugin::base {

struct ProcessResult {
  enum class End { kExited, kSignalled, kTimedOut, kNotStarted };
  End end = End::kExited;
  int code = 0;        // exit status, signal number, or errno of the start (ECHILD: of the wait)
  std::string output;  // stdout and stderr, in the order written
};

// Runs command[0] (looked up in PATH) with LC_ALL=C and `variables` ("NAME=value") added to the
// environment. At the limit, when
// this thread is interrupted (which throws Interruption) and at the end of the process the child
// and its own children are killed.
ProcessResult run_process(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::vector<std::string> variables = {});

}  // namespace numpy_plugin::base
