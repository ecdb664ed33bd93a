// Captures: their beginning and end, and the work in between.
#include "simulator/interface/objects/capture.hpp"

#include <set>
#include <utility>

#include "simulator/interface/objects/ongoing_captures.hpp"

namespace numpy_plugin::sim {
namespace {

void add_dependencies(std::vector<const GraphNode*>& to,
                      const std::vector<const GraphNode*>& more) {
  for (const GraphNode* node : more) {
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
  }
}

void add_node(Capture& capture, const std::shared_ptr<Stream>& stream, StreamWork work) {
  auto& end = capture.ends.at(stream);
  end = {capture.graph->add(std::move(work), stream->context(), std::move(end))};
}

// Whether the origin's next node would come after everything that other streams did.
bool is_joined(const Capture& capture) {
  std::set<const GraphNode*> before;
  std::vector<const GraphNode*> open = capture.ends.at(capture.origin);
  while (!open.empty()) {
    const GraphNode* const node = open.back();
    open.pop_back();
    if (!before.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::all_of(capture.ends.begin(), capture.ends.end(), [&](const auto& end) {
    return std::all_of(end.second.begin(), end.second.end(),
                       [&](const GraphNode* node) { return before.contains(node); });
  });
}

void join(const std::shared_ptr<Stream>& stream, const CapturedMoment& moment) {
  const CapturePointer& capture = moment.capture;
  require_valid(*capture);
  if (stream->context()->is_legacy(stream)) {
    invalidate({capture}, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "the legacy stream can't be captured");
  }
  add_dependencies(capture->ends[stream], moment.nodes);
}

void wait_captured(const std::shared_ptr<Stream>& stream, const CapturePointer& capture,
                   const CapturedMoment& moment) {
  const bool is_known = is_ongoing(moment.capture);
  if (capture == nullptr) {
    require(is_known, CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a capture that ended");
    return join(stream, moment);
  }
  if (!is_known) {
    invalidate({capture}, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
               "the event was recorded in another capture, which has ended");
  }
  if (moment.capture != capture) {
    invalidate({capture, moment.capture}, CUDA_ERROR_STREAM_CAPTURE_MERGE,
               "the event was recorded in another capture");
  }
  add_dependencies(capture->ends.at(stream), moment.nodes);
}

}  // namespace

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode) {
  require_mode(mode);
  require(!stream->context()->is_legacy(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "the legacy stream can't be captured");
  const std::lock_guard lock(captures().mutex);
  require(find_capture(stream) == nullptr, CUDA_ERROR_ILLEGAL_STATE,
          "the stream is being captured already");
  captures().add(std::make_shared<Capture>(stream, mode, ++captures().last_id));
}

CUgraph end_capture(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(captures().mutex);
  const CapturePointer capture = find_capture(stream);
  require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE, "the stream is not being captured");
  if (capture->origin != stream) {
    invalidate({capture}, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
               "the capture was begun on another stream");
  }
  require(capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
              capture->thread == std::this_thread::get_id(),
          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture was begun by another thread");
  captures().remove(capture);
  const bool is_whole = !capture->is_invalidated && is_joined(*capture);
  capture->ends.clear();
  capture->graph.reset();  // events may keep the capture
  if (is_whole) return capture->handle;
  graphs().remove(capture->handle);
  require_valid(*capture);
  throw CallError(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                  "the stream does not wait for all work of the other captured streams");
}

void abandon_capture(const std::shared_ptr<Stream>& stream) {
  if (!has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  const CapturePointer capture = find_capture(stream);
  if (capture == nullptr) return;
  capture->is_invalidated = true;
  if (capture->origin != stream) return;
  captures().remove(capture);
  graphs().remove(capture->handle);
}

void abandon_captures(const std::shared_ptr<Context>& context) {
  if (!has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  for (const CapturePointer& capture :
       captures_where([&](const Capture& other) { return involves(other, *context); })) {
    captures().remove(capture);
    graphs().remove(capture->handle);
  }
}

CaptureInfo capture_info(const std::shared_ptr<Stream>& stream) {
  if (!has_captures()) return {};
  const std::lock_guard lock(captures().mutex);
  require_usable(stream, false);
  const CapturePointer capture = find_capture(stream);
  if (capture == nullptr) return {};
  if (capture->is_invalidated) return {CU_STREAM_CAPTURE_STATUS_INVALIDATED, 0, nullptr, {}};
  CaptureInfo info = {CU_STREAM_CAPTURE_STATUS_ACTIVE, capture->id, capture->handle, {}};
  for (const GraphNode* node : capture->ends.at(stream)) info.dependencies.push_back(node->handle);
  return info;
}

bool is_capturing(const std::shared_ptr<Stream>& stream) {
  if (!has_captures()) return false;
  const std::lock_guard lock(captures().mutex);
  return find_active(stream) != nullptr;
}

void submit(const std::shared_ptr<Stream>& stream, StreamWork work) {
  if (has_captures()) {
    const std::lock_guard lock(captures().mutex);
    if (const CapturePointer capture = find_active(stream)) {
      return add_node(*capture, stream, std::move(work));
    }
  }
  stream->context()->submit(stream, work.task(stream));
}

void record_event(const std::shared_ptr<Event>& event, const std::shared_ptr<Stream>& stream,
                  bool is_external) {
  if (has_captures() && !is_external) {
    const std::lock_guard lock(captures().mutex);
    if (const CapturePointer capture = find_active(stream)) {
      return event->record(CapturedMoment{capture, capture->ends.at(stream)});
    }
  }
  const auto record = [event](const std::shared_ptr<Stream>& runner) -> Task {
    const auto moment = event->record(runner);
    return {[moment] { moment->reach(); }, false};
  };
  submit(stream, {CU_GRAPH_NODE_TYPE_EVENT_RECORD, record});
}

void wait_event(const std::shared_ptr<Stream>& stream, const std::shared_ptr<Event>& event,
                bool is_external) {
  const auto captured = event->captured();
  if (has_captures() || captured) {
    const std::lock_guard lock(captures().mutex);
    const CapturePointer capture = find_active(stream);
    if (captured) return wait_captured(stream, capture, *captured);
    if (capture == nullptr) {
      is_external = false;
    } else if (!is_external) {
      invalidate({capture}, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                 "the event was not recorded in the capture of the stream");
    }
  }
  if (!is_external && event->moment() == nullptr) return;
  const auto wait = [event](const auto&) -> Task {
    const auto moment = event->moment();
    return {[moment] {
              if (moment != nullptr) moment->wait();
            },
            false};
  };
  submit(stream, {CU_GRAPH_NODE_TYPE_WAIT_EVENT, wait});
}

}  // namespace numpy_plugin::sim
