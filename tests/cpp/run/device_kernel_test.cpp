// Calls on the stub device, whose kernel is a function of this file: values, and what is left after
// each kind of failure.
#include "numpy_plugin/run/device_kernel.hpp"

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/cuda_arguments.hpp"
#include "stub_test.hpp"

namespace numpy_plugin::run {
namespace {

using Arguments = npp::ContiguousArguments<3>;

constexpr char kName[] = "npp_contiguous_0";
constexpr emit::LaunchShape kShape{/*tile=*/256, /*width=*/2};

const double* input(const Arguments& arguments, std::size_t operand) {
  if (arguments.values >> operand & 1) {
    return reinterpret_cast<const double*>(arguments.operands[operand].bytes);
  }
  const double* address = nullptr;
  std::memcpy(&address, arguments.operands[operand].bytes, sizeof(address));
  return address;
}

// out = a + 10 b
void add_ten_times(const StubLaunch& launch) {
  Arguments arguments;
  ASSERT_EQ(launch.arguments.size(), sizeof(arguments));
  std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
  const double* const a = input(arguments, 0);
  const double* const b = input(arguments, 1);
  auto* const out = const_cast<double*>(input(arguments, 2));
  for (std::size_t i = 0; i < arguments.n; ++i) {
    out[i] = a[arguments.scalars & 1 ? 0 : i] + 10 * b[arguments.scalars & 2 ? 0 : i];
  }
}

class DeviceKernelTest : public StubTest {
 protected:
  DeviceKernelTest() { state().kernel = add_ten_times; }

  void expect_nothing_left() {
    EXPECT_EQ(state().n_buffers, 0);
    EXPECT_EQ(state().n_pushed, 0);
  }

  const load::OpenedDriver opened_ = load::open_driver(NPP_STUB_DRIVER);
  const std::shared_ptr<Device> device_ = std::make_shared<Device>(*opened_.driver, 0);
  const std::shared_ptr<Stream> stream_ = std::make_shared<Stream>(device_, Stream::Kind::kDefault);
};

std::vector<double> ramp(std::size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

HostOperand in(std::vector<double>& values) {
  return {values.data(), 8, false, values.size() == 1};
}
HostOperand out(std::vector<double>& values) { return {values.data(), 8, true, false}; }

base::ErrorKind kind_of_failure(const DeviceKernel& kernel, const std::shared_ptr<Stream>& stream,
                                std::vector<HostOperand> operands) {
  try {
    kernel.run_contiguous(stream, 1000, operands);
  } catch (const base::Error& error) {
    return error.kind();
  }
  return base::ErrorKind::kInternal;
}

TEST_F(DeviceKernelTest, ComputesOnArrays) {
  const DeviceKernel kernel(device_, kName, kName, kShape);
  std::vector<double> a = ramp(5000), b = ramp(5000), c(5000);
  kernel.run_contiguous(stream_, 5000, std::vector{in(a), in(b), out(c)});
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], 11.0 * static_cast<double>(i + 1));
  ASSERT_EQ(state().launches.size(), 1u);
  EXPECT_EQ(state().launches[0].kernel, kName);
  EXPECT_EQ(state().launches[0].block, 128u);
  EXPECT_EQ(state().launches[0].grid, 19u + 2u);  // 19 tiles of 256, then 136 elements
  expect_nothing_left();
}

TEST_F(DeviceKernelTest, TakesScalarsWithoutDeviceMemory) {
  const DeviceKernel kernel(device_, kName, kName, kShape);
  std::vector<double> a = ramp(100), b = {2.5}, c(100);
  kernel.run_contiguous(stream_, 100, std::vector{in(a), in(b), out(c)});
  EXPECT_EQ(c[99], 125.0);
  EXPECT_EQ(state().launches.size(), 1u);
  expect_nothing_left();
}

TEST_F(DeviceKernelTest, WritesOverItsInputs) {
  const DeviceKernel kernel(device_, kName, kName, kShape);
  std::vector<double> x = ramp(101);
  const std::vector<double> before = x;
  HostOperand shifted = out(x);
  shifted.data = x.data() + 1;
  kernel.run_contiguous(stream_, 100, std::vector{in(x), in(x), shifted});
  EXPECT_EQ(x[0], before[0]);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(x[i + 1], 11 * before[i]);
}

TEST_F(DeviceKernelTest, LaunchesNothingForNothing) {
  const DeviceKernel kernel(device_, kName, kName, kShape);
  std::vector<double> a, c;
  kernel.run_contiguous(stream_, 0, std::vector{in(a), in(a), out(c)});
  EXPECT_TRUE(state().launches.empty());
}

TEST_F(DeviceKernelTest, LeavesNothingWhereMemoryRunsOut) {
  const DeviceKernel kernel(device_, kName, kName, kShape);
  std::vector<double> a = ramp(1000), b = ramp(1000), c(1000, -1);
  for (int allocation = 1; allocation <= 3; ++allocation) {
    state().failing_allocation = allocation;
    EXPECT_EQ(kind_of_failure(kernel, stream_, {in(a), in(b), out(c)}),
              base::ErrorKind::kDeviceMemory);
    expect_nothing_left();
  }
  EXPECT_EQ(c, std::vector<double>(1000, -1));
  kernel.run_contiguous(stream_, 1000, std::vector{in(a), in(b), out(c)});
  EXPECT_EQ(c[0], 11.0);
}

TEST_F(DeviceKernelTest, LeavesNothingWhereTheLaunchFails) {
  const DeviceKernel kernel(device_, kName, kName, kShape);
  std::vector<double> a = ramp(1000), c(1000, -1);
  state().launch_result = CUDA_ERROR_LAUNCH_FAILED;
  EXPECT_EQ(kind_of_failure(kernel, stream_, {in(a), in(a), out(c)}), base::ErrorKind::kCuda);
  expect_nothing_left();
  state().launch_result = 0;
  state().copy_to_host_result = CUDA_ERROR_LAUNCH_FAILED;  // as a kernel that crashes later
  EXPECT_EQ(kind_of_failure(kernel, stream_, {in(a), in(a), out(c)}), base::ErrorKind::kCuda);
  expect_nothing_left();
  EXPECT_EQ(c, std::vector<double>(1000, -1));
}

TEST_F(DeviceKernelTest, UnloadsItsModule) {
  {
    const DeviceKernel kernel(device_, kName, kName, kShape);
    EXPECT_EQ(state().n_modules, 1);
  }
  EXPECT_EQ(state().n_modules, 0);
  expect_nothing_left();
}

TEST_F(DeviceKernelTest, NamesWhatCouldNotBeLoaded) {
  const auto message = [&](const std::string& cubin) {
    try {
      const DeviceKernel kernel(device_, cubin, kName, kShape);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kCuda);
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message(""),
            "the CUDA driver failed to load 'npp_contiguous_0', compiled for sm_90: "
            "CUDA_ERROR_INVALID_IMAGE (words of the stub)");
  EXPECT_EQ(message("another_kernel"),
            "the CUDA driver failed to find 'npp_contiguous_0' in its compiled code: "
            "CUDA_ERROR_NOT_FOUND (words of the stub)");
  EXPECT_EQ(state().n_modules, 0);
  expect_nothing_left();
}

}  // namespace
}  // namespace numpy_plugin::run
