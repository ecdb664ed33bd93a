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

namespace numpy_plugin::base {
namespace {

struct Undone {
  std::mutex mutex;  // guards the list; held until the end by the thread that runs the cleanup
  std::list<std::function<void()>> list;
};

std::atomic<bool> is_ending = false;
thread_local bool ends_process = false;
std::atomic<Undone*> undone_of_process = nullptr;

void undo_all() {
  ends_process = true;
  is_ending = true;
  Undone& undone = *undone_of_process.load();
  const std::lock_guard lock(undone.mutex);
  for (; !undone.list.empty(); undone.list.pop_back()) undone.list.back()();
}

Undone& undone() {
  static const bool is_registered = [] {
    undone_of_process = new Undone;
    ::pthread_atfork(nullptr, nullptr, [] { undone_of_process = new Undone; });
    std::atexit(undo_all);
    return true;
  }();
  static_cast<void>(is_registered);
  return *undone_of_process.load();
}

}  // namespace

UndoneAtExit::UndoneAtExit(const std::function<void()>& begin, std::function<void()> undo)
    : fork_depth_(fork_depth()) {
  Undone& all = undone();
  stop_if_process_ends();
  const std::lock_guard lock(all.mutex);
  begin();
  all.list.push_back(std::move(undo));
  place_ = std::prev(all.list.end());
}

UndoneAtExit::~UndoneAtExit() {
  if (fork_depth_ != fork_depth() || ends_process) return;
  stop_if_process_ends();
  Undone& all = undone();
  const std::lock_guard lock(all.mutex);
  all.list.erase(place_);
}

void stop_if_process_ends() {
  if (is_ending && !ends_process) wait_for_process_end();
}

void wait_for_process_end() {
  while (true) ::pause();
}

}  // namespace numpy_plugin::base
