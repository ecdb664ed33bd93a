// Ongoing captures, for the functions in capture.hpp. One lock covers all of them; calls outside of
// captures only read their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "simulator/interface/objects/capture.hpp"

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

using CapturePointer = std::shared_ptr<Capture>;

struct Captures {
  std::mutex mutex;
  std::vector<CapturePointer> ongoing;
  std::atomic<std::size_t> n_ongoing = 0;
  std::uint64_t last_id = 0;

  void add(const CapturePointer& capture);
  void remove(const CapturePointer& capture);
};

Captures& captures();
inline bool has_captures() { return captures().n_ongoing.load() > 0; }

// The functions below require the lock.

CapturePointer find_capture(const std::shared_ptr<Stream>& stream);
bool is_ongoing(const CapturePointer& capture);
bool involves(const Capture& capture, const Context& context);  // a stream of the context

template <typename Predicate>
std::vector<CapturePointer> captures_where(const Predicate& predicate) {
  std::vector<CapturePointer> found;
  std::copy_if(captures().ongoing.begin(), captures().ongoing.end(), std::back_inserter(found),
               [&](const CapturePointer& capture) { return predicate(*capture); });
  return found;
}

// Invalidates captures and throws CallError.
[[noreturn]] void invalidate(const std::vector<CapturePointer>& broken, CUresult code,
                             const char* report);
void require_valid(const Capture& capture);  // throws CallError
// For the legacy stream of a context with captured blocking streams: throws CallError.
void require_usable(const std::shared_ptr<Stream>& stream, bool invalidates);
// The valid capture that the stream is part of; nullptr where there is none.
CapturePointer find_active(const std::shared_ptr<Stream>& stream);

}  // namespace numpy_plugin::sim
