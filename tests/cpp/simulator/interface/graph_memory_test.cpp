// Memory that graphs allocate and free.
#include "simulator/interface/graph_client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

// A graph that allocates 64 bytes, fills them, copies them to `to`, and may free them.
class InterfaceGraphMemory : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(the_driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  }
  CUresult finish() const { return the_driver().cuStreamSynchronize(stream_); }
  CUgraphExec capture(CUdeviceptr to, bool frees, unsigned long long flags = 0) {
    EXPECT_CUDA(begin_capture(stream_));
    EXPECT_CUDA(the_driver().cuMemAllocAsync(&address_, 64, stream_));
    EXPECT_CUDA(the_driver().cuMemsetD32Async(address_, 5, 16, stream_));
    EXPECT_CUDA(the_driver().cuMemcpyDtoDAsync(to, address_, 64, stream_));
    if (frees) {
      EXPECT_CUDA(the_driver().cuMemFreeAsync(address_, stream_));
    }
    graph_ = end_capture(stream_);
    return instantiate(graph_, flags);
  }

  const SimulatedDevice device_;
  CUstream stream_ = nullptr;
  CUdeviceptr address_ = 0;
  CUgraph graph_ = nullptr;
};

TEST_F(InterfaceGraphMemory, IsThereWhileTheGraphRuns) {
  const CUdeviceptr to = allocate(64);
  const CUgraphExec exec = capture(to, true);
  EXPECT_EQ(node_types(graph_),
            (std::vector{CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEMSET,
                         CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEM_FREE}));
  int value = 0;
  EXPECT_EQ(the_driver().cuMemcpyDtoH(&value, address_, 4), CUDA_ERROR_INVALID_VALUE);
  for (int number = 0; number < 2; ++number) {
    ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  }
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(to, 16), std::vector<int>(16, 5));
  EXPECT_EQ(the_driver().cuMemcpyDtoH(&value, address_, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceGraphMemory, IsUninitializedAtEachLaunch) {
  const CUfunction add_one = get_function(load_ptx(kAddOne), "add_one");
  unsigned n = 16;
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuMemAllocAsync(&address_, 64, stream_));
  ASSERT_CUDA(launch(add_one, 1, 16, {&address_, &n}, stream_));
  ASSERT_CUDA(the_driver().cuMemFreeAsync(address_, stream_));
  const CUgraphExec exec = instantiate(end_capture(stream_));
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  EXPECT_NE(finish(), CUDA_SUCCESS);
  EXPECT_TRUE(contains(the_driver().report(), "never written")) << the_driver().report();
}

TEST_F(InterfaceGraphMemory, LastsUntilItIsFreed) {
  const CUgraphExec exec = capture(allocate(64), false);
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(address_, 16), std::vector<int>(16, 5));
  EXPECT_EQ(the_driver().cuGraphLaunch(exec, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "not freed")) << the_driver().report();
  ASSERT_CUDA(the_driver().cuMemFreeAsync(address_, stream_));
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  ASSERT_CUDA(the_driver().cuGraphExecDestroy(exec));
  ASSERT_CUDA(the_driver().cuGraphDestroy(graph_));
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(address_, 16), std::vector<int>(16, 5));
  EXPECT_CUDA(the_driver().cuMemFree(address_));
}

TEST_F(InterfaceGraphMemory, IsFreedByTheNextLaunchIfAskedFor) {
  const CUgraphExec exec =
      capture(allocate(64), false, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(address_, 16), std::vector<int>(16, 5));
}

TEST_F(InterfaceGraphMemory, IsOfOneExecutableFormAtATime) {
  const CUgraphExec exec = capture(allocate(64), true);
  CUgraphExec other = nullptr;
  EXPECT_EQ(the_driver().cuGraphInstantiateWithFlags(&other, graph_, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CUDA(the_driver().cuGraphExecDestroy(exec));
  EXPECT_CUDA(the_driver().cuGraphInstantiateWithFlags(&other, graph_, 0));
}

TEST_F(InterfaceGraphMemory, ReturnsToTheDeviceWithTheGraph) {
  const CUdeviceptr to = allocate(64);
  const auto free_bytes = [] {
    std::size_t n_free = 0;
    EXPECT_CUDA(the_driver().cuMemGetInfo(&n_free, nullptr));
    return n_free;
  };
  const std::size_t before = free_bytes();
  const CUgraphExec exec = capture(to, true);
  EXPECT_LT(free_bytes(), before);
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream_));
  ASSERT_CUDA(finish());
  ASSERT_CUDA(the_driver().cuGraphExecDestroy(exec));
  ASSERT_CUDA(the_driver().cuGraphDestroy(graph_));
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(InterfaceGraphMemory, IsAllThatGraphsFree) {
  CUdeviceptr outside = 0;
  ASSERT_CUDA(the_driver().cuMemAllocAsync(&outside, 8, stream_));
  ASSERT_CUDA(begin_capture(stream_));
  EXPECT_EQ(the_driver().cuMemFreeAsync(outside, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(the_driver().cuGraphDestroy(end_capture(stream_)));
  EXPECT_CUDA(the_driver().cuMemFreeAsync(outside, stream_));
}

}  // namespace
}  // namespace numpy_plugin::sim
