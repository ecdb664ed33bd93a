// Entry points of the stub. Errors: those of real drivers when a rule is violated.
#include "load/stub_driver.hpp"

#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

namespace {

using numpy_plugin::StubLaunch;
using numpy_plugin::StubState;

StubState state;
std::map<CUdeviceptr, std::size_t> buffers;
// Texts of images. Freed with the driver: modules of destroyed contexts are never unloaded.
std::deque<std::string> modules;

CUcontext the_context() { return reinterpret_cast<CUcontext>(&state); }
bool has_context() { return state.n_pushed > 0; }

// Whether a copy stays within a live buffer.
bool is_inside(CUdeviceptr address, std::size_t n_bytes) {
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin()) return false;
  --next;
  return address + n_bytes <= next->first + next->second;
}

}  // namespace

extern "C" {

StubState* npp_stub_state() { return &state; }

CUresult cuInit(unsigned) { return static_cast<CUresult>(state.init_result); }

CUresult cuDriverGetVersion(int* version) {
  *version = state.version;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_OUT_OF_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == CUDA_ERROR_NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
          : error == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == CUDA_ERROR_NOT_FOUND     ? "CUDA_ERROR_NOT_FOUND"
          : error == CUDA_ERROR_INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
                                              : nullptr;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** words) {
  *words = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "words of the stub";
  const char* name = nullptr;
  return cuGetErrorName(error, &name);
}

CUresult cuDeviceGetCount(int* count) {
  *count = state.n_devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal >= state.n_devices) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  std::memcpy(uuid->bytes, "stub\x00\x11\x22\x33\x80\x90\xff", 12);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int n_bytes, CUdevice) {
  std::strncpy(name, "Stub GPU", static_cast<std::size_t>(n_bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuDeviceTotalMem(std::size_t* n_bytes, CUdevice) {
  *n_bytes = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ++state.n_contexts;
  *context = the_context();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  --state.n_contexts;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (context != the_context() || state.n_contexts == 0) return CUDA_ERROR_INVALID_CONTEXT;
  ++state.n_pushed;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (!has_context()) return CUDA_ERROR_INVALID_CONTEXT;
  --state.n_pushed;
  if (context != nullptr) *context = the_context();
  return CUDA_SUCCESS;
}

// Another library's context is current outside of this package's.
CUresult cuCtxGetCurrent(CUcontext* context) {
  static int other = 0;
  *context = has_context() ? the_context() : reinterpret_cast<CUcontext>(&other);
  return CUDA_SUCCESS;
}

// An image is text here: the name of its only kernel.
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (!has_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (*static_cast<const char*>(image) == '\0') return CUDA_ERROR_INVALID_IMAGE;
  ++state.n_modules;
  state.images.emplace_back(static_cast<const char*>(image));
  *module = reinterpret_cast<CUmodule>(&modules.emplace_back(state.images.back()));
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (*reinterpret_cast<std::string*>(module) != name) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) {
  if (!has_context()) return CUDA_ERROR_INVALID_CONTEXT;
  --state.n_modules;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t n_bytes) {
  if (!has_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (n_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (state.failing_allocation > 0 && --state.failing_allocation == 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  void* const memory = std::aligned_alloc(256, (n_bytes + 255) / 256 * 256);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  buffers[*address] = n_bytes;
  ++state.n_buffers;
  state.n_bytes += n_bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address) {
  const auto found = buffers.find(address);
  if (!has_context() || found == buffers.end()) return CUDA_ERROR_INVALID_VALUE;
  --state.n_buffers;
  state.n_bytes -= found->second;
  buffers.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t n_bytes) {
  if (!has_context() || !is_inside(to, n_bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(reinterpret_cast<void*>(to), from, n_bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t n_bytes) {
  if (state.copy_to_host_result != 0) return static_cast<CUresult>(state.copy_to_host_result);
  if (!has_context() || !is_inside(from, n_bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, reinterpret_cast<const void*>(from), n_bytes);
  return CUDA_SUCCESS;
}

#if !defined(NPP_STUB_WITHOUT_LAUNCH)
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned, unsigned, unsigned block_x,
                        unsigned, unsigned, unsigned, CUstream, void**, void** extra) {
  if (!has_context() || extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER ||
      extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE || extra[4] != CU_LAUNCH_PARAM_END) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (state.launch_result != 0) return static_cast<CUresult>(state.launch_result);
  const auto* const bytes = static_cast<const unsigned char*>(extra[1]);
  const std::size_t n_bytes = *static_cast<const std::size_t*>(extra[3]);
  state.launches.push_back({*reinterpret_cast<std::string*>(function), grid_x, block_x,
                            std::vector<unsigned char>(bytes, bytes + n_bytes)});
  if (state.kernel != nullptr) state.kernel(state.launches.back());
  return CUDA_SUCCESS;
}
#endif

}  // extern "C"
