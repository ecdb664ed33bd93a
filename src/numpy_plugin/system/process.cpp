// Runs a child in its own process group, so that the time limit reaches all of its descendants; its
// output comes through one pipe that is not read past the limit.
#include "numpy_plugin/system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/process_end.hpp"

extern char** environ;

namespace numpy_plugin::system {

// A pipe whose ends close with it and are not inherited by programs.
class Pipe {
 public:
  Pipe() : is_open_(::pipe2(ends_, O_CLOEXEC) == 0) {}
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool is_open() const { return is_open_; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write_end() { close_end(1); }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  int ends_[2] = {-1, -1};
  bool is_open_;
};

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kBufferBytes = 64 * 1024;
constexpr int kPipeBytes = 1024 * 1024;  // the maximum for unprivileged users

// Inherited state of the child: the pipe, an empty input, a process group, and default signals
// (Python ignores SIGPIPE, and with SIGCHLD ignored a compiler driver could not wait for its own
// children).
class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    // Last: if this process's stdin is closed, the pipe may have its number.
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGCHLD);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

using Variables = std::vector<std::string>;  // "NAME=value"

// This process's environment with some variables replaced.
std::vector<char*> environment_with(const Variables& changed) {
  const auto is_kept = [&changed](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::none_of(changed.begin(), changed.end(),
                        [name](const std::string& each) { return each.starts_with(name); });
  };
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (is_kept(*variable)) variables.push_back(*variable);
  }
  for (const std::string& each : changed) variables.push_back(const_cast<char*>(each.c_str()));
  variables.push_back(nullptr);
  return variables;
}

// The child's process id, or 0 and errno.
pid_t start(const std::vector<std::string>& command, const Variables& variables, int output,
            int& error) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_with(variables);
  const SpawnSettings settings(output);
  pid_t child = 0;
  error = posix_spawnp(&child, arguments[0], settings.actions(), settings.attributes(),
                       arguments.data(), environment.data());
  return error == 0 ? child : 0;
}

// Reads what is available in the pipe, at most one buffer; false at its end.
bool read_some(int descriptor, std::string& output) {
  std::array<char, kBufferBytes> buffer;
  const ssize_t n_read = ::read(descriptor, buffer.data(), buffer.size());
  if (n_read > 0) output.append(buffer.data(), static_cast<std::size_t>(n_read));
  return n_read > 0 || (n_read < 0 && errno == EINTR);
}

bool has_input(int descriptor, milliseconds limit) {
  pollfd entry = {descriptor, POLLIN, 0};
  return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
}

// Whether wait() reports the status of this child: not where SIGCHLD is ignored, and not reliably
// where a handler may reap all children.
bool can_collect_children() {
  struct sigaction action;
  return ::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_DFL &&
         (action.sa_flags & SA_NOCLDWAIT) == 0;
}

constexpr std::string_view kStatusMark = "\nnumpy_plugin: the status is ";

// The command in a shell that writes the exit status after the output.
std::vector<std::string> with_written_status(const std::vector<std::string>& command) {
  std::vector<std::string> words = {
      "/bin/sh", "-c", "\"$@\"; printf '\\nnumpy_plugin: the status is %d\\n' $?", "sh"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

// Moves the status from the output to the result; without one the shell itself was killed.
void take_written_status(ProcessResult& result) {
  constexpr int kSignalBase = 128;  // a shell reports 128 + n for a command killed by signal n
  const std::size_t mark = result.output.rfind(kStatusMark);
  if (result.end == ProcessResult::End::kTimedOut || mark == std::string::npos) return;
  const char* const digits = result.output.data() + mark + kStatusMark.size();
  std::from_chars(digits, result.output.data() + result.output.size(), result.code);
  result.output.resize(mark);
  result.end = ProcessResult::End::kExited;
  if (result.code <= kSignalBase) return;
  result.end = ProcessResult::End::kSignalled;
  result.code -= kSignalBase;
}

// Kills the whole group: its id is reserved until the child is reaped.
void kill_group(pid_t number) {
  ::kill(-number, SIGKILL);
  while (::waitpid(number, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

class ChildProcess::State {
 public:
  State(const std::vector<std::string>& command, milliseconds limit, Variables variables)
      : deadline_(Clock::now() + limit), writes_status_(!can_collect_children()) {
    result_.end = ProcessResult::End::kNotStarted;
    if (command.empty() || !pipe_.is_open()) {
      result_.code = command.empty() ? ENOENT : errno;
      return;
    }
    variables.push_back("LC_ALL=C");  // messages in English, whatever the user's locale
    const std::vector<std::string> words = writes_status_ ? with_written_status(command) : command;
    killed_at_exit_.emplace(
        [&] { number_ = start(words, variables, pipe_.write_end(), result_.code); },
        [this] { kill(); });
    pipe_.close_write_end();
  }
  ~State() { kill(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ProcessResult finish() {
    if (const pid_t number = number_; number != 0) follow(number);
    if (writes_status_) take_written_status(result_);
    return std::move(result_);
  }

 private:
  // Reads and waits until the child has ended or the limit is reached. End of output and end of the
  // child are separate: a child may close its output and live on, or leave a grandchild that holds
  // it open.
  void follow(pid_t number) {
    bool is_open = true;
    std::chrono::microseconds pause(100);
    while (!has_ended(number)) {
      const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
      if (left.count() <= 0) {
        kill();
        result_.end = ProcessResult::End::kTimedOut;
        result_.code = SIGKILL;
        break;
      }
      if (is_interrupted()) throw Interruption();
      if (!is_open) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(10000));
      } else if (has_input(pipe_.read_end(), std::min(kInterruptionInterval, left))) {
        is_open = read_some(pipe_.read_end(), result_.output);
      }
    }
    // The child's own output is in the pipe by now; a grandchild may write forever.
    for (int n_left = kPipeBytes / kBufferBytes; n_left > 0 && is_open; --n_left) {
      is_open = has_input(pipe_.read_end(), milliseconds(0)) &&
                read_some(pipe_.read_end(), result_.output);
    }
  }

  // Reaps the child if it has ended.
  bool has_ended(pid_t number) {
    int status = 0;
    const pid_t found = ::waitpid(number, &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) return false;
    if (found < 0) {  // the host program has reaped it
      result_.code = errno;
    } else if (WIFSIGNALED(status)) {
      result_.end = ProcessResult::End::kSignalled;
      result_.code = WTERMSIG(status);
    } else {
      result_.end = ProcessResult::End::kExited;
      result_.code = WEXITSTATUS(status);
    }
    number_ = 0;
    return true;
  }

  void kill() {
    if (const pid_t number = number_.exchange(0); number != 0) kill_group(number);
  }

  Clock::time_point deadline_;
  bool writes_status_;
  ProcessResult result_;
  Pipe pipe_;
  std::atomic<pid_t> number_ = 0;  // 0 if none is running; cleared by its killer
  std::optional<UndoneAtExit> killed_at_exit_;
};

ChildProcess::ChildProcess(const std::vector<std::string>& command, milliseconds limit,
                           Variables variables)
    : state_(std::make_unique<State>(command, limit, std::move(variables))) {}
ChildProcess::~ChildProcess() = default;
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;

ProcessResult ChildProcess::finish() { return state_->finish(); }

ProcessResult run_process(const std::vector<std::string>& command, milliseconds limit,
                          Variables variables) {
  return ChildProcess(command, limit, std::move(variables)).finish();
}

}  // namespace numpy_plugin::system
