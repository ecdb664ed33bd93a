// Entry points: contexts and each thread's stack of them.
#include "simulator/interface/objects/capture.hpp"

using namespace numpy_plugin::sim;

namespace {

// The top of the thread's stack, without checking that it is alive.
CUcontext current_handle() {
  const auto& stack = this_thread().contexts;
  return stack.empty() ? nullptr : stack.back();
}

// Makes a context that is current; the host's way of waiting is irrelevant here.
void create(CUcontext* handle, unsigned flags, CUdevice device) {
  require_pointer(handle);
  require((flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0, CUDA_ERROR_INVALID_VALUE,
          "a context has no such flag");
  *handle = make_context(find_device(device));
  this_thread().contexts.push_back(*handle);
}

void synchronize(const std::shared_ptr<Context>& context) {
  require_observable(context);
  context->synchronize();
  context->report_fault();
}

}  // namespace

// Tools observe what runs between the two; without one, they do nothing.
NPP_EXPORT CUresult cuProfilerStart() {
  return answer([] {});
}

NPP_EXPORT CUresult cuProfilerStop() {
  return answer([] {});
}

NPP_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return answer([&] {
    require_pointer(context);
    *context = find_device(device)->retain();
  });
}

NPP_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return answer([&] { find_device(device)->release(); });
}

NPP_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return answer([&] { find_device(device)->reset(); });
}

NPP_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned) {
  return answer([&] { find_device(device); });  // the host's way of waiting is irrelevant here
}

NPP_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return answer([&] {
    const bool is_active = find_device(device)->is_active();
    if (flags != nullptr) *flags = 0;
    if (active != nullptr) *active = is_active ? 1 : 0;
  });
}

NPP_EXPORT CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return answer([&] { create(context, flags, device); });
}

NPP_EXPORT CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinities,
                                   int n_affinities, unsigned flags, CUdevice device) {
  return answer([&] {
    require(affinities == nullptr && n_affinities == 0, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
            "a simulated device has no parts for contexts");
    create(context, flags, device);
  });
}

NPP_EXPORT CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters,
                                   unsigned flags, CUdevice device) {
  return answer([&] {
    require(parameters == nullptr, CUDA_ERROR_NOT_SUPPORTED,
            "a simulated device has no parts for contexts");
    create(context, flags, device);
  });
}

NPP_EXPORT CUresult cuCtxDestroy_v2(CUcontext handle) {
  return answer([&] {
    const auto context = contexts().find(handle);
    require(!context->device().is_primary(handle), CUDA_ERROR_INVALID_CONTEXT,
            "a primary context is released, not destroyed");
    auto& stack = this_thread().contexts;
    if (!stack.empty() && stack.back() == handle) stack.pop_back();
    destroy_context(handle);
  });
}

// There is one use to end, that of the context's creation: cuCtxAttach is refused.
NPP_EXPORT CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy_v2(context); }

NPP_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return answer([&] {
    contexts().find(context);
    this_thread().contexts.push_back(context);
  });
}

NPP_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return answer([&] {
    auto& stack = this_thread().contexts;
    require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT, "the thread has no current context");
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
  });
}

NPP_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  return answer([&] {
    if (context != nullptr) contexts().find(context);
    auto& stack = this_thread().contexts;
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(context);
  });
}

NPP_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  return answer([&] {
    require_pointer(context);
    *context = current_handle();
  });
}

NPP_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  return answer([&] {
    require_pointer(device);
    *device = current_context()->device().ordinal();
  });
}

NPP_EXPORT CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  if (context == nullptr) return cuCtxGetDevice(device);
  return answer([&] {
    require_pointer(device);
    *device = contexts().find(context)->device().ordinal();
  });
}

NPP_EXPORT CUresult cuCtxSynchronize() {
  return answer([] { synchronize(current_context()); });
}

NPP_EXPORT CUresult cuCtxSynchronize_v2(CUcontext context) {
  if (context == nullptr) return cuCtxSynchronize();
  return answer([&] { synchronize(contexts().find(context)); });
}

NPP_EXPORT CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return answer([&] {
    current_context();
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

NPP_EXPORT CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return answer([&] {
    require_pointer(value);
    *value = current_context()->limit(limit);
  });
}

NPP_EXPORT CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return answer([&] { current_context()->set_limit(limit, value); });
}

NPP_EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return answer([&] {
    require_pointer(version);
    if (context != nullptr) contexts().find(context);
    *version = 3020;  // of contexts, unchanged for years
  });
}

NPP_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  return answer([&] {
    require(flags == 0, CUDA_ERROR_INVALID_VALUE, "there are no flags of access to peers");
    const auto context = current_context();
    const auto peer = contexts().find(handle);
    require(peer != context, CUDA_ERROR_INVALID_CONTEXT, "a context is not its own peer");
    context->enable_peer(handle);
  });
}

NPP_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return answer([&] {
    contexts().find(peer);
    const auto context = current_context();
    require_observable(context);
    context->synchronize();  // kernels that use its memory
    context->disable_peer(peer);
  });
}

// Preferences, which GPUs may ignore, too: no cache is simulated, and banks have 4 bytes.
NPP_EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return answer([] { current_context(); });
}

NPP_EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache* preference) {
  return answer([&] {
    require_pointer(preference);
    current_context();
    *preference = CU_FUNC_CACHE_PREFER_NONE;
  });
}

NPP_EXPORT CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return answer([] { current_context(); });
}

NPP_EXPORT CUresult cuCtxGetSharedMemConfig(CUsharedconfig* preference) {
  return answer([&] {
    require_pointer(preference);
    current_context();
    *preference = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  });
}

NPP_EXPORT CUresult cuCtxResetPersistingL2Cache() {
  return answer([] { current_context(); });
}
