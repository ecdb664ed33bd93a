// Capture and graphs for the tests of the entry points.
#pragma once

#include "simulator/interface/client.hpp"

namespace numpy_plugin::sim {

inline CUresult begin_capture(CUstream stream,
                              CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
  return the_driver().cuStreamBeginCapture(stream, mode);
}

inline CUstreamCaptureStatus capture_status(CUstream stream) {
  auto status = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_CUDA(the_driver().cuStreamIsCapturing(stream, &status));
  return status;
}

inline CUgraph end_capture(CUstream stream) {
  CUgraph graph = nullptr;
  EXPECT_CUDA(the_driver().cuStreamEndCapture(stream, &graph));
  EXPECT_NE(graph, nullptr);
  return graph;
}

inline CUgraphExec instantiate(CUgraph graph, unsigned long long flags = 0) {
  CUgraphExec exec = nullptr;
  EXPECT_CUDA(the_driver().cuGraphInstantiateWithFlags(&exec, graph, flags));
  return exec;
}

inline std::vector<CUgraphNodeType> node_types(CUgraph graph) {
  std::size_t n_nodes = 0;
  EXPECT_CUDA(the_driver().cuGraphGetNodes(graph, nullptr, &n_nodes));
  std::vector<CUgraphNode> nodes(n_nodes);
  EXPECT_CUDA(the_driver().cuGraphGetNodes(graph, nodes.data(), &n_nodes));
  std::vector<CUgraphNodeType> types;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    EXPECT_CUDA(
        entry_point<CUresult(CUgraphNode, CUgraphNodeType*)>("cuGraphNodeGetType")(node, &type));
    types.push_back(type);
  }
  return types;
}

}  // namespace numpy_plugin::sim
