// State of a forked child: locks free regardless of their owner, and no section half done.
#include "numpy_plugin/system/fork.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::system {
namespace {

using std::chrono::milliseconds;

// The exit status of a child, which is killed if it does not end.
int status_of_child(const std::function<int()>& run) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(run());
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(ForkDepthTest, DiffersInChildrenAlone) {
  const unsigned depth = fork_depth();
  EXPECT_EQ(status_of_child([depth] { return fork_depth() == depth + 1 ? 0 : 1; }), 0);
  EXPECT_EQ(fork_depth(), depth);
}

TEST(MutexTest, LetsOneThreadInAtATime) {
  Mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 8 * 2000);
}

// Holds a lock, or is inside a section, until released.
template <class Guard>
class Holder {
 public:
  template <class... Argument>
  explicit Holder(Argument&... argument)
      : thread_([this, &argument...] {
          const Guard guard(argument...);
          is_inside_ = true;
          is_inside_.notify_all();
          is_let_go_.wait(false);
          is_inside_ = false;
        }) {
    is_inside_.wait(false);
  }
  ~Holder() {
    let_go();
    thread_.join();
  }
  bool is_inside() const { return is_inside_; }
  void let_go() {
    is_let_go_ = true;
    is_let_go_.notify_all();
  }

 private:
  std::atomic<bool> is_inside_ = false;
  std::atomic<bool> is_let_go_ = false;
  std::thread thread_;
};

TEST(MutexTest, IsFreeInTheChildOfAThreadThatDoesNotHoldIt) {
  Mutex mutex;
  Holder<std::lock_guard<Mutex>> holder(mutex);
  const auto lock_twice = [&mutex] {
    for (int i = 0; i < 2; ++i) const std::lock_guard lock(mutex);
    return 0;
  };
  EXPECT_EQ(status_of_child(lock_twice), 0);
  holder.let_go();
  EXPECT_EQ(lock_twice(), 0);  // the parent's is unchanged
}

TEST(MutexTest, IsFreeInAGrandchild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer allows the child of a program with threads no new threads";
#endif
  Mutex mutex;
  const Holder<std::lock_guard<Mutex>> holder(mutex);
  EXPECT_EQ(status_of_child([&mutex] {
              const std::lock_guard in_child(mutex);
              return 0;
            }),
            0);
  EXPECT_EQ(status_of_child([&mutex] {
              const Holder<std::lock_guard<Mutex>> of_child(mutex);
              return status_of_child([&mutex] {
                const std::lock_guard in_grandchild(mutex);
                return 0;
              });
            }),
            0);
}

TEST(ForkHoldTest, ForkWaitsForASectionOfAnotherThread) {
  Holder<ForkHold> holder;
  std::thread ending([&holder] {
    std::this_thread::sleep_for(milliseconds(50));
    holder.let_go();
  });
  EXPECT_EQ(status_of_child([&holder] { return holder.is_inside() ? 1 : 0; }), 0);
  ending.join();
}

std::atomic<int> n_made = 0;

int made_slowly() {
  std::this_thread::sleep_for(milliseconds(20));
  return ++n_made;
}

TEST(MadeOnceTest, ThreadsThatAskTogetherGetOneValue) {
  std::vector<std::thread> threads;
  std::atomic<int> sum = 0;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&sum] { sum += made_once<made_slowly>(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 8);
  EXPECT_EQ(&made_once<made_slowly>(), &made_once<made_slowly>());
}

std::atomic<bool> is_making = false;

std::vector<int> made_during_fork() {
  is_making = true;
  is_making.notify_all();
  std::this_thread::sleep_for(milliseconds(50));
  return {1, 2, 3};
}

TEST(MadeOnceTest, IsWholeInAChildForkedWhileItIsMade) {
  std::thread making([] { made_once<made_during_fork>(); });
  is_making.wait(false);
  EXPECT_EQ(
      status_of_child([] { return static_cast<int>(made_once<made_during_fork>().size()) - 3; }),
      0);
  making.join();
}

int made_in_a_section() {
  const ForkHold hold;
  return 5;
}

// As are the libraries that a first compilation opens: a thread that waits for the fork must not
// have begun the value.
TEST(MadeOnceTest, IsMadeInAChildOfAForkThatItsMakerWaitsFor) {
  Holder<ForkHold> holder;  // lets fork() wait
  std::thread making([&holder] {
    std::this_thread::sleep_for(milliseconds(50));
    std::thread letting_go([&holder] {
      std::this_thread::sleep_for(milliseconds(50));
      holder.let_go();
    });
    made_once<made_in_a_section>();
    letting_go.join();
  });
  EXPECT_EQ(status_of_child([] { return made_once<made_in_a_section>() - 5; }), 0);
  making.join();
}

TEST(ForkHoldTest, SectionsNestAndAForkInsideOneDoesNotWaitForIt) {
  const ForkHold outer;
  const ForkHold inner;
  EXPECT_EQ(status_of_child([] {
              const ForkHold in_child;
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace numpy_plugin::system
