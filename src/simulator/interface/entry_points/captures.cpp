// Entry points: stream capture.
#include "simulator/interface/objects/capture.hpp"

#undef cuStreamGetCaptureInfo

using namespace numpy_plugin::sim;

namespace {

// Results of cuStreamGetCaptureInfo; the last three are optional.
struct InfoResults {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph;
  const CUgraphNode** dependencies;
  std::size_t* n_dependencies;
};

// The array of nodes lasts until the thread's next call of this kind.
void write_info(CUstream handle, const InfoResults& to) {
  static thread_local std::vector<CUgraphNode> dependencies;
  require_pointer(to.status);
  CaptureInfo info = capture_info(find_stream(handle));
  *to.status = info.status;
  if (info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return;
  dependencies = std::move(info.dependencies);
  if (to.id != nullptr) *to.id = info.id;
  if (to.graph != nullptr) *to.graph = info.graph;
  if (to.dependencies != nullptr) *to.dependencies = dependencies.data();
  if (to.n_dependencies != nullptr) *to.n_dependencies = dependencies.size();
}

}  // namespace

NPP_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return answer([&] { begin_capture(find_stream(stream), mode); });
}

NPP_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return answer([&] {
    require_pointer(graph);
    *graph = nullptr;
    *graph = end_capture(find_stream(stream));
  });
}

NPP_EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return answer([&] { write_info(stream, {status, nullptr, nullptr, nullptr, nullptr}); });
}

NPP_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status,
                                              cuuint64_t* id, CUgraph* graph,
                                              const CUgraphNode** dependencies,
                                              std::size_t* n_dependencies) {
  return answer([&] { write_info(stream, {status, id, graph, dependencies, n_dependencies}); });
}

// Dependencies of captured work have no data.
NPP_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status,
                                              cuuint64_t* id, CUgraph* graph,
                                              const CUgraphNode** dependencies,
                                              const CUgraphEdgeData** edge_data,
                                              std::size_t* n_dependencies) {
  if (edge_data != nullptr) *edge_data = nullptr;
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, n_dependencies);
}

NPP_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return answer([&] {
    require_pointer(mode);
    *mode = exchange_capture_mode(*mode);
  });
}
