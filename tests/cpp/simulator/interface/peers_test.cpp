// Several devices and contexts: access of kernels to memory of others, and contexts of one device.
#include <algorithm>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

CUresult enable_peer(CUcontext peer, unsigned flags = 0) {
  return entry_point<CUresult(CUcontext, unsigned)>("cuCtxEnablePeerAccess")(peer, flags);
}

CUresult disable_peer(CUcontext peer) {
  return entry_point<CUresult(CUcontext)>("cuCtxDisablePeerAccess")(peer);
}

// Adds one to integers at an address, by a kernel of the current context.
CUresult add_one(CUdeviceptr data, unsigned n) {
  EXPECT_CUDA(launch(get_function(load_ptx(kAddOne), "add_one"), 1, 32, {&data, &n}));
  return the_driver().cuCtxSynchronize();
}

class InterfacePeers : public testing::Test {
 protected:
  const SimulatedDevice first_;
  const CUdeviceptr data_ = to_device(std::vector<int>{1, 2, 3});  // of the first device
  const SimulatedDevice second_;                                   // current
};

TEST_F(InterfacePeers, AreAllDevicesButTheSame) {
  int can_access = -1;
  ASSERT_CUDA(the_driver().cuDeviceCanAccessPeer(&can_access, first_.ordinal(), second_.ordinal()));
  EXPECT_EQ(can_access, 1);
  ASSERT_CUDA(the_driver().cuDeviceCanAccessPeer(&can_access, first_.ordinal(), first_.ordinal()));
  EXPECT_EQ(can_access, 0);
  EXPECT_EQ(the_driver().cuDeviceCanAccessPeer(&can_access, first_.ordinal(), 1000),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(InterfacePeers, AreReachedByKernelsOnceEnabled) {
  EXPECT_EQ(add_one(data_, 3), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(the_driver().report(),
                       "inside allocation 1 (12 bytes, cuMemAlloc) of another device"))
      << the_driver().report();
  ASSERT_CUDA(enable_peer(first_.context()));
  EXPECT_CUDA(add_one(data_, 3));
  EXPECT_EQ(to_host<int>(data_, 3), (std::vector<int>{2, 3, 4}));
  ASSERT_CUDA(disable_peer(first_.context()));
  EXPECT_EQ(add_one(data_, 3), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(to_host<int>(data_, 3), (std::vector<int>{2, 3, 4}));
}

TEST_F(InterfacePeers, AreEnabledInOneDirection) {
  ASSERT_CUDA(enable_peer(first_.context()));
  const CUdeviceptr here = to_device(std::vector<int>{1});
  ASSERT_CUDA(the_driver().cuCtxPushCurrent(first_.context()));
  EXPECT_EQ(add_one(here, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_CUDA(the_driver().cuCtxPopCurrent(nullptr));
}

TEST_F(InterfacePeers, AreEnabledOnce) {
  EXPECT_EQ(disable_peer(first_.context()), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  ASSERT_CUDA(enable_peer(first_.context()));
  EXPECT_EQ(enable_peer(first_.context()), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(enable_peer(second_.context()), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(enable_peer(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(enable_peer(first_.context(), 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfacePeers, AreCheckedAsTheOwnMemory) {
  ASSERT_CUDA(enable_peer(first_.context()));
  EXPECT_EQ(add_one(data_, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(the_driver().report(), "0 bytes past the end of allocation 1 (12 bytes"))
      << the_driver().report();
  ASSERT_CUDA(the_driver().cuCtxPushCurrent(first_.context()));
  const CUdeviceptr unwritten = allocate(4);
  ASSERT_CUDA(the_driver().cuCtxPopCurrent(nullptr));
  EXPECT_NE(add_one(unwritten, 1), CUDA_SUCCESS);
  EXPECT_TRUE(contains(the_driver().report(), "never written")) << the_driver().report();
  int value = 8;
  CUdeviceptr at = unwritten;
  ASSERT_CUDA(launch(get_function(load_ptx(kStore), "store"), 1, 1, {&at, &value}));
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  EXPECT_CUDA(add_one(unwritten, 1));  // what a peer has written is written
  EXPECT_EQ(to_host<int>(unwritten, 1), std::vector<int>{9});
}

TEST_F(InterfacePeers, StayWhatTheyAre) {
  ASSERT_CUDA(enable_peer(first_.context()));
  int ordinal = -1;
  ASSERT_CUDA(
      the_driver().cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, data_));
  EXPECT_EQ(ordinal, first_.ordinal());
  EXPECT_CUDA(the_driver().cuMemFree(data_));
  EXPECT_EQ(add_one(data_, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(InterfacePeers, ReachPoolsThatLetThem) {
  using SetAccess = CUresult(CUmemoryPool, const CUmemAccessDesc*, std::size_t);
  using GetAccess = CUresult(CUmemAccess_flags*, CUmemoryPool, CUmemLocation*);
  auto* const set_access = entry_point<SetAccess>("cuMemPoolSetAccess");
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, first_.ordinal()};
  ASSERT_CUDA(the_driver().cuMemPoolCreate(&pool, &properties));
  CUdeviceptr data = 0;
  ASSERT_CUDA(the_driver().cuCtxPushCurrent(first_.context()));
  ASSERT_CUDA(the_driver().cuMemAllocFromPoolAsync(&data, 4, pool, nullptr));
  ASSERT_CUDA(the_driver().cuMemsetD32Async(data, 5, 1, nullptr));
  ASSERT_CUDA(the_driver().cuStreamSynchronize(nullptr));
  ASSERT_CUDA(the_driver().cuCtxPopCurrent(nullptr));
  ASSERT_CUDA(enable_peer(first_.context()));
  EXPECT_EQ(add_one(data, 1), CUDA_ERROR_ILLEGAL_ADDRESS);  // a pool's access is its own
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, second_.ordinal()},
                            CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_CUDA(set_access(pool, &access, 1));
  EXPECT_CUDA(add_one(data, 1));
  EXPECT_EQ(to_host<int>(data, 1), std::vector<int>{6});
  auto flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  ASSERT_CUDA(entry_point<GetAccess>("cuMemPoolGetAccess")(&flags, pool, &access.location));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  ASSERT_CUDA(set_access(pool, &access, 1));
  EXPECT_EQ(add_one(data, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  access.location.id = first_.ordinal();
  EXPECT_EQ(set_access(pool, &access, 1), CUDA_ERROR_INVALID_VALUE);
}

class InterfaceSeveralContexts : public testing::Test {
 protected:
  CUcontext create(unsigned flags = 0) const {
    CUcontext context = nullptr;
    EXPECT_CUDA((entry_point<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(
        &context, flags, device_.ordinal())));
    return context;
  }
  static CUresult destroy(CUcontext context) {
    return entry_point<CUresult(CUcontext)>("cuCtxDestroy_v2")(context);
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_CUDA(the_driver().cuCtxGetCurrent(&context));
    return context;
  }
  static std::size_t free_bytes() {
    std::size_t n_free = 0;
    EXPECT_CUDA(the_driver().cuMemGetInfo(&n_free, nullptr));
    return n_free;
  }

  const SimulatedDevice device_;
};

TEST_F(InterfaceSeveralContexts, AreCurrentWhenCreated) {
  const CUcontext context = create();
  EXPECT_NE(context, device_.context());
  EXPECT_EQ(current(), context);
  CUdevice ordinal = -1;
  ASSERT_CUDA(the_driver().cuCtxGetDevice(&ordinal));
  EXPECT_EQ(ordinal, device_.ordinal());
  ASSERT_CUDA(destroy(context));
  EXPECT_EQ(current(), device_.context());
  EXPECT_EQ(destroy(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(destroy(device_.context()), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(destroy(nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(InterfaceSeveralContexts, HaveTheirOwnMemoryOfOneDevice) {
  const std::size_t before = free_bytes();
  const CUdeviceptr data = to_device(std::vector<int>{4});
  const CUcontext context = create();
  EXPECT_LT(free_bytes(), before);
  EXPECT_EQ(add_one(data, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_CUDA(enable_peer(device_.context()));
  EXPECT_CUDA(add_one(data, 1));
  EXPECT_EQ(to_host<int>(data, 1), std::vector<int>{5});
  allocate(before / 2);
  CUdeviceptr more = 0;
  EXPECT_EQ(the_driver().cuMemAlloc(&more, before / 2), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_CUDA(destroy(context));
  ASSERT_CUDA(the_driver().cuMemFree(data));
  EXPECT_EQ(free_bytes(), before);  // destroyed contexts give their memory back
}

TEST_F(InterfaceSeveralContexts, DoNotShareFaults) {
  CUdeviceptr beyond = allocate(4) + 4;
  int value = 1;
  const CUfunction store = get_function(load_ptx(kStore), "store");
  ASSERT_CUDA(launch(store, 1, 1, {&beyond, &value}));
  const CUcontext context = create();
  EXPECT_EQ(launch(store, 1, 1, {&beyond, &value}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(the_driver().cuCtxSynchronize());
  ASSERT_CUDA(destroy(context));
  EXPECT_EQ(the_driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(InterfaceSeveralContexts, EndWithTheirDevice) {
  CUcontext context = nullptr;
  {
    const SimulatedDevice other;
    ASSERT_CUDA((entry_point<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(
        &context, CU_CTX_SCHED_SPIN, other.ordinal())));
    ASSERT_CUDA(the_driver().cuCtxPopCurrent(nullptr));
  }
  EXPECT_EQ(the_driver().cuCtxPushCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ((entry_point<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(
                &context, 0x100, device_.ordinal())),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace numpy_plugin::sim
