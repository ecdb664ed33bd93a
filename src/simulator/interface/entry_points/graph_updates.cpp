// Entry points: changes of a graph's nodes, and of the work of its executable form.
#include "simulator/interface/work/node_work.hpp"

using namespace numpy_plugin::sim;

namespace {

// `make_work` gives the new work and its context from parameters.
template <typename Parameters, typename MakeWork>
CUresult set_node(CUgraphNode handle, const Parameters* given, const MakeWork& make_work,
                  const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    require_pointer(given);
    GraphNode& node = *graph_of(handle)->find(handle);
    NodeWork made = make_work(*given);
    require(made.work.kind == node.work.kind, CUDA_ERROR_INVALID_VALUE,
            "the node is of another kind");
    node.work = std::move(made.work);
    node.context = made.context;
  });
}

template <typename Parameters, typename MakeWork>
CUresult set_exec_node(CUgraphExec exec, CUgraphNode node, const Parameters* given,
                       const MakeWork& make_work,
                       const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    require_pointer(given);
    auto [work, context] = make_work(*given);
    graph_execs().find(exec)->set(node, std::move(work), context);
  });
}

constexpr auto kKernelNode = [](const auto& given) { return kernel_node(given); };

template <typename Parameters>
CUresult get_kernel(CUgraphNode node, Parameters* to,
                    const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    require_pointer(to);
    const auto description = graph_nodes().find(node)->work.kernel;
    require(description != nullptr, CUDA_ERROR_INVALID_VALUE, "the node is no kernel");
    const CUDA_KERNEL_NODE_PARAMS& given = description->given;
    *to = {};
    to->func = given.func;
    to->gridDimX = given.gridDimX;
    to->gridDimY = given.gridDimY;
    to->gridDimZ = given.gridDimZ;
    to->blockDimX = given.blockDimX;
    to->blockDimY = given.blockDimY;
    to->blockDimZ = given.blockDimZ;
    to->sharedMemBytes = given.sharedMemBytes;
    to->kernelParams = given.kernelParams;
  });
}

CUresult update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* to,
                const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    require_pointer(to);
    *to = graph_execs().find(exec)->update(*graphs().find(graph));
    require(to->result == CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            "the graph differs from the one that was instantiated in more than its nodes' work");
  });
}

}  // namespace

// The macros of cuda.h would give the older functions the names of the newer.
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate

NPP_EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* to) {
  return get_kernel(node, to);
}

NPP_EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                                  CUDA_KERNEL_NODE_PARAMS_v2* to) {
  return get_kernel(node, to);
}

NPP_EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  return set_node(node, given, kKernelNode);
}

NPP_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS_v2* given) {
  return set_node(node, given, kKernelNode);
}

NPP_EXPORT CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* given) {
  return set_node(node, given, [](const auto& copy) { return copy_node(copy, nullptr); });
}

NPP_EXPORT CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS* given) {
  return set_node(node, given, [](const auto& fill) { return fill_node(fill, nullptr); });
}

NPP_EXPORT CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* given) {
  return set_node(node, given, host_node);
}

NPP_EXPORT CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* given) {
  return set_node(node, given, any_node);
}

NPP_EXPORT CUresult cuGraphNodeSetParams_v2(CUgraphNode node, CUgraphNodeParams* given) {
  return set_node(node, given, any_node);
}

NPP_EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  return set_exec_node(exec, node, given, kKernelNode);
}

NPP_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                      const CUDA_KERNEL_NODE_PARAMS_v2* given) {
  return set_exec_node(exec, node, given, kKernelNode);
}

NPP_EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMCPY3D* given, CUcontext context) {
  return set_exec_node(exec, node, given,
                       [&](const auto& copy) { return copy_node(copy, context); });
}

NPP_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMSET_NODE_PARAMS* given,
                                                   CUcontext context) {
  return set_exec_node(exec, node, given,
                       [&](const auto& fill) { return fill_node(fill, context); });
}

NPP_EXPORT CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_HOST_NODE_PARAMS* given) {
  return set_exec_node(exec, node, given, host_node);
}

NPP_EXPORT CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             CUgraphNodeParams* given) {
  return set_exec_node(exec, node, given, any_node);
}

NPP_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                         CUgraphExecUpdateResultInfo* result) {
  return update(exec, graph, result);
}

NPP_EXPORT CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* node,
                                      CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info = {};
  const CUresult code = update(exec, graph, &info);
  if (node != nullptr) *node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return code;
}
