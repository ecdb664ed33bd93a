// Look-up of ongoing captures.
#include "simulator/interface/objects/ongoing_captures.hpp"

namespace numpy_plugin::sim {
namespace {

// Whether a stream of the capture is implicitly ordered with the context's legacy stream.
bool involves_legacy_stream(const Capture& capture, const Context& context) {
  return std::any_of(capture.ends.begin(), capture.ends.end(), [&](const auto& end) {
    return end.first->context().get() == &context && end.first->is_blocking();
  });
}

}  // namespace

void Captures::add(const CapturePointer& capture) {
  ongoing.push_back(capture);
  n_ongoing = ongoing.size();
}

void Captures::remove(const CapturePointer& capture) {
  std::erase(ongoing, capture);
  n_ongoing = ongoing.size();
}

Captures& captures() {
  static Captures& all = *new Captures;
  return all;
}

CapturePointer find_capture(const std::shared_ptr<Stream>& stream) {
  for (const CapturePointer& capture : captures().ongoing) {
    if (capture->ends.contains(stream)) return capture;
  }
  return nullptr;
}

bool is_ongoing(const CapturePointer& capture) {
  const auto& all = captures().ongoing;
  return std::find(all.begin(), all.end(), capture) != all.end();
}

bool involves(const Capture& capture, const Context& context) {
  return std::any_of(capture.ends.begin(), capture.ends.end(),
                     [&](const auto& end) { return end.first->context().get() == &context; });
}

void invalidate(const std::vector<CapturePointer>& broken, CUresult code, const char* report) {
  for (const CapturePointer& capture : broken) capture->is_invalidated = true;
  throw CallError(code, report);
}

void require_valid(const Capture& capture) {
  require(!capture.is_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "the capture of the stream was invalidated by an earlier call");
}

void require_usable(const std::shared_ptr<Stream>& stream, bool invalidates) {
  const Context& context = *stream->context();
  if (!context.is_legacy(stream)) return;
  auto concerned = captures_where(
      [&](const Capture& capture) { return involves_legacy_stream(capture, context); });
  if (concerned.empty()) return;
  if (!invalidates) concerned.clear();
  invalidate(concerned, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
             "the legacy stream is ordered with a blocking stream that is being captured");
}

CapturePointer find_active(const std::shared_ptr<Stream>& stream) {
  require_usable(stream, true);
  CapturePointer capture = find_capture(stream);
  if (capture != nullptr) require_valid(*capture);
  return capture;
}

}  // namespace numpy_plugin::sim
