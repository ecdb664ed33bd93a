// Memory pools: their creation, and what they count and keep.
#include <limits>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

class InterfacePools : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(the_driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  }
  CUmemPoolProps properties() const {
    CUmemPoolProps properties = {};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_.ordinal()};
    return properties;
  }
  CUmemoryPool make_pool(std::size_t max_bytes = 0) const {
    CUmemPoolProps wanted = properties();
    wanted.maxSize = max_bytes;
    CUmemoryPool pool = nullptr;
    EXPECT_CUDA(the_driver().cuMemPoolCreate(&pool, &wanted));
    return pool;
  }
  CUdeviceptr allocate_from(CUmemoryPool pool, std::size_t n_bytes) const {
    CUdeviceptr address = 0;
    EXPECT_CUDA(the_driver().cuMemAllocFromPoolAsync(&address, n_bytes, pool, stream_));
    return address;
  }
  static cuuint64_t attribute(CUmemoryPool pool, CUmemPool_attribute name) {
    cuuint64_t value = 99;
    EXPECT_CUDA(the_driver().cuMemPoolGetAttribute(pool, name, &value));
    return value;
  }
  static cuuint64_t used(CUmemoryPool pool) {
    return attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  }
  static cuuint64_t held(CUmemoryPool pool) {
    return attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  }
  static void set_threshold(CUmemoryPool pool, cuuint64_t value) {
    EXPECT_CUDA(
        the_driver().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
  }
  static std::size_t free_bytes() {
    std::size_t n_free = 0;
    EXPECT_CUDA(the_driver().cuMemGetInfo(&n_free, nullptr));
    return n_free;
  }
  CUresult finish() const { return the_driver().cuStreamSynchronize(stream_); }

  const SimulatedDevice device_;
  CUstream stream_ = nullptr;
};

TEST_F(InterfacePools, OfADeviceAreCounted) {
  CUmemoryPool pool = nullptr;
  ASSERT_CUDA(the_driver().cuDeviceGetDefaultMemPool(&pool, device_.ordinal()));
  const CUdeviceptr address = allocate_from(pool, 700);
  EXPECT_EQ(used(pool), 700u);
  ASSERT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(used(pool), 0u);
  EXPECT_EQ(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 700u);
  cuuint64_t value = 0;
  ASSERT_CUDA(the_driver().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
  EXPECT_EQ(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0u);
  EXPECT_EQ(the_driver().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfacePools, OfTheirOwnAreApart) {
  CUmemoryPool pool = make_pool();
  CUmemoryPool other = make_pool();
  EXPECT_NE(pool, other);
  const CUdeviceptr address = allocate_from(pool, 512);
  EXPECT_EQ(used(pool), 512u);
  EXPECT_EQ(used(other), 0u);
  CUmemoryPool found = nullptr;
  ASSERT_CUDA(
      the_driver().cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address));
  EXPECT_EQ(found, pool);
  ASSERT_CUDA(the_driver().cuMemFreeAsync(address, stream_));
  EXPECT_EQ(used(pool), 0u);
}

TEST_F(InterfacePools, AreUsedByAllocationsOnceSet) {
  auto* const set = entry_point<CUresult(CUdevice, CUmemoryPool)>("cuDeviceSetMemPool");
  auto* const get = entry_point<CUresult(CUmemoryPool*, CUdevice)>("cuDeviceGetMemPool");
  CUmemoryPool usual = nullptr;
  ASSERT_CUDA(the_driver().cuDeviceGetDefaultMemPool(&usual, device_.ordinal()));
  CUmemoryPool pool = make_pool();
  CUmemoryPool current = nullptr;
  ASSERT_CUDA(get(&current, device_.ordinal()));
  EXPECT_EQ(current, usual);
  ASSERT_CUDA(set(device_.ordinal(), pool));
  ASSERT_CUDA(get(&current, device_.ordinal()));
  EXPECT_EQ(current, pool);
  CUdeviceptr address = 0;
  ASSERT_CUDA(the_driver().cuMemAllocAsync(&address, 16, stream_));
  EXPECT_EQ(used(pool), 16u);
  ASSERT_CUDA(the_driver().cuMemPoolDestroy(pool));
  ASSERT_CUDA(get(&current, device_.ordinal()));
  EXPECT_EQ(current, usual);
  const SimulatedDevice other;
  EXPECT_EQ(set(other.ordinal(), usual), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfacePools, KeepFreedMemoryUpToTheirThreshold) {
  CUmemoryPool pool = make_pool();
  const std::size_t before = free_bytes();
  set_threshold(pool, 3000);
  EXPECT_EQ(attribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 3000u);
  const CUdeviceptr first = allocate_from(pool, 2048);
  const CUdeviceptr second = allocate_from(pool, 2048);
  ASSERT_CUDA(the_driver().cuMemFreeAsync(first, stream_));
  ASSERT_CUDA(the_driver().cuMemFreeAsync(second, stream_));
  EXPECT_EQ(held(pool), 4096u);  // until the next synchronization
  ASSERT_CUDA(finish());
  EXPECT_EQ(held(pool), 3000u);
  EXPECT_EQ(free_bytes(), before - 3000);
  const CUdeviceptr third = allocate_from(pool, 2048);
  EXPECT_EQ(held(pool), 3000u);  // taken from the reserve
  ASSERT_CUDA(the_driver().cuMemPoolTrimTo(pool, 2500));
  EXPECT_EQ(held(pool), 2500u);
  ASSERT_CUDA(the_driver().cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(held(pool), 2048u);
  ASSERT_CUDA(the_driver().cuMemFreeAsync(third, stream_));
  ASSERT_CUDA(the_driver().cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(held(pool), 0u);
  EXPECT_EQ(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 4096u);
  ASSERT_CUDA(finish());
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(InterfacePools, GiveTheirReserveToOtherAllocations) {
  CUmemoryPool pool = make_pool();
  set_threshold(pool, std::numeric_limits<cuuint64_t>::max());
  constexpr std::size_t kMost = std::size_t{1} << 20;
  ASSERT_CUDA(the_driver().cuMemFreeAsync(allocate_from(pool, kMost), stream_));
  ASSERT_CUDA(finish());
  EXPECT_EQ(held(pool), kMost);
  EXPECT_EQ(free_bytes(), 0u);
  const CUdeviceptr address = allocate(kMost);
  EXPECT_EQ(held(pool), 0u);
  ASSERT_CUDA(the_driver().cuMemFree(address));
  ASSERT_CUDA(the_driver().cuMemFreeAsync(allocate_from(pool, 512), stream_));
  CUdeviceptr more = 0;
  EXPECT_EQ(the_driver().cuMemAlloc(&more, kMost + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(held(pool), 0u);  // an allocation fails only without reserves
}

TEST_F(InterfacePools, HaveAMaximumSizeIfAskedFor) {
  CUmemoryPool pool = make_pool(1000);
  const CUdeviceptr address = allocate_from(pool, 900);
  CUdeviceptr more = 0;
  EXPECT_EQ(the_driver().cuMemAllocFromPoolAsync(&more, 101, pool, stream_),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(contains(the_driver().report(), "maximum size")) << the_driver().report();
  ASSERT_CUDA(the_driver().cuMemFreeAsync(address, stream_));
  EXPECT_CUDA(the_driver().cuMemAllocFromPoolAsync(&more, 101, pool, stream_));
}

TEST_F(InterfacePools, LastUntilTheirMemoryIsFreed) {
  CUmemoryPool pool = make_pool();
  const std::size_t before = free_bytes();
  CUdeviceptr address = allocate_from(pool, 4);
  ASSERT_CUDA(the_driver().cuMemPoolDestroy(pool));
  EXPECT_EQ(the_driver().cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_HANDLE);
  CUdeviceptr more = 0;
  EXPECT_EQ(the_driver().cuMemAllocFromPoolAsync(&more, 4, pool, stream_),
            CUDA_ERROR_INVALID_HANDLE);
  int value = 3;
  ASSERT_CUDA(launch(get_function(load_ptx(kStore), "store"), 1, 1, {&address, &value}, stream_));
  ASSERT_CUDA(the_driver().cuMemFreeAsync(address, stream_));
  EXPECT_CUDA(finish());
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(InterfacePools, RefuseWhatTheSimulatorHasNot) {
  CUmemoryPool pool = nullptr;
  const auto create = [&](const auto& change) {
    CUmemPoolProps wanted = properties();
    change(wanted);
    return the_driver().cuMemPoolCreate(&pool, &wanted);
  };
  EXPECT_EQ(create([](auto& wanted) { wanted.allocType = CU_MEM_ALLOCATION_TYPE_INVALID; }),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create([](auto& wanted) { wanted.location.id = 1000; }), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(create([](auto& wanted) { wanted.location.type = CU_MEM_LOCATION_TYPE_HOST; }),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(
      create([](auto& wanted) { wanted.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; }),
      CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(pool, nullptr);
}

TEST_F(InterfacePools, OfOtherDevicesGiveNoMemory) {
  CUmemoryPool pool = make_pool();
  const SimulatedDevice other;
  CUdeviceptr address = 0;
  EXPECT_EQ(the_driver().cuMemAllocFromPoolAsync(&address, 8, pool, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace numpy_plugin::sim
