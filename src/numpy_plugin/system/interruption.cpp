#include "numpy_plugin/system/interruption.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace numpy_plugin::system {
namespace {

std::atomic<InterruptionTest*> test = nullptr;

thread_local bool is_told = false;
thread_local std::atomic<bool>* shared = nullptr;

}  // namespace

void set_interruption_test(InterruptionTest* wanted) { test = wanted; }

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

bool can_be_interrupted() { return test.load(std::memory_order_relaxed) != nullptr; }

std::atomic<bool> was_ever_interrupted = false;

bool is_thread_interrupted() {
  return is_told || (shared != nullptr && shared->load(std::memory_order_relaxed));
}

bool is_interrupted() {
  if (has_interruption()) return true;
  InterruptionTest* const ask = test.load();
  if (ask == nullptr || !ask()) return false;
  was_ever_interrupted = true;
  is_told = true;
  if (shared != nullptr) *shared = true;
  return true;
}

void throw_if_interrupted() {
  if (is_interrupted()) throw Interruption();
}

void clear_interruption() { is_told = false; }

SharedInterruption::SharedInterruption(std::atomic<bool>& flag) : before_(shared) {
  shared = &flag;
}

SharedInterruption::~SharedInterruption() { shared = before_; }

}  // namespace numpy_plugin::system
