// Guarantees of the pool: every task runs once, errors propagate, callers never wait for one
// another, and fork works.
#include "numpy_plugin/system/threads/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace numpy_plugin::system {
namespace {

// ThreadSanitizer forbids the child of a multithreaded program to start threads.
#if defined(__SANITIZE_THREAD__)
constexpr std::size_t kThreadsOfChild = 1;
#else
constexpr std::size_t kThreadsOfChild = 3;
#endif

class ThreadPoolTest : public testing::Test {
 protected:
  void SetUp() override { set_n_threads(3); }
  void TearDown() override {
    ::unsetenv("NUMPY_PLUGIN_NUM_THREADS");
    set_n_threads(0);
  }
};

bool runs_every_task_once(std::size_t n_tasks) {
  std::vector<std::atomic<int>> counts(n_tasks);
  run_parallel(n_tasks, [&](std::size_t i) { ++counts[i]; });
  return std::all_of(counts.begin(), counts.end(), [](const auto& count) { return count == 1; });
}

// Tasks that wait for one another end only if that many threads run them.
bool runs_at_the_same_time(std::size_t n_tasks) {
  std::atomic<std::size_t> n_begun = 0;
  std::atomic<bool> is_met = true;
  run_parallel(n_tasks, [&](std::size_t) {
    ++n_begun;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (n_begun < n_tasks && is_met) {
      if (std::chrono::steady_clock::now() > limit) is_met = false;
      std::this_thread::yield();
    }
  });
  return is_met;
}

std::set<std::thread::id> threads_of(std::size_t n_tasks) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  run_parallel(n_tasks, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  return threads;
}

TEST_F(ThreadPoolTest, RunsEveryTaskOnce) {
  for (std::size_t n_tasks : {0u, 1u, 2u, 3u, 4u, 100u, 10'000u}) {
    EXPECT_TRUE(runs_every_task_once(n_tasks)) << n_tasks;
  }
}

TEST_F(ThreadPoolTest, RunsEveryTaskOnceInManyShortCalls) {
  for (int call = 0; call < 2000; ++call) ASSERT_TRUE(runs_every_task_once(3)) << call;
}

TEST_F(ThreadPoolTest, UsesAsManyThreadsAsItSays) {
  EXPECT_TRUE(runs_at_the_same_time(3));
  set_n_threads(5);  // more than there were
  EXPECT_TRUE(runs_at_the_same_time(5));
}

TEST_F(ThreadPoolTest, UsesNoMoreThreadsThanItSays) {
  set_n_threads(4);
  ASSERT_TRUE(runs_at_the_same_time(4));
  set_n_threads(2);
  for (int call = 0; call < 50; ++call) EXPECT_LE(threads_of(64).size(), 2u);
  set_n_threads(1);
  EXPECT_EQ(threads_of(64), std::set{std::this_thread::get_id()});
}

TEST_F(ThreadPoolTest, WakesWorkersThatSleep) {
  ASSERT_TRUE(runs_at_the_same_time(3));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(runs_at_the_same_time(3));
}

TEST_F(ThreadPoolTest, ThrowsTheFirstErrorAfterAllTasksHaveEnded) {
  std::atomic<int> n_ended = 0;
  try {
    run_parallel(20, [&](std::size_t i) {
      ++n_ended;
      if (i % 5 == 0) throw std::runtime_error("task");
    });
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "task");
  }
  EXPECT_EQ(n_ended, 20);
  EXPECT_TRUE(runs_every_task_once(20));
}

TEST_F(ThreadPoolTest, ThrowsTheErrorOfASingleThreadToo) {
  set_n_threads(1);
  EXPECT_THROW(run_parallel(2, [](std::size_t) { throw std::runtime_error("task"); }),
               std::runtime_error);
}

TEST_F(ThreadPoolTest, RunsACallFromInsideATaskAlone) {
  std::atomic<int> n_alone = 0;
  run_parallel(6, [&](std::size_t) {
    if (threads_of(8) == std::set{std::this_thread::get_id()}) ++n_alone;
  });
  EXPECT_EQ(n_alone, 6);
  EXPECT_TRUE(runs_at_the_same_time(3));  // more than one thread again
}

TEST_F(ThreadPoolTest, RunsTheSecondCallerAlone) {
  std::atomic<bool> is_other_done = false;
  std::set<std::thread::id> threads_of_other;
  std::thread::id other_id;
  run_parallel(3, [&](std::size_t i) {
    if (i == 0) {
      std::thread other([&] {
        other_id = std::this_thread::get_id();
        threads_of_other = threads_of(16);
      });
      other.join();
      is_other_done = true;
    }
    while (!is_other_done) std::this_thread::yield();
  });
  EXPECT_EQ(threads_of_other, std::set{other_id});
}

TEST_F(ThreadPoolTest, ServesManyCallersAtOnce) {
  std::atomic<int> n_right = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call) n_right += runs_every_task_once(7);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(n_right, 400);
}

TEST_F(ThreadPoolTest, TakesItsNumberFromTheEnvironment) {
  ::setenv("NUMPY_PLUGIN_NUM_THREADS", "7", 1);
  set_n_threads(0);
  EXPECT_EQ(n_threads(), 7u);
  set_n_threads(2);
  EXPECT_EQ(n_threads(), 2u);
}

TEST_F(ThreadPoolTest, IgnoresANumberThatMakesNoSense) {
  ::unsetenv("NUMPY_PLUGIN_NUM_THREADS");
  set_n_threads(0);
  const std::size_t usual = n_threads();
  EXPECT_GE(usual, 1u);
  for (const char* text :
       {"", "0", "-3", "four", "4x", " 4", "2.5", "99999999999999999999", "5000"}) {
    ::setenv("NUMPY_PLUGIN_NUM_THREADS", text, 1);
    set_n_threads(0);
    EXPECT_EQ(n_threads(), usual) << "'" << text << "'";
  }
}

// Forks, runs `check` in the child and returns its result.
template <typename Check>
bool holds_in_child(const Check& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a deadlock ends the child rather than the whole run
    set_n_threads(kThreadsOfChild);
    ::_exit(check() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(ThreadPoolTest, WorksInParentAndChildAfterFork) {
  ASSERT_TRUE(runs_at_the_same_time(3));
  EXPECT_TRUE(holds_in_child([] {
    return runs_every_task_once(1000) && runs_at_the_same_time(kThreadsOfChild) &&
           holds_in_child([] { return runs_at_the_same_time(kThreadsOfChild); });
  }));
  EXPECT_TRUE(runs_at_the_same_time(3));
}

// A fork while other threads allocate: with g++ 12's address sanitizer the child inherits their
// held allocator locks, and its threads wait forever.
#if defined(__SANITIZE_ADDRESS__)
#define NPP_SKIP_UNDER_ADDRESS_SANITIZER() \
  GTEST_SKIP() << "the sanitizer's allocator does not survive a fork during an allocation"
#else
#define NPP_SKIP_UNDER_ADDRESS_SANITIZER() static_cast<void>(0)
#endif

TEST_F(ThreadPoolTest, WorksInAChildForkedDuringACall) {
  NPP_SKIP_UNDER_ADDRESS_SANITIZER();
  std::atomic<bool> has_begun = false;
  std::atomic<bool> may_end = false;
  std::thread caller([&] {
    run_parallel(3, [&](std::size_t) {
      has_begun = true;
      while (!may_end) std::this_thread::yield();
    });
  });
  while (!has_begun) std::this_thread::yield();
  EXPECT_TRUE(holds_in_child([] { return runs_at_the_same_time(kThreadsOfChild); }));
  may_end = true;
  caller.join();
  EXPECT_TRUE(runs_at_the_same_time(3));
}

TEST_F(ThreadPoolTest, WorksInChildrenForkedBetweenCalls) {
  NPP_SKIP_UNDER_ADDRESS_SANITIZER();
  std::atomic<bool> may_end = false;
  std::thread caller([&] {
    while (!may_end) runs_every_task_once(3);
  });
  for (int child = 0; child < 20; ++child) {
    EXPECT_TRUE(holds_in_child([] { return runs_every_task_once(10); })) << child;
  }
  may_end = true;
  caller.join();
}

}  // namespace
}  // namespace numpy_plugin::system
