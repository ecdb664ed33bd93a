// Opens the driver: library, entry points, initialization, devices.
#include "numpy_plugin/load/driver.hpp"

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::load {
namespace {

// cuda.h renames functions to their newest version by macros: the table must name the same
// versions, or the types would not match. Both versions of cuEventElapsedTime have the same
// parameters, and the second is missing in driver 12.0.
constexpr bool is_version_of(std::string_view name, std::string_view symbol) {
  return name == symbol || symbol == "cuEventElapsedTime";
}

#define NPP_TEXT(name) #name
#define NPP_DRIVER_FUNCTION(name, symbol) \
  static_assert(is_version_of(NPP_TEXT(name), symbol), "cuda.h has another version of it");
#include "numpy_plugin/load/driver.def"
#undef NPP_TEXT

constexpr int kOldestVersion = 12000;

std::string name_of(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return format("CUDA error {}", static_cast<int>(result));
  }
  return name;
}

// The error's name and the driver's description: "CUDA_ERROR_NO_DEVICE (no CUDA-capable ...)".
std::string describe(const Driver& driver, CUresult result) {
  const char* words = nullptr;
  if (driver.cuGetErrorString(result, &words) != CUDA_SUCCESS || words == nullptr) {
    return name_of(driver, result);
  }
  return format("{} ({})", name_of(driver, result), words);
}

std::string version_text(int version) {
  return format("{}.{}", version / 1000, version % 1000 / 10);
}

// Fills the table; returns the first missing symbol, or an empty name.
std::string_view find_entry_points(const system::DynamicLibrary& library, Driver& driver) {
#define NPP_DRIVER_FUNCTION(name, symbol) \
  if (!library.find(symbol, driver.name)) return symbol;
#include "numpy_plugin/load/driver.def"
  return {};
}

// Why a driver that lacks an entry point can't be used; empty where it can.
std::string why_too_old(const Driver& driver, std::string_view missing) {
  if (missing.empty() && driver.version >= kOldestVersion) return "";
  return format("the CUDA driver is too old: it is of version {}{}; the oldest that works is {}",
                version_text(driver.version),
                missing.empty() ? "" : format(" and has no {}", missing),
                version_text(kOldestVersion));
}

// "; CUDA_VISIBLE_DEVICES is '-1'", where a driver has no device; empty where it is unset.
std::string visibility_note() {
  const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
  return variable == nullptr ? "" : format("; CUDA_VISIBLE_DEVICES is '{}'", variable);
}

// Initializes the driver; returns why it has no usable device, empty where it has one. A simulator
// without devices is usable: they can be added.
std::string initialize(const Driver& driver) {
  if (const CUresult result = driver.cuInit(0); result != CUDA_SUCCESS) {
    if (result != CUDA_ERROR_NO_DEVICE) {
      const std::string report = driver.report();
      return format("the CUDA driver can't be initialized: {}{}", describe(driver, result),
                    report.empty() ? "" : ": " + report);
    }
    if (driver.is_simulator) return "";
    return format("there is a CUDA driver, but no GPU that it can use: {}{}",
                  describe(driver, result), visibility_note());
  }
  int n_devices = 0;
  if (const CUresult result = driver.cuDeviceGetCount(&n_devices); result != CUDA_SUCCESS) {
    return "the CUDA driver can't count its devices: " + describe(driver, result);
  }
  if (n_devices > 0) return "";
  return "there is a CUDA driver, but no GPU that it can use" + visibility_note();
}

constexpr const char* kForked =
    "this process was forked from one that uses CUDA, which does not work in the child; start it "
    "with multiprocessing's 'spawn' instead";

bool is_device_lost(CUresult result) {
  return result == CUDA_ERROR_DEVICE_UNAVAILABLE || result == CUDA_ERROR_ECC_UNCORRECTABLE;
}

// Errors of a driver that rejects the compiler's output.
bool is_refused_code(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

// The remedy for an error; empty where the driver's description suffices.
std::string remedy(const Driver& driver, CUresult result) {
  if (is_refused_code(result)) {
    const std::string major = std::to_string(driver.version / 1000);
    return format(
        "; this driver of CUDA {} loads machine code of NVRTC {} and PTX of NVRTC up to {}: pip "
        "install \"numpy_plugin[cuda{}]\", or install a newer driver",
        version_text(driver.version), major, version_text(driver.version), major);
  }
  if (driver.is_simulator)
    return is_device_lost(result) ? "; this simulated device stays lost" : "";
  return is_fault_of_kernel(result) || is_device_lost(result)
             ? "; CUDA does not recover from it: restart this process"
             : "";
}

base::ErrorKind kind_of(CUresult result, const std::string& report) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return base::ErrorKind::kDeviceMemory;
  const bool is_found = is_fault_of_kernel(result) && !report.empty() &&
                        !std::string_view(report).starts_with(kNppInjectedFault);
  return is_found ? base::ErrorKind::kSimulator : base::ErrorKind::kCuda;
}

// Detects the simulated driver by a function that only it exports.
void find_report(const system::DynamicLibrary& library, Driver& driver) {
  driver.is_simulator = library.find("npp_simulator_report", driver.read_report) &&
                        library.find("npp_simulator_describe_code", driver.describe_code);
}

}  // namespace

bool is_fault_of_kernel(CUresult result) {
  switch (result) {
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
      return true;
    default:
      return false;
  }
}

std::string Driver::report() const { return read_report == nullptr ? "" : read_report(); }

void Driver::fail(CUresult result, std::string_view what) const {
  if (system::has_interruption()) throw system::Interruption();
  if (!is_of_this_process()) {
    throw CudaError(base::ErrorKind::kCuda, kForked, result, name_of(*this, result));
  }
  const std::string details = report();  // before another call
  std::string message = format("the CUDA driver failed {}: {}{}", what, describe(*this, result),
                               remedy(*this, result));
  if (!details.empty()) message = format("{}\n{}", details, message);
  throw CudaError(kind_of(result, details), message, result, name_of(*this, result));
}

OpenedDriver open_driver(const std::string& file) {
  system::DynamicLibrary library(file);
  if (!library.is_open()) return {nullptr, "there is no CUDA driver: " + library.error()};
  auto driver = std::make_unique<Driver>();
  driver->fork_depth = system::fork_depth();
  find_report(library, *driver);
  const std::string_view missing = find_entry_points(library, *driver);
  if (driver->cuDriverGetVersion != nullptr) driver->cuDriverGetVersion(&driver->version);
  std::string reason = why_too_old(*driver, missing);
  if (!reason.empty()) {
    library.close();
    return {nullptr, std::move(reason)};
  }
  reason = initialize(*driver);
  if (!reason.empty()) return {nullptr, std::move(reason)};
  return {std::move(driver), ""};
}

struct OpenedDrivers {
  system::Mutex mutex;
  std::map<std::string, OpenedDriver> by_library;
};

FoundDriver find_driver_of(const std::string& library) {
  auto& [mutex, opened] = system::the_only<OpenedDrivers>();
  const std::lock_guard lock(mutex);
  const system::ForkHold hold;
  auto found = opened.find(library);
  if (found == opened.end()) found = opened.emplace(library, open_driver(library)).first;
  const auto& [driver, reason] = found->second;
  if (driver != nullptr && !driver->is_of_this_process()) return {nullptr, kForked};
  return {driver.get(), reason};
}

FoundDriver find_driver(const std::string& library) {
  const std::string choice = system::setting_text(system::Setting::kCuda);
  if (choice == "off") return {nullptr, "NUMPY_PLUGIN_CUDA is off"};
  if (choice != "simulator") return find_driver_of(library);
  const Simulator simulator = find_simulator();
  if (simulator.driver == nullptr || simulator.count_devices() > 0) {
    return {simulator.driver, simulator.reason};
  }
  return {nullptr, "the simulator has no device that this process sees" + visibility_note()};
}

}  // namespace numpy_plugin::load
