// Functions that differ from the simulated driver's: the version, the devices, and machine code.
#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "driver/counting_driver.hpp"

namespace counting_driver {
namespace {

// The simulated driver's function, looked up once.
#define REAL(name)                                                     \
  ([] {                                                                \
    static const auto real = counting_driver::simulated(#name, &name); \
    return real;                                                       \
  }())

// The simulated driver's first device stays unused.
constexpr int kFirstDevice = 1;

CUresult driver_version(int* version) {
  *version = settings().version;
  return CUDA_SUCCESS;
}

CUresult device_count(int* count) {
  *count = settings().n_devices;
  return CUDA_SUCCESS;
}

CUresult device(CUdevice* result, int ordinal) {
  if (ordinal < 0 || ordinal >= settings().n_devices) return CUDA_ERROR_INVALID_DEVICE;
  return REAL(cuDeviceGet)(result, ordinal + kFirstDevice);
}

CUresult device_name(char* name, int n_bytes, CUdevice number) {
  std::snprintf(name, static_cast<std::size_t>(n_bytes), "counting GPU %d", number - kFirstDevice);
  return CUDA_SUCCESS;
}

CUresult device_attribute(int* value, CUdevice_attribute name, CUdevice number) {
  if (name == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) {
    *value = settings().capability / 10;
  } else if (name == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) {
    *value = settings().capability % 10;
  } else {
    return REAL(cuDeviceGetAttribute)(value, name, number);
  }
  return CUDA_SUCCESS;
}

CUresult pointer_attribute(void* value, CUpointer_attribute name, CUdeviceptr address) {
  const CUresult result = REAL(cuPointerGetAttribute)(value, name, address);
  if (result == CUDA_SUCCESS && name == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
    *static_cast<int*>(value) -= kFirstDevice;
  }
  return result;
}

CUresult pointer_attributes(unsigned n, CUpointer_attribute* names, void** values,
                            CUdeviceptr address) {
  const CUresult result = REAL(cuPointerGetAttributes)(n, names, values, address);
  for (unsigned i = 0; result == CUDA_SUCCESS && i < n; ++i) {
    int* const ordinal = static_cast<int*>(values[i]);
    if (names[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && *ordinal >= kFirstDevice)
      *ordinal -= kFirstDevice;
  }
  return result;
}

CUresult make_pool(CUmemoryPool* pool, const CUmemPoolProps* wanted) {
  CUmemPoolProps properties = *wanted;
  properties.location.id += kFirstDevice;
  return REAL(cuMemPoolCreate)(pool, &properties);
}

// Modules and functions of machine code: addresses of these objects.
struct Objects {
  std::set<char*> modules;
  std::map<std::string, char> names;
};
Objects& machine_code() {
  static Objects* const made = new Objects;
  return *made;
}
bool is_machine_code(CUmodule module) {
  return machine_code().modules.contains(reinterpret_cast<char*>(module));
}
bool is_machine_code(CUfunction function) {
  return std::ranges::any_of(machine_code().names, [&](const auto& entry) {
    return reinterpret_cast<const char*>(function) == &entry.second;
  });
}

// Seen in cubins of NVRTC 12.9 and 13.5: ABI 7 up to sm_90 of CUDA 12, with the architecture in the
// lowest byte of the flags; ABI 8 in all others, with the architecture in the second byte, and 2
// for CUDA 12 or 4 for CUDA 13 in the lowest.
CUresult take_machine_code(CUmodule* module, const Elf64_Ehdr& header) {
  const bool is_old_abi = header.e_ident[EI_ABIVERSION] == 7;
  const unsigned lowest = header.e_flags & 0xff;
  const int architecture = static_cast<int>(is_old_abi ? lowest : header.e_flags >> 8 & 0xff);
  const bool is_new = !is_old_abi && lowest >= 4 && settings().version < 13000;
  const int capability = settings().capability;
  const bool runs = architecture / 10 == capability / 10 && architecture <= capability;
  if (is_new || !runs) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  char* const made = new char;
  machine_code().modules.insert(made);
  *module = reinterpret_cast<CUmodule>(made);
  return CUDA_SUCCESS;
}

// PTX 8.0 to 8.8 are those of CUDA 12.0 to 12.9, 9.x those of 13.x.
bool is_new_ptx(const char* text) {
  int major = 0, minor = 0;
  const char* const version = std::strstr(text, ".version");
  if (version == nullptr || std::sscanf(version, ".version %d.%d", &major, &minor) != 2)
    return false;
  return (major + 4) * 1000 + minor * 10 > settings().version;
}

CUresult load_module(CUmodule* module, const void* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) == 0) {
    return take_machine_code(module, *static_cast<const Elf64_Ehdr*>(image));
  }
  if (is_new_ptx(static_cast<const char*>(image))) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  return REAL(cuModuleLoadData)(module, image);
}

CUresult unload_module(CUmodule module) {
  if (!is_machine_code(module)) return REAL(cuModuleUnload)(module);
  machine_code().modules.erase(reinterpret_cast<char*>(module));
  delete reinterpret_cast<char*>(module);
  return CUDA_SUCCESS;
}

CUresult get_function(CUfunction* function, CUmodule module, const char* name) {
  if (!is_machine_code(module)) {
    return REAL(cuModuleGetFunction)(function, module, name);
  }
  *function = reinterpret_cast<CUfunction>(&machine_code().names[name]);
  return CUDA_SUCCESS;
}

CUresult get_function_attribute(int* value, CUfunction_attribute name, CUfunction function) {
  if (!is_machine_code(function)) {
    return REAL(cuFuncGetAttribute)(value, name, function);
  }
  *value = name == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                CUstream stream, void** parameters, void** extra) {
  if (is_machine_code(function)) return CUDA_SUCCESS;
  return REAL(cuLaunchKernel)(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                              shared_bytes, stream, parameters, extra);
}

}  // namespace

void* replacement(const std::string& symbol) {
  static const std::map<std::string, void*> kReplaced = {
      {"cuDriverGetVersion", reinterpret_cast<void*>(&driver_version)},
      {"cuDeviceGetCount", reinterpret_cast<void*>(&device_count)},
      {"cuDeviceGet", reinterpret_cast<void*>(&device)},
      {"cuDeviceGetName", reinterpret_cast<void*>(&device_name)},
      {"cuDeviceGetAttribute", reinterpret_cast<void*>(&device_attribute)},
      {"cuPointerGetAttribute", reinterpret_cast<void*>(&pointer_attribute)},
      {"cuPointerGetAttributes", reinterpret_cast<void*>(&pointer_attributes)},
      {"cuMemPoolCreate", reinterpret_cast<void*>(&make_pool)},
      {"cuModuleLoadData", reinterpret_cast<void*>(&load_module)},
      {"cuModuleUnload", reinterpret_cast<void*>(&unload_module)},
      {"cuModuleGetFunction", reinterpret_cast<void*>(&get_function)},
      {"cuFuncGetAttribute", reinterpret_cast<void*>(&get_function_attribute)},
      {"cuLaunchKernel", reinterpret_cast<void*>(&launch)},
  };
  const auto found = kReplaced.find(symbol);
  return found == kReplaced.end() ? nullptr : found->second;
}

}  // namespace counting_driver

// NVRTC 13.5 asks for it at each compilation; the product does not.
extern "C" CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  return REAL(cuGetExportTable)(table, id);
}
