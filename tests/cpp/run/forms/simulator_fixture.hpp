// A simulated device per test, with NVRTC to compile for it and a cache for the suite.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "jit/nvrtc/nvrtc_environment.hpp"
#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/run/device/simulated_device.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::run {

// `Test` is testing::Test, or a parameterized one.
template <class Test>
class OnSimulator : public Test {
 protected:
  static void SetUpTestSuite() {
    cache_ = std::make_unique<system::TemporaryDirectory>();
    setenv("NUMPY_PLUGIN_CACHE_DIR", cache_->path().c_str(), 1);
    load::set_simulator_path(NPP_SIMULATOR);
  }
  static void TearDownTestSuite() {
    unsetenv("NUMPY_PLUGIN_CACHE_DIR");
    cache_.reset();
  }
  void SetUp() override {
    if (!jit::find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
    device_ = add_simulated_device({});
    stream_ = std::make_shared<Stream>(device_, Stream::Kind::kDefault);
  }

  std::shared_ptr<SimulatedDevice> device_;
  std::shared_ptr<Stream> stream_;

 private:
  inline static std::unique_ptr<system::TemporaryDirectory> cache_;
};

}  // namespace numpy_plugin::run
