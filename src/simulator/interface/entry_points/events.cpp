// Entry points: events.
#include "simulator/interface/objects/event.hpp"

#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/objects/context.hpp"
#include "simulator/interface/objects/pool.hpp"

using namespace numpy_plugin::sim;

namespace {

constexpr unsigned kEventFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

std::shared_ptr<Event> the_event(CUevent handle) {
  auto event = events().find(handle);
  event->context()->require_device();
  return event;
}

// The recorded moment of an event with timing enabled.
std::shared_ptr<Moment> timed_moment(CUevent handle) {
  const auto event = the_event(handle);
  require_observable(*event);
  const auto moment = event->moment();
  require(event->is_timed(), CUDA_ERROR_INVALID_HANDLE, "an event was made without timing");
  require(moment != nullptr, CUDA_ERROR_INVALID_HANDLE, "an event was never recorded");
  require(moment->is_reached(), CUDA_ERROR_NOT_READY);
  return moment;
}

}  // namespace

NPP_EXPORT CUresult cuEventCreate(CUevent* handle, unsigned flags) {
  return answer([&] {
    require_pointer(handle);
    require((flags & ~kEventFlags) == 0, CUDA_ERROR_INVALID_VALUE, "an event has no such flag");
    require((flags & CU_EVENT_INTERPROCESS) == 0, CUDA_ERROR_NOT_SUPPORTED,
            "simulated devices are of one process alone");
    *handle = events().add(std::make_shared<Event>(current_context(), flags));
  });
}

NPP_EXPORT CUresult cuEventDestroy_v2(CUevent handle) {
  return answer([&] { events().remove(handle); });
}

NPP_EXPORT CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream_handle, unsigned flags) {
  return answer([&] {
    require((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) == 0, CUDA_ERROR_INVALID_VALUE,
            "a recording has no other flag than CU_EVENT_RECORD_EXTERNAL");
    const auto event = the_event(handle);
    const auto stream = find_stream(stream_handle, event->context());
    require(stream->context() == event->context(), CUDA_ERROR_INVALID_HANDLE,
            "the event and the stream are of different contexts");
    record_event(event, stream, flags == CU_EVENT_RECORD_EXTERNAL);
  });
}

NPP_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

NPP_EXPORT CUresult cuEventQuery(CUevent handle) {
  return answer([&] {
    const auto event = the_event(handle);
    require_observable(*event);
    const auto moment = event->moment();
    require(moment == nullptr || moment->is_reached(), CUDA_ERROR_NOT_READY);
    event->context()->report_fault();
  });
}

NPP_EXPORT CUresult cuEventSynchronize(CUevent handle) {
  return answer([&] {
    const auto event = the_event(handle);
    require_observable(*event);
    if (const auto moment = event->moment()) moment->wait();
    release_reserves(event->context()->device().ordinal());
    event->context()->report_fault();
  });
}

NPP_EXPORT CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return answer([&] {
    require_pointer(milliseconds);
    const auto first = timed_moment(start);
    const auto last = timed_moment(end);
    *milliseconds = std::chrono::duration<float, std::milli>(last->time() - first->time()).count();
  });
}

#undef cuEventElapsedTime
NPP_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
