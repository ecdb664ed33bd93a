// Entry points: graphs as a whole, and their launches.
#include <algorithm>

#include "simulator/interface/objects/capture.hpp"

using namespace numpy_plugin::sim;

namespace {

constexpr cuuint64_t kInstantiateFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUgraphExec instantiate(CUgraph graph, cuuint64_t flags) {
  require((flags & ~kInstantiateFlags) == 0, CUDA_ERROR_NOT_SUPPORTED,
          "the simulator launches graphs from the host only");
  const bool frees_at_launch = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  return graph_execs().add(std::make_shared<GraphExec>(graphs().find(graph), frees_at_launch));
}

}  // namespace

NPP_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  return answer([&] { graphs().remove(graph); });
}

NPP_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* n_nodes) {
  return answer([&] {
    require_pointer(n_nodes);
    const auto found = graphs().find(graph);
    const auto& all = found->nodes();
    if (nodes != nullptr) {
      std::fill_n(nodes, *n_nodes, nullptr);
      *n_nodes = std::min(*n_nodes, all.size());
      std::transform(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(*n_nodes), nodes,
                     [](const auto& node) { return node->handle; });
    } else {
      *n_nodes = all.size();
    }
  });
}

NPP_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return answer([&] {
    require_pointer(type);
    *type = graph_nodes().find(node)->work.kind;
  });
}

NPP_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                                unsigned long long flags) {
  return answer([&] {
    require_pointer(exec);
    *exec = instantiate(graph, flags);
  });
}

// Nothing is uploaded, whatever the stream.
NPP_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS* given) {
  return answer([&] {
    require_pointer(exec);
    require_pointer(given);
    given->hErrNode_out = nullptr;
    given->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    *exec = instantiate(graph, given->flags & ~cuuint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD});
    given->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  });
}

// An older function: its log of errors stays empty.
NPP_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node,
                                          char* log, std::size_t n_bytes) {
  if (node != nullptr) *node = nullptr;
  if (log != nullptr && n_bytes > 0) *log = '\0';
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}

NPP_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return answer([&] { graph_execs().remove(exec); });
}

NPP_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return answer([&] {
    graph_execs().find(exec);
    find_stream(stream, current_context());  // nothing is to be done before the launch
  });
}

NPP_EXPORT CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  return answer([&] {
    const auto exec = graph_execs().find(handle);
    const auto stream = find_stream(stream_handle, current_context());
    if (!is_capturing(stream)) return exec->launch(stream);
    require(!exec->has_allocations(), CUDA_ERROR_NOT_SUPPORTED,
            "a graph that allocates memory can't be part of another");
    submit(stream,
           {CU_GRAPH_NODE_TYPE_GRAPH, [exec](const auto& runner) { return exec->task(runner); }});
  });
}
