// Interruptions: tested, kept until cleared, shared by the threads of a pool.
#include "numpy_plugin/system/interruption.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "numpy_plugin/system/process.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::system {
namespace {

std::atomic<int> n_questions = 0;
std::thread::id asked_thread;

// Interrupts only the thread that runs the test, as only Python's main thread is.
bool second_question() { return std::this_thread::get_id() == asked_thread && ++n_questions == 2; }

class InterruptionTest : public testing::Test {
 protected:
  void SetUp() override {
    n_questions = 0;
    asked_thread = std::this_thread::get_id();
    set_interruption_test(second_question);
  }
  void TearDown() override {
    set_interruption_test(nullptr);
    clear_interruption();
  }
};

TEST_F(InterruptionTest, StaysUntilItIsCleared) {
  EXPECT_FALSE(is_interrupted());
  EXPECT_FALSE(has_interruption());
  EXPECT_TRUE(is_interrupted());
  EXPECT_TRUE(has_interruption());
  EXPECT_THROW(throw_if_interrupted(), Interruption);
  EXPECT_EQ(n_questions, 2);
  clear_interruption();
  EXPECT_FALSE(is_interrupted());
}

TEST_F(InterruptionTest, KillsAChildProcess) {
  EXPECT_THROW(run_process({"sleep", "60"}, std::chrono::seconds(50)), Interruption);
  clear_interruption();
  EXPECT_EQ(run_process({"true"}, std::chrono::seconds(20)).end, ProcessResult::End::kExited);
}

TEST_F(InterruptionTest, ReachesTheThreadsThatShareWork) {
  set_n_threads(3);
  run_parallel(3, [](std::size_t) {
    const auto begin = std::chrono::steady_clock::now();
    while (!is_interrupted() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(has_interruption());
  });
  set_n_threads(0);
  clear_interruption();
  run_parallel(3, [](std::size_t) { EXPECT_FALSE(has_interruption()); });
}

}  // namespace
}  // namespace numpy_plugin::system
