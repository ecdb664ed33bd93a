// Calls that are not possible during a capture.
#include <utility>

#include "simulator/interface/objects/ongoing_captures.hpp"

namespace numpy_plugin::sim {
namespace {

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// Whether a capture prohibits potentially unsafe calls of this thread.
bool prohibits(const Capture& capture) {
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (capture.thread == std::this_thread::get_id()) {
    return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  }
  return thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

// Throws where a capture that is chosen prohibits potentially unsafe calls.
template <typename Predicate>
void require_unprohibited(const Predicate& is_chosen) {
  const auto prohibiting = captures_where(
      [&](const Capture& capture) { return prohibits(capture) && is_chosen(capture); });
  if (prohibiting.empty()) return;
  invalidate(prohibiting, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             "the call is not allowed while a stream is being captured, in this mode");
}

// Waits and queries concern the captures of their own context, as measured on GPUs.
void require_unprohibited_in(const Context& context) {
  require_unprohibited([&](const Capture& capture) { return involves(capture, context); });
}

}  // namespace

void require_safe() {
  if (!has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  require_unprohibited([](const Capture&) { return true; });
}

void require_observable(const std::shared_ptr<Stream>& stream) {
  if (!has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  if (const CapturePointer capture = find_active(stream)) {
    invalidate({capture}, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "work of a stream that is being captured does not run: there is nothing to wait "
               "for");
  }
  require_unprohibited_in(*stream->context());
}

void require_observable(const std::shared_ptr<Context>& context) {
  if (!has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  const auto concerned =
      captures_where([&](const Capture& capture) { return involves(capture, *context); });
  if (concerned.empty()) return;
  invalidate(concerned, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             "a stream of the context is being captured");
}

void require_observable(const Event& event) {
  const auto captured = event.captured();
  if (!captured && !has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  if (captured) {
    invalidate({captured->capture}, CUDA_ERROR_CAPTURED_EVENT,
               "the event was last recorded in a capture");
  }
  require_unprohibited_in(*event.context());
}

void require_mode(CUstreamCaptureMode mode) {
  require(mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
              mode == CU_STREAM_CAPTURE_MODE_RELAXED,
          CUDA_ERROR_INVALID_VALUE, "there is no such mode of capture");
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) {
  require_mode(mode);
  return std::exchange(thread_mode, mode);
}

}  // namespace numpy_plugin::sim
