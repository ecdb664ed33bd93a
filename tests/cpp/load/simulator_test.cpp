// The simulated driver as selected by the environment.
#include "numpy_plugin/load/driver.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::load {
namespace {

class SimulatorTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("NUMPY_PLUGIN_CUDA");
    set_simulator_path(NPP_SIMULATOR);
  }
};

TEST_F(SimulatorTest, IsSaidToBeMissing) {
  set_simulator_path("/nowhere/libnumpy_plugin_simulator.so");
  const Simulator simulator = find_simulator();
  EXPECT_EQ(simulator.driver, nullptr);
  EXPECT_TRUE(simulator.reason.starts_with("the simulated CUDA driver can't be used: "))
      << simulator.reason;
  EXPECT_NE(simulator.reason.find("/nowhere/"), std::string::npos) << simulator.reason;
}

TEST_F(SimulatorTest, IsSelectedByTheEnvironment) {
  set_simulator_path(NPP_SIMULATOR);
  ::setenv("NUMPY_PLUGIN_CUDA", "simulator", 1);
  const FoundDriver found = find_driver("libnumpy_plugin_absent.so.1");
  ASSERT_NE(found.driver, nullptr) << found.reason;
  EXPECT_TRUE(found.driver->is_simulator);
  EXPECT_EQ(found.driver, find_simulator().driver);
}

TEST_F(SimulatorTest, IsNotSelectedByItself) {
  set_simulator_path(NPP_SIMULATOR);
  ASSERT_NE(find_simulator().driver, nullptr);
  ::setenv("NUMPY_PLUGIN_CUDA", "auto", 1);
  EXPECT_EQ(find_driver("libnumpy_plugin_absent.so.1").driver, nullptr);
}

TEST_F(SimulatorTest, HasFunctionsOfItsOwn) {
  set_simulator_path(NPP_SIMULATOR);
  const Simulator simulator = find_simulator();
  ASSERT_NE(simulator.driver, nullptr) << simulator.reason;
  NppSimulatorOptions options = {};
  options.arch = "sm_80";
  options.memory_bytes = 4096;
  options.max_steps = 1000;
  const int ordinal = simulator.add_device(&options);
  EXPECT_GT(ordinal, 0);
  std::size_t n_bytes = 0;
  EXPECT_EQ(simulator.driver->cuDeviceTotalMem(&n_bytes, ordinal), CUDA_SUCCESS);
  EXPECT_EQ(n_bytes, 4096u);
  simulator.remove_device(ordinal);
}

TEST_F(SimulatorTest, GivesItsReportToErrors) {
  set_simulator_path(NPP_SIMULATOR);
  const Driver& driver = *find_simulator().driver;
  CUdeviceptr address = 0;
  try {
    driver.check(driver.cuMemAlloc(&address, 8), "to allocate");
    ADD_FAILURE();
  } catch (const CudaError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCuda);  // not a fault of a kernel
    EXPECT_EQ(error.code(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_STREQ(error.what(),
                 "the thread has no current context\nthe CUDA driver failed to allocate: "
                 "CUDA_ERROR_INVALID_CONTEXT (invalid device context)");
  }
}

}  // namespace
}  // namespace numpy_plugin::load
