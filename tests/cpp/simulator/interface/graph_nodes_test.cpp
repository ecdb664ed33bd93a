// Graphs made node by node: each kind of node, dependencies in any order, and what is refused.
#include "simulator/interface/graph_client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

using AddFill = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                         const CUDA_MEMSET_NODE_PARAMS*, CUcontext);
using AddKernel = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                           const CUDA_KERNEL_NODE_PARAMS*);
using AddCopy = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                         const CUDA_MEMCPY3D*, CUcontext);
using AddHost = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                         const CUDA_HOST_NODE_PARAMS*);
using AddEmpty = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t);
using AddChild = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUgraph);
using AddAny = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, const CUgraphEdgeData*,
                        std::size_t, CUgraphNodeParams*);
using ChangeEdges = CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*,
                             const CUgraphEdgeData*, std::size_t);
using GetEdges = CUresult(CUgraph, CUgraphNode*, CUgraphNode*, CUgraphEdgeData*, std::size_t*);
using GetNodes = CUresult(CUgraph, CUgraphNode*, std::size_t*);
using GetNeighbours = CUresult(CUgraphNode, CUgraphNode*, CUgraphEdgeData*, std::size_t*);

class InterfaceGraphNodes : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(entry_point<CUresult(CUgraph*, unsigned)>("cuGraphCreate")(&graph_, 0));
    add_one_ = get_function(load_ptx(kAddOne), "add_one");
  }
  using Before = std::vector<CUgraphNode>;

  CUgraphNode fill(unsigned value, const Before& before = {}) {
    const CUDA_MEMSET_NODE_PARAMS fill = {data_, 0, value, 4, 64, 1};
    CUgraphNode node = nullptr;
    EXPECT_CUDA(entry_point<AddFill>("cuGraphAddMemsetNode")(&node, graph_, before.data(),
                                                             before.size(), &fill, nullptr));
    return node;
  }
  CUDA_KERNEL_NODE_PARAMS launch_of(void** parameters) {
    CUDA_KERNEL_NODE_PARAMS launch = {};
    launch.func = add_one_;
    launch.gridDimX = 2;
    launch.blockDimX = 32;
    launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
    launch.kernelParams = parameters;
    return launch;
  }
  CUgraphNode add_one(const Before& before = {}) {
    unsigned n = 64;
    void* parameters[] = {&data_, &n};
    const CUDA_KERNEL_NODE_PARAMS launch = launch_of(parameters);
    CUgraphNode node = nullptr;
    EXPECT_CUDA(entry_point<AddKernel>("cuGraphAddKernelNode_v2")(&node, graph_, before.data(),
                                                                  before.size(), &launch));
    return node;
  }
  CUresult depend(CUgraphNode from, CUgraphNode to, const CUgraphEdgeData* data = nullptr) {
    return entry_point<ChangeEdges>("cuGraphAddDependencies_v2")(graph_, &from, &to, data, 1);
  }
  std::vector<int> run() {
    EXPECT_CUDA(the_driver().cuGraphLaunch(instantiate(graph_), nullptr));
    return to_host<int>(data_, 64);
  }
  std::string report() { return the_driver().report(); }

  const SimulatedDevice device_;
  CUdeviceptr data_ = allocate(64 * sizeof(int));
  CUgraph graph_ = nullptr;
  CUfunction add_one_ = nullptr;
};

TEST_F(InterfaceGraphNodes, RunInTheOrderOfTheirDependencies) {
  const CUgraphNode added = add_one();
  const CUgraphNode filled = fill(7);
  ASSERT_CUDA(depend(filled, added));
  EXPECT_EQ(run(), std::vector<int>(64, 8));
  EXPECT_EQ(node_types(graph_),
            (std::vector{CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMSET}));
}

TEST_F(InterfaceGraphNodes, CanBeCopiesAndFunctionsOfTheHost) {
  std::vector<int> copied(2 * 3 * 4);
  CUDA_MEMCPY3D copy = {};  // 2 slices of 3 rows of 4 elements, from 2 slices of 4 rows of 8
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = data_;
  copy.srcPitch = 32;
  copy.srcHeight = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = copied.data();
  copy.dstPitch = 16;
  copy.dstHeight = 3;
  copy.WidthInBytes = 16;
  copy.Height = 3;
  copy.Depth = 2;
  std::vector<int> source(64);
  for (int i = 0; i < 64; ++i) source[static_cast<std::size_t>(i)] = i;
  ASSERT_CUDA(the_driver().cuMemcpyHtoD(data_, source.data(), 256));
  CUgraphNode node = nullptr;
  ASSERT_CUDA(
      entry_point<AddCopy>("cuGraphAddMemcpyNode")(&node, graph_, nullptr, 0, &copy, nullptr));
  int n_calls = 0;
  const CUDA_HOST_NODE_PARAMS call = {[](void* n) { ++*static_cast<int*>(n); }, &n_calls};
  CUgraphNode last = nullptr;
  ASSERT_CUDA(entry_point<AddHost>("cuGraphAddHostNode")(&last, graph_, &node, 1, &call));
  run();
  EXPECT_EQ(copied, (std::vector<int>{0,  1,  2,  3,  8,  9,  10, 11, 16, 17, 18, 19,
                                      32, 33, 34, 35, 40, 41, 42, 43, 48, 49, 50, 51}));
  EXPECT_EQ(n_calls, 1);
}

TEST_F(InterfaceGraphNodes, CanBeOtherGraphsAsTheyWereAndEmpty) {
  const CUgraphNode filled = fill(1);
  add_one({filled});
  const CUgraph child = graph_;
  ASSERT_CUDA(entry_point<CUresult(CUgraph*, unsigned)>("cuGraphCreate")(&graph_, 0));
  CUgraphNode empty = nullptr;
  CUgraphNode inner = nullptr;
  ASSERT_CUDA(entry_point<AddEmpty>("cuGraphAddEmptyNode")(&empty, graph_, nullptr, 0));
  ASSERT_CUDA(entry_point<AddChild>("cuGraphAddChildGraphNode")(&inner, graph_, &empty, 1, child));
  ASSERT_CUDA(the_driver().cuGraphDestroy(child));
  add_one({inner});
  EXPECT_EQ(run(), std::vector<int>(64, 3));
}

TEST_F(InterfaceGraphNodes, AreMadeByOneFunctionForAllKinds) {
  CUgraphNodeParams fill = {};
  fill.type = CU_GRAPH_NODE_TYPE_MEMSET;
  fill.memset = {data_, 0, 5, 4, 64, 1, device_.context()};
  auto* const add = entry_point<AddAny>("cuGraphAddNode_v2");
  CUgraphNode filled = nullptr;
  ASSERT_CUDA(add(&filled, graph_, nullptr, nullptr, 0, &fill));
  add_one({filled});
  EXPECT_EQ(run(), std::vector<int>(64, 6));
  CUgraphNodeParams condition = {};
  condition.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  EXPECT_EQ(add(&filled, graph_, nullptr, nullptr, 0, &condition), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_TRUE(contains(report(), "nodes of a graph can be kernels, copies")) << report();
}

TEST_F(InterfaceGraphNodes, TellTheirEdges) {
  const CUgraphNode first = fill(1);
  const CUgraphNode second = add_one({first});
  const CUgraphNode third = add_one({first, second});
  std::size_t count = 0;
  ASSERT_CUDA(
      entry_point<GetEdges>("cuGraphGetEdges_v2")(graph_, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, 3u);
  CUgraphNode from[4] = {};
  CUgraphNode to[4] = {};
  count = 4;
  ASSERT_CUDA(entry_point<GetEdges>("cuGraphGetEdges_v2")(graph_, from, to, nullptr, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(std::vector(from, from + 4), (Before{first, first, second, nullptr}));
  EXPECT_EQ(std::vector(to, to + 4), (Before{second, third, third, nullptr}));
  CUgraphNode roots[2] = {};
  count = 2;
  ASSERT_CUDA(entry_point<GetNodes>("cuGraphGetRootNodes")(graph_, roots, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(roots[0], first);
  count = 2;
  ASSERT_CUDA(
      entry_point<GetNeighbours>("cuGraphNodeGetDependentNodes_v2")(first, roots, nullptr, &count));
  EXPECT_EQ(std::vector(roots, roots + 2), (Before{second, third}));
  count = 1;
  ASSERT_CUDA(
      entry_point<GetNeighbours>("cuGraphNodeGetDependencies_v2")(third, roots, nullptr, &count));
  EXPECT_EQ(roots[0], first);
}

TEST_F(InterfaceGraphNodes, CanBeRemoved) {
  const CUgraphNode first = fill(1);
  const CUgraphNode second = fill(50, {first});
  add_one({second});
  ASSERT_CUDA(entry_point<CUresult(CUgraphNode)>("cuGraphDestroyNode")(second));
  EXPECT_EQ(run(), std::vector<int>(64, 2));
  EXPECT_EQ(entry_point<CUresult(CUgraphNode)>("cuGraphDestroyNode")(second),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceGraphNodes, DoNotDependOnEachOther) {
  const CUgraphNode first = fill(1);
  const CUgraphNode second = add_one({first});
  ASSERT_CUDA(depend(second, first));
  CUgraphExec exec = nullptr;
  EXPECT_EQ(the_driver().cuGraphInstantiateWithFlags(&exec, graph_, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "nodes of the graph depend on each other");
  EXPECT_EQ(
      entry_point<ChangeEdges>("cuGraphRemoveDependencies_v2")(graph_, &second, &first, nullptr, 1),
      CUDA_SUCCESS);
  EXPECT_EQ(run(), std::vector<int>(64, 2));
}

TEST_F(InterfaceGraphNodes, AreRefusedWithWrongArguments) {
  const CUgraphNode first = fill(1);
  EXPECT_EQ(depend(first, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "the node is not of this graph");
  const CUgraphNode second = add_one({first});
  EXPECT_EQ(depend(first, second), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "the dependency is there already");
  const CUgraphEdgeData programmatic = {
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  EXPECT_EQ(depend(first, second, &programmatic), CUDA_ERROR_NOT_SUPPORTED);
  unsigned n = 64;
  void* parameters[] = {&data_, &n};
  CUDA_KERNEL_NODE_PARAMS launch = launch_of(parameters);
  launch.blockDimX = 2048;
  CUgraphNode node = nullptr;
  auto* const add = entry_point<AddKernel>("cuGraphAddKernelNode_v2");
  EXPECT_EQ(add(&node, graph_, nullptr, 0, &launch), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(report(), "dimension x can be 1 to 1024")) << report();
  EXPECT_EQ(node_types(graph_).size(), 2u);
}

}  // namespace
}  // namespace numpy_plugin::sim
