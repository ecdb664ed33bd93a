// Streams and events of the stub, whose work is synchronous, and copies and fills on streams.
#include <cuda.h>

#include <cstring>
#include <deque>

#include "load/stub_driver.hpp"

namespace {

// A unique address, freed with the driver: streams may outlive their context and are then never
// destroyed.
int* new_handle() {
  static std::deque<int> handles;
  return &handles.emplace_back();
}

}  // namespace

extern "C" {

numpy_plugin::StubState* npp_stub_state();

CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (npp_stub_state()->n_pushed == 0) return CUDA_ERROR_INVALID_CONTEXT;
  ++npp_stub_state()->n_streams;
  *stream = reinterpret_cast<CUstream>(new_handle());
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream) {
  --npp_stub_state()->n_streams;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamQuery(CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  ++npp_stub_state()->n_waits;
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  ++npp_stub_state()->n_events;
  *event = reinterpret_cast<CUevent>(new_handle());
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent) {
  --npp_stub_state()->n_events;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventQuery(CUevent) { return CUDA_SUCCESS; }

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t n_bytes, CUstream) {
  ++npp_stub_state()->n_copies;
  return cuMemcpyHtoD(to, from, n_bytes);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t n_bytes, CUstream) {
  ++npp_stub_state()->n_copies;
  return cuMemcpyDtoH(to, from, n_bytes);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t n_bytes, CUstream) {
  ++npp_stub_state()->n_copies;
  return cuMemcpyHtoD(to, reinterpret_cast<const void*>(from), n_bytes);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream) {
  if (copy->srcPitch < copy->WidthInBytes || copy->dstPitch < copy->WidthInBytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ++npp_stub_state()->n_copies;
  const auto* from = static_cast<const char*>(copy->srcMemoryType == CU_MEMORYTYPE_HOST
                                                  ? copy->srcHost
                                                  : reinterpret_cast<const void*>(copy->srcDevice));
  auto* to = static_cast<char*>(copy->dstMemoryType == CU_MEMORYTYPE_HOST
                                    ? copy->dstHost
                                    : reinterpret_cast<void*>(copy->dstDevice));
  for (std::size_t row = 0; row < copy->Height; ++row) {
    std::memcpy(to + row * copy->dstPitch, from + row * copy->srcPitch, copy->WidthInBytes);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value,
                           std::size_t width, std::size_t height, CUstream) {
  if (height > 1 && pitch < width) return CUDA_ERROR_INVALID_VALUE;
  ++npp_stub_state()->n_fills;
  for (std::size_t row = 0; row < height; ++row) {
    std::memset(reinterpret_cast<char*>(to) + row * pitch, value, width);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream) {
  if (to % 4 != 0 || (height > 1 && (pitch % 4 != 0 || pitch < 4 * width))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ++npp_stub_state()->n_fills;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      std::memcpy(reinterpret_cast<char*>(to) + row * pitch + 4 * i, &value, 4);
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t n, CUstream stream) {
  return cuMemsetD2D8Async(to, n, value, n, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t n, CUstream stream) {
  return cuMemsetD2D32Async(to, 4 * n, value, n, 1, stream);
}

}  // extern "C"
