// Objects of clients that graphs keep, and preferences that have no effect.
#include "simulator/interface/graph_client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

using Create = CUresult(CUuserObject*, void*, CUhostFn, unsigned, unsigned);
using Count = CUresult(CUuserObject, unsigned);
using GraphRetain = CUresult(CUgraph, CUuserObject, unsigned, unsigned);
using GraphRelease = CUresult(CUgraph, CUuserObject, unsigned);

class InterfaceUserObjects : public testing::Test {
 protected:
  static void count_up(void* number) { ++*static_cast<int*>(number); }

  CUresult create(CUuserObject* object, CUhostFn destroy, unsigned count, unsigned flags) {
    return entry_point<Create>("cuUserObjectCreate")(object, &n_destroyed_, destroy, count, flags);
  }
  CUuserObject create(unsigned count) {
    CUuserObject object = nullptr;
    EXPECT_CUDA(create(&object, count_up, count, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    return object;
  }
  static CUgraph empty_graph() {
    CUgraph graph = nullptr;
    EXPECT_CUDA(entry_point<CUresult(CUgraph*, unsigned)>("cuGraphCreate")(&graph, 0));
    return graph;
  }
  static CUresult release(CUuserObject object, unsigned count) {
    return entry_point<Count>("cuUserObjectRelease")(object, count);
  }
  static CUresult retain(CUgraph graph, CUuserObject object, unsigned flags) {
    return entry_point<GraphRetain>("cuGraphRetainUserObject")(graph, object, 1, flags);
  }

  const SimulatedDevice device_;
  int n_destroyed_ = 0;
};

TEST_F(InterfaceUserObjects, AreDestroyedAfterTheLastReference) {
  const CUuserObject object = create(2);
  EXPECT_CUDA(entry_point<Count>("cuUserObjectRetain")(object, 1));
  EXPECT_CUDA(release(object, 2));
  EXPECT_EQ(n_destroyed_, 0);
  EXPECT_EQ(release(object, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(release(object, 1));
  EXPECT_EQ(n_destroyed_, 1);
  EXPECT_EQ(release(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceUserObjects, LiveAsLongAsAGraphOrItsExecutableForm) {
  const CUuserObject object = create(1);
  const CUgraph graph = empty_graph();
  EXPECT_CUDA(retain(graph, object, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_EQ(release(object, 1), CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = nullptr;
  EXPECT_CUDA(the_driver().cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_CUDA(the_driver().cuGraphDestroy(graph));
  EXPECT_EQ(n_destroyed_, 0);
  EXPECT_CUDA(the_driver().cuGraphExecDestroy(exec));
  EXPECT_EQ(n_destroyed_, 1);
}

TEST_F(InterfaceUserObjects, AreReleasedByGraphs) {
  const CUuserObject object = create(1);
  const CUgraph graph = empty_graph();
  EXPECT_CUDA(retain(graph, object, 0));
  EXPECT_CUDA(release(object, 1));
  EXPECT_EQ(n_destroyed_, 0);
  const auto release_from = entry_point<GraphRelease>("cuGraphReleaseUserObject");
  EXPECT_EQ(release_from(graph, object, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(release_from(graph, object, 1));
  EXPECT_EQ(n_destroyed_, 1);
  EXPECT_CUDA(the_driver().cuGraphDestroy(graph));
}

TEST_F(InterfaceUserObjects, MustBeGivenWhole) {
  constexpr unsigned kFlag = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
  CUuserObject object = nullptr;
  EXPECT_EQ(create(&object, nullptr, 1, kFlag), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(&object, count_up, 0, kFlag), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(&object, count_up, 1, 0), CUDA_ERROR_INVALID_VALUE);
  const CUgraph graph = empty_graph();
  EXPECT_EQ(retain(graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(retain(graph, create(1), 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(the_driver().cuGraphDestroy(graph));
  EXPECT_EQ(n_destroyed_, 0);
}

TEST(InterfacePreferences, HaveNoEffect) {
  const SimulatedDevice device;
  using SetCache = CUresult(CUfunc_cache);
  EXPECT_CUDA(entry_point<SetCache>("cuCtxSetCacheConfig")(CU_FUNC_CACHE_PREFER_SHARED));
  CUfunc_cache cache = CU_FUNC_CACHE_PREFER_L1;
  EXPECT_CUDA(entry_point<CUresult(CUfunc_cache*)>("cuCtxGetCacheConfig")(&cache));
  EXPECT_EQ(cache, CU_FUNC_CACHE_PREFER_NONE);
  using SetBanks = CUresult(CUsharedconfig);
  EXPECT_CUDA(
      entry_point<SetBanks>("cuCtxSetSharedMemConfig")(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  CUsharedconfig banks = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
  EXPECT_CUDA(entry_point<CUresult(CUsharedconfig*)>("cuCtxGetSharedMemConfig")(&banks));
  EXPECT_EQ(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
}

}  // namespace
}  // namespace numpy_plugin::sim
