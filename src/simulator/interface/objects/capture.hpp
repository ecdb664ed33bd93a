// Stream capture: work submitted to streams becomes nodes of a graph. What is not possible during a
// capture fails and invalidates it, as CUDA documents.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/interface/objects/event.hpp"
#include "simulator/interface/objects/graph.hpp"

namespace numpy_plugin::sim {

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode);
// The graph. Throws CallError where it is incomplete or invalidated: if called for the stream and
// in the thread that began the capture, this ends it in any case.
CUgraph end_capture(const std::shared_ptr<Stream>& stream);
// Ends the captures of streams that are destroyed, or all of a context; their graphs are lost.
void abandon_capture(const std::shared_ptr<Stream>& stream);
void abandon_captures(const std::shared_ptr<Context>& context);

struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  std::uint64_t id = 0;
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> dependencies;  // of the stream's next node
};
// Throws CallError for a legacy stream that can't be used during a capture.
CaptureInfo capture_info(const std::shared_ptr<Stream>& stream);

// Whether work of a stream is captured. Throws CallError where the stream can't take work: its
// capture is invalidated, or it is the legacy stream of a context with captured blocking streams.
bool is_capturing(const std::shared_ptr<Stream>& stream);
// Submits work to a stream or, during a capture, adds it to the graph.
void submit(const std::shared_ptr<Stream>& stream, StreamWork work);

// `is_external`: in a capture, the event is recorded or waited for at each launch of the graph,
// instead of standing for a dependency. A wait may add the stream to the capture of the event.
void record_event(const std::shared_ptr<Event>& event, const std::shared_ptr<Stream>& stream,
                  bool is_external);
void wait_event(const std::shared_ptr<Stream>& stream, const std::shared_ptr<Event>& event,
                bool is_external);

// Each throws CallError, having invalidated the captures concerned:
// calls that CUDA calls potentially unsafe, which the captures of some threads prohibit;
void require_safe();
// queries and waits for a stream, a context, or an event.
void require_observable(const std::shared_ptr<Stream>& stream);
void require_observable(const std::shared_ptr<Context>& context);
void require_observable(const Event& event);

void require_mode(CUstreamCaptureMode mode);  // throws CallError for values that are no modes
// Replaces the thread's mode; returns the previous one.
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

}  // namespace numpy_plugin::sim
