// The CUDA driver as a table of functions, opened when first asked for and never linked, so that
// the package works on machines without it.
#pragma once

#include <cuda.h>
#include <sys/types.h>

#include <memory>
#include <string>

namespace numpy_plugin::load {

// A driver with at least one device. Its library stays loaded for the life of the process.
struct Driver {
#define NPP_DRIVER_FUNCTION(name, symbol) decltype(&::name) name = nullptr;
#include "numpy_plugin/load/driver.def"
  pid_t process = 0;  // the one it was initialized in: CUDA does not survive fork

  // Throws base::Error (kDeviceMemory where memory ran out, else kCuda) with the driver's name and
  // words for the error, unless there is none. `what` was being done, as in "to copy 80 bytes".
  void check(CUresult result, const std::string& what) const;
};

struct OpenedDriver {
  std::unique_ptr<const Driver> driver;
  std::string reason;  // why there is none
};

// Opens a library and initializes it, each time anew.
OpenedDriver open_driver(const std::string& library);

struct FoundDriver {
  const Driver* driver = nullptr;  // for the life of the process
  std::string reason;              // why there is none
};

// The driver of this process as $NUMPY_PLUGIN_CUDA says: "auto" (the default) or "off". Each
// library is opened once. Throws base::Error (kValue) for another word.
FoundDriver find_driver(const std::string& library = "libcuda.so.1");

}  // namespace numpy_plugin::load
