// Devices of the simulated driver: their properties, creation and removal.
#include <array>
#include <map>

#include "simulator/interface/client.hpp"

namespace numpy_plugin::sim {
namespace {

int attribute(int ordinal, CUdevice_attribute name) {
  int value = -1;
  EXPECT_CUDA(the_driver().cuDeviceGetAttribute(&value, name, ordinal));
  return value;
}

TEST(InterfaceDevices, OneIsThereFromTheBeginning) {
  std::array<char, 64> name = {};
  std::size_t n_bytes = 0;
  ASSERT_CUDA(the_driver().cuDeviceGetName(name.data(), name.size(), 0));
  EXPECT_STREQ(name.data(), "numpy_plugin simulator (sm_90)");
  ASSERT_CUDA(the_driver().cuDeviceTotalMem(&n_bytes, 0));
  EXPECT_EQ(n_bytes, std::size_t{1} << 30);
  EXPECT_TRUE(the_driver().is_simulator);
}

TEST(InterfaceDevices, HaveTheSizesOfTheirArchitecture) {
  struct Expected {
    int major, minor, shared_kib;
  };
  const std::map<std::string, Expected> table = {{"sm_75", {7, 5, 64}},  {"sm_80", {8, 0, 163}},
                                                 {"sm_86", {8, 6, 99}},  {"sm_89", {8, 9, 99}},
                                                 {"sm_90", {9, 0, 227}}, {"sm_100", {10, 0, 227}},
                                                 {"sm_120", {12, 0, 99}}};
  for (const auto& [arch, expected] : table) {
    NppSimulatorOptions options = default_options();
    options.arch = arch.c_str();
    const SimulatedDevice device(options);
    const int ordinal = device.ordinal();
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), expected.major);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), expected.minor);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
              expected.shared_kib * 1024);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 48 * 1024);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 1);
    EXPECT_EQ(attribute(ordinal, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
    EXPECT_GE(attribute(ordinal, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 16);
  }
}

TEST(InterfaceDevices, TellTheirCapability) {
  const SimulatedDevice device;
  int major = 0;
  int minor = 0;
  ASSERT_CUDA(entry_point<CUresult(int*, int*, CUdevice)>("cuDeviceComputeCapability")(
      &major, &minor, device.ordinal()));
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 0);
}

TEST(InterfaceDevices, RefuseAttributesThatThereAreNot) {
  int value = 0;
  EXPECT_EQ(the_driver().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(InterfaceDevices, ComeAndGo) {
  int before = 0;
  ASSERT_CUDA(the_driver().cuDeviceGetCount(&before));
  int ordinal = -1;
  {
    const SimulatedDevice device;
    ordinal = device.ordinal();
    int during = 0;
    ASSERT_CUDA(the_driver().cuDeviceGetCount(&during));
    EXPECT_EQ(during, before + 1);
    CUdevice found = -1;
    EXPECT_CUDA(the_driver().cuDeviceGet(&found, ordinal));
  }
  CUdevice found = -1;
  EXPECT_EQ(the_driver().cuDeviceGet(&found, ordinal), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(the_driver().cuDeviceGet(&found, -1), CUDA_ERROR_INVALID_DEVICE);
  int after = 0;
  ASSERT_CUDA(the_driver().cuDeviceGetCount(&after));
  EXPECT_EQ(after, before);
}

TEST(InterfaceDevices, TakeTheirContextWithThem) {
  CUcontext context = nullptr;
  {
    const SimulatedDevice device;
    context = device.context();
  }
  EXPECT_EQ(the_driver().cuCtxPushCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(InterfaceDevices, DifferInNameAndIdentity) {
  const SimulatedDevice first;
  const SimulatedDevice second;
  CUuuid ids[2] = {};
  std::array<char, 32> places[2] = {};
  EXPECT_CUDA(the_driver().cuDeviceGetUuid(&ids[0], first.ordinal()));
  EXPECT_CUDA(the_driver().cuDeviceGetUuid(&ids[1], second.ordinal()));
  EXPECT_NE(std::string(ids[0].bytes, 16), std::string(ids[1].bytes, 16));
  EXPECT_CUDA(the_driver().cuDeviceGetPCIBusId(places[0].data(), 32, first.ordinal()));
  EXPECT_CUDA(the_driver().cuDeviceGetPCIBusId(places[1].data(), 32, second.ordinal()));
  EXPECT_STRNE(places[0].data(), places[1].data());
}

TEST(InterfaceDevices, RefuseOptionsThatMakeNoSense) {
  const auto report = [](const auto& change) {
    NppSimulatorOptions options = default_options();
    change(options);
    EXPECT_EQ(the_simulator().add_device(&options), -1);
    return the_driver().report();
  };
  EXPECT_TRUE(report([](auto& options) {
                options.arch = "sm_91";
              }).starts_with("the architecture is 'sm_91'; expected one of sm_75, sm_80"));
  EXPECT_NE(report([](auto& options) { options.arch = nullptr; }), "");
  EXPECT_NE(report([](auto& options) { options.memory_bytes = 0; }), "");
  EXPECT_NE(report([](auto& options) { options.max_steps = 0; }), "");
  EXPECT_NE(report([](auto& options) { options.checks = 64; }), "");
  EXPECT_NE(report([](auto& options) { options.copy_delay_seconds = -1; }), "");
}

TEST(InterfaceDevices, CutANameToTheBuffer) {
  std::array<char, 8> name = {};
  name.fill('x');
  ASSERT_CUDA(the_driver().cuDeviceGetName(name.data(), 6, 0));
  EXPECT_STREQ(name.data(), "numpy");
  EXPECT_EQ(name[6], 'x');
}

}  // namespace
}  // namespace numpy_plugin::sim
