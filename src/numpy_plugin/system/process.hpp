// Child processes with captured output and a time limit, without a shell.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace numpy_plugin::system {

struct ProcessResult {
  enum class End { kExited, kSignalled, kTimedOut, kNotStarted };
  End end = End::kExited;
  int code = 0;        // exit status, signal number, or errno of the spawn (ECHILD: of the wait)
  std::string output;  // stdout and stderr, in the order written
};

// A running child. It and its descendants are killed at the limit, by the destructor and at process
// exit.
class ChildProcess {
 public:
  // Starts command[0] (searched in PATH) with LC_ALL=C and `variables` ("NAME=value") added to the
  // environment.
  ChildProcess(const std::vector<std::string>& command, std::chrono::milliseconds limit,
               std::vector<std::string> variables = {});
  ~ChildProcess();
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  // Waits for its end; called once. Kills the child and throws Interruption when this thread is
  // interrupted.
  ProcessResult finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Starts a child and waits for its end.
ProcessResult run_process(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::vector<std::string> variables = {});

}  // namespace numpy_plugin::system
