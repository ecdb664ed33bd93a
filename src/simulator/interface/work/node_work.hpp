// Launches of kernels as work of streams and graphs, and the work of graphs' nodes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "simulator/interface/objects/graph.hpp"
#include "simulator/interface/objects/module.hpp"

namespace numpy_plugin::sim {

struct LaunchRequest {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  bool is_cooperative = false;
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  // in blocks
};

// Parameters are given by pointers or in a buffer, as to cuLaunchKernel. Throws CallError for
// launches that no device runs.
StreamWork kernel_work(const std::shared_ptr<LoadedFunction>& function,
                       const LaunchRequest& request, void** parameters, void** extra);

// The work of a graph's nodes, from the parameters of their functions. All throw CallError for
// parameters that are refused.

struct NodeWork {
  StreamWork work;
  std::shared_ptr<Context> context;
};

NodeWork kernel_node(const CUDA_KERNEL_NODE_PARAMS_v1& given);
NodeWork kernel_node(const CUDA_KERNEL_NODE_PARAMS_v2& given);
// In a context, or, where it is null, the current one.
NodeWork copy_node(const CUDA_MEMCPY3D& given, CUcontext context);
NodeWork fill_node(const CUDA_MEMSET_NODE_PARAMS& given, CUcontext context);
NodeWork host_node(const CUDA_HOST_NODE_PARAMS& given);
NodeWork empty_node();
// The nodes of a graph as they are now.
NodeWork child_node(CUgraph graph);
NodeWork any_node(const CUgraphNodeParams& given);

}  // namespace numpy_plugin::sim
