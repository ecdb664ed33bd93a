// Entry points: contexts and each thread's stack of them.
#include "simulator/interface/objects/capture.hpp"

using namespace numpy_plugin::sim;

namespace {

// The top of the thread's stack, without checking that it is alive.
CUcontext current_handle() {
  const auto& stack = this_thread().contexts;
  return stack.empty() ? nullptr : stack.back();
}

void synchronize(const std::shared_ptr<Context>& context) {
  require_observable(context);
  context->synchronize();
  context->report_fault();
}

}  // namespace

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
