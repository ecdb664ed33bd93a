// Exit of a process, a fork of this one, while one of its threads has a directory and a child.
#include "numpy_plugin/system/process_end.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::system {
namespace {

// The exit status of a fork that runs `function` and calls exit().
template <class Function>
int status_of_fork(const Function& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    function();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool is_empty(const std::string& directory) {
  return std::filesystem::directory_iterator(directory) == std::filesystem::directory_iterator();
}

class ProcessEndTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("TMPDIR", directory_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  const TemporaryDirectory directory_;
};

TEST_F(ProcessEndTest, RemovesTheDirectoriesOfThreads) {
  const int status = status_of_fork([] {
    std::atomic<bool> has_begun = false;
    std::thread([&has_begun] {
      const TemporaryDirectory directory;
      has_begun = true;
      for (int i = 0;; ++i)
        write_file_atomically(directory.path() + "/" + std::to_string(i), "text");
    }).detach();
    while (!has_begun) std::this_thread::yield();
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_empty(directory_.path()));
}

// Keeps writing for a while through the directory's descriptor, which survives renaming: like a
// child that is about to be killed.
TEST_F(ProcessEndTest, RemovesWhatIsAddedDuringTheRemoval) {
  const int status = status_of_fork([] {
    std::atomic<bool> has_begun = false;
    std::thread([&has_begun] {
      const TemporaryDirectory directory;
      const int descriptor = ::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY);
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
      has_begun = true;
      for (int i = 0; std::chrono::steady_clock::now() < end; ++i)
        ::close(::openat(descriptor, std::to_string(i).c_str(), O_CREAT | O_WRONLY, 0600));
      wait_for_process_end();
    }).detach();
    while (!has_begun) std::this_thread::yield();
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_empty(directory_.path()));
}

// The exit occurs at a different point of each start.
TEST_F(ProcessEndTest, KillsChildrenThatAreBeingStarted) {
  const std::string mark = directory_.path() + "/mark";
  for (int i = 0; i < 60; ++i) {
    status_of_fork([&mark, i] {
      std::thread([&mark] {
        run_process({"sh", "-c", "sleep 1; touch \"$0\"", mark}, std::chrono::seconds(60));
      }).detach();
      std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(read_file(mark).has_value()) << "a child went on";
}

TEST_F(ProcessEndTest, RemovesDirectoriesThatAreBeingMade) {
  for (int i = 0; i < 60; ++i) {
    status_of_fork([i] {
      std::thread([] {
        while (true) const TemporaryDirectory directory;
      }).detach();
      std::this_thread::sleep_for(std::chrono::microseconds(10 * i));
    });
  }
  EXPECT_TRUE(is_empty(directory_.path()));
}

TEST_F(ProcessEndTest, KillsTheChildrenOfThreads) {
  const std::string mark = directory_.path() + "/mark";
  const int status = status_of_fork([&mark] {
    std::thread([&mark] {
      run_process({"sh", "-c", "touch \"$0\"; sleep 1; rm \"$0\"", mark}, std::chrono::seconds(60));
    }).detach();
    while (!read_file(mark)) std::this_thread::yield();
  });
  EXPECT_EQ(status, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  EXPECT_TRUE(read_file(mark).has_value()) << "the child went on";
}

TEST_F(ProcessEndTest, WaitsForTheSectionsOfThreads) {
  const std::string mark = directory_.path() + "/mark";
  const int status = status_of_fork([&mark] {
    std::atomic<bool> has_begun = false;
    std::thread([&has_begun, &mark] {
      const ForkHold hold;
      has_begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const ForkHold nested;
      write_file_atomically(mark, "text");
    }).detach();
    while (!has_begun) std::this_thread::yield();
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(read_file(mark).has_value());
}

TEST_F(ProcessEndTest, LetsOnlyItsOwnThreadBeginSections) {
  const int status = status_of_fork([] {
    std::atomic<int> n_begun = 0;
    stop_other_threads();
    std::thread([&n_begun] {
      const ForkHold hold;
      ++n_begun;
    }).detach();
    const ForkHold own;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (n_begun > 0) ::_exit(1);
  });
  EXPECT_EQ(status, 0);
}

TEST_F(ProcessEndTest, LeavesTheDirectoryOfTheParent) {
  const TemporaryDirectory parents;
  EXPECT_EQ(status_of_fork([] { const TemporaryDirectory own; }), 0);
  EXPECT_TRUE(std::filesystem::exists(parents.path()));
}

}  // namespace
}  // namespace numpy_plugin::system
