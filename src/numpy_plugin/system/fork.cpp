// pthread_atfork handlers: the parent counts sections in progress, the child starts with none.
#include "numpy_plugin/system/fork.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::system {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kPause(50);
constexpr std::chrono::seconds kLongestWait(60);

std::atomic<unsigned> depth = 0;
std::atomic<int> n_sections = 0;  // of all threads
std::atomic<int> n_forking = 0;   // threads inside fork()
thread_local int n_own_sections = 0;

void wait_for_sections() {
  ++n_forking;
  const Clock::time_point deadline = Clock::now() + kLongestWait;
  while (n_sections > n_own_sections && Clock::now() < deadline)
    std::this_thread::sleep_for(kPause);
}

void go_on_in_parent() { --n_forking; }

void begin_in_child() {
  ++depth;
  n_sections = n_own_sections;
  n_forking = 0;
}

// Since the library was loaded: a registration at first use could itself be half done at a fork.
const int kRegistered = ::pthread_atfork(wait_for_sections, go_on_in_parent, begin_in_child);

}  // namespace

unsigned fork_depth() { return depth.load(std::memory_order_relaxed); }

ForkHold::ForkHold() {
  NPP_ASSERT(kRegistered == 0, std::to_string(kRegistered));
  ++n_sections;
  // A nested section is covered by the outer one, which fork() waits for already.
  while (n_own_sections == 0 && n_forking > 0) {
    --n_sections;
    while (n_forking > 0) std::this_thread::sleep_for(kPause);
    ++n_sections;
  }
  ++n_own_sections;
}

ForkHold::~ForkHold() {
  --n_own_sections;
  --n_sections;
}

void close_sections() {
  ++n_sections;  // of this thread, never left: others nest in it
  ++n_own_sections;
  wait_for_sections();
}

}  // namespace numpy_plugin::system
