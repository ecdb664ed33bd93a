// Workers are started at first use, spin for a moment after each call and then sleep. The calling
// thread works too and waits only for workers that have begun, so a small call needs no context
// switch.
//
// fork: the child has none of its parent's workers, and their locks may be held forever. It
// abandons the parent's pool and creates its own. All state outside the pool is atomic, so that a
// fork leaves nothing half done at any moment. (A task itself must not fork and continue in the
// child.)
#include "numpy_plugin/system/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/system/available_processors.hpp"
#include "numpy_plugin/system/interruption.hpp"

namespace numpy_plugin::base {
namespace {

constexpr int kSpins = 2000;  // about 30 microseconds

thread_local bool is_inside_call = false;

inline void pause_a_moment() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The mutex is held for a few instructions: threads that meet there do not sleep.
std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < kSpins && !lock; ++i) {
    pause_a_moment();
    lock.try_lock();
  }
  if (!lock) lock.lock();
  return lock;
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
      try {
        task_(i);
      } catch (const ForcedUnwind&) {
        throw;
      } catch (...) {
        keep(std::current_exception());
      }
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
        std::thread(&Pool::serve, this, generation_.load()).detach();
      }
    } catch (const std::exception&) {
      // No more threads available: continue with the existing ones.
    }
  }

  void post(Job& job, std::size_t n_helpers) {
    {
      const auto lock = lock_soon(mutex_);
      job_ = &job;
      n_places_ = n_helpers;
      ++generation_;
    }
    for (std::size_t i = 0; i < std::min(n_helpers, n_workers_); ++i) posted_.notify_one();
  }

  // Admits no more workers and waits for those inside.
  void withdraw(Job& job) {
    {
      const auto lock = lock_soon(mutex_);
      job_ = nullptr;
    }
    for (int i = 0; i < kSpins && n_active_.load() > 0; ++i) pause_a_moment();
    std::unique_lock lock(mutex_);
    while (!left_.wait_for(lock, kInterruptionInterval, [this] { return n_active_.load() == 0; })) {
      lock.unlock();
      job.ask_for_interruption();
      lock.lock();
    }
  }

  [[noreturn]] void serve(std::uint64_t seen) {
    while (true) {
      seen = wait_for_post(seen);
      Job* const job = enter();
      if (job == nullptr) continue;
      job->work();
      leave();
    }
  }

  std::uint64_t wait_for_post(std::uint64_t seen) {
    if (const std::uint64_t now = spin_until_post(seen); now != seen) return now;
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this, seen] { return generation_.load() != seen; });
    return generation_.load();
  }

  std::uint64_t spin_until_post(std::uint64_t seen) {
    ++n_awake_;
    std::uint64_t now = generation_.load();
    for (int i = 0; i < kSpins && now == seen; ++i) {
      pause_a_moment();
      now = generation_.load();
    }
    --n_awake_;
    return now;
  }

  // The current job if it admits another worker.
  Job* enter() {
    const auto lock = lock_soon(mutex_);
    if (job_ == nullptr || n_places_ == 0) return nullptr;
    --n_places_;
    ++n_active_;
    return job_;
  }

  void leave() {
    const auto lock = lock_soon(mutex_);
    if (--n_active_ == 0) left_.notify_one();
  }

  std::mutex mutex_;  // guards job_, n_places_ and changes of the two counters
  std::condition_variable posted_;
  std::condition_variable left_;
  Job* job_ = nullptr;
  std::size_t n_places_ = 0;
  std::atomic<std::uint64_t> generation_ = 0;
  std::atomic<std::size_t> n_active_ = 0;
  std::atomic<std::size_t> n_awake_ = 0;
  std::size_t n_workers_ = 0;  // only used by the calling thread
};

std::atomic<std::size_t> chosen_n_threads = 0;   // by set_n_threads
std::atomic<std::size_t> default_n_threads = 0;  // 0: not determined yet
std::atomic<bool> is_in_use = false;             // whether a thread uses the pool
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

// The number in $NUMPY_PLUGIN_NUM_THREADS; 0 where it is unset or invalid.
std::size_t n_threads_of_environment() {
  const char* const variable = std::getenv("NUMPY_PLUGIN_NUM_THREADS");
  const std::string_view text = variable == nullptr ? "" : variable;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && count <= kMaxThreads ? count : 0;
}

}  // namespace

std::size_t n_threads() {
  if (const std::size_t chosen = chosen_n_threads.load()) return chosen;
  if (const std::size_t known = default_n_threads.load()) return known;
  const std::size_t wanted = n_threads_of_environment();
  const std::size_t count = wanted > 0 ? wanted : std::min(available_processors(), kMaxThreads);
  default_n_threads = count;
  return count;
}

void set_n_threads(std::size_t count) {
  chosen_n_threads = std::min(count, kMaxThreads);
  if (count == 0) default_n_threads = 0;
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

}  // namespace numpy_plugin::base

// Exported: threadpoolctl recognizes the library by these names, and calls them.
extern "C" {

__attribute__((visibility("default"))) int numpy_plugin_get_num_threads() {
  return static_cast<int>(numpy_plugin::base::n_threads());
}

__attribute__((visibility("default"))) void numpy_plugin_set_num_threads(int count) {
  numpy_plugin::base::set_n_threads(static_cast<std::size_t>(std::max(count, 0)));
}

}  // extern "C"
