// The device of the stub driver: its description, contexts and memory.
#include "numpy_plugin/run/device.hpp"

#include <cstdlib>
#include <numeric>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "stub_test.hpp"

namespace numpy_plugin::run {
namespace {

class DeviceTest : public StubTest {
 protected:
  const load::OpenedDriver opened_ = load::open_driver(NPP_STUB_DRIVER);
  const load::Driver& driver() const { return *opened_.driver; }
};

TEST_F(DeviceTest, IsDescribedWithoutAContext) {
  const DeviceInfo info = describe_device(driver());
  EXPECT_EQ(info.name, "Stub GPU");
  EXPECT_EQ(info.arch, "sm_90");
  EXPECT_EQ(info.n_multiprocessors, 4);
  EXPECT_EQ(info.total_bytes, std::size_t{1} << 30);
  EXPECT_EQ(state().n_contexts, 0);
}

TEST_F(DeviceTest, IsNotFoundWhereTheEnvironmentForbidsIt) {
  ::setenv("NUMPY_PLUGIN_CUDA", "off", 1);
  EXPECT_EQ(find_device(), nullptr);
  EXPECT_FALSE(device_info().has_value());
  ::unsetenv("NUMPY_PLUGIN_CUDA");
}

TEST_F(DeviceTest, HoldsItsContextAsLongAsItLives) {
  {
    const Device device(driver());
    EXPECT_EQ(state().n_contexts, 1);
    {
      const CurrentContext current(device);
      EXPECT_EQ(state().n_pushed, 1);
    }
    EXPECT_EQ(state().n_pushed, 0);
  }
  EXPECT_EQ(state().n_contexts, 0);
}

TEST_F(DeviceTest, KeepsBytesInItsMemory) {
  const Device device(driver());
  const CurrentContext current(device);
  std::vector<int> sent(1000);
  std::iota(sent.begin(), sent.end(), 5);
  std::vector<int> received(sent.size());
  {
    DeviceBuffer made(device, sent.size() * sizeof(int));
    const DeviceBuffer buffer = std::move(made);
    buffer.copy_from_host(sent.data());
    buffer.copy_to_host(received.data());
    EXPECT_EQ(state().n_bytes, 4000u);
  }
  EXPECT_EQ(received, sent);
  EXPECT_EQ(state().n_buffers, 0);
}

TEST_F(DeviceTest, SaysHowMuchMemoryWasMissing) {
  const Device device(driver());
  const CurrentContext current(device);
  state().failing_allocation = 1;
  try {
    const DeviceBuffer buffer(device, 4000);
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kDeviceMemory);
    EXPECT_STREQ(error.what(),
                 "the CUDA driver failed to allocate 4000 bytes on 'Stub GPU' (1073741824 bytes in "
                 "all): CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  }
}

}  // namespace
}  // namespace numpy_plugin::run
