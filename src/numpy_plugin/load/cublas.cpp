#include "numpy_plugin/load/cublas.hpp"

#include <memory>
#include <optional>

#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::load {
namespace {

constexpr int kAllocationFailed = 3;               // CUBLAS_STATUS_ALLOC_FAILED
constexpr int kMajor = 0, kMinor = 1, kPatch = 2;  // libraryPropertyType

struct CublasState {
  system::Mutex mutex;
  std::optional<FoundCublas> found;
};

// Leaked on purpose: threads may multiply while the process exits.
CublasState& cublas_state() { return system::the_only<CublasState>(); }

bool is_switched_off() { return system::setting_text(system::Setting::kCublas) == "off"; }

bool fill_functions(const system::DynamicLibrary& opened, Cublas& library) {
  bool is_complete = opened.find("cublasGetStatusName", library.cublasGetStatusName) &&
                     opened.find("cublasGetStatusString", library.cublasGetStatusString);
#define NPP_CUBLAS(name, symbol, parameters) is_complete &= opened.find(symbol, library.name);
#include "numpy_plugin/load/cublas.def"
  return is_complete;
}

std::string version_of(const Cublas& library) {
  std::string version;
  for (const int property : {kMajor, kMinor, kPatch}) {
    int number = 0;
    if (library.cublasGetProperty(property, &number) != 0) number = 0;
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version;
}

// nullptr, with the reason, where the file can't be used.
std::unique_ptr<const Cublas> open_cublas(const std::string& file, std::string& reason) {
  system::DynamicLibrary opened(file);
  if (!opened.is_open()) {
    reason = opened.error();
    return nullptr;
  }
  auto library = std::make_unique<Cublas>();
  if (!fill_functions(opened, *library)) {
    reason = opened.path() + " lacks functions of cuBLAS 12 and later";
    opened.close();
    return nullptr;
  }
  library->version = version_of(*library);
  library->path = opened.path();
  return library;
}

FoundCublas search(int driver_version) {
  std::string reason, first_reason;
  for (const jit::CudaLibraryFile& file : jit::find_cuda_libraries("cublas")) {
    if (file.major > driver_version / 1000) continue;
    std::unique_ptr<const Cublas> library = open_cublas(file.path, reason);
    if (library != nullptr) return {library.release(), ""};
    if (first_reason.empty()) first_reason = reason;
  }
  return {nullptr, format("there is no cuBLAS for the driver's CUDA {}: {}", driver_version / 1000,
                          first_reason)};
}

}  // namespace

void Cublas::check(int status, std::string_view what) const {
  if (status == 0) return;
  const std::string name = cublasGetStatusName(status);
  const bool is_memory = status == kAllocationFailed;
  const std::string message = format(
      "cuBLAS failed {}: {} ({}); {}set NUMPY_PLUGIN_CUBLAS=off for this package's own kernels",
      what, name, cublasGetStatusString(status), is_memory ? "free device memory, or " : "");
  throw CudaError(is_memory ? base::ErrorKind::kDeviceMemory : base::ErrorKind::kCuda, message,
                  is_memory ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN, name);
}

FoundCublas find_cublas(int driver_version) {
  if (is_switched_off()) return {nullptr, "NUMPY_PLUGIN_CUBLAS is off"};
  CublasState& state = cublas_state();
  const std::lock_guard lock(state.mutex);
  if (!state.found) {
    FoundCublas found = search(driver_version);
    const system::ForkHold hold;
    state.found = std::move(found);
  }
  return *state.found;
}

}  // namespace numpy_plugin::load
