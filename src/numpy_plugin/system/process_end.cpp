// One list per process, recreated in a forked child, where the parent's lock may be held forever.
#include "numpy_plugin/system/process_end.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <utility>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::system {
namespace {

struct Undone {
  std::mutex mutex;  // guards the list
  std::list<std::function<void()>> list;
};

std::atomic<bool> is_ending = false;
thread_local bool ends_process = false;
std::atomic<Undone*> undone_of_process = new Undone;
std::atomic<bool> is_registered_again = false;

void undo_all() {
  stop_other_threads();
  Undone* const undone = undone_of_process.load();
  const std::lock_guard lock(undone->mutex);
  for (; !undone->list.empty(); undone->list.pop_back()) undone->list.back()();
}

// Registered when the library is loaded, too: a thread may use it for the first time while another
// one is in exit(), where a registration can come too late.
[[maybe_unused]] const int kLoadedBeforeExit = std::atexit(undo_all);
[[maybe_unused]] const int kRenewedInChildren =
    ::pthread_atfork(nullptr, nullptr, [] { undone_of_process = new Undone; });

Undone& undone() {
  if (!is_registered_again.exchange(true)) std::atexit(undo_all);
  return *undone_of_process.load();
}

// Locks the list. A thread that waited for the cleanup must not add to what has been undone.
std::unique_lock<std::mutex> lock_list(Undone& all) {
  stop_if_process_ends();
  std::unique_lock lock(all.mutex);
  if (is_ending && !ends_process) {
    lock.unlock();
    wait_for_process_end();
  }
  return lock;
}

}  // namespace

UndoneAtExit::UndoneAtExit(const std::function<void()>& begin, std::function<void()> undo)
    : fork_depth_(fork_depth()) {
  Undone& all = undone();
  const std::unique_lock lock = lock_list(all);
  begin();
  all.list.push_back(std::move(undo));
  place_ = std::prev(all.list.end());
}

UndoneAtExit::~UndoneAtExit() {
  if (fork_depth_ != fork_depth() || ends_process) return;
  Undone& all = undone();
  const std::unique_lock lock = lock_list(all);
  all.list.erase(place_);
}

void stop_other_threads() {
  ends_process = true;
  is_ending = true;
  close_sections();
}

void stop_if_process_ends() {
  if (is_ending && !ends_process) wait_for_process_end();
}

void wait_for_process_end() {
  while (true) ::pause();
}

}  // namespace numpy_plugin::system
