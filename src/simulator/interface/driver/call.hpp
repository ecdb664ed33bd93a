// Shared by all entry points: internally an error is an exception; externally a code and a report
// that the thread can read.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/base/format.hpp"
#include "simulator/program/program.hpp"

// Precedes each exported function.
#define NPP_EXPORT extern "C" __attribute__((visibility("default")))

namespace numpy_plugin::sim {

// Findings written to the standard error, for programs that see only the driver's error codes.

enum class Finding : std::uint8_t { kFault, kError, kLeak };

// By default nothing is written.
void set_reported(Finding finding);
bool is_reported(Finding finding);

// Writes one finding, whatever is reported.
void write_finding(const std::string& text);

// The following write what is reported.
void report_fault(CUresult code, const std::string& text);
// A failed call of the function whose signature is given: "CUresult cuMemFree_v2(CUdeviceptr)".
void report_failed_call(const char* signature, CUresult code, const std::string& text);
// A failed call of the stand-in for nvJitLink: "int npp_simulator_nvJitLinkComplete(Handle)".
void report_failed_link(const char* signature, const std::string& text);

class Stream;

// A failed call. The report is information beyond the code's description. Injected faults have
// none, like those of a real device, except that of a launch names the kernel.
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

// A thread's default stream in a context, which owns it and outlives the thread's use of it.
struct ThreadStream {
  std::weak_ptr<Stream> stream;
  ~ThreadStream();
};

struct ThreadState {
  std::string report;                                 // of the last call
  std::string origin;                                 // the thread's announced operation
  CodeDescription next_code;                          // of the next module loaded
  std::vector<CUcontext> contexts;                    // pushed; the last is current
  std::map<CUcontext, ThreadStream> default_streams;  // CU_STREAM_PER_THREAD
  bool is_in_host_function = false;                   // of cuLaunchHostFunc
};

// Also works during thread and process exit.
ThreadState& this_thread();

// Name of an allocation in messages: the thread's announced operation, else the entry point.
std::string origin_text(const char* entry_point);

void set_initialized();
void begin_call();     // clears the last call's report
void require_ready();  // throws where calls are invalid: before cuInit, after fork
// In a catch: returns the exception's code and keeps its report.
CUresult fail_call(const std::source_location& entry_point = std::source_location::current());
// Result of the function `name`, which belongs to what is not simulated: "textures".
CUresult refuse_call(const char* name, const char* what);

// Result of an entry point that runs `function`.
template <typename Function>
CUresult answer(const std::source_location& entry_point, Function&& function) {
  begin_call();
  try {
    require_ready();
    function();
    return CUDA_SUCCESS;
  } catch (const base::ForcedUnwind&) {
    throw;
  } catch (...) {
    return fail_call(entry_point);
  }
}

template <typename Function>
CUresult answer(Function&& function,
                const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, function);
}

inline void require(bool condition, CUresult code, const char* report = "") {
  if (!condition) throw CallError(code, report);
}

// For results and arguments that must not be null.
inline void require_pointer(const void* pointer) {
  require(pointer != nullptr, CUDA_ERROR_INVALID_VALUE, "a pointer that is needed is null");
}

}  // namespace numpy_plugin::sim
