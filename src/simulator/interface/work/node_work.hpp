// The work of a graph's nodes, from the parameters of their functions. All throw CallError for
// parameters that are refused.
#pragma once

#include "simulator/interface/objects/graph.hpp"

namespace numpy_plugin::sim {

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
