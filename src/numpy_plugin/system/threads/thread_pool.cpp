// Workers are started at first use, spin for a moment after each call and then sleep. The calling
// thread works too and waits only for workers that have begun, so a small call needs no context
// switch.
//
// fork: the child has none of its parent's workers, and their locks may be held forever. It
// abandons the parent's pool and creates its own. All state outside the pool is atomic, so that a
// fork leaves nothing half done at any moment. (A task itself must not fork and continue in the
// child.)
#include "numpy_plugin/system/threads/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::system {
namespace {

// Time for which a thread waits awake.
constexpr std::chrono::microseconds kAwakeTime(30);

thread_local bool is_inside_call = false;

inline void pause_a_moment() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until the condition holds, for a short time at most; returns whether it holds.
template <typename Condition>
bool spin_until(const Condition& holds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kSpinsPerLook = 16;  // at the clock
  const Clock::time_point end = Clock::now() + kAwakeTime;
  do {
    for (int i = 0; i < kSpinsPerLook; ++i) {
      if (holds()) return true;
      pause_a_moment();
    }
  } while (Clock::now() < end);
  return false;
}

// Tasks of one call, claimed one by one.
class Job {
 public:
  Job(std::size_t n_tasks, const std::function<void(std::size_t)>& task)
      : n_tasks_(n_tasks), task_(task) {}

  // Runs tasks until none is left.
  void work() {
    const SharedInterruption shared(is_interrupted_);
    const bool was_inside = is_inside_call;
    is_inside_call = true;
    for (std::size_t i = next_++; i < n_tasks_; i = next_++) {
      run(i);
      if (i + 1 == n_tasks_) break;  // without another look at what other threads write
    }
    is_inside_call = was_inside;
  }

  // The calling thread checks while it waits, on behalf of the workers, which cannot.
  void ask_for_interruption() {
    const SharedInterruption shared(is_interrupted_);
    is_interrupted();
  }

  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void run(std::size_t number) {
    try {
      task_(number);
    } catch (const base::ForcedUnwind&) {
      throw;
    } catch (...) {
      keep(std::current_exception());
    }
  }

  void keep(std::exception_ptr error) {
    if (!has_error_.exchange(true)) error_ = std::move(error);
  }

  const std::size_t n_tasks_;
  const std::function<void(std::size_t)>& task_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_interrupted_ = false;
  std::atomic<bool> has_error_ = false;
  std::exception_ptr error_;  // written once, read after all workers have left
};

// Signals are left to the host program's threads, except those that report a crash.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t signals;
    sigfillset(&signals);
    for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
      sigdelset(&signals, crash);
    pthread_sigmask(SIG_SETMASK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Of the current job, in one word so that a worker enters and leaves by one instruction.
struct Places {
  static constexpr int kCountBits = 16;
  static constexpr std::uint64_t kFree = 1;                     // for another worker
  static constexpr std::uint64_t kTaken = kFree << kCountBits;  // by a worker
  static constexpr std::uint64_t kJob = kTaken << kCountBits;   // number of the job
  static constexpr std::uint64_t kMost = kTaken - 1;

  static std::uint64_t n_free(std::uint64_t word) { return word & kMost; }
  static std::uint64_t n_taken(std::uint64_t word) { return word / kTaken & kMost; }
  static std::uint64_t job(std::uint64_t word) { return word / kJob; }
};

// Fetches the frames of the calling thread, which hold the job and most of what its tasks read,
// into this core's cache: one by one the lines would take as long as some thousand elements.
void fetch_frames(const Job* job) {
  constexpr std::size_t kFrameBytes = 2560;
  constexpr std::size_t kLineBytes = 64;
  const char* const begin = reinterpret_cast<const char*>(job);
  for (std::size_t i = 0; i < kFrameBytes; i += kLineBytes) __builtin_prefetch(begin + i);
}

class Pool {
 public:
  // One caller at a time.
  void run(Job& job, std::size_t n_helpers) {
    add_workers(n_helpers);
    post(job, n_helpers);
    job.work();
    withdraw(job);
  }

  bool has_awake_workers() const { return n_awake_.load() > 0; }

 private:
  void add_workers(std::size_t n_wanted) {
    if (n_workers_ >= n_wanted) return;
    const SignalsBlocked blocked;
    try {
      for (; n_workers_ < n_wanted; ++n_workers_) {
        std::thread(&Pool::serve, this, Places::job(places_.load())).detach();
      }
    } catch (const std::exception&) {
      // No more threads available: continue with the existing ones.
    }
  }

  void post(Job& job, std::size_t n_helpers) {
    job_ = &job;
    places_ = (Places::job(places_.load()) + 1) * Places::kJob + n_helpers * Places::kFree;
    if (n_asleep_.load() == 0) return;
    const std::size_t n_awake = n_awake_.load();
    { const std::lock_guard lock(mutex_); }  // whoever is about to sleep sees the job, or is woken
    for (std::size_t i = n_awake; i < n_helpers; ++i) posted_.notify_one();
  }

  // Admits no more workers and waits for those inside.
  void withdraw(Job& job) {
    places_ &= ~Places::kMost;
    if (!has_helpers() || spin_until([this] { return !has_helpers(); })) return;
    is_waiting_ = true;
    std::unique_lock lock(mutex_);
    while (!left_.wait_for(lock, kInterruptionInterval, [this] { return !has_helpers(); })) {
      lock.unlock();
      job.ask_for_interruption();
      lock.lock();
    }
    is_waiting_ = false;
  }

  bool has_helpers() const { return Places::n_taken(places_.load()) > 0; }

  [[noreturn]] void serve(std::uint64_t seen) {
    ++n_awake_;
    while (true) {
      seen = wait_for_post(seen);
      fetch_frames(job_.load());
      if (!enter()) continue;
      job_.load()->work();
      leave();
    }
  }

  // Number of the latest job.
  std::uint64_t wait_for_post(std::uint64_t seen) {
    const auto has_post = [this, seen] { return Places::job(places_.load()) != seen; };
    if (!spin_until(has_post)) sleep_until(has_post);
    return Places::job(places_.load());
  }

  template <typename Condition>
  void sleep_until(const Condition& has_post) {
    --n_awake_;
    ++n_asleep_;
    std::unique_lock lock(mutex_);
    posted_.wait(lock, has_post);
    --n_asleep_;
    ++n_awake_;
  }

  // Whether the current job admits another worker. It remains the current one until that leaves.
  bool enter() {
    std::uint64_t now = places_.load();
    while (Places::n_free(now) > 0) {
      if (places_.compare_exchange_weak(now, now - Places::kFree + Places::kTaken)) return true;
    }
    return false;
  }

  void leave() {
    if (Places::n_taken(places_ -= Places::kTaken) > 0 || !is_waiting_.load()) return;
    const std::lock_guard lock(mutex_);
    left_.notify_one();
  }

  // Alone in its cache line: waiting workers read it again and again.
  alignas(64) std::atomic<std::uint64_t> places_ = 0;
  std::atomic<Job*> job_ = nullptr;
  alignas(64) std::atomic<std::size_t> n_awake_ = 0;  // at work or waiting for it
  std::atomic<std::size_t> n_asleep_ = 0;
  std::atomic<bool> is_waiting_ = false;  // the calling thread, asleep
  std::mutex mutex_;                      // of the two sleeping places
  std::condition_variable posted_;
  std::condition_variable left_;
  std::size_t n_workers_ = 0;  // only used by the calling thread
};

static_assert(kMaxThreads <= Places::kMost);

// The generation of the settings for which it was determined, and the number.
std::atomic<std::uint64_t> known_n_threads = 0;
std::atomic<bool> is_in_use = false;  // whether a thread uses the pool
std::atomic<bool> is_fork_handled = false;
// Leaked on purpose: workers sleep in it until the process is gone, even during destruction of
// static objects.
std::atomic<Pool*> pool = nullptr;
std::atomic<Pool*> parents_pool = nullptr;  // after a fork; reachable for leak checkers

void forget_parents_pool() {
  if (Pool* const forgotten = pool.exchange(nullptr)) parents_pool = forgotten;
  is_in_use = false;
}

// Exclusive use of the pool by one thread.
class PoolUse {
 public:
  PoolUse() : is_granted_(!is_inside_call && !is_in_use.exchange(true)) {}
  ~PoolUse() {
    if (is_granted_) is_in_use = false;
  }
  PoolUse(const PoolUse&) = delete;
  PoolUse& operator=(const PoolUse&) = delete;

  bool is_granted() const { return is_granted_; }

  void run(Job& job, std::size_t n_helpers) {
    if (!is_fork_handled.exchange(true)) pthread_atfork(nullptr, nullptr, forget_parents_pool);
    if (pool.load() == nullptr) pool = new Pool();
    pool.load()->run(job, n_helpers);
  }

 private:
  bool is_granted_;
};

std::size_t wanted_n_threads() {
  const std::size_t chosen = setting_threads();
  return chosen > 0 ? chosen : std::min(available_processors(), kMaxThreads);
}

}  // namespace

std::size_t n_threads() {
  constexpr int kNumberBits = 16;
  const std::uint64_t generation = settings_generation();
  const std::uint64_t known = known_n_threads.load(std::memory_order_relaxed);
  if (known >> kNumberBits == generation) return known & ((1u << kNumberBits) - 1);
  const std::size_t count = wanted_n_threads();
  known_n_threads = generation << kNumberBits | count;
  return count;
}

void set_n_threads(std::size_t count) {
  if (count == 0) return reset_setting(Setting::kNumThreads);
  set_setting(Setting::kNumThreads, std::to_string(std::min(count, kMaxThreads)));
}

bool has_awake_workers() {
  const Pool* const known = pool.load();
  return known != nullptr && known->has_awake_workers();
}

void run_parallel(std::size_t n_tasks, const std::function<void(std::size_t)>& task) {
  Job job(n_tasks, task);
  const std::size_t n_workers = std::min(n_tasks, n_threads());
  if (PoolUse use; n_workers > 1 && use.is_granted()) {
    use.run(job, n_workers - 1);
  } else {
    job.work();
  }
  job.rethrow_error();
}

void run_in_background(std::function<void()> task) {
  const SignalsBlocked blocked;
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {
    // No thread available: nothing waits for the task.
  }
}

}  // namespace numpy_plugin::system

// Exported: threadpoolctl recognizes the library by these names, and calls them.
extern "C" {

__attribute__((visibility("default"))) int numpy_plugin_get_num_threads() {
  return static_cast<int>(numpy_plugin::system::n_threads());
}

__attribute__((visibility("default"))) void numpy_plugin_set_num_threads(int count) {
  numpy_plugin::system::set_n_threads(static_cast<std::size_t>(std::max(count, 0)));
}

}  // extern "C"
