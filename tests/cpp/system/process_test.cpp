// Children that end, fail, are killed, hang, flood, close their output or leave grandchildren.
#include "numpy_plugin/system/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::system {
namespace {

using std::chrono::milliseconds;
using End = ProcessResult::End;

constexpr milliseconds kLong(20'000);
constexpr milliseconds kShort(150);

// The tests use shell scripts; run_process itself starts no shell.
ProcessResult run_script(const std::string& script, milliseconds limit = kLong) {
  return run_process({"sh", "-c", script}, limit);
}

TEST(ProcessTest, CatchesBothOutputsInOrder) {
  const ProcessResult result = run_script("echo one; echo two >&2; echo three");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "one\ntwo\nthree\n");
}

TEST(ProcessTest, ReportsTheExitStatus) {
  const ProcessResult result = run_script("exit 7");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.code, 7);
}

TEST(ProcessTest, ReportsTheSignal) {
  const ProcessResult result = run_script("kill -TERM $$");
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.code, SIGTERM);
}

TEST(ProcessTest, RunsTwoSideBySide) {
  const TemporaryDirectory directory;
  const std::string first = directory.path() + "/first", second = directory.path() + "/second";
  const auto meet = [](const std::string& own, const std::string& other) {
    return "touch " + own + "; while ! test -e " + other + "; do sleep 0.01; done; echo met";
  };
  ChildProcess waits({"sh", "-c", meet(first, second)}, kLong);
  EXPECT_EQ(run_script(meet(second, first)).output, "met\n");
  EXPECT_EQ(waits.finish().output, "met\n");
}

TEST(ProcessTest, KillsAChildThatNobodyWaitsFor) {
  const TemporaryDirectory directory;
  const std::string mark = directory.path() + "/mark";
  { const ChildProcess left({"sh", "-c", "sleep 0.2; touch " + mark}, kLong); }
  std::this_thread::sleep_for(milliseconds(400));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(ProcessTest, ReportsAProgramThatIsNotThere) {
  const ProcessResult result = run_process({"numpy-plugin-absent-program"}, kLong);
  EXPECT_EQ(result.end, End::kNotStarted);
  EXPECT_EQ(result.code, ENOENT);
  EXPECT_EQ(run_process({}, kLong).end, End::kNotStarted);
}

TEST(ProcessTest, ReportsAFileThatIsNoProgram) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file_atomically(directory.path() + "/text", "not a program"));
  const ProcessResult result = run_process({directory.path() + "/text"}, kLong);
  EXPECT_EQ(result.end, End::kNotStarted);
  EXPECT_EQ(result.code, EACCES);
}

TEST(ProcessTest, HandsArgumentsOverAsTheyAre) {
  const ProcessResult result = run_process({"printf", "%s|", "a b", "$HOME;*", "'\""}, kLong);
  EXPECT_EQ(result.output, "a b|$HOME;*|'\"|");
}

TEST(ProcessTest, SetsTheLanguageAndKeepsTheRest) {
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  ::setenv("NPP_TEST_VARIABLE", "kept", 1);
  const ProcessResult result = run_script("echo $LC_ALL $NPP_TEST_VARIABLE");
  ::unsetenv("LC_ALL");
  ::unsetenv("NPP_TEST_VARIABLE");
  EXPECT_EQ(result.output, "C kept\n");
}

TEST(ProcessTest, SetsVariables) {
  ::setenv("NPP_TEST_VARIABLE", "old", 1);
  const ProcessResult result =
      run_process({"sh", "-c", "env | grep -c ^NPP_TEST; echo $NPP_TEST_VARIABLE"}, kLong,
                  {"NPP_TEST_VARIABLE=new"});
  ::unsetenv("NPP_TEST_VARIABLE");
  EXPECT_EQ(result.output, "1\nnew\n");
}

TEST(ProcessTest, GivesAnEmptyInput) { EXPECT_EQ(run_script("cat; echo end").output, "end\n"); }

TEST(ProcessTest, CatchesLargeOutput) {
  const ProcessResult result = run_script("head -c 5000000 /dev/zero; echo end >&2");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.output.size(), 5'000'004u);
  EXPECT_TRUE(result.output.ends_with("end\n"));
}

TEST(ProcessTest, KillsAtTheLimit) {
  const ProcessResult result = run_script("echo before; sleep 60", kShort);
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.output, "before\n");
}

TEST(ProcessTest, KillsAChildThatFloods) {
  const ProcessResult result = run_process({"cat", "/dev/zero"}, milliseconds(20));
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_GT(result.output.size(), 0u);
}

TEST(ProcessTest, KillsTheChildrenOfTheChildToo) {
  const ProcessResult result = run_script("sleep 60 & echo $!; wait", kShort);
  EXPECT_EQ(result.end, End::kTimedOut);
  const pid_t grandchild = std::stoi(result.output);
  // Killed, and gone once the process that inherits it has reaped it.
  bool is_gone = false;
  for (int tries = 0; tries < 200 && !is_gone; ++tries) {
    const auto status = read_file("/proc/" + std::to_string(grandchild) + "/stat");
    is_gone = !status || status->find(") Z") != std::string::npos;
    if (!is_gone) ::usleep(10'000);
  }
  EXPECT_TRUE(is_gone);
}

TEST(ProcessTest, WaitsForAChildThatClosesItsOutput) {
  const ProcessResult ended = run_script("echo one; exec >&- 2>&-; sleep 0.05; exit 3");
  EXPECT_EQ(ended.end, End::kExited);
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.output, "one\n");
  EXPECT_EQ(run_script("exec >&- 2>&-; sleep 60", kShort).end, End::kTimedOut);
}

TEST(ProcessTest, DoesNotWaitForAGrandchildThatHoldsTheOutput) {
  const ProcessResult result = run_script("sleep 60 & echo $!; exit 4");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.code, 4);
  ::kill(std::stoi(result.output), SIGKILL);
}

// Programs that ignore SIGCHLD, or reap all children in a handler, leave wait() no status.
class SignalOfChildren {
 public:
  explicit SignalOfChildren(void (*handler)(int)) : before_(::signal(SIGCHLD, handler)) {}
  ~SignalOfChildren() { ::signal(SIGCHLD, before_); }

 private:
  void (*before_)(int);
};

void collect_all_children(int) {
  const int error = errno;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  errno = error;
}

TEST(ProcessTest, NeedsNoStatusFromWait) {
  for (auto* const handler : {SIG_IGN, &collect_all_children}) {
    const SignalOfChildren scope(handler);
    const ProcessResult done = run_script("echo text");
    EXPECT_EQ(done.end, End::kExited);
    EXPECT_EQ(done.code, 0);
    EXPECT_EQ(done.output, "text\n");
    EXPECT_EQ(run_script("exit 7").code, 7);
    const ProcessResult killed = run_script("kill -TERM $$");
    EXPECT_EQ(killed.end, End::kSignalled);
    EXPECT_EQ(killed.code, SIGTERM);
    EXPECT_EQ(run_script("sleep 60", kShort).end, End::kTimedOut);
    EXPECT_EQ(run_process({"printf", "%s|", "a b", "$HOME;*"}, kLong).output, "a b|$HOME;*|");
  }
}

TEST(ProcessTest, LeavesNoDescriptorBehind) {
  const auto n_open = [] {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return std::distance(begin(entries), end(entries));
  };
  const auto before = n_open();
  run_script("exit 0");
  run_process({"numpy-plugin-absent-program"}, kLong);
  run_script("sleep 60", milliseconds(20));
  EXPECT_EQ(n_open(), before);
}

TEST(ProcessTest, HandsNoDescriptorOfItsOwnToTheChild) {
  // Descriptors that this program inherited are passed on; popen counts them.
  FILE* const other = ::popen("ls /proc/self/fd", "r");
  ASSERT_NE(other, nullptr);
  std::string expected(4096, '\0');
  expected.resize(std::fread(expected.data(), 1, expected.size(), other));
  ::pclose(other);
  EXPECT_EQ(run_script("ls /proc/self/fd").output, expected);
}

TEST(ProcessTest, RestoresSignalsTheProgramIgnores) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const ProcessResult result = run_script("kill -PIPE $$; echo alive");
  ::signal(SIGPIPE, before);
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.code, SIGPIPE);
}

}  // namespace
}  // namespace numpy_plugin::system
