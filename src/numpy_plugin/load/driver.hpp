// The CUDA driver as a table of functions, opened at first use and never linked, so that the
// package works on machines without it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/load/cuda_functions.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "simulator/api/simulator_interface.hpp"

namespace numpy_plugin::load {

// A driver with at least one device. Its library is never unloaded.
struct Driver {
#define NPP_DRIVER_FUNCTION(name, symbol) decltype(&::name) name = nullptr;
#include "numpy_plugin/load/driver.def"
  int version = 0;          // 13020 for CUDA 13.2
  unsigned fork_depth = 0;  // of the process that initialized it: CUDA does not survive fork
  bool is_simulator = false;
  NppSimulatorReport* read_report = nullptr;  // these of the simulated driver
  NppSimulatorDescribeCode* describe_code = nullptr;

  // The simulated driver's report of this thread's last failed call; empty if it succeeded.
  std::string report() const;

  // Throws CudaError with the driver's error name and description, unless the call succeeded.
  // `what` was being done, as in "to copy 80 bytes".
  void check(CUresult result, std::string_view what) const {
    if (result != CUDA_SUCCESS) fail(result, what);
  }
  [[noreturn]] void fail(CUresult result, std::string_view what) const;

  bool is_of_this_process() const { return fork_depth == system::fork_depth(); }
};

// A failed driver call. The kind is kDeviceMemory where memory ran out, kSimulator where the
// simulated driver reports a fault of a kernel, else kCuda.
class CudaError : public base::Error {
 public:
  CudaError(base::ErrorKind kind, const std::string& message, CUresult code, std::string name)
      : base::Error(kind, message), code_(code), name_(std::move(name)) {}

  CUresult code() const { return code_; }
  const std::string& name() const { return name_; }  // "CUDA_ERROR_LAUNCH_FAILED"

 private:
  CUresult code_;
  std::string name_;
};

// Errors that abort a kernel. A GPU then fails all further calls of the process.
bool is_fault_of_kernel(CUresult result);

struct OpenedDriver {
  std::unique_ptr<const Driver> driver;
  std::string reason;  // set without a driver
};

// Opens and initializes a library, uncached.
OpenedDriver open_driver(const std::string& library);

struct FoundDriver {
  const Driver* driver = nullptr;  // valid for the process's lifetime
  std::string reason;              // set without a driver
};

// The driver of this process, selected by $NUMPY_PLUGIN_CUDA: "auto" (the default: that of the
// library), "simulator" or "off". Each library is opened once. Throws base::Error (kValue) for
// other values.
FoundDriver find_driver(const std::string& library = "libcuda.so.1");

// The driver of a library, regardless of the environment; opened once.
FoundDriver find_driver_of(const std::string& library);

// The simulated driver: a library of this package, opened like the driver's.

// Functions that the simulated driver adds to the driver API.
struct Simulator {
  const Driver* driver = nullptr;  // valid for the process's lifetime
  std::string reason;              // set without a simulator
  NppSimulatorCountDevices* count_devices = nullptr;
  NppSimulatorAddDevice* add_device = nullptr;
  NppSimulatorRemoveDevice* remove_device = nullptr;
  NppSimulatorSetOrigin* set_origin = nullptr;
  NppSimulatorReadCounters* read_counters = nullptr;
  NppSimulatorClassName* class_name = nullptr;
  NppSimulatorSetProfiled* set_profiled = nullptr;
  NppSimulatorReadProfile* read_profile = nullptr;
};

// Sets the library's path; call before it is first searched for.
void set_simulator_path(const std::string& path);

// Opens the library at the first call.
Simulator find_simulator();

}  // namespace numpy_plugin::load
