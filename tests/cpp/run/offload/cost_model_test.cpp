// The choice of target="auto" over sizes, locations of operands and rates.
#include "numpy_plugin/run/offload/cost_model.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::run {
namespace {

// A bus of 20 GB/s, a memory of 2 TB/s, and a host that copies 40 GB/s.
constexpr DeviceRates kRates = {2e10, 2e10, 2e12, 4e10, 2e-5};

CallCost float32_call(std::int64_t n, double cpu_nanoseconds) {
  return {n, 8 * n, 4 * n, cpu_nanoseconds * 1e-9, 0};
}

struct Row {
  const char* name;
  CallCost cost;
  DeviceRates rates;
  bool is_device;
  const char* why;  // a part of it
};

const Row kRows[] = {
    {"few elements", float32_call(1000, 100), kRates, false, "1000 elements, under the 65536"},
    {"no elements", float32_call(0, 100), kRates, false, "0 elements, under"},
    {"one element short of enough", float32_call(kMinimumDeviceElements - 1, 1e4), kRates, false,
     "65535 elements"},
    {"enough, and dear", float32_call(kMinimumDeviceElements, 1e4), kRates, true,
     "655 ms on the CPU"},
    {"not measured yet", float32_call(1 << 20, 0), kRates, false, "is not known until"},
    {"an addition", float32_call(1 << 24, 0.2), kRates, false, "the gain is too small"},
    {"a hundred operations", float32_call(1 << 24, 10), kRates, true, "168 ms on the CPU, 6.73 ms"},
    {"a slow bus",
     float32_call(1 << 24, 10),
     {5e8, 5e8, 2e12, 4e10, 2e-5},
     false,
     "the gain is too small"},
    {"slow only on the way back",
     float32_call(1 << 24, 10),
     {2e10, 2e8, 2e12, 4e10, 2e-5},
     false,
     "the gain is too small"},
    {"a slow host",
     float32_call(1 << 24, 1.3),
     {5e10, 5e10, 2e12, 1e10, 2e-5},
     false,
     "20.2 ms on the device, copies included: the gain is too small"},
    {"broadcast operands", {1 << 24, 4096, 4 << 24, 4e-10, 0}, kRates, true, "6.71 ms on the CPU"},
    {"a kernel that takes long there",
     {1 << 24, 8 << 24, 4 << 24, 1e-8, 2e-8},
     kRates,
     false,
     "336 ms on the device"},
    {"a small gain",
     {1 << 24, 8 << 24, 4 << 24, 4.4e-10, 0},
     kRates,
     false,
     "the gain is too small"},
};

class ChooseTargetTest : public testing::TestWithParam<Row> {};

TEST_P(ChooseTargetTest, ComparesBothWays) {
  const TargetChoice choice = choose_target(GetParam().cost, GetParam().rates);
  EXPECT_EQ(choice.is_device, GetParam().is_device) << GetParam().name << ": " << choice.why;
  EXPECT_NE(choice.why.find(GetParam().why), std::string::npos) << choice.why;
}

INSTANTIATE_TEST_SUITE_P(Table, ChooseTargetTest, testing::ValuesIn(kRows));

TEST(CostModelTest, TakesTheLongerDirectionAndTheLongerOfCopyAndKernel) {
  const DeviceSeconds copies = device_seconds({1000000, 8000000, 4000000, 0, 0}, kRates);
  EXPECT_DOUBLE_EQ(copies.transfer, 8000000 / 2e10);
  EXPECT_DOUBLE_EQ(copies.compute, 12000000 / 2e12);
  EXPECT_DOUBLE_EQ(copies.total(), copies.transfer + 2e-5);
  const DeviceSeconds kernel = device_seconds({1000000, 8000000, 4000000, 0, 1e-8}, kRates);
  EXPECT_DOUBLE_EQ(kernel.compute, 1e-2);
  EXPECT_DOUBLE_EQ(kernel.total(), 1e-2 + 2e-5);
}

}  // namespace
}  // namespace numpy_plugin::run
