// A forked child has none of its parent's threads: it makes a watch of its own.
#include "numpy_plugin/system/events/events.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "numpy_plugin/system/process_end.hpp"
#include "numpy_plugin/system/settings.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::system {
namespace {

using Clock = std::chrono::steady_clock;
using Running = std::list<RunningCompilation>;

constexpr std::chrono::seconds kShortTime(1);
constexpr std::chrono::milliseconds kRefreshTime(100);
// The display is removed before the caller goes on, which may print, unless it holds the GIL.
constexpr std::chrono::milliseconds kRemovalLimit(200);

std::atomic<ProgressDisplay*> progress_display = nullptr;

// The running compilations of a process, and the thread that shows them.
class ProgressWatch {
 public:
  Running::iterator begin(RunningCompilation compilation) {
    const std::lock_guard lock(mutex_);
    running_.push_back(std::move(compilation));
    if (!has_thread_) {
      has_thread_ = true;
      run_in_background([this] { watch(); });
    }
    return std::prev(running_.end());
  }

  void end(Running::iterator place) {
    std::unique_lock lock(mutex_);
    running_.erase(place);
    if (!running_.empty()) return;
    changed_.notify_all();
    changed_.wait_for(lock, kRemovalLimit, [this] { return !is_shown_; });
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    bool is_wanted = true;
    while (!running_.empty()) {
      const auto until =
          is_shown_ ? Clock::now() + kRefreshTime : running_.front().start + kShortTime;
      if (wait_for_end(lock, until)) break;
      is_shown_ = true;
      is_wanted = is_wanted && display(lock, {running_.begin(), running_.end()});
    }
    if (is_shown_ && is_wanted) display(lock, {});
    is_shown_ = has_thread_ = false;
    changed_.notify_all();
  }

  bool wait_for_end(std::unique_lock<std::mutex>& lock, Clock::time_point until) {
    return changed_.wait_until(lock, until, [this] { return running_.empty(); });
  }

  static bool display(std::unique_lock<std::mutex>& lock,
                      const std::vector<RunningCompilation>& shown) {
    lock.unlock();
    stop_if_process_ends();
    const bool is_wanted = progress_display.load()(shown);
    lock.lock();
    return is_wanted;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Running running_;
  bool has_thread_ = false;
  bool is_shown_ = false;
};

// Leaked on purpose, as are those of parents.
struct WatchOfProcess {
  Mutex mutex;
  ProgressWatch* watch = nullptr;
  unsigned fork_depth = 0;
};

ProgressWatch& this_process_watch() {
  WatchOfProcess& kept = the_only<WatchOfProcess>();
  const ForkHold hold;
  const std::lock_guard lock(kept.mutex);
  if (kept.watch == nullptr || kept.fork_depth != fork_depth()) kept.watch = new ProgressWatch;
  kept.fork_depth = fork_depth();
  return *kept.watch;
}

bool is_displayed() {
  return progress_display.load() != nullptr && setting_text(Setting::kProgress) != "off";
}

}  // namespace

double RunningCompilation::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void set_progress_display(ProgressDisplay* display) { progress_display = display; }

ShownProgress::ShownProgress(RunningCompilation running) : watch_(nullptr) {
  if (!is_displayed()) return;
  ProgressWatch& watch = this_process_watch();
  place_ = watch.begin(std::move(running));
  watch_ = &watch;
}

ShownProgress::~ShownProgress() {
  if (watch_ != nullptr) static_cast<ProgressWatch*>(watch_)->end(place_);
}

}  // namespace numpy_plugin::system
