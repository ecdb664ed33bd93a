// Shared by all entry points: inside, an error is an exception; outside, a code and a report that
// the thread can read.
#pragma once

#include <cuda.h>

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/forced_unwind.hpp"

// Before each function that the library exports.
#define NPP_EXPORT extern "C" __attribute__((visibility("default")))

namespace numpy_plugin::sim {

class Stream;

// A call fails. The report is what there is to say beyond the code's own words; a fault made on
// request has none, as it is for one of a real device.
class CallError : public std::exception {
 public:
  explicit CallError(CUresult code, std::string report = {})
      : code_(code), report_(std::move(report)) {}
  CUresult code() const { return code_; }
  const std::string& report() const { return report_; }
  const char* what() const noexcept override { return report_.c_str(); }

 private:
  CUresult code_;
  std::string report_;
};

// A thread's own default stream of a context, which owns it and outlives the thread's use of it.
struct ThreadStream {
  std::weak_ptr<Stream> stream;
  ~ThreadStream();
};

struct ThreadState {
  std::string report;                                 // of the last call
  std::string origin;                                 // what the thread says it is about to do
  std::vector<CUcontext> contexts;                    // pushed; the last is current
  std::map<CUcontext, ThreadStream> default_streams;  // CU_STREAM_PER_THREAD
  bool is_in_host_function = false;                   // of cuLaunchHostFunc
};

// Also works while the thread or the process ends.
ThreadState& this_thread();

// Name of an allocation in messages: what the thread said, else the entry point that made it.
std::string origin_text(const char* entry_point);

void set_initialized();
void begin_call();     // forgets the last call's report
void require_ready();  // throws where calls are of no use: before cuInit, after fork
CUresult fail_call();  // within a catch: the code of the exception, its report kept for the thread

// The answer of an entry point that does `function`.
template <typename Function>
CUresult answer(Function&& function) {
  begin_call();
  try {
    require_ready();
    function();
    return CUDA_SUCCESS;
  } catch (const base::ForcedUnwind&) {
    throw;
  } catch (...) {
    return fail_call();
  }
}

inline void require(bool condition, CUresult code, const char* report = "") {
  if (!condition) throw CallError(code, report);
}

// For results and arguments that must not be null.
inline void require_pointer(const void* pointer) {
  require(pointer != nullptr, CUDA_ERROR_INVALID_VALUE, "a pointer that is needed is null");
}

}  // namespace numpy_plugin::sim
