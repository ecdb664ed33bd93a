// Opening the CUDA driver: success, missing parts, and messages.
#include "numpy_plugin/load/driver.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "load/stub_test.hpp"
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::load {
namespace {

class DriverTest : public StubTest {
 protected:
  void SetUp() override {
    ::unsetenv("NUMPY_PLUGIN_CUDA");
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  }
  void TearDown() override { ::unsetenv("NUMPY_PLUGIN_CUDA"); }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(DriverTest, FindsEveryEntryPoint) {
  const OpenedDriver opened = open_driver(NPP_STUB_DRIVER);
  ASSERT_NE(opened.driver, nullptr) << opened.reason;
  int version = 0;
  EXPECT_EQ(opened.driver->cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(opened.reason, "");
}

TEST_F(DriverTest, SaysThatThereIsNoLibrary) {
  const OpenedDriver opened = open_driver("libnumpy_plugin_absent.so.1");
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_TRUE(contains(opened.reason, "there is no CUDA driver: libnumpy_plugin_absent.so.1"))
      << opened.reason;
}

TEST_F(DriverTest, NamesAMissingEntryPoint) {
  const OpenedDriver opened = open_driver(NPP_STUB_DRIVER_WITHOUT_LAUNCH);
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_EQ(opened.reason,
            "the CUDA driver is too old: it is of version 13.0 and has no cuLaunchKernel; the "
            "oldest that works is 12.0");
}

TEST_F(DriverTest, RefusesAnOldVersion) {
  state().version = 11080;
  EXPECT_EQ(open_driver(NPP_STUB_DRIVER).reason,
            "the CUDA driver is too old: it is of version 11.8; the oldest that works is 12.0");
  state().version = 12000;
  EXPECT_NE(open_driver(NPP_STUB_DRIVER).driver, nullptr);
}

TEST_F(DriverTest, SaysThatThereIsNoDevice) {
  state().n_devices = 0;
  EXPECT_EQ(open_driver(NPP_STUB_DRIVER).reason,
            "there is a CUDA driver, but no GPU that it can use");
  state().init_result = CUDA_ERROR_NO_DEVICE;
  EXPECT_EQ(
      open_driver(NPP_STUB_DRIVER).reason,
      "there is a CUDA driver, but no GPU that it can use: CUDA_ERROR_NO_DEVICE (words of the "
      "stub)");
  state().init_result = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(open_driver(NPP_STUB_DRIVER).reason,
            "the CUDA driver can't be initialized: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(DriverTest, NamesTheVariableThatMayHideDevices) {
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  state().n_devices = 0;
  EXPECT_EQ(open_driver(NPP_STUB_DRIVER).reason,
            "there is a CUDA driver, but no GPU that it can use; CUDA_VISIBLE_DEVICES is '-1'");
  state().init_result = CUDA_ERROR_NO_DEVICE;
  EXPECT_EQ(
      open_driver(NPP_STUB_DRIVER).reason,
      "there is a CUDA driver, but no GPU that it can use: CUDA_ERROR_NO_DEVICE (words of the "
      "stub); CUDA_VISIBLE_DEVICES is '-1'");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(DriverTest, ThrowsTheDriversNameAndWords) {
  const OpenedDriver opened = open_driver(NPP_STUB_DRIVER);
  const auto message = [&](CUresult result, base::ErrorKind kind) {
    try {
      opened.driver->check(result, "to copy 80 bytes");
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message(CUDA_SUCCESS, base::ErrorKind::kCuda), "nothing was thrown");
  EXPECT_EQ(message(CUDA_ERROR_OUT_OF_MEMORY, base::ErrorKind::kDeviceMemory),
            "the CUDA driver failed to copy 80 bytes: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_EQ(message(CUDA_ERROR_NOT_FOUND, base::ErrorKind::kCuda),
            "the CUDA driver failed to copy 80 bytes: CUDA_ERROR_NOT_FOUND (words of the stub)");
  EXPECT_EQ(message(CUDA_ERROR_UNKNOWN, base::ErrorKind::kCuda),
            "the CUDA driver failed to copy 80 bytes: CUDA error 999");
}

TEST_F(DriverTest, SaysThatALostDeviceStaysLost) {
  const OpenedDriver opened = open_driver(NPP_STUB_DRIVER);
  try {
    opened.driver->check(CUDA_ERROR_LAUNCH_FAILED, "to launch 'f'");
    ADD_FAILURE();
  } catch (const CudaError& error) {
    EXPECT_STREQ(error.what(),
                 "the CUDA driver failed to launch 'f': CUDA_ERROR_LAUNCH_FAILED (words of the "
                 "stub); CUDA does not recover from it: restart this process");
  }
}

TEST_F(DriverTest, CarriesTheErrorsCodeAndName) {
  const OpenedDriver opened = open_driver(NPP_STUB_DRIVER);
  try {
    opened.driver->check(CUDA_ERROR_NOT_FOUND, "to find 'f'");
    ADD_FAILURE();
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(error.name(), "CUDA_ERROR_NOT_FOUND");
  }
}

TEST_F(DriverTest, OpensALibraryOnce) {
  const FoundDriver first = find_driver(NPP_STUB_DRIVER);
  ASSERT_NE(first.driver, nullptr) << first.reason;
  state().n_devices = 0;  // not queried again
  EXPECT_EQ(find_driver(NPP_STUB_DRIVER).driver, first.driver);
  EXPECT_EQ(find_driver("libnumpy_plugin_absent.so.1").driver, nullptr);
}

TEST_F(DriverTest, ObeysTheEnvironment) {
  ::setenv("NUMPY_PLUGIN_CUDA", "off", 1);
  EXPECT_EQ(find_driver(NPP_STUB_DRIVER).driver, nullptr);
  EXPECT_EQ(find_driver(NPP_STUB_DRIVER).reason, "NUMPY_PLUGIN_CUDA is off");
  for (const char* word : {"auto", ""}) {
    ::setenv("NUMPY_PLUGIN_CUDA", word, 1);
    EXPECT_NE(find_driver(NPP_STUB_DRIVER).driver, nullptr) << word;
  }
}

TEST_F(DriverTest, RefusesAnotherWordInTheEnvironment) {
  const auto message = [](const char* word) {
    ::setenv("NUMPY_PLUGIN_CUDA", word, 1);
    try {
      find_driver(NPP_STUB_DRIVER);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kValue);
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message("on"), "NUMPY_PLUGIN_CUDA is 'on'; expected auto, simulator or off");
}

TEST_F(DriverTest, RefusesToGoOnAfterFork) {
  const FoundDriver before = find_driver(NPP_STUB_DRIVER);
  ASSERT_NE(before.driver, nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const FoundDriver found = find_driver(NPP_STUB_DRIVER);
    bool is_said = found.driver == nullptr && contains(found.reason, "forked");
    try {
      before.driver->check(CUDA_ERROR_NOT_FOUND, "to find 'f'");
      is_said = false;
    } catch (const CudaError& error) {
      is_said = is_said && contains(error.what(), "forked");
    }
    ::_exit(is_said ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace numpy_plugin::load
