// Changes of a graph's nodes and of its executable form, and the older functions of graphs.
#include "simulator/interface/graph_client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

using Kernel = CUDA_KERNEL_NODE_PARAMS;
using GetKernel = CUresult(CUgraphNode, Kernel*);
using SetKernel = CUresult(CUgraphNode, const Kernel*);
using SetExecKernel = CUresult(CUgraphExec, CUgraphNode, const Kernel*);
using SetExecFill = CUresult(CUgraphExec, CUgraphNode, const CUDA_MEMSET_NODE_PARAMS*, CUcontext);
using UpdateExec = CUresult(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo*);
using OlderUpdateExec = CUresult(CUgraphExec, CUgraph, CUgraphNode*, CUgraphExecUpdateResult*);

// A graph that fills 64 elements and adds one to the first n.
class InterfaceGraphUpdates : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(the_driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    add_one_ = get_function(load_ptx(kAddOne), "add_one");
  }

  CUgraph capture(unsigned value, unsigned n, int n_launches = 1) {
    EXPECT_CUDA(begin_capture(stream_));
    EXPECT_CUDA(the_driver().cuMemsetD32Async(data_, value, 64, stream_));
    for (int i = 0; i < n_launches; ++i) {
      EXPECT_CUDA(launch(add_one_, 2, 32, {&data_, &n}, stream_));
    }
    return end_capture(stream_);
  }
  static std::vector<CUgraphNode> nodes_of(CUgraph graph) {
    std::vector<CUgraphNode> nodes(2);
    std::size_t n_nodes = nodes.size();
    EXPECT_CUDA(the_driver().cuGraphGetNodes(graph, nodes.data(), &n_nodes));
    return nodes;
  }
  static Kernel kernel_of(CUgraphNode node) {
    Kernel kernel = {};
    EXPECT_CUDA(entry_point<GetKernel>("cuGraphKernelNodeGetParams_v2")(node, &kernel));
    return kernel;
  }
  // The sum of the elements after a launch.
  int sum(CUgraphExec exec) {
    EXPECT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
    EXPECT_CUDA(the_driver().cuStreamSynchronize(stream_));
    int total = 0;
    for (const int element : to_host<int>(data_, 64)) total += element;
    return total;
  }
  std::string report() { return the_driver().report(); }

  const SimulatedDevice device_;
  CUdeviceptr data_ = allocate(64 * sizeof(int));
  CUstream stream_ = nullptr;
  CUfunction add_one_ = nullptr;
};

TEST_F(InterfaceGraphUpdates, InstantiateByDescriptions) {
  using Instantiate = CUresult(CUgraphExec*, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS*);
  const auto instantiate_by = entry_point<Instantiate>("cuGraphInstantiateWithParams");
  const CUgraph graph = capture(1, 64);
  CUgraphExec exec = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS given = {};
  given.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  given.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  ASSERT_CUDA(instantiate_by(&exec, graph, &given));
  EXPECT_EQ(given.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  EXPECT_EQ(sum(exec), 2 * 64);
  EXPECT_CUDA(the_driver().cuGraphExecDestroy(exec));
  given.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  EXPECT_EQ(instantiate_by(&exec, graph, &given), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(given.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
  EXPECT_EQ(instantiate_by(&exec, graph, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(the_driver().cuGraphDestroy(graph));
}

TEST_F(InterfaceGraphUpdates, TellAndChangeKernels) {
  const CUgraph graph = capture(0, 64);
  const CUgraphNode node = nodes_of(graph)[1];
  const Kernel kernel = kernel_of(node);
  EXPECT_EQ(kernel.func, add_one_);
  EXPECT_EQ(kernel.gridDimX, 2u);
  EXPECT_EQ(kernel.blockDimX, 32u);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(kernel.kernelParams[0]), data_);
  EXPECT_EQ(*static_cast<unsigned*>(kernel.kernelParams[1]), 64u);
  const CUgraphExec before = instantiate(graph);
  Kernel fewer = kernel;
  fewer.gridDimX = 1;
  ASSERT_CUDA(entry_point<SetKernel>("cuGraphKernelNodeSetParams_v2")(node, &fewer));
  EXPECT_EQ(sum(before), 64);
  EXPECT_EQ(sum(instantiate(graph)), 32);
  EXPECT_EQ(kernel_of(node).gridDimX, 1u);
  EXPECT_EQ(*static_cast<unsigned*>(kernel_of(node).kernelParams[1]), 64u);
}

TEST_F(InterfaceGraphUpdates, ChangeTheWorkOfLaterLaunches) {
  const CUgraph graph = capture(0, 64);
  const auto nodes = nodes_of(graph);
  const CUgraphExec exec = instantiate(graph);
  unsigned n = 10;
  void* parameters[] = {&data_, &n};
  Kernel kernel = kernel_of(nodes[1]);
  kernel.kernelParams = parameters;
  auto* const set = entry_point<SetExecKernel>("cuGraphExecKernelNodeSetParams_v2");
  ASSERT_CUDA(set(exec, nodes[1], &kernel));
  EXPECT_EQ(sum(exec), 10);
  const CUDA_MEMSET_NODE_PARAMS fill = {data_, 0, 2, 4, 64, 1};
  ASSERT_CUDA(entry_point<SetExecFill>("cuGraphExecMemsetNodeSetParams")(exec, nodes[0], &fill,
                                                                         device_.context()));
  EXPECT_EQ(sum(exec), 138);
  EXPECT_EQ(sum(instantiate(graph)), 64);  // it has the work of its own nodes
}

TEST_F(InterfaceGraphUpdates, TakeTheWorkOfAGraphOfTheSameForm) {
  const CUgraphExec exec = instantiate(capture(0, 64));
  auto* const update = entry_point<UpdateExec>("cuGraphExecUpdate_v2");
  CUgraphExecUpdateResultInfo result = {};
  const CUgraph other = capture(3, 5);
  ASSERT_CUDA(update(exec, other, &result));
  EXPECT_EQ(result.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  ASSERT_CUDA(the_driver().cuGraphDestroy(other));
  EXPECT_EQ(sum(exec), 197);
  EXPECT_EQ(update(exec, capture(3, 5, 2), &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(sum(exec), 197);
}

TEST_F(InterfaceGraphUpdates, TellWhichNodeDiffers) {
  const CUgraphExec exec = instantiate(capture(0, 64));
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuMemsetD32Async(data_, 1, 64, stream_));
  ASSERT_CUDA(the_driver().cuMemsetD32Async(data_, 2, 64, stream_));
  const CUgraph fills = end_capture(stream_);
  CUgraphNode node = nullptr;
  auto result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  EXPECT_EQ(entry_point<OlderUpdateExec>("cuGraphExecUpdate")(exec, fills, &node, &result),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(node, nodes_of(fills)[1]);
  const CUgraph apart = capture(0, 64);
  const auto nodes = nodes_of(apart);
  using ChangeEdges = CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*, std::size_t);
  ASSERT_CUDA(
      entry_point<ChangeEdges>("cuGraphRemoveDependencies")(apart, &nodes[0], &nodes[1], 1));
  CUgraphExecUpdateResultInfo info = {};
  EXPECT_EQ(entry_point<UpdateExec>("cuGraphExecUpdate_v2")(exec, apart, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(info.errorNode, nodes[1]);
  EXPECT_EQ(sum(exec), 64);
}

TEST_F(InterfaceGraphUpdates, RefuseOtherKindsAndOtherGraphs) {
  const CUgraph graph = capture(0, 64);
  const auto nodes = nodes_of(graph);
  const CUgraphExec exec = instantiate(graph);
  const Kernel kernel = kernel_of(nodes[1]);
  auto* const set = entry_point<SetExecKernel>("cuGraphExecKernelNodeSetParams_v2");
  EXPECT_EQ(set(exec, nodes[0], &kernel), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "the node is of another kind");
  EXPECT_EQ(set(exec, nodes_of(capture(0, 1))[1], &kernel), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "the node is not of the graph that was instantiated");
  Kernel none = {};
  EXPECT_EQ(entry_point<GetKernel>("cuGraphKernelNodeGetParams_v2")(nodes[0], &none),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "the node is no kernel");
  Kernel large = kernel;
  large.blockDimX = 2048;
  EXPECT_EQ(entry_point<SetKernel>("cuGraphKernelNodeSetParams_v2")(nodes[1], &large),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(kernel_of(nodes[1]).blockDimX, 32u);
}

}  // namespace
}  // namespace numpy_plugin::sim
