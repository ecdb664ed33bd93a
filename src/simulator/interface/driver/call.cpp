// State of threads and of the process that calls depend on.
#include "simulator/interface/driver/call.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

namespace numpy_plugin::sim {
namespace {

std::atomic<bool> is_initialized = false;
std::atomic<bool> is_forked = false;  // from a process that had called cuInit

// A plain pointer: calls made after its cleanup find it null rather than destroyed.
thread_local ThreadState* state = nullptr;

struct Cleaner {
  ~Cleaner() {
    delete state;
    state = nullptr;
  }
  void touch() {}
};
thread_local Cleaner cleaner;

}  // namespace

ThreadState& this_thread() {
  if (state == nullptr) {
    cleaner.touch();
    state = new ThreadState;
  }
  return *state;
}

std::string origin_text(const char* entry_point) {
  const std::string& origin = this_thread().origin;
  return origin.empty() ? entry_point : origin;
}

void set_initialized() {
  // The streams' threads do not exist in the child, and locks may be held forever.
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { is_forked = is_initialized.load(); });
  require(registered == 0, CUDA_ERROR_OPERATING_SYSTEM);
  is_initialized = true;
}

void begin_call() { this_thread().report.clear(); }

void require_ready() {
  require(!is_forked, CUDA_ERROR_NOT_INITIALIZED,
          "this process was forked from one that uses the simulated driver, which does not work in "
          "the child");
  require(is_initialized, CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called");
  require(!this_thread().is_in_host_function, CUDA_ERROR_NOT_PERMITTED,
          "a function of cuLaunchHostFunc calls the driver");
}

CUresult fail_call(const std::source_location& entry_point) {
  const auto fail = [&](CUresult code, const char* report) {
    this_thread().report = report;
    report_failed_call(entry_point.function_name(), code, this_thread().report);
    return code;
  };
  try {
    throw;
  } catch (const CallError& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(CUDA_ERROR_OUT_OF_MEMORY, "the host is out of memory");
  } catch (const std::exception& error) {
    return fail(CUDA_ERROR_UNKNOWN, error.what());
  }
}

CUresult refuse_call(const char* name, const char* what) {
  const auto refuse = [&](CUresult code, const std::string& reason) {
    this_thread().report = format("{}: {}", name, reason);
    report_failed_call(name, code, reason);
    return code;
  };
  begin_call();
  try {
    require_ready();
  } catch (const CallError& error) {
    return refuse(error.code(), error.report());
  }
  return refuse(CUDA_ERROR_NOT_SUPPORTED, format("{} are not simulated", what));
}

}  // namespace numpy_plugin::sim
