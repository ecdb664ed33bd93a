// Entry points: resources of functions, and their occupancy.
#include <algorithm>

#include "simulator/interface/objects/module.hpp"

using namespace numpy_plugin::sim;

namespace {

// A kernel in the primary context of a device.
std::shared_ptr<LoadedFunction> find_kernel_on(CUkernel kernel, CUdevice device) {
  const auto current = current_context();
  if (current->device().ordinal() == device) return find_kernel(kernel, current);
  for (const auto& context : contexts().all()) {
    if (context->device().ordinal() == device) return find_kernel(kernel, context);
  }
  find_device(device);
  throw CallError(CUDA_ERROR_INVALID_CONTEXT, "the device has no context");
}

void find_parameter(const LoadedFunction& function, std::size_t index, std::size_t* offset,
                    std::size_t* n_bytes) {
  const auto& parameters = function.code().parameters;
  require(index < parameters.size(), CUDA_ERROR_INVALID_VALUE, "the function has fewer parameters");
  require_pointer(offset);
  *offset = parameters[index].offset;
  if (n_bytes != nullptr) *n_bytes = parameters[index].n_bytes;
}

// The block size with the most resident threads, and the number of blocks that fills the device.
void find_best_block(const LoadedFunction& function, CUoccupancyB2DSize shared_of,
                     std::size_t shared, int limit, int* n_blocks, int* best) {
  const Architecture& architecture = function.context()->device().architecture();
  const int most = limit > 0 ? std::min(limit, function.max_threads()) : function.max_threads();
  int most_resident = 0;
  for (int n_threads = std::max(most / kWarpSize * kWarpSize, 1); n_threads > 0;
       n_threads -= kWarpSize) {
    const std::size_t bytes = shared_of == nullptr ? shared : shared_of(n_threads);
    const int resident = n_threads * function.n_resident_blocks(n_threads, bytes);
    if (resident <= most_resident) continue;
    most_resident = resident;
    *best = n_threads;
    *n_blocks = resident / n_threads * architecture.n_multiprocessors;
  }
}

}  // namespace

NPP_EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                       CUfunction function) {
  return answer([&] {
    require_pointer(value);
    *value = find_function(function)->attribute(attribute);
  });
}

NPP_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                       int value) {
  return answer([&] { find_function(function)->set_attribute(attribute, value); });
}

NPP_EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return answer([&] { find_function(function); });  // no cache is simulated
}

NPP_EXPORT CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return answer([&] { find_function(function); });  // banks have 4 bytes, as since sm_50
}

NPP_EXPORT CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice device) {
  return answer([&] { find_kernel_on(kernel, device); });
}

// Modules are loaded as a whole.
NPP_EXPORT CUresult cuFuncLoad(CUfunction function) {
  return answer([&] { find_function(function); });
}

NPP_EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return answer([&] {
    require_pointer(state);
    find_function(function);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

// The next two are for cuLaunchGrid, which is refused; PyCUDA calls them before cuLaunchKernel, to
// which it gives the same values.
NPP_EXPORT CUresult cuFuncSetBlockShape(CUfunction function, int, int, int) {
  return answer([&] { find_function(function); });
}

NPP_EXPORT CUresult cuFuncSetSharedSize(CUfunction function, unsigned) {
  return answer([&] { find_function(function); });
}

NPP_EXPORT CUresult cuFuncGetName(const char** name, CUfunction function) {
  return answer([&] {
    require_pointer(name);
    *name = find_function(function)->code().name.c_str();
  });
}

NPP_EXPORT CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                                       std::size_t* n_bytes) {
  return answer([&] { find_parameter(*find_function(function), index, offset, n_bytes); });
}

NPP_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset,
                                         std::size_t* n_bytes) {
  return answer(
      [&] { find_parameter(*find_kernel(kernel, current_context()), index, offset, n_bytes); });
}

NPP_EXPORT CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute,
                                         CUkernel kernel, CUdevice device) {
  return answer([&] {
    require_pointer(value);
    *value = find_kernel_on(kernel, device)->attribute(attribute);
  });
}

NPP_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                         CUdevice device) {
  return answer([&] { find_kernel_on(kernel, device)->set_attribute(attribute, value); });
}

NPP_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n_blocks, CUfunction function,
                                                                int n_threads,
                                                                std::size_t shared_bytes) {
  return answer([&] {
    require_pointer(n_blocks);
    require(n_threads > 0, CUDA_ERROR_INVALID_VALUE, "a block has at least one thread");
    *n_blocks = find_function(function)->n_resident_blocks(n_threads, shared_bytes);
  });
}

NPP_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* n_blocks, CUfunction function, int n_threads, std::size_t shared_bytes, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(n_blocks, function, n_threads, shared_bytes);
}

NPP_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int* n_blocks, int* n_threads,
                                                     CUfunction function,
                                                     CUoccupancyB2DSize shared_of,
                                                     std::size_t shared_bytes, int limit) {
  return answer([&] {
    require_pointer(n_blocks);
    require_pointer(n_threads);
    *n_blocks = *n_threads = 0;
    find_best_block(*find_function(function), shared_of, shared_bytes, limit, n_blocks, n_threads);
    require(*n_threads > 0, CUDA_ERROR_INVALID_VALUE, "not even one thread fits");
  });
}

NPP_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* n_blocks, int* n_threads,
                                                              CUfunction function,
                                                              CUoccupancyB2DSize shared_of,
                                                              std::size_t shared_bytes, int limit,
                                                              unsigned) {
  return cuOccupancyMaxPotentialBlockSize(n_blocks, n_threads, function, shared_of, shared_bytes,
                                          limit);
}
