// Entry points: nodes of graphs.
#include "simulator/interface/work/node_work.hpp"

using namespace numpy_plugin::sim;

namespace {

// `make_work` gives the work and its context.
template <typename MakeWork>
CUresult add_node(CUgraphNode* node, CUgraph graph_handle, const CUgraphNode* dependencies,
                  std::size_t n_dependencies, const MakeWork& make_work,
                  const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    require_pointer(node);
    const auto graph = graphs().find(graph_handle);
    std::vector<const GraphNode*> before;
    for (std::size_t index = 0; index < n_dependencies; ++index) {
      before.push_back(graph->find(dependencies[index]));
    }
    auto [work, context] = make_work();
    *node = graph->add(std::move(work), context, std::move(before))->handle;
  });
}

}  // namespace

NPP_EXPORT CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return answer([&] {
    require_pointer(graph);
    require(flags == 0, CUDA_ERROR_INVALID_VALUE, "a graph has no flags");
    *graph = graphs().add(std::make_shared<Graph>());
  });
}

NPP_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph,
                                            const CUgraphNode* dependencies, std::size_t n,
                                            const CUDA_KERNEL_NODE_PARAMS_v2* given) {
  return add_node(node, graph, dependencies, n, [&] {
    require_pointer(given);
    return kernel_node(*given);
  });
}

// The macros of cuda.h would give it the name of the newer version.
#undef cuGraphAddKernelNode
NPP_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                                         const CUgraphNode* dependencies, std::size_t n,
                                         const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  return add_node(node, graph, dependencies, n, [&] {
    require_pointer(given);
    return kernel_node(*given);
  });
}

NPP_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                                         const CUgraphNode* dependencies, std::size_t n,
                                         const CUDA_MEMCPY3D* given, CUcontext context) {
  return add_node(node, graph, dependencies, n, [&] {
    require_pointer(given);
    return copy_node(*given, context);
  });
}

NPP_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph,
                                         const CUgraphNode* dependencies, std::size_t n,
                                         const CUDA_MEMSET_NODE_PARAMS* given, CUcontext context) {
  return add_node(node, graph, dependencies, n, [&] {
    require_pointer(given);
    return fill_node(*given, context);
  });
}

NPP_EXPORT CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph,
                                       const CUgraphNode* dependencies, std::size_t n,
                                       const CUDA_HOST_NODE_PARAMS* given) {
  return add_node(node, graph, dependencies, n, [&] {
    require_pointer(given);
    return host_node(*given);
  });
}

NPP_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph,
                                        const CUgraphNode* dependencies, std::size_t n) {
  return add_node(node, graph, dependencies, n, empty_node);
}

NPP_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph,
                                             const CUgraphNode* dependencies, std::size_t n,
                                             CUgraph child) {
  return add_node(node, graph, dependencies, n, [&] { return child_node(child); });
}

NPP_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph,
                                      const CUgraphNode* dependencies, const CUgraphEdgeData* data,
                                      std::size_t n, CUgraphNodeParams* given) {
  return add_node(node, graph, dependencies, n, [&] {
    require_pointer(given);
    require_plain(data, n);
    return any_node(*given);
  });
}

NPP_EXPORT CUresult cuGraphAddNode_v3(CUgraphNode* node, CUgraph graph,
                                      const CUgraphNode* dependencies, const CUgraphEdgeData* data,
                                      std::size_t n, CUgraphNodeParams* given) {
  return cuGraphAddNode_v2(node, graph, dependencies, data, n, given);
}

#undef cuGraphAddNode
NPP_EXPORT CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* dependencies, std::size_t n,
                                   CUgraphNodeParams* given) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, n, given);
}

NPP_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  return answer([&] {
    const auto graph = graph_of(node);
    graph->remove(graph->find(node));
  });
}
