// Ongoing captures. A lock covers all of them; calls outside of captures only read their number.
#include "simulator/interface/objects/capture.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace numpy_plugin::sim {

// A capture, which several streams may take part in. It lasts until ended for its first stream.
class Capture {
 public:
  Capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode, std::uint64_t id)
      : origin(stream), mode(mode), id(id) {
    handle = graphs().add(graph);
    ends[stream] = {};
  }

  const std::shared_ptr<Stream> origin;
  const CUstreamCaptureMode mode;
  const std::uint64_t id;
  const std::thread::id thread = std::this_thread::get_id();
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  CUgraph handle = nullptr;
  bool is_invalidated = false;
  // Dependencies of each stream's next node.
  std::map<std::shared_ptr<Stream>, std::vector<const GraphNode*>> ends;
};

namespace {

using CapturePointer = std::shared_ptr<Capture>;

struct Captures {
  std::mutex mutex;
  std::vector<CapturePointer> ongoing;
  std::atomic<std::size_t> n_ongoing = 0;
  std::uint64_t last_id = 0;

  void remove(const CapturePointer& capture) {
    std::erase(ongoing, capture);
    n_ongoing = ongoing.size();
  }
};

Captures& captures() {
  static Captures& all = *new Captures;
  return all;
}

bool has_captures() { return captures().n_ongoing.load() > 0; }

// The functions below require the lock.

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

// Whether a stream of the capture is implicitly ordered with the context's legacy stream.
bool involves_legacy_stream(const Capture& capture, const Context& context) {
  return std::any_of(capture.ends.begin(), capture.ends.end(), [&](const auto& end) {
    return end.first->context().get() == &context && end.first->is_blocking();
  });
}

bool involves(const Capture& capture, const Context& context) {
  return std::any_of(capture.ends.begin(), capture.ends.end(),
                     [&](const auto& end) { return end.first->context().get() == &context; });
}

[[noreturn]] void invalidate(const std::vector<CapturePointer>& broken, CUresult code,
                             const char* report) {
  for (const CapturePointer& capture : broken) capture->is_invalidated = true;
  throw CallError(code, report);
}

void require_valid(const CapturePointer& capture) {
  require(!capture->is_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "the capture of the stream was invalidated by an earlier call");
}

template <typename Predicate>
std::vector<CapturePointer> captures_where(const Predicate& predicate) {
  std::vector<CapturePointer> found;
  for (const CapturePointer& capture : captures().ongoing) {
    if (predicate(*capture)) found.push_back(capture);
  }
  return found;
}

void require_legacy_stream(const std::shared_ptr<Stream>& stream, bool invalidates) {
  const Context& context = *stream->context();
  if (!context.is_legacy(stream)) return;
  auto concerned = captures_where(
      [&](const Capture& capture) { return involves_legacy_stream(capture, context); });
  if (concerned.empty()) return;
  if (!invalidates) concerned.clear();
  invalidate(concerned, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
             "the legacy stream is ordered with a blocking stream that is being captured");
}

// The valid capture that the stream is part of; nullptr where there is none.
CapturePointer find_active(const std::shared_ptr<Stream>& stream) {
  require_legacy_stream(stream, true);
  CapturePointer capture = find_capture(stream);
  if (capture != nullptr) require_valid(capture);
  return capture;
}

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
  require_valid(capture);
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

bool is_mode(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
         mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}

}  // namespace

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode) {
  require(is_mode(mode), CUDA_ERROR_INVALID_VALUE, "there is no such mode of capture");
  require(!stream->context()->is_legacy(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "the legacy stream can't be captured");
  const std::lock_guard lock(captures().mutex);
  require(find_capture(stream) == nullptr, CUDA_ERROR_ILLEGAL_STATE,
          "the stream is being captured already");
  auto& all = captures();
  all.ongoing.push_back(std::make_shared<Capture>(stream, mode, ++all.last_id));
  all.n_ongoing = all.ongoing.size();
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
  require_valid(capture);
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
  require_legacy_stream(stream, false);
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

void record_event(const std::shared_ptr<Event>& event, const std::shared_ptr<Stream>& stream) {
  if (has_captures()) {
    const std::lock_guard lock(captures().mutex);
    if (const CapturePointer capture = find_active(stream)) {
      return event->record(CapturedMoment{capture, capture->ends.at(stream)});
    }
  }
  const auto moment = event->record(stream);
  stream->context()->submit(stream, {[moment] { moment->reach(); }, false});
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

void require_safe() {
  if (!has_captures()) return;
  const std::lock_guard lock(captures().mutex);
  const auto prohibiting = captures_where(prohibits);
  if (prohibiting.empty()) return;
  invalidate(prohibiting, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             "the call is not allowed while a stream is being captured, in this mode");
}

void require_observable(const std::shared_ptr<Stream>& stream) {
  if (!has_captures()) return;
  {
    const std::lock_guard lock(captures().mutex);
    if (const CapturePointer capture = find_active(stream)) {
      invalidate({capture}, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 "work of a stream that is being captured does not run: there is nothing to wait "
                 "for");
    }
  }
  require_safe();
}

void require_observable(const std::shared_ptr<Context>& context) {
  if (!has_captures()) return;
  {
    const std::lock_guard lock(captures().mutex);
    const auto concerned =
        captures_where([&](const Capture& capture) { return involves(capture, *context); });
    if (!concerned.empty()) {
      invalidate(concerned, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 "a stream of the context is being captured");
    }
  }
  require_safe();
}

void require_observable(const Event& event) {
  if (const auto captured = event.captured()) {
    const std::lock_guard lock(captures().mutex);
    captured->capture->is_invalidated = true;
    throw CallError(CUDA_ERROR_CAPTURED_EVENT, "the event was last recorded in a capture");
  }
  require_safe();
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) {
  require(is_mode(mode), CUDA_ERROR_INVALID_VALUE, "there is no such mode of capture");
  return std::exchange(thread_mode, mode);
}

}  // namespace numpy_plugin::sim
