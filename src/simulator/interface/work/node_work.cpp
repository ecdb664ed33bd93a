// The work of a graph's nodes, from the parameters of their functions.
#include "simulator/interface/work/node_work.hpp"

#include "simulator/interface/work/transfer.hpp"

namespace numpy_plugin::sim {
namespace {

std::shared_ptr<Context> context_or_current(CUcontext handle) {
  return handle == nullptr ? current_context() : contexts().find(handle);
}

template <typename Parameters>
LaunchRequest launch_request(const Parameters& given) {
  return {{given.gridDimX, given.gridDimY, given.gridDimZ},
          {given.blockDimX, given.blockDimY, given.blockDimZ},
          given.sharedMemBytes};
}

template <typename Parameters>
NodeWork make_launch(const Parameters& given, const std::shared_ptr<LoadedFunction>& function) {
  return {kernel_work(function, launch_request(given), given.kernelParams, given.extra),
          function->context()};
}

// func counts before kern, which newer parameters have in addition.
template <typename Parameters>
NodeWork make_kernel(const Parameters& given) {
  if (given.func != nullptr) return make_launch(given, find_function(given.func));
  return make_launch(given, find_kernel(given.kern, context_or_current(given.ctx)));
}

template <typename Parameters>
NodeWork make_fill(const Parameters& given, CUcontext handle) {
  const auto size = given.elementSize;
  require(size == 1 || size == 2 || size == 4, CUDA_ERROR_INVALID_VALUE,
          "an element of a fill has 1, 2 or 4 bytes");
  const auto context = context_or_current(handle);
  const Fill fill{given.dst, given.pitch, given.value, size, given.width, given.height};
  return {fill_work(fill, context), context};
}

template <typename Parameters>
NodeWork make_call(const Parameters& given) {
  return {host_work(given.fn, given.userData), current_context()};
}

}  // namespace

NodeWork kernel_node(const CUDA_KERNEL_NODE_PARAMS_v1& given) {
  return make_launch(given, find_function(given.func));
}

NodeWork kernel_node(const CUDA_KERNEL_NODE_PARAMS_v2& given) { return make_kernel(given); }

NodeWork copy_node(const CUDA_MEMCPY3D& given, CUcontext handle) {
  const auto context = context_or_current(handle);
  return {copy_work(describe_copy(given), context), context};
}

NodeWork fill_node(const CUDA_MEMSET_NODE_PARAMS& given, CUcontext context) {
  return make_fill(given, context);
}

NodeWork host_node(const CUDA_HOST_NODE_PARAMS& given) { return make_call(given); }

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
      return make_kernel(given.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return copy_node(given.memcpy.copyParams, given.memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make_fill(given.memset, given.memset.ctx);
    case CU_GRAPH_NODE_TYPE_HOST:
      return make_call(given.host);
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

}  // namespace numpy_plugin::sim
