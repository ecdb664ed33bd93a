#include "numpy_plugin/system/events/events.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::system {
namespace {

// Calls of the display with compilations, and with none.
std::atomic<int> n_shown = 0, n_removed = 0;
std::atomic<std::size_t> n_most = 0;  // compilations shown together

bool display(const std::vector<RunningCompilation>& running) {
  n_most = std::max(n_most.load(), running.size());
  ++(running.empty() ? n_removed : n_shown);
  return true;
}

// Waits until a condition holds, for some seconds at most.
bool comes_true(const auto& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  return condition();
}

RunningCompilation begun_before(std::chrono::seconds time) {
  return {"'f'", "g++", std::chrono::steady_clock::now() - time};
}

class ProgressTest : public testing::Test {
 protected:
  void SetUp() override {
    n_shown = n_removed = 0;
    n_most = 0;
    set_progress_display(display);
  }
  void TearDown() override {
    set_progress_display(nullptr);
    reset_setting(Setting::kProgress);
  }
};

TEST_F(ProgressTest, LongCompilationsAreShownUntilTheyEnd) {
  {
    const ShownProgress progress(begun_before(std::chrono::seconds(5)));
    EXPECT_TRUE(comes_true([] { return n_shown >= 2; }));
    EXPECT_EQ(n_removed, 0);
  }
  EXPECT_EQ(n_removed, 1);
}

TEST_F(ProgressTest, ShortCompilationsAreNot) {
  for (int i = 0; i < 20; ++i) const ShownProgress progress(begun_before(std::chrono::seconds(0)));
  EXPECT_EQ(n_shown + n_removed, 0);
}

TEST_F(ProgressTest, CanBeTurnedOff) {
  set_setting(Setting::kProgress, "off");
  const ShownProgress hidden(begun_before(std::chrono::seconds(5)));
  reset_setting(Setting::kProgress);
  const ShownProgress shown(begun_before(std::chrono::seconds(5)));
  EXPECT_TRUE(comes_true([] { return n_shown >= 1; }));
  EXPECT_EQ(n_most, 1);
}

TEST_F(ProgressTest, AForkedChildHasItsOwn) {
  const ShownProgress progress(begun_before(std::chrono::seconds(5)));
  EXPECT_TRUE(comes_true([] { return n_shown >= 1; }));
#if !defined(__SANITIZE_THREAD__)
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    n_shown = 0;
    const ShownProgress of_child(begun_before(std::chrono::seconds(5)));
    ::_exit(comes_true([] { return n_shown >= 1; }) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
#endif
}

}  // namespace
}  // namespace numpy_plugin::system
