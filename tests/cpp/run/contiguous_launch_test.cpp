// Launches as the kernels read them: through the struct of the templates.
#include "numpy_plugin/run/contiguous_launch.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "numpy_plugin/cuda_arguments.hpp"

namespace numpy_plugin::run {
namespace {

using Arguments = npp::ContiguousArguments<3>;

constexpr emit::LaunchShape kShape{/*tile=*/1024, /*width=*/4};
constexpr int kMultiprocessors = 4;

std::vector<LaunchOperand> three_addresses() {
  return {LaunchOperand::at_address(0x1000, 4), LaunchOperand::at_address(0x2000, 4),
          LaunchOperand::at_address(0x3000, 4)};
}

Arguments arguments_of(const ContiguousLaunch& launch) {
  Arguments arguments;
  EXPECT_EQ(launch.arguments.size(), sizeof(arguments));
  std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
  return arguments;
}

struct Counts {
  unsigned full_tiles;
  unsigned plain_tiles;
  unsigned grid;
  bool operator==(const Counts&) const = default;
};

Counts counts_of(std::uint32_t n_elements, const std::vector<LaunchOperand>& operands) {
  const ContiguousLaunch launch =
      plan_contiguous_launch(n_elements, operands, kShape, kMultiprocessors);
  const Arguments arguments = arguments_of(launch);
  EXPECT_EQ(arguments.n, n_elements);
  return {arguments.full_tiles, arguments.plain_tiles, launch.grid};
}

TEST(ContiguousLaunchTest, UsesTheThreadsOfTheTemplates) {
  EXPECT_EQ(kLaunchThreads, static_cast<unsigned>(npp::kThreads));
}

TEST(ContiguousLaunchTest, PutsAddressesIntoTheSlots) {
  const Arguments arguments =
      arguments_of(plan_contiguous_launch(5000, three_addresses(), kShape, kMultiprocessors));
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::uint64_t address = 0;
    std::memcpy(&address, arguments.operands[i].bytes, sizeof(address));
    EXPECT_EQ(address, 0x1000 * (i + 1));
  }
  EXPECT_EQ(arguments.scalars, 0u);
  EXPECT_EQ(arguments.values, 0u);
}

TEST(ContiguousLaunchTest, PutsScalarsIntoTheSlots) {
  std::vector<LaunchOperand> operands = three_addresses();
  const double number = 2.5;
  operands[1] = LaunchOperand::of_value(&number, sizeof(number));
  const Arguments arguments =
      arguments_of(plan_contiguous_launch(5000, operands, kShape, kMultiprocessors));
  double value = 0;
  std::memcpy(&value, arguments.operands[1].bytes, sizeof(value));
  EXPECT_EQ(value, 2.5);
  EXPECT_EQ(arguments.scalars, 2u);
  EXPECT_EQ(arguments.values, 2u);
}

TEST(ContiguousLaunchTest, UsesFullTilesAndThreadsForTheRest) {
  EXPECT_EQ(counts_of(4096, three_addresses()), (Counts{4, 4, 4}));
  EXPECT_EQ(counts_of(4097, three_addresses()), (Counts{4, 4, 5}));
  EXPECT_EQ(counts_of(4096 + 129, three_addresses()), (Counts{4, 4, 6}));
  EXPECT_EQ(counts_of(5120, three_addresses()), (Counts{5, 5, 5}));
}

TEST(ContiguousLaunchTest, SpreadsShortCalls) {
  EXPECT_EQ(counts_of(4095, three_addresses()), (Counts{0, 0, 32}));
  EXPECT_EQ(counts_of(128, three_addresses()), (Counts{0, 0, 1}));
  EXPECT_EQ(counts_of(1, three_addresses()), (Counts{0, 0, 1}));
}

TEST(ContiguousLaunchTest, UsesNoVectorsAtOtherAddresses) {
  std::vector<LaunchOperand> operands = three_addresses();
  operands[2] = LaunchOperand::at_address(0x3004, 4);
  EXPECT_EQ(counts_of(4096, operands), (Counts{0, 0, 32}));
  operands[2] = LaunchOperand::at_address(0x3010, 4);
  EXPECT_EQ(counts_of(4096, operands), (Counts{4, 4, 4}));
}

TEST(ContiguousLaunchTest, TellsTilesWithScalarsApart) {
  std::vector<LaunchOperand> operands = three_addresses();
  const float number = 1;
  operands[0] = LaunchOperand::of_value(&number, sizeof(number));
  EXPECT_EQ(counts_of(4096, operands), (Counts{4, 0, 4}));
}

}  // namespace
}  // namespace numpy_plugin::run
