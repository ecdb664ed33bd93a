// Memory of the simulated driver: allocation, deallocation, and attributes of addresses.
#include <chrono>
#include <thread>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

std::size_t free_bytes() {
  std::size_t n_free = 0;
  std::size_t n_total = 0;
  EXPECT_CUDA(the_driver().cuMemGetInfo(&n_free, &n_total));
  return n_free;
}

class InterfaceMemory : public testing::Test {
 protected:
  const SimulatedDevice device_;
};

TEST_F(InterfaceMemory, IsGivenOutAndTakenBack) {
  const std::size_t before = free_bytes();
  const CUdeviceptr address = allocate(1000);
  EXPECT_EQ(address % 256, 0u);
  EXPECT_LE(free_bytes(), before - 1000);
  EXPECT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(free_bytes(), before);
  EXPECT_CUDA(the_driver().cuMemFree(0));
}

TEST_F(InterfaceMemory, IsNotFreedTwiceNorFromItsMiddle) {
  const CUdeviceptr address = allocate(1000);
  EXPECT_EQ(the_driver().cuMemFree(address + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "inside allocation")) << the_driver().report();
  ASSERT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(the_driver().cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "which was freed")) << the_driver().report();
}

TEST_F(InterfaceMemory, EndsAndTheNextCallWorks) {
  const std::size_t before = free_bytes();
  CUdeviceptr address = 77;
  EXPECT_EQ(the_driver().cuMemAlloc(&address, std::size_t{1} << 21), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(contains(the_driver().report(), "2097152 bytes asked for")) << the_driver().report();
  EXPECT_EQ(address, 77u);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(the_driver().cuMemAlloc(&address, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(the_driver().cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 100));
}

TEST_F(InterfaceMemory, HasRowsAtMultiplesOfThePitch) {
  using AllocateRows = CUresult(CUdeviceptr*, std::size_t*, std::size_t, std::size_t, unsigned);
  auto* const allocate_rows = entry_point<AllocateRows>("cuMemAllocPitch_v2");
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  ASSERT_CUDA(allocate_rows(&address, &pitch, 513, 3, 4));
  EXPECT_EQ(pitch, 1024u);
  auto* const fill =
      entry_point<CUresult(CUdeviceptr, unsigned char, std::size_t)>("cuMemsetD8_v2");
  EXPECT_CUDA(fill(address, 1, 3 * 1024));
  EXPECT_NE(fill(address, 1, 3 * 1024 + 1), CUDA_SUCCESS);
  EXPECT_EQ(allocate_rows(&address, &pitch, 513, 3, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceMemory, IsFreedInTheOrderOfAStream) {
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr address = 0;
  const std::size_t before = free_bytes();
  ASSERT_CUDA(the_driver().cuMemAllocAsync(&address, 5000, stream));
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuMemFreeAsync(address, stream));
  EXPECT_LT(free_bytes(), before);
  EXPECT_EQ(the_driver().cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(InterfaceMemory, ThatIsToBeFreedIsWaitedFor) {
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  constexpr std::size_t kMost = (std::size_t{1} << 20) - 4096;
  ASSERT_CUDA(the_driver().cuMemAllocAsync(&first, kMost, stream));
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuMemFreeAsync(first, stream));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the other most likely waits
    gate.open();
  });
  EXPECT_CUDA(the_driver().cuMemAllocAsync(&second, kMost, stream));
  opener.join();
}

TEST_F(InterfaceMemory, NotOfAStreamIsNotFreedInOne) {
  EXPECT_EQ(the_driver().cuMemFreeAsync(allocate(8), nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceMemory, OfTheHostIsReachedByKernels) {
  int* data = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(reinterpret_cast<void**>(&data), 4 * sizeof(int), 0));
  for (int index = 0; index < 4; ++index) data[index] = 10 * index;
  CUdeviceptr address = 0;
  ASSERT_CUDA(the_driver().cuMemHostGetDevicePointer(&address, data, 0));
  unsigned n = 4;
  const CUfunction add_one = get_function(load_ptx(kAddOne), "add_one");
  ASSERT_CUDA(launch(add_one, 1, 32, {&address, &n}));
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  for (int index = 0; index < 4; ++index) EXPECT_EQ(data[index], 10 * index + 1);
  EXPECT_CUDA(the_driver().cuMemFreeHost(data));
  EXPECT_EQ(the_driver().cuMemHostGetDevicePointer(&address, data, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemFreeHost(data), CUDA_ERROR_INVALID_VALUE);
}

// record(unsigned* at, unsigned value): stores the first value other than 0, counts all in the next
// element.
const std::string kRecord = with_header(R"(
.visible .entry record(.param .u64 at, .param .u32 value)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [at];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %d2, %d1;
  atom.sys.global.cas.b32 %r2, [%d2], 0, %r1;
  atom.sys.global.add.u32 %r3, [%d2+4], 1;
  ret;
}
)");

TEST_F(InterfaceMemory, OfTheHostReceivesRecordsOfKernelsWithoutACopy) {
  unsigned* data = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(reinterpret_cast<void**>(&data), 8,
                                          CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
  data[0] = data[1] = 0;
  CUdeviceptr address = 0;
  ASSERT_CUDA(the_driver().cuMemHostGetDevicePointer(&address, data, 0));
  const CUfunction record = get_function(load_ptx(kRecord), "record");
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (unsigned round = 1; round <= 2; ++round) {
    for (unsigned value : {7 * round, 9 * round}) {
      ASSERT_CUDA(launch(record, 2, 64, {&address, &value}, stream));
    }
    ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
    EXPECT_EQ(data[0], 7 * round);
    EXPECT_EQ(data[1], 256u);
    data[0] = data[1] = 0;  // the host clears it: the next kernels see that
  }
  EXPECT_CUDA(the_driver().cuMemFreeHost(data));
  unsigned value = 1;
  ASSERT_CUDA(launch(record, 1, 1, {&address, &value}, stream));
  EXPECT_EQ(the_driver().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(InterfaceMemory, OfTheHostIsRegisteredOnce) {
  std::vector<int> data(1000);
  const std::size_t n_bytes = data.size() * sizeof(int);
  ASSERT_CUDA(the_driver().cuMemHostRegister(data.data(), n_bytes, 0));
  EXPECT_EQ(the_driver().cuMemHostRegister(data.data() + 10, 8, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(the_driver().cuMemFreeHost(data.data()), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(data.data());
  unsigned n = 1000;
  const CUfunction add_one = get_function(load_ptx(kAddOne), "add_one");
  ASSERT_CUDA(launch(add_one, 8, 128, {&address, &n}));
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  EXPECT_EQ(data, std::vector<int>(1000, 1));
  ASSERT_CUDA(the_driver().cuMemHostUnregister(data.data()));
  EXPECT_EQ(the_driver().cuMemHostUnregister(data.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(InterfaceMemory, OfTheHostIsKnownToLaterDevices) {
  void* data = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(&data, 64, 0));
  {
    const SimulatedDevice other;
    CUdeviceptr address = reinterpret_cast<CUdeviceptr>(data);
    int value = 5;
    const CUfunction store = get_function(load_ptx(kStore), "store");
    ASSERT_CUDA(launch(store, 1, 1, {&address, &value}));
    ASSERT_CUDA(the_driver().cuCtxSynchronize());
  }
  EXPECT_EQ(*static_cast<int*>(data), 5);
  EXPECT_CUDA(the_driver().cuMemFreeHost(data));
}

template <typename Value>
Value pointer_attribute(CUdeviceptr address, CUpointer_attribute name) {
  Value value = {};
  EXPECT_CUDA(the_driver().cuPointerGetAttribute(&value, name, address));
  return value;
}

TEST_F(InterfaceMemory, ManagedIsOfTheHostAndAllDevices) {
  using Allocate = CUresult(CUdeviceptr*, std::size_t, unsigned);
  auto* const allocate_managed = entry_point<Allocate>("cuMemAllocManaged");
  CUdeviceptr address = 0;
  EXPECT_EQ(allocate_managed(&address, 16, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate_managed(&address, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CUDA(allocate_managed(&address, 16, CU_MEM_ATTACH_GLOBAL));
  int* const data = reinterpret_cast<int*>(address);
  for (int index = 0; index < 4; ++index) data[index] = index;
  unsigned n = 4;
  const auto add_one = [&] {
    EXPECT_CUDA(launch(get_function(load_ptx(kAddOne), "add_one"), 1, 32, {&address, &n}));
    return the_driver().cuCtxSynchronize();
  };
  EXPECT_CUDA(add_one());
  {
    const SimulatedDevice other;
    EXPECT_CUDA(add_one());
    n = 5;
    EXPECT_EQ(add_one(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_TRUE(contains(the_driver().report(), "(16 bytes, cuMemAllocManaged)"))
        << the_driver().report();
  }
  EXPECT_EQ(to_host<int>(address, 4), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(data[3], 5);
  EXPECT_TRUE(pointer_attribute<bool>(address + 4, CU_POINTER_ATTRIBUTE_IS_MANAGED));
  EXPECT_EQ(pointer_attribute<unsigned>(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE),
            unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(pointer_attribute<void*>(address, CU_POINTER_ATTRIBUTE_HOST_POINTER), data);
  EXPECT_EQ(pointer_attribute<std::size_t>(address, CU_POINTER_ATTRIBUTE_RANGE_SIZE), 16u);
  EXPECT_EQ(the_driver().cuMemFreeHost(data), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(the_driver().cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  n = 4;
  EXPECT_EQ(add_one(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(InterfaceMemory, SaysWhatAnAddressIsOf) {
  const CUdeviceptr address = allocate(1000);
  const CUdeviceptr inside = address + 100;
  EXPECT_EQ(pointer_attribute<unsigned>(inside, CU_POINTER_ATTRIBUTE_MEMORY_TYPE),
            unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(pointer_attribute<int>(inside, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL), device_.ordinal());
  EXPECT_EQ(pointer_attribute<CUcontext>(inside, CU_POINTER_ATTRIBUTE_CONTEXT), device_.context());
  EXPECT_EQ(pointer_attribute<CUdeviceptr>(inside, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), address);
  EXPECT_EQ(pointer_attribute<std::size_t>(inside, CU_POINTER_ATTRIBUTE_RANGE_SIZE), 1000u);
  EXPECT_EQ(pointer_attribute<CUdeviceptr>(inside, CU_POINTER_ATTRIBUTE_DEVICE_POINTER), inside);
  EXPECT_FALSE(pointer_attribute<bool>(inside, CU_POINTER_ATTRIBUTE_IS_MANAGED));
  void* host = nullptr;
  EXPECT_EQ(the_driver().cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, inside),
            CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute name = CU_POINTER_ATTRIBUTE_HOST_POINTER;
  host = &host;
  void* place = &host;
  ASSERT_CUDA(the_driver().cuPointerGetAttributes(1, &name, &place, inside));
  EXPECT_EQ(host, nullptr);
  CUdeviceptr begin = 0;
  std::size_t n_bytes = 0;
  ASSERT_CUDA(the_driver().cuMemGetAddressRange(&begin, &n_bytes, inside));
  EXPECT_EQ(begin, address);
  EXPECT_EQ(n_bytes, 1000u);
}

TEST_F(InterfaceMemory, SaysThatAnAddressIsOfTheHost) {
  void* data = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(&data, 64, 0));
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  EXPECT_EQ(pointer_attribute<unsigned>(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE),
            unsigned{CU_MEMORYTYPE_HOST});
  EXPECT_EQ(pointer_attribute<void*>(address, CU_POINTER_ATTRIBUTE_HOST_POINTER), data);
  EXPECT_CUDA(the_driver().cuMemFreeHost(data));
}

TEST_F(InterfaceMemory, SaysThatAnAddressIsOfNothing) {
  int local = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(&local);
  unsigned type = 7;
  EXPECT_EQ(the_driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
            CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  std::size_t size = 7;
  bool is_managed = true;
  void* values[] = {&type, &size, &is_managed};
  ASSERT_CUDA(the_driver().cuPointerGetAttributes(3, names, values, address));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(size, 0u);
  EXPECT_FALSE(is_managed);
}

TEST_F(InterfaceMemory, NamesWhereItWasMade) {
  the_simulator().set_origin("device_array at model.py:12");
  const CUdeviceptr address = allocate(16);
  the_simulator().set_origin("");
  int byte = 0;
  EXPECT_EQ(the_driver().cuMemcpyDtoH(&byte, address + 16, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "16 bytes, device_array at model.py:12"))
      << the_driver().report();
}

TEST(InterfaceMemoryDeathTest, OfTheDeviceIsNotTheHosts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const SimulatedDevice device;
  const CUdeviceptr address = allocate(64);
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(address) = 1, "");
}

}  // namespace
}  // namespace numpy_plugin::sim
