// Faults: detected by checks, injected, or caused by fork().
#include <sys/wait.h>
#include <unistd.h>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

CUresult synchronize() { return the_driver().cuCtxSynchronize(); }

// A launch that stores outside of an allocation, without waiting for it.
void launch_stray_store(const char* origin) {
  the_simulator().set_origin(origin);
  CUdeviceptr address = allocate(4) + 4;
  the_simulator().set_origin("");
  int value = 1;
  ASSERT_CUDA(launch(get_function(load_ptx(kStore), "store"), 1, 32, {&address, &value}));
}

TEST(InterfaceFaults, AreReportedOnceAtTheNextSynchronization) {
  const SimulatedDevice device;
  launch_stray_store("made in a test");
  EXPECT_EQ(synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::string report = the_driver().report();
  EXPECT_TRUE(contains(report, "store")) << report;
  EXPECT_TRUE(contains(report, "made in a test")) << report;
  EXPECT_CUDA(synchronize());
  EXPECT_EQ(the_driver().report(), "");
  const CUdeviceptr data = to_device(std::vector<int>{1, 2});
  EXPECT_EQ(to_host<int>(data, 2), (std::vector<int>{1, 2}));
}

TEST(InterfaceFaults, AreReportedByCopiesWhichDoNothing) {
  const SimulatedDevice device;
  const CUdeviceptr data = to_device(std::vector<int>{5});
  launch_stray_store("");
  int received = -1;
  EXPECT_EQ(the_driver().cuMemcpyDtoH(&received, data, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(received, -1);
  EXPECT_CUDA(the_driver().cuMemcpyDtoH(&received, data, 4));
  EXPECT_EQ(received, 5);
}

TEST(InterfaceFaults, AreReportedByEventsAndStreams) {
  const SimulatedDevice device;
  CUevent event = nullptr;
  ASSERT_CUDA(the_driver().cuEventCreate(&event, 0));
  launch_stray_store("");
  ASSERT_CUDA(the_driver().cuEventRecord(event, nullptr));
  EXPECT_EQ(the_driver().cuEventSynchronize(event), CUDA_ERROR_ILLEGAL_ADDRESS);
  launch_stray_store("");
  EXPECT_EQ(the_driver().cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_CUDA(the_driver().cuEventQuery(event));
}

TEST(InterfaceFaults, AreNotSwallowedByWhatFreesMemory) {
  const SimulatedDevice device;
  const CUdeviceptr other = allocate(8);
  launch_stray_store("");
  EXPECT_CUDA(the_driver().cuMemFree(other));
  EXPECT_EQ(synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(InterfaceFaults, OfKernelsThatStopOrDoNotEnd) {
  NppSimulatorOptions options = default_options();
  options.max_steps = 10000;
  const SimulatedDevice device(options);
  ASSERT_CUDA(launch(get_function(load_ptx(kTrap), "stop"), 1, 1, {}));
  EXPECT_NE(synchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(contains(the_driver().report(), "stop")) << the_driver().report();
  ASSERT_CUDA(launch(get_function(load_ptx(kForEver), "for_ever"), 1, 1, {}));
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_TRUE(contains(the_driver().report(), "for_ever")) << the_driver().report();
  EXPECT_CUDA(synchronize());
}

TEST(InterfaceFaults, BecomeErrorsOfTheirKind) {
  const SimulatedDevice device;
  launch_stray_store("made in a test");
  try {
    the_driver().check(synchronize(), "to wait");
    ADD_FAILURE();
  } catch (const load::CudaError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kSimulator);
    EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
    EXPECT_TRUE(contains(error.what(), "made in a test")) << error.what();
    EXPECT_TRUE(contains(error.what(), "\nthe CUDA driver failed to wait: CUDA_ERROR_ILLEGAL_"))
        << error.what();
  }
  try {
    CUdeviceptr address = 0;
    the_driver().check(the_driver().cuMemAlloc(&address, std::size_t{1} << 40), "to allocate");
    ADD_FAILURE();
  } catch (const load::CudaError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kDeviceMemory);
    EXPECT_EQ(error.code(), CUDA_ERROR_OUT_OF_MEMORY);
  }
}

TEST(InterfaceFaults, OnRequestMakeTheNthAllocationFail) {
  NppSimulatorOptions options = default_options();
  options.failing_allocation = 2;
  const SimulatedDevice device(options);
  CUdeviceptr address = 0;
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 8));
  EXPECT_EQ(the_driver().cuMemAllocAsync(&address, 8, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(the_driver().report(), "");
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 8));
}

TEST(InterfaceFaults, OnRequestMakeTheNthLaunchFail) {
  NppSimulatorOptions options = default_options();
  options.failing_launch = 2;
  const SimulatedDevice device(options);
  CUdeviceptr address = allocate(4);
  const CUfunction store = get_function(load_ptx(kStore), "store");
  int value = 1;
  ASSERT_CUDA(launch(store, 1, 1, {&address, &value}));
  ASSERT_CUDA(synchronize());
  value = 2;
  EXPECT_CUDA(launch(store, 1, 1, {&address, &value}));
  EXPECT_EQ(synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(the_driver().report(),
            "injected fault: launch 2 of this device fails, that of kernel 'store'");
  try {
    the_driver().check(CUDA_ERROR_LAUNCH_FAILED, "to wait");
    ADD_FAILURE();
  } catch (const load::CudaError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCuda);
    EXPECT_TRUE(contains(error.what(), "that of kernel 'store'\nthe CUDA driver failed to wait: "))
        << error.what();
  }
  EXPECT_EQ(to_host<int>(address, 1), std::vector<int>{1});
  value = 3;
  ASSERT_CUDA(launch(store, 1, 1, {&address, &value}));
  EXPECT_EQ(to_host<int>(address, 1), std::vector<int>{3});
}

TEST(InterfaceFaults, OnRequestLoseTheDeviceForGood) {
  NppSimulatorOptions options = default_options();
  options.lost_at_launch = 1;
  const SimulatedDevice device(options);
  CUdeviceptr address = allocate(4);
  CUevent event = nullptr;
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuEventCreate(&event, 0));
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, 0));
  const CUfunction store = get_function(load_ptx(kStore), "store");
  int value = 1;
  EXPECT_EQ(launch(store, 1, 1, {&address, &value}), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(launch(store, 1, 1, {&address, &value}), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(synchronize(), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(the_driver().cuMemcpyDtoH(&value, address, 4), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(the_driver().cuMemFree(address), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(the_driver().cuEventQuery(event), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(the_driver().cuStreamQuery(stream), CUDA_ERROR_DEVICE_UNAVAILABLE);
  const SimulatedDevice other;  // unaffected
  EXPECT_EQ(to_host<int>(to_device(std::vector<int>{4}), 1), std::vector<int>{4});
  try {
    the_driver().check(CUDA_ERROR_DEVICE_UNAVAILABLE, "to launch 'store'");
    ADD_FAILURE();
  } catch (const load::CudaError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCuda);
    EXPECT_TRUE(contains(error.what(), "; this simulated device stays lost")) << error.what();
  }
}

TEST(InterfaceFaults, OfChecksThatAreOffAreNotFound) {
  NppSimulatorOptions options = default_options();
  options.checks = kNppCheckAll & ~kNppCheckUninitialized;
  unsigned n = 1;
  {
    const SimulatedDevice device;
    CUdeviceptr data = allocate(4);
    ASSERT_CUDA(launch(get_function(load_ptx(kAddOne), "add_one"), 1, 1, {&data, &n}));
    EXPECT_NE(synchronize(), CUDA_SUCCESS);
    EXPECT_TRUE(contains(the_driver().report(), "add_one")) << the_driver().report();
  }
  const SimulatedDevice device(options);
  CUdeviceptr data = allocate(4);
  ASSERT_CUDA(launch(get_function(load_ptx(kAddOne), "add_one"), 1, 1, {&data, &n}));
  EXPECT_CUDA(synchronize());
}

TEST(InterfaceCounters, AddUpTheLaunchesOfADevice) {
  const SimulatedDevice device;
  CUdeviceptr data = to_device(std::vector<int>(64));
  unsigned n = 64;
  const CUfunction add_one = get_function(load_ptx(kAddOne), "add_one");
  ASSERT_CUDA(launch(add_one, 2, 32, {&data, &n}));
  ASSERT_CUDA(launch(add_one, 1, 32, {&data, &n}));
  ASSERT_CUDA(synchronize());
  NppSimulatorCounters counters = {};
  the_simulator().read_counters(device.ordinal(), &counters);
  EXPECT_EQ(counters.n_launches, 2u);
  EXPECT_EQ(counters.n_blocks, 3u);
  EXPECT_EQ(counters.n_warps, 3u);
  EXPECT_EQ(counters.global_load_bytes, 3u * 32 * 4);
  EXPECT_EQ(counters.global_store_bytes, 3u * 32 * 4);
  std::uint64_t n_lanes = 0;
  for (int index = 0; the_simulator().class_name(index) != nullptr; ++index) {
    n_lanes += counters.lanes_by_class[index];
  }
  EXPECT_EQ(n_lanes, counters.lane_instructions);
  EXPECT_STREQ(the_simulator().class_name(8), "global load");
  EXPECT_EQ(counters.lanes_by_class[8], 3u * 32);
}

TEST(InterfaceFork, IsRefusedInTheChild) {
  const SimulatedDevice device;
  const pid_t child = ::fork();
  if (child == 0) {
    CUdeviceptr address = 0;
    const bool is_refused = the_driver().cuMemAlloc(&address, 8) == CUDA_ERROR_NOT_INITIALIZED &&
                            contains(the_driver().report(), "forked") &&
                            synchronize() == CUDA_ERROR_NOT_INITIALIZED &&
                            the_driver().cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    ::_exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(InterfaceExitDeathTest, LeavesAKernelThatRuns) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, not a fork of this one
  const auto leave = [] {
    NppSimulatorOptions options = default_options();
    options.max_steps = std::uint64_t{1} << 62;
    static const auto* const kept = new SimulatedDevice(options);  // until the process ends
    const CUfunction for_ever = get_function(load_ptx(kForEver), "for_ever");
    const bool is_launched = kept != nullptr && launch(for_ever, 1, 32, {}) == CUDA_SUCCESS;
    std::exit(is_launched && the_driver().cuStreamQuery(nullptr) == CUDA_ERROR_NOT_READY ? 7 : 1);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace numpy_plugin::sim
