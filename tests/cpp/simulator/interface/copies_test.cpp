// Copies and fills: between all kinds of memory, row by row, in order, and out of range.
#include <algorithm>
#include <numeric>
#include <random>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

std::vector<int> counting(std::size_t count, int first = 0) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

class InterfaceCopies : public testing::Test {
 protected:
  const SimulatedDevice device_;
};

TEST_F(InterfaceCopies, GoThereAndBack) {
  const std::vector<int> sent = counting(1000, 5);
  const CUdeviceptr first = to_device(sent);
  const CUdeviceptr second = allocate(4000);
  ASSERT_CUDA(the_driver().cuMemcpyDtoD(second, first, 4000));
  EXPECT_EQ(to_host<int>(second, 1000), sent);
  EXPECT_CUDA(the_driver().cuMemcpyHtoD(second, sent.data(), 0));
}

TEST_F(InterfaceCopies, FindOutWhatAnAddressIsOf) {
  const std::vector<int> sent = counting(100);
  std::vector<int> received(100);
  const CUdeviceptr address = allocate(400);
  const auto host = [](const std::vector<int>& data) {
    return reinterpret_cast<CUdeviceptr>(data.data());
  };
  ASSERT_CUDA(the_driver().cuMemcpyAsync(address, host(sent), 400, nullptr));
  ASSERT_CUDA(the_driver().cuMemcpyAsync(host(received), address, 400, nullptr));
  EXPECT_EQ(received, sent);
  std::fill(received.begin(), received.end(), 0);
  ASSERT_CUDA(the_driver().cuMemcpyAsync(host(received), host(sent), 400, nullptr));
  EXPECT_EQ(received, sent);
}

TEST_F(InterfaceCopies, GoBetweenDevices) {
  const std::vector<int> sent = counting(100, 3);
  const CUdeviceptr here = to_device(sent);
  const SimulatedDevice other;
  const CUdeviceptr there = allocate(400);
  ASSERT_CUDA(the_driver().cuMemcpyDtoD(there, here, 400));
  EXPECT_EQ(to_host<int>(there, 100), sent);
}

TEST_F(InterfaceCopies, GoBetweenContextsThatAreNamed) {
  using CopyPeer = CUresult(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, std::size_t);
  auto* const copy_peer = entry_point<CopyPeer>("cuMemcpyPeer");
  const std::vector<int> sent = counting(100, 3);
  const CUdeviceptr here = to_device(sent);
  const SimulatedDevice other;
  const CUdeviceptr there = allocate(400);
  const CUcontext first = device_.context();
  const CUcontext second = other.context();
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuMemcpyPeerAsync(there, second, here, first, 400, stream));
  EXPECT_EQ(the_driver().cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
  EXPECT_EQ(to_host<int>(there, 100), sent);
  ASSERT_CUDA(the_driver().cuMemsetD8Async(there, 9, 400, stream));
  ASSERT_CUDA(copy_peer(here, first, there, second, 200));  // after the fill
  EXPECT_EQ(to_host<int>(here, 50), std::vector<int>(50, 0x09090909));
  EXPECT_EQ(copy_peer(here, second, there, second, 400), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "not of the context")) << the_driver().report();
  EXPECT_EQ(copy_peer(here, first, there, second, 404), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemcpyPeerAsync(there, nullptr, here, first, 4, stream),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(InterfaceCopies, KeepWhatIsUninitializedBetweenDevices) {
  const CUdeviceptr here = allocate(8);
  int value = 5;
  ASSERT_CUDA(the_driver().cuMemcpyHtoD(here, &value, 4));
  const SimulatedDevice other;
  CUdeviceptr there = allocate(8);
  ASSERT_CUDA(
      the_driver().cuMemcpyPeerAsync(there, other.context(), here, device_.context(), 8, nullptr));
  unsigned n = 2;
  ASSERT_CUDA(launch(get_function(load_ptx(kAddOne), "add_one"), 1, 1, {&there, &n}));
  EXPECT_CUDA(the_driver().cuCtxSynchronize());
  ASSERT_CUDA(launch(get_function(load_ptx(kAddOne), "add_one"), 1, 2, {&there, &n}));
  EXPECT_NE(the_driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(contains(the_driver().report(), "never written")) << the_driver().report();
}

TEST_F(InterfaceCopies, RefuseRangesThatAreNotThere) {
  std::vector<int> data(100);
  const CUdeviceptr address = to_device(data);
  EXPECT_EQ(the_driver().cuMemcpyHtoD(address, data.data(), 404), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "the last 4 bytes past the end of allocation"))
      << the_driver().report();
  EXPECT_EQ(the_driver().cuMemcpyDtoH(data.data(), address + 400, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemcpyDtoD(address, address - 4, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemcpyHtoD(0, data.data(), 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "null pointer")) << the_driver().report();
  EXPECT_EQ(the_driver().cuMemcpyHtoD(address, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemcpyDtoH(data.data(), address, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(the_driver().cuMemcpyDtoH(data.data(), address, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "which was freed")) << the_driver().report();
}

TEST_F(InterfaceCopies, TakeNoAddressOfTheDeviceForTheHosts) {
  const std::vector<int> sent = counting(100, 8);
  const CUdeviceptr address = to_device(sent);
  const CUdeviceptr copy = allocate(400);
  ASSERT_CUDA(the_driver().cuMemcpyHtoD(copy, reinterpret_cast<const void*>(address), 400));
  EXPECT_EQ(to_host<int>(copy, 100), sent);
  ASSERT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(the_driver().cuMemcpyAsync(copy, address, 4, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "which was freed")) << the_driver().report();
  EXPECT_EQ(the_driver().cuMemcpyAsync(copy, copy + 500, 4, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceCopies, TakePageableMemoryBeforeTheyReturn) {
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  std::vector<int> sent = counting(100);
  const CUdeviceptr address = allocate(400);
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuMemcpyHtoDAsync(address, sent.data(), 400, stream));
  std::fill(sent.begin(), sent.end(), -1);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
  EXPECT_EQ(to_host<int>(address, 100), counting(100));
}

TEST_F(InterfaceCopies, TakePinnedMemoryWhenItsTurnComes) {
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  int* pinned = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(reinterpret_cast<void**>(&pinned), 8, 0));
  pinned[0] = 1;
  pinned[1] = 2;
  const CUdeviceptr address = allocate(8);
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuMemcpyHtoDAsync(address, pinned, 8, stream));
  ASSERT_CUDA(the_driver().cuMemcpyDtoHAsync(pinned + 1, address, 4, stream));
  EXPECT_EQ(pinned[1], 2);  // nothing has happened yet
  pinned[0] = 5;
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
  EXPECT_EQ(to_host<int>(address, 2), (std::vector<int>{5, 2}));
  EXPECT_EQ(pinned[1], 5);
  EXPECT_CUDA(the_driver().cuMemFreeHost(pinned));
}

TEST_F(InterfaceCopies, OfRowsAgreeWithAModel) {
  std::mt19937 random(5);
  const auto below = [&](std::size_t most) { return random() % (most + 1); };
  for (int repetition = 0; repetition < 50; ++repetition) {
    CUDA_MEMCPY2D rows = {};
    rows.WidthInBytes = 1 + below(20);
    rows.Height = 1 + below(6);
    rows.srcXInBytes = below(5);
    rows.srcY = below(3);
    rows.srcPitch = rows.srcXInBytes + rows.WidthInBytes + below(9);
    rows.dstXInBytes = below(5);
    rows.dstY = below(3);
    rows.dstPitch = rows.dstXInBytes + rows.WidthInBytes + below(9);
    std::vector<unsigned char> source((rows.srcY + rows.Height) * rows.srcPitch);
    std::vector<unsigned char> target((rows.dstY + rows.Height) * rows.dstPitch, 0xee);
    for (auto& byte : source) byte = static_cast<unsigned char>(random());
    const CUdeviceptr there = to_device(source);
    const CUdeviceptr back = to_device(target);
    rows.srcMemoryType = rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.srcDevice = there;
    rows.dstDevice = back;
    ASSERT_CUDA(the_driver().cuMemcpy2DAsync(&rows, nullptr));
    for (std::size_t row = 0; row < rows.Height; ++row) {
      const auto* const from = source.data() + (rows.srcY + row) * rows.srcPitch + rows.srcXInBytes;
      auto* const to = target.data() + (rows.dstY + row) * rows.dstPitch + rows.dstXInBytes;
      std::copy(from, from + rows.WidthInBytes, to);
    }
    EXPECT_EQ(to_host<unsigned char>(back, target.size()), target);
    std::vector<unsigned char> on_host(target.size(), 0xee);
    rows.dstMemoryType = CU_MEMORYTYPE_HOST;
    rows.dstHost = on_host.data();
    ASSERT_CUDA(the_driver().cuMemcpy2DAsync(&rows, nullptr));
    EXPECT_EQ(on_host, target);
    the_driver().cuMemFree(there);
    the_driver().cuMemFree(back);
  }
}

TEST_F(InterfaceCopies, OfRowsRefuseWhatDoesNotFit) {
  std::vector<char> host(100);
  CUDA_MEMCPY2D rows = {};
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host.data();
  rows.srcPitch = 10;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = allocate(95);
  rows.dstPitch = 10;
  rows.WidthInBytes = 5;
  rows.Height = 10;
  EXPECT_CUDA(the_driver().cuMemcpy2DAsync(&rows, nullptr));
  rows.WidthInBytes = 6;
  EXPECT_EQ(the_driver().cuMemcpy2DAsync(&rows, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(the_driver().report(), "the last 1 byte past the end"))
      << the_driver().report();
  rows.WidthInBytes = 11;
  rows.Height = 2;
  EXPECT_EQ(the_driver().cuMemcpy2DAsync(&rows, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().report(), "a row of a copy is longer than its pitch");
  rows.WidthInBytes = 5;
  rows.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(the_driver().cuMemcpy2DAsync(&rows, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  rows.srcMemoryType = static_cast<CUmemorytype>(7);
  EXPECT_EQ(the_driver().cuMemcpy2DAsync(&rows, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemcpy2DAsync(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceCopies, FillElementsOfEachSize) {
  const CUdeviceptr address = allocate(16);
  ASSERT_CUDA(the_driver().cuMemsetD32Async(address, 0x01020304, 4, nullptr));
  EXPECT_EQ(to_host<unsigned>(address, 4), std::vector<unsigned>(4, 0x01020304));
  ASSERT_CUDA(the_driver().cuMemsetD16Async(address + 2, 0x0506, 3, nullptr));
  EXPECT_EQ(to_host<unsigned short>(address, 5),
            (std::vector<unsigned short>{0x0304, 0x0506, 0x0506, 0x0506, 0x0304}));
  ASSERT_CUDA(the_driver().cuMemsetD8Async(address, 7, 1, nullptr));
  EXPECT_EQ(to_host<unsigned char>(address, 2), (std::vector<unsigned char>{7, 3}));
}

TEST_F(InterfaceCopies, FillMemoryOfTheHostBeforeTheyReturn) {
  auto* const fill = entry_point<CUresult(CUdeviceptr, unsigned, std::size_t)>("cuMemsetD32_v2");
  unsigned* pinned = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(reinterpret_cast<void**>(&pinned), 8, 0));
  ASSERT_CUDA(fill(reinterpret_cast<CUdeviceptr>(pinned), 7, 2));
  EXPECT_EQ(pinned[0], 7u);
  EXPECT_EQ(pinned[1], 7u);
  EXPECT_CUDA(the_driver().cuMemFreeHost(pinned));
}

TEST_F(InterfaceCopies, FillRows) {
  const CUdeviceptr address = to_device(std::vector<unsigned>(9, 1));
  ASSERT_CUDA(the_driver().cuMemsetD2D32Async(address, 12, 5, 2, 3, nullptr));
  EXPECT_EQ(to_host<unsigned>(address, 9), (std::vector<unsigned>{5, 5, 1, 5, 5, 1, 5, 5, 1}));
  ASSERT_CUDA(the_driver().cuMemsetD2D8Async(address, 12, 0, 4, 2, nullptr));
  EXPECT_EQ(to_host<unsigned>(address, 4), (std::vector<unsigned>{0, 5, 1, 0}));
}

TEST_F(InterfaceCopies, RefuseFillsThatDoNotFit) {
  const CUdeviceptr address = allocate(16);
  EXPECT_EQ(the_driver().cuMemsetD8Async(address, 0, 17, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemsetD32Async(address + 2, 0, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemsetD32Async(address, 0, SIZE_MAX / 2, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuMemsetD2D32Async(address, 4, 0, 2, 2, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(the_driver().cuMemsetD8Async(address, 0, 0, nullptr));
}

TEST(InterfaceSlowCopies, TakeTheirTime) {
  NppSimulatorOptions options = default_options();
  options.copy_delay_seconds = 0.05;
  const SimulatedDevice device(options);
  CUstream stream = nullptr;
  CUevent before = nullptr;
  CUevent after = nullptr;
  void* pinned = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CUDA(the_driver().cuEventCreate(&before, 0));
  ASSERT_CUDA(the_driver().cuEventCreate(&after, 0));
  ASSERT_CUDA(the_driver().cuMemHostAlloc(&pinned, 4, 0));
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuEventRecord(before, stream));
  ASSERT_CUDA(the_driver().cuMemcpyHtoDAsync(allocate(4), pinned, 4, stream));
  ASSERT_CUDA(the_driver().cuEventRecord(after, stream));
  EXPECT_EQ(the_driver().cuEventQuery(after), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuEventSynchronize(after));
  float milliseconds = 0;
  ASSERT_CUDA(the_driver().cuEventElapsedTime(&milliseconds, before, after));
  EXPECT_GE(milliseconds, 50);
  EXPECT_CUDA(the_driver().cuMemFreeHost(pinned));
}

}  // namespace
}  // namespace numpy_plugin::sim
