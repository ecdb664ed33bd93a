// Entry points: nodes of graphs.
#include "simulator/interface/work/copy_description.hpp"
#include "simulator/interface/work/kernel_launch.hpp"

using namespace numpy_plugin::sim;

namespace {

std::shared_ptr<Context> context_or_current(CUcontext handle) {
  return handle == nullptr ? current_context() : contexts().find(handle);
}

struct NodeWork {
  StreamWork work;
  std::shared_ptr<Context> context;
};

template <typename Parameters>
LaunchRequest launch_request(const Parameters& given) {
  return {{given.gridDimX, given.gridDimY, given.gridDimZ},
          {given.blockDimX, given.blockDimY, given.blockDimZ},
          given.sharedMemBytes};
}

template <typename Parameters>
NodeWork kernel_node(const Parameters& given, const std::shared_ptr<LoadedFunction>& function) {
  return {kernel_work(function, launch_request(given), given.kernelParams, given.extra),
          function->context()};
}

// func counts before kern, which newer parameters have in addition.
template <typename Parameters>
NodeWork kernel_node(const Parameters& given) {
  if (given.func != nullptr) return kernel_node(given, find_function(given.func));
  return kernel_node(given, find_kernel(given.kern, context_or_current(given.ctx)));
}

NodeWork copy_node(const CUDA_MEMCPY3D& given, CUcontext handle) {
  const auto context = context_or_current(handle);
  return {copy_work(describe_copy(given), context), context};
}

template <typename Parameters>
NodeWork fill_node(const Parameters& given, CUcontext handle) {
  const auto size = given.elementSize;
  require(size == 1 || size == 2 || size == 4, CUDA_ERROR_INVALID_VALUE,
          "an element of a fill has 1, 2 or 4 bytes");
  const auto context = context_or_current(handle);
  const Fill fill{given.dst, given.pitch, given.value, size, given.width, given.height};
  return {fill_work(fill, context), context};
}

template <typename Parameters>
NodeWork host_node(const Parameters& given) {
  return {host_work(given.fn, given.userData), current_context()};
}

NodeWork empty_node() {
  return {make_work(CU_GRAPH_NODE_TYPE_EMPTY, {[] {}, false}), current_context()};
}

// The nodes of a graph as they are now.
NodeWork child_node(CUgraph handle) {
  const auto child = std::make_shared<GraphExec>(graphs().find(handle), false);
  require(!child->has_allocations(), CUDA_ERROR_NOT_SUPPORTED,
          "a graph that allocates memory can't be part of another");
  return {{CU_GRAPH_NODE_TYPE_GRAPH, [child](const auto& runner) { return child->task(runner); }},
          current_context()};
}

NodeWork any_node(const CUgraphNodeParams& given) {
  switch (given.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return kernel_node(given.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return copy_node(given.memcpy.copyParams, given.memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return fill_node(given.memset, given.memset.ctx);
    case CU_GRAPH_NODE_TYPE_HOST:
      return host_node(given.host);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return empty_node();
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return child_node(given.graph.graph);
    default:
      throw CallError(CUDA_ERROR_NOT_SUPPORTED,
                      "nodes of a graph can be kernels, copies, fills, functions of the host, "
                      "empty ones and graphs; others are made by stream capture");
  }
}

// `make_work` gives the work and its context.
template <typename MakeWork>
CUresult add_node(CUgraphNode* node, CUgraph graph_handle, const CUgraphNode* dependencies,
                  std::size_t n_dependencies, const MakeWork& make_work) {
  return answer([&] {
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
    return kernel_node(*given, find_function(given->func));
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

NPP_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  return answer([&] {
    const auto graph = graph_of(node);
    graph->remove(graph->find(node));
  });
}
