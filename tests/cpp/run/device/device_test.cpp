// Devices of the stub driver: properties, contexts, scopes and streams.
#include "numpy_plugin/run/device/device.hpp"

#include <cstdlib>
#include <memory>
#include <thread>

#include "load/stub_test.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/device/per_device.hpp"

namespace numpy_plugin::run {
namespace {

class DeviceTest : public StubTest {
 protected:
  const load::OpenedDriver opened_ = load::open_driver(NPP_STUB_DRIVER);
  std::shared_ptr<Device> make_device(int ordinal = 0) const {
    return std::make_shared<Device>(*opened_.driver, ordinal);
  }
};

TEST_F(DeviceTest, IsDescribedWithoutAContext) {
  const auto device = make_device();
  EXPECT_EQ(device->info().name, "Stub GPU");
  EXPECT_EQ(device->info().arch, "sm_90");
  EXPECT_EQ(device->info().uuid, "GPU-73747562-0011-2233-8090-ff0000000000");
  EXPECT_EQ(device->info().n_multiprocessors, 4);
  EXPECT_EQ(device->info().total_bytes, std::size_t{1} << 30);
  EXPECT_EQ(device->attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH), 0);  // unknown to the stub
  EXPECT_FALSE(device->is_simulated());
  EXPECT_EQ(state().n_contexts, 0);
}

TEST_F(DeviceTest, IsAnErrorWhereThereIsNone) {
  try {
    make_device(7);
    ADD_FAILURE();
  } catch (const load::CudaError& error) {
    EXPECT_EQ(error.code(), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_NE(std::string(error.what()).find("to find device 7"), std::string::npos);
  }
}

TEST_F(DeviceTest, IsNotFoundWhereTheEnvironmentForbidsIt) {
  ::setenv("NUMPY_PLUGIN_CUDA", "off", 1);
  EXPECT_EQ(find_current_device(), nullptr);
  EXPECT_TRUE(all_devices().empty());
  EXPECT_THROW(current_device(), base::Error);
  ::unsetenv("NUMPY_PLUGIN_CUDA");
}

TEST_F(DeviceTest, HoldsItsContextFromItsFirstUseAsLongAsItLives) {
  {
    const auto device = make_device();
    EXPECT_EQ(device->context_if_any(), nullptr);
    {
      const CurrentContext current(*device);
      EXPECT_EQ(state().n_contexts, 1);
      EXPECT_EQ(state().n_pushed, 1);
      const CurrentContext again(*device);
      EXPECT_EQ(state().n_contexts, 1);
    }
    EXPECT_EQ(state().n_pushed, 0);
  }
  EXPECT_EQ(state().n_contexts, 0);
}

TEST_F(DeviceTest, IsCurrentInItsScopeAlone) {
  const auto one = make_device();
  const auto other = make_device();
  enter_scope(one);
  enter_scope(other);
  EXPECT_EQ(current_device(), other);
  leave_scope(*other);
  EXPECT_EQ(current_device(), one);
  std::thread([&] { EXPECT_NE(find_current_device(), one); }).join();
  leave_scope(*one);
  EXPECT_NE(find_current_device(), one);
}

TEST_F(DeviceTest, HasAStreamForEachThread) {
  const auto device = make_device();
  const auto stream = current_stream(device);
  EXPECT_TRUE(stream->is_default());
  EXPECT_EQ(current_stream(device), stream);
  std::thread([&] { EXPECT_NE(current_stream(device), stream); }).join();
}

TEST_F(DeviceTest, TakesTheStreamOfAScope) {
  const auto device = make_device();
  const auto stream = std::make_shared<Stream>(device, Stream::Kind::kOwn);
  enter_scope(device, stream);
  enter_scope(device);
  EXPECT_EQ(current_stream(device), stream);
  leave_scope(*device);
  leave_scope(*device, stream.get());
  EXPECT_TRUE(current_stream(device)->is_default());
}

TEST_F(DeviceTest, IsNotKeptByTheStreamsOfThreads) {
  auto device = make_device();
  current_stream(device);
  const std::weak_ptr<Device> watched = device;
  device.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(DeviceTest, DropsWhatBelongsToDevicesThatAreGone) {
  PerDevice<int, std::shared_ptr<int>> values;
  const auto value = std::make_shared<int>(1);
  const auto make = [&] { return std::make_shared<const std::shared_ptr<int>>(value); };
  auto device = make_device();
  EXPECT_EQ(values.get(device, 0, make), values.get(device, 0, make));
  EXPECT_EQ(value.use_count(), 2);
  device.reset();
  values.get(make_device(), 0, make);
  EXPECT_EQ(value.use_count(), 2);  // the first device's value is gone
}

TEST_F(DeviceTest, MakesAValueAnewAfterAFailure) {
  PerDevice<int, int> values;
  const auto device = make_device();
  const auto fail = []() -> std::shared_ptr<const int> {
    throw base::Error(base::ErrorKind::kCompiler, "");
  };
  EXPECT_THROW(values.get(device, 0, fail), base::Error);
  EXPECT_EQ(*values.get(device, 0, [] { return std::make_shared<const int>(5); }), 5);
}

}  // namespace
}  // namespace numpy_plugin::run
