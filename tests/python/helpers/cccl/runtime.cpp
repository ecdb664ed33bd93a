// The part of the CUDA runtime that device_algorithms.cu needs, on the driver's functions: NVIDIA's
// runtime asks a driver for undocumented tables that the simulated one does not have.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <map>
#include <string>

namespace {

struct Kernel {
  void** image;  // as registered
  std::string name;
  CUfunction function = nullptr;  // nullptr before its first use
};

struct Configuration {
  dim3 grid, block;
  size_t n_shared = 0;
  void* stream = nullptr;
};

std::map<const void*, Kernel>& kernels() {
  static std::map<const void*, Kernel> kernels;
  return kernels;
}

Configuration g_configuration;
cudaError_t g_last_error = cudaSuccess;

// The runtime's numbers of errors are the driver's.
cudaError_t result(CUresult status) {
  const auto error = static_cast<cudaError_t>(status);
  if (error != cudaSuccess) g_last_error = error;
  return error;
}

CUdevice device() {
  static const CUdevice chosen = [] {
    CUdevice first = 0;
    CUcontext context = nullptr;
    cuInit(0);
    cuDeviceGet(&first, 0);
    cuDevicePrimaryCtxRetain(&context, first);
    cuCtxSetCurrent(context);
    return first;
  }();
  return chosen;
}

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

// Modules are loaded with the first of their kernels that is used.
CUmodule module_of(void** image) {
  static std::map<void**, CUmodule> modules;
  CUmodule& module = modules[image];
  if (module == nullptr) {
    device();
    result(cuModuleLoadData(&module, image));
  }
  return module;
}

CUfunction function_of(const void* kernel) {
  Kernel& found = kernels().at(kernel);
  if (found.function == nullptr)
    result(cuModuleGetFunction(&found.function, module_of(found.image), found.name.c_str()));
  return found.function;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* image) { return static_cast<void**>(image); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterFunction(void** image, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  kernels()[host] = {image, name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t n_shared, CUstream_st* stream) {
  g_configuration = {grid, block, n_shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* n_shared, void* stream) {
  *grid = g_configuration.grid;
  *block = g_configuration.block;
  *n_shared = g_configuration.n_shared;
  *static_cast<void**>(stream) = g_configuration.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t n_shared, cudaStream_t stream) {
  return result(cuLaunchKernel(function_of(kernel), grid.x, grid.y, grid.z, block.x, block.y,
                               block.z, static_cast<unsigned>(n_shared), stream, arguments,
                               nullptr));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  const dim3 grid = config->gridDim, block = config->blockDim;
  CUlaunchConfig launch = {};
  launch.gridDimX = grid.x;
  launch.gridDimY = grid.y;
  launch.gridDimZ = grid.z;
  launch.blockDimX = block.x;
  launch.blockDimY = block.y;
  launch.blockDimZ = block.z;
  launch.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  launch.hStream = config->stream;
  launch.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  launch.numAttrs = config->numAttrs;
  return result(cuLaunchKernelEx(&launch, function_of(kernel), arguments, nullptr));
}

cudaError_t cudaGetDevice(int* number) {
  *number = device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  device();
  return result(cuDeviceGetCount(count));
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return result(
      cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device()));
}
cudaError_t cudaDeviceSynchronize() { return result(cuCtxSynchronize()); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return result(cuStreamSynchronize(stream));
}

cudaError_t cudaMalloc(void** pointer, size_t n_bytes) {
  device();
  return result(cuMemAlloc(reinterpret_cast<CUdeviceptr*>(pointer), n_bytes));
}
cudaError_t cudaFree(void* pointer) { return result(cuMemFree(address(pointer))); }
cudaError_t cudaMemcpy(void* to, const void* from, size_t n_bytes, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice) return result(cuMemcpyHtoD(address(to), from, n_bytes));
  if (kind == cudaMemcpyDeviceToHost) return result(cuMemcpyDtoH(to, address(from), n_bytes));
  return result(cuMemcpy(address(to), address(from), n_bytes));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n_bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, n_bytes, kind);
}
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t n_bytes, cudaStream_t stream) {
  return result(
      cuMemsetD8Async(address(pointer), static_cast<unsigned char>(value), n_bytes, stream));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  const CUfunction function = function_of(kernel);
  const auto get = [&](CUfunction_attribute attribute) {
    int value = 0;
    result(cuFuncGetAttribute(&value, attribute, function));
    return value;
  };
  *attributes = {};
  attributes->sharedSizeBytes = static_cast<size_t>(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  attributes->maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  attributes->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
  attributes->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  attributes->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  return g_last_error;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, const void* kernel,
                                                                   int n_threads, size_t n_shared,
                                                                   unsigned flags) {
  return result(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, function_of(kernel), n_threads, n_shared, flags));
}

cudaError_t cudaPeekAtLastError() { return g_last_error; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = g_last_error;
  g_last_error = cudaSuccess;
  return error;
}
const char* cudaGetErrorString(cudaError_t error) {
  const char* text = "unknown";
  cuGetErrorString(static_cast<CUresult>(error), &text);
  return text;
}
const char* cudaGetErrorName(cudaError_t error) {
  const char* text = "unknown";
  cuGetErrorName(static_cast<CUresult>(error), &text);
  return text;
}

}  // extern "C"
