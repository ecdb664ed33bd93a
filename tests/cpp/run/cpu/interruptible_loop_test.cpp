// Loops that are interrupted between their pieces, in one thread and in several.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

constexpr intptr_t kMany = 200'000;

std::atomic<intptr_t> n_done = 0;
std::atomic<int> n_pieces = 0;
std::thread::id asked_thread;
bool answer = false;

bool answer_in_one_thread() { return answer && std::this_thread::get_id() == asked_thread; }

// 20 microseconds per element: 4 s in total.
void slow(char**, const intptr_t* dimensions, const intptr_t*, void*) {
  std::this_thread::sleep_for(std::chrono::microseconds(20) * dimensions[0]);
  n_done += dimensions[0];
}

void note_positions(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    ++*reinterpret_cast<double*>(args[1] + i * steps[1]);
  }
  n_done += dimensions[0];
  ++n_pieces;
}

class InterruptibleLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    n_done = 0;
    answer = true;
    asked_thread = std::this_thread::get_id();
    system::set_interruption_test(answer_in_one_thread);
    system::set_n_threads(3);
  }
  void TearDown() override {
    system::set_n_threads(0);
    system::set_interruption_test(nullptr);
    system::clear_interruption();
  }

  std::vector<double> x_ = std::vector<double>(kMany);
  std::vector<double> out_ = std::vector<double>(kMany);
  std::array<char*, 2> args_ = {reinterpret_cast<char*>(x_.data()),
                                reinterpret_cast<char*>(out_.data())};
  const std::array<intptr_t, 2> steps_ = {8, 8};
};

TEST_F(InterruptibleLoopTest, StopsBetweenPieces) {
  const ParallelLoop loop{slow, {{8, false, {}}, {8, true, {}}}, 0};
  run_interruptible_loop(args_.data(), &kMany, steps_.data(), loop);
  EXPECT_TRUE(system::has_interruption());
  EXPECT_GT(n_done, 0);
  EXPECT_LT(n_done, kMany / 2);
  const intptr_t before = n_done;
  run_interruptible_loop(args_.data(), &kMany, steps_.data(), loop);
  EXPECT_EQ(n_done, before) << "the other inner loops of the call are left out";
}

TEST_F(InterruptibleLoopTest, StopsTheThreadsThatShareIt) {
  const ParallelLoop loop{slow, {{8, false, {}}, {8, true, {}}}, 0};
  run_parallel_loop(args_.data(), &kMany, steps_.data(), loop);
  EXPECT_TRUE(system::has_interruption());
  EXPECT_LT(n_done, kMany / 2);
}

TEST_F(InterruptibleLoopTest, ComputesEachElementOnce) {
  answer = false;
  const ParallelLoop loop{note_positions, {{8, false, {}}, {8, true, {}}}, 0};
  for (const intptr_t size : {intptr_t{0}, intptr_t{1}, intptr_t{255}, intptr_t{257}, kMany}) {
    out_.assign(kMany, 0);
    n_done = 0;
    run_interruptible_loop(args_.data(), &size, steps_.data(), loop);
    EXPECT_EQ(n_done, size);
    for (intptr_t i = 0; i < kMany; ++i) ASSERT_EQ(out_[static_cast<std::size_t>(i)], i < size);
  }
}

TEST_F(InterruptibleLoopTest, LeavesReducedSumsWhole) {
  answer = false;
  ParallelLoop loop{note_positions, {{8, false, {}}, {8, false, {}}, {8, true, {}}}, 0};
  loop.summand = Summand::kFloat64;
  n_pieces = 0;
  char* const total = reinterpret_cast<char*>(x_.data());
  std::array<char*, 3> args = {total, reinterpret_cast<char*>(out_.data()), total};
  const std::array<intptr_t, 3> steps = {0, 8, 0};
  run_interruptible_loop(args.data(), &kMany, steps.data(), loop);
  EXPECT_EQ(n_pieces, 1);
}

}  // namespace
}  // namespace numpy_plugin::run
