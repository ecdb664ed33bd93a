// Opening the driver: the library, its entry points, its initialization, a device.
#include "numpy_plugin/load/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::load {
namespace {

// cuda.h renames functions to their newest version by macros: the table must name the same ones,
// or the types would be those of other functions. Both versions of cuEventElapsedTime have the same
// parameters, and the second is not in driver 12.0.
constexpr bool is_version_of(std::string_view name, std::string_view symbol) {
  return name == symbol || symbol == "cuEventElapsedTime";
}

#define NPP_TEXT(name) #name
#define NPP_DRIVER_FUNCTION(name, symbol) \
  static_assert(is_version_of(NPP_TEXT(name), symbol), "cuda.h has another version of it");
#include "numpy_plugin/load/driver.def"
#undef NPP_TEXT

// The error's name and the driver's words for it: "CUDA_ERROR_NO_DEVICE (no CUDA-capable ...)".
std::string describe(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* words = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return "CUDA error " + std::to_string(static_cast<int>(result));
  }
  if (driver.cuGetErrorString(result, &words) != CUDA_SUCCESS || words == nullptr) return name;
  return std::string(name) + " (" + words + ")";
}

// Fills the table; the symbol that is missing, or nothing.
std::string_view find_entry_points(void* library, Driver& driver) {
#define NPP_DRIVER_FUNCTION(name, symbol)                                    \
  driver.name = reinterpret_cast<decltype(&::name)>(dlsym(library, symbol)); \
  if (driver.name == nullptr) return symbol;
#include "numpy_plugin/load/driver.def"
  return {};
}

// Why the driver has nothing to work with; empty where it has.
std::string initialize(const Driver& driver) {
  if (const CUresult result = driver.cuInit(0); result != CUDA_SUCCESS) {
    return "the CUDA driver can't be initialized: " + describe(driver, result);
  }
  int n_devices = 0;
  if (const CUresult result = driver.cuDeviceGetCount(&n_devices); result != CUDA_SUCCESS) {
    return "the CUDA driver can't count its devices: " + describe(driver, result);
  }
  return n_devices > 0 ? "" : "the CUDA driver has no device";
}

// Whether $NUMPY_PLUGIN_CUDA allows a driver.
bool is_allowed() {
  const char* const variable = std::getenv("NUMPY_PLUGIN_CUDA");
  const std::string word = variable == nullptr || *variable == '\0' ? "auto" : variable;
  if (word == "auto") return true;
  if (word == "off") return false;
  const std::string found = "NUMPY_PLUGIN_CUDA is '" + word + "'";
  throw base::Error(base::ErrorKind::kValue,
                    (word == "simulator" ? found + ", but this version has no simulator" : found) +
                        "; expected auto or off");
}

}  // namespace

void Driver::check(CUresult result, const std::string& what) const {
  if (result == CUDA_SUCCESS) return;
  const auto kind =
      result == CUDA_ERROR_OUT_OF_MEMORY ? base::ErrorKind::kDeviceMemory : base::ErrorKind::kCuda;
  throw base::Error(kind, "the CUDA driver failed " + what + ": " + describe(*this, result));
}

OpenedDriver open_driver(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const words = ::dlerror();
    return {nullptr, "there is no CUDA driver: " + std::string(words == nullptr ? library : words)};
  }
  auto driver = std::make_unique<Driver>();
  driver->process = ::getpid();
  if (const std::string_view missing = find_entry_points(handle, *driver); !missing.empty()) {
    ::dlclose(handle);
    return {nullptr,
            "the CUDA driver '" + library + "' is too old: it has no " + std::string(missing)};
  }
  std::string reason = initialize(*driver);
  if (!reason.empty()) return {nullptr, std::move(reason)};
  return {std::move(driver), ""};
}

FoundDriver find_driver(const std::string& library) {
  if (!is_allowed()) return {nullptr, "NUMPY_PLUGIN_CUDA is off"};
  // Never destroyed: device memory may be freed while the process ends.
  static std::mutex& mutex = *new std::mutex;
  static auto& opened = *new std::map<std::string, OpenedDriver>;
  const std::lock_guard lock(mutex);
  auto found = opened.find(library);
  if (found == opened.end()) found = opened.emplace(library, open_driver(library)).first;
  const auto& [driver, reason] = found->second;
  if (driver != nullptr && driver->process != ::getpid()) {
    return {nullptr,
            "this process was forked from one that uses CUDA, which does not work in the child; "
            "start it with multiprocessing's 'spawn' instead"};
  }
  return {driver.get(), reason};
}

}  // namespace numpy_plugin::load
