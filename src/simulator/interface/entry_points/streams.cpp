// Entry points: streams.
#include <algorithm>

#include "simulator/interface/objects/capture.hpp"

using namespace numpy_plugin::sim;

namespace {

void create(CUstream* handle, unsigned flags, int priority) {
  require_pointer(handle);
  require((flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0, CUDA_ERROR_INVALID_VALUE,
          "a stream has no other flag than CU_STREAM_NON_BLOCKING");
  *handle = streams().add(current_context()->make_stream(flags, priority));
}

}  // namespace

NPP_EXPORT CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return answer([&] { create(stream, flags, 0); });
}

NPP_EXPORT CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return answer(
      [&] { create(stream, flags, std::clamp(priority, kGreatestPriority, kLeastPriority)); });
}

NPP_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  return answer([&] {
    const auto removed = streams().remove(stream);
    abandon_capture(removed);
    removed->close();
  });
}

NPP_EXPORT CUresult cuStreamSynchronize(CUstream handle) {
  return answer([&] {
    const auto stream = find_stream(handle);
    require_observable(stream);
    stream->context()->synchronize(stream);
    stream->context()->report_fault();
  });
}

NPP_EXPORT CUresult cuStreamQuery(CUstream handle) {
  return answer([&] {
    const auto stream = find_stream(handle);
    require_observable(stream);
    require(stream->context()->is_idle(stream), CUDA_ERROR_NOT_READY);
    stream->context()->report_fault();
  });
}

NPP_EXPORT CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  return answer([&] {
    require((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) == 0, CUDA_ERROR_INVALID_VALUE,
            "a wait has no other flag than CU_EVENT_WAIT_EXTERNAL");
    wait_event(find_stream(handle), events().find(event), flags == CU_EVENT_WAIT_EXTERNAL);
  });
}

NPP_EXPORT CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return answer([&] {
    require_pointer(context);
    *context = find_stream(handle)->context()->handle();
  });
}

// No stream is of a green context.
NPP_EXPORT CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}

NPP_EXPORT CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return answer([&] {
    require_pointer(device);
    *device = find_stream(handle)->context()->device().ordinal();
  });
}

NPP_EXPORT CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return answer([&] {
    require_pointer(priority);
    *priority = find_stream(handle)->priority();
  });
}

NPP_EXPORT CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  return answer([&] {
    require_pointer(flags);
    *flags = find_stream(handle)->flags();
  });
}

NPP_EXPORT CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  return answer([&] { submit(find_stream(handle), host_work(function, data)); });
}

// The mode says how a GPU's driver waits for work of the host.
NPP_EXPORT CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void* data, unsigned) {
  return cuLaunchHostFunc(stream, function, data);
}
