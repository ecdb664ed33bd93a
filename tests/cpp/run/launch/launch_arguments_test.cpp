// Launches as the kernels read them: through the templates' structs.
#include "numpy_plugin/run/launch/launch_arguments.hpp"

#include <gtest/gtest.h>

#include <random>

#include "npp/cuda/arguments.hpp"
#include "run/launch/call_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
using base::DType;

constexpr analysis::LaunchShape kVectors{/*tile=*/1024, /*width=*/4},
    kItems{/*tile=*/512, /*width=*/1};
constexpr LaunchTraits kTraits{kVectors, kVectors, kVectors,
                               kItems,   kItems,   /*n_multiprocessors=*/4};

template <class Arguments>
struct Packed {
  Arguments arguments;
  unsigned grid = 0;
  LaunchChoice choice;
};

template <class Arguments>
Packed<Arguments> pack(const BuiltCall& built, const analysis::LaunchShape& shape) {
  const Iteration iteration(built.call().shape, built.strides());
  const PlacedCall placed{built.call(), iteration, built.n_inputs()};
  Packed<Arguments> result;
  result.choice = choose_launch(placed, kTraits);
  ArgumentBuffer buffer;
  result.grid = pack_launch(placed, result.choice, shape, buffer);
  EXPECT_EQ(buffer.size(), sizeof(Arguments));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, 0u);
  std::memcpy(&result.arguments, buffer.data(), sizeof(Arguments));
  return result;
}

template <class T>
T slot(const npp::Operand& operand) {
  T value;
  std::memcpy(&value, operand.bytes, sizeof(value));
  return value;
}

std::int64_t number(const npp::Divisor& divisor) { return divisor.divisor; }
std::int64_t number(npp::uint64 size) { return static_cast<std::int64_t>(size); }

template <class Arguments>
void expect_dimensions(const Arguments& arguments, const Numbers& sizes,
                       const std::vector<Numbers>& strides) {
  ASSERT_EQ(arguments.n_dimensions, sizes.size());
  for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
    EXPECT_EQ(number(arguments.sizes[dimension]), sizes[dimension]);
    for (std::size_t i = 0; i < strides.size(); ++i)
      EXPECT_EQ(arguments.strides[dimension][i], strides[i][dimension]);
  }
}

TEST(LaunchArgumentsTest, UsesTheNumbersOfTheTemplates) {
  EXPECT_EQ(kLaunchThreads, static_cast<unsigned>(npp::kThreads));
  EXPECT_EQ(kMaxDimensions, static_cast<std::size_t>(npp::kMaxDimensions));
}

TEST(LaunchArgumentsTest, PacksContiguousCalls) {
  BuiltCall built(
      {5000}, {{kF4, 0x1000, {4}}, {kF4, 0x2004, {0}}, {kF4, 0, {}, true}, {kF4, 0x8000, {4}}}, 3);
  built.set_value(2, 2.5f);
  const auto packed = pack<npp::ContiguousArguments<4>>(built, kVectors);
  EXPECT_EQ(slot<std::uint64_t>(packed.arguments.operands[0]), 0x1000u);
  EXPECT_EQ(slot<std::uint64_t>(packed.arguments.operands[1]), 0x2004u);
  EXPECT_EQ(slot<float>(packed.arguments.operands[2]), 2.5f);
  EXPECT_EQ(slot<std::uint64_t>(packed.arguments.operands[3]), 0x8000u);
  EXPECT_EQ(packed.arguments.scalars, 6u);
  EXPECT_EQ(packed.arguments.values, 4u);
  EXPECT_EQ(packed.arguments.n, 5000u);
  EXPECT_EQ(packed.arguments.full_tiles, 4u);
  EXPECT_EQ(packed.arguments.plain_tiles, 0u);
  EXPECT_EQ(packed.grid, 4u + 8u);  // 904 elements remain
}

struct Counts {
  std::int64_t n_elements;
  unsigned full_tiles, grid;
};

TEST(LaunchArgumentsTest, CountsTilesAndBlocks) {
  for (const auto& [n_elements, full_tiles, grid] : {Counts{4096, 4, 4},
                                                     {4097, 4, 5},
                                                     {4096 + 129, 4, 6},
                                                     {5120, 5, 5},
                                                     {4095, 0, 32},
                                                     {128, 0, 1},
                                                     {1, 0, 1},
                                                     {4 * kGiga + 1, 1u << 22, (1u << 22) + 1}}) {
    const BuiltCall built({n_elements}, {{kI1, 0x1000, {1}}, {kI1, 0x2000, {1}}}, 1);
    const auto packed = pack<npp::ContiguousArguments<2>>(built, kVectors);
    EXPECT_EQ(packed.arguments.n, static_cast<std::uint64_t>(n_elements));
    EXPECT_EQ(packed.arguments.full_tiles, full_tiles);
    EXPECT_EQ(packed.arguments.plain_tiles, full_tiles);
    EXPECT_EQ(packed.grid, grid) << n_elements;
    EXPECT_EQ(packed.choice.is_wide, n_elements > 2 * kGiga);
  }
}

TEST(LaunchArgumentsTest, BeginsWhereElementsTurnedRoundDo) {
  const BuiltCall built({4096}, {{kF4, 0x4ffc, {-4}}, {kF4, 0x8ffc, {-4}}}, 1);
  const auto packed = pack<npp::ContiguousArguments<2>>(built, kVectors);
  EXPECT_EQ(slot<std::uint64_t>(packed.arguments.operands[0]), 0x1000u);
  EXPECT_EQ(slot<std::uint64_t>(packed.arguments.operands[1]), 0x5000u);
}

TEST(LaunchArgumentsTest, PacksRows) {
  // A column, a row, a value, and padded rows of an output with an additional dimension.
  const BuiltCall built({7, 5, 2100},
                        {{kF4, 0x1000, {0, 4, 0}},
                         {kF4, 0x2000, {0, 0, 4}},
                         {kF4, 0, {}, true},
                         {kF4, 0x8000, {5 * 10240 + 16, 10240, 4}}},
                        3);
  const auto packed = pack<npp::RowsArguments<npp::Narrow, 4, 4>>(built, kVectors);
  EXPECT_EQ(packed.choice.form, LaunchForm::kRows);
  EXPECT_EQ(packed.arguments.scalars, 5u);
  EXPECT_EQ(packed.arguments.values, 4u);
  EXPECT_EQ(packed.arguments.row_length, 2100u);
  EXPECT_EQ(packed.arguments.full_tiles, 2u);
  EXPECT_EQ(packed.arguments.row_blocks.divisor, 3u);
  EXPECT_EQ(packed.grid, 7u * 5u * 3u);
  expect_dimensions(packed.arguments, {5, 7}, {{4, 0}, {0, 0}, {0, 0}, {10240, 5 * 10240 + 16}});
}

TEST(LaunchArgumentsTest, PacksRowsThatBeginAnywhere) {
  const BuiltCall built({9, 2500}, {{kF4, 0x1004, {10004, 4}}, {kF4, 0x80000, {10000, 4}}}, 1);
  const auto packed = pack<npp::RowsArguments<npp::Narrow, 2, 1>>(built, kVectors);
  EXPECT_EQ(packed.arguments.full_tiles, 0u);
  EXPECT_EQ(packed.arguments.row_blocks.divisor, 3u);
  EXPECT_EQ(packed.grid, 27u);
}

TEST(LaunchArgumentsTest, PacksWideRows) {
  const BuiltCall built({3, 1024}, {{kF4, 0x1000, {4 * kGiga, 4}}, {kF4, 0x8000, {4096, 4}}}, 1);
  const auto packed = pack<npp::RowsArguments<npp::Wide, 2, 1>>(built, kVectors);
  EXPECT_TRUE(packed.choice.is_wide);
  expect_dimensions(packed.arguments, {3}, {{4 * kGiga}, {4096}});
}

TEST(LaunchArgumentsTest, PacksShortRows) {
  // A column, a row, and padded rows: dimension 0 counts vectors of 4 elements.
  const BuiltCall built({70, 96},
                        {{kF4, 0x1004, {4, 0}}, {kF4, 0x2000, {0, 4}}, {kF4, 0x8000, {512, 4}}}, 2);
  const auto packed = pack<npp::ShortRowsArguments<npp::Narrow, 3, 4>>(built, kVectors);
  EXPECT_EQ(packed.choice.form, LaunchForm::kShortRows);
  EXPECT_EQ(packed.arguments.scalars, 1u);
  EXPECT_EQ(packed.arguments.values, 0u);
  EXPECT_EQ(packed.arguments.n, 70u * 24u);
  EXPECT_EQ(packed.arguments.full_tiles, 6u);
  EXPECT_EQ(packed.grid, 6u + 2u);  // 144 vectors remain
  expect_dimensions(packed.arguments, {24, 70}, {{0, 4}, {16, 0}, {16, 512}});

  const BuiltCall wide({5, 96}, {{kI1, 0x1000, {4 * kGiga, 1}}, {kF4, 0x8000, {384, 4}}}, 1);
  const auto few = pack<npp::ShortRowsArguments<npp::Wide, 2, 4>>(wide, kVectors);
  EXPECT_EQ(few.arguments.full_tiles, 0u);
  EXPECT_EQ(few.grid, 1u);  // 120 vectors
  expect_dimensions(few.arguments, {24, 5}, {{4, 4 * kGiga}, {16, 384}});
}

TEST(LaunchArgumentsTest, PacksTransposedCalls) {
  // Planes of 50 by 100 elements, of which two inputs are contiguous along the other dimension.
  const BuiltCall built({3, 50, 100},
                        {{kF4, 0x1000, {0, 4, 200}},
                         {kF8, 0x2000, {0, 0, 8}},
                         {kBool, 0x3000, {5000, 1, 50}},
                         {kF4, 0x8000, {20000, 400, 4}}},
                        2, /*is_masked=*/true);
  const auto packed = pack<npp::TransposedArguments<npp::Narrow, 4, 1>>(built, kVectors);
  EXPECT_EQ(packed.choice.form, LaunchForm::kTransposed);
  EXPECT_EQ(packed.arguments.turned, 5u);
  EXPECT_EQ(packed.arguments.values, 0u);
  EXPECT_EQ(packed.arguments.length, 100u);
  EXPECT_EQ(packed.arguments.turned_length, 50u);
  EXPECT_EQ(packed.arguments.tiles.divisor, 4u);
  EXPECT_EQ(packed.arguments.turned_tiles.divisor, 2u);
  EXPECT_EQ(packed.grid, 4u * 2u * 3u);
  EXPECT_EQ(packed.arguments.along[0][2], 50);
  EXPECT_EQ(packed.arguments.along[1][3], 400);
  expect_dimensions(packed.arguments, {3}, {{0}, {0}, {5000}, {20000}});

  const BuiltCall wide({80, 100}, {{kI1, 0x1000, {1, kGiga}}, {kF4, 0x8000, {400, 4}}}, 1);
  const auto plane = pack<npp::TransposedArguments<npp::Wide, 2, 1>>(wide, kVectors);
  EXPECT_TRUE(plane.choice.is_wide);
  EXPECT_EQ(plane.arguments.along[0][0], kGiga);
  EXPECT_EQ(plane.arguments.n_dimensions, 1u);
  EXPECT_EQ(plane.grid, 4u * 3u);
  expect_dimensions(plane.arguments, {0}, {{0}, {0}});
}

TEST(LaunchArgumentsTest, PacksStridedCallsWithMasks) {
  const BuiltCall built({10, 30},
                        {{kF4, 0x1000, {0, 8}}, {kBool, 0x3000, {1, 10}}, {kF4, 0x8000, {120, 4}}},
                        1, /*is_masked=*/true);
  const auto packed = pack<npp::StridedArguments<npp::Narrow, 3, 4>>(built, kItems);
  EXPECT_EQ(slot<std::uint64_t>(packed.arguments.operands[1]), 0x3000u);
  EXPECT_EQ(packed.arguments.values, 0u);
  EXPECT_EQ(packed.arguments.n, 300u);
  EXPECT_EQ(packed.arguments.full_tiles, 0u);
  EXPECT_EQ(packed.grid, 3u);
  expect_dimensions(packed.arguments, {30, 10}, {{8, 0}, {10, 1}, {4, 120}});
}

TEST(LaunchArgumentsTest, PacksWideStridedCalls) {
  const BuiltCall built({8 * kGiga, 2}, {{kF4, 0x1000, {0, -4}}, {kF4, 0x8000, {8, 4}}}, 1);
  const auto packed = pack<npp::StridedArguments<npp::Wide, 2, 4>>(built, kItems);
  EXPECT_EQ(packed.choice.form, LaunchForm::kStrided);
  EXPECT_EQ(packed.arguments.n, 16u * kGiga);
  EXPECT_EQ(packed.arguments.full_tiles, 1u << 25);
  EXPECT_EQ(packed.grid, 1u << 25);
  expect_dimensions(packed.arguments, {2, 8 * kGiga}, {{-4, 0}, {4, 8}});
}

TEST(LaunchArgumentsTest, CountsTilesAndBlocksOfStrides) {
  for (const auto& [n_elements, full_tiles, grid] :
       {Counts{2048, 4, 4}, {2049, 4, 5}, {2047, 0, 16}, {2, 0, 1}}) {
    const BuiltCall built({n_elements}, {{kF4, 0x1000, {12}}, {kF4, 0x20000, {8}}}, 1);
    const auto packed = pack<npp::StridedArguments<npp::Narrow, 2, 1>>(built, kItems);
    EXPECT_EQ(packed.arguments.full_tiles, full_tiles) << n_elements;
    EXPECT_EQ(packed.grid, grid) << n_elements;
    EXPECT_EQ(packed.choice.is_spread, full_tiles == 0);
    EXPECT_EQ(packed.choice.n_dimensions, 1);
  }
}

TEST(LaunchArgumentsTest, HasRoomForFewDimensionsWhereThatIsEnough) {
  for (const auto& [n_dimensions, limit] :
       {std::pair{2, 4}, {4, 4}, {5, 8}, {8, 8}, {9, 64}, {20, 64}}) {
    const auto n = static_cast<std::size_t>(n_dimensions);
    Numbers input(n), output(n);
    for (std::size_t axis = 0; axis < n; ++axis) {
      input[axis] = std::int64_t{8} << 2 * (n - axis);
      output[axis] = std::int64_t{4} << (n - axis);
    }
    const BuiltCall built(Numbers(n, 2), {{kF4, 0x1000, input}, {kF4, 0x8000, output}}, 1);
    const Iteration iteration(built.call().shape, built.strides());
    const PlacedCall placed{built.call(), iteration, 1};
    const LaunchChoice choice = choose_launch(placed, kTraits);
    EXPECT_EQ(choice.n_dimensions, limit) << n_dimensions;
    ArgumentBuffer arguments;
    pack_launch(placed, choice, kItems, arguments);
    const std::size_t n_bytes = 2 * 16 + 24 + (choice.is_wide ? 24 : 20) * std::size_t(limit);
    EXPECT_EQ(arguments.size(), (n_bytes + 15) / 16 * 16) << n_dimensions;
  }
}

TEST(LaunchArgumentsTest, PacksAsManyDimensionsAsThereAre) {
  Numbers shape(62, 2), input(62, 0), output(62);
  for (std::size_t axis = 0; axis < 62; ++axis) (axis % 2 == 0 ? input : output)[axis] = 4;
  const BuiltCall built(shape, {{kF4, 0x1000, input}, {kF4, 0x8000, output}}, 1);
  const Iteration iteration(built.call().shape, built.strides());
  const PlacedCall placed{built.call(), iteration, 1};
  ArgumentBuffer arguments;
  const LaunchChoice choice{.form = LaunchForm::kStrided, .is_wide = true, .n_dimensions = 64};
  try {
    pack_launch(placed, choice, kItems, arguments);
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kValue);
    EXPECT_STREQ(error.what(),
                 "a call of 4611686018427387904 elements needs 9007199254740992 blocks, and a "
                 "launch can have fewer than 2^31; call it in parts");
  }
  npp::StridedArguments<npp::Wide, 2, 64> packed;
  ASSERT_EQ(arguments.size(), sizeof(packed));
  std::memcpy(&packed, arguments.data(), sizeof(packed));
  EXPECT_EQ(packed.n_dimensions, 62u);
  EXPECT_EQ(packed.sizes[61], 2u);
  EXPECT_EQ(packed.strides[61][0] + packed.strides[61][1], 4);
  EXPECT_EQ(packed.sizes[62], 0u);
}

// By the formula in cuda/arguments.hpp.
TEST(LaunchArgumentsTest, MakesDivisors) {
  std::mt19937 random(1);
  const auto divide = [](std::uint32_t dividend, const npp::Divisor& divisor) {
    const std::uint64_t high = std::uint64_t{dividend} * divisor.magic >> 32;
    return static_cast<std::uint32_t>((high + dividend) >> divisor.shift);
  };
  constexpr auto kMost = static_cast<std::uint32_t>(2 * kGiga);
  for (std::uint32_t repeat = 0; repeat < 100000; ++repeat) {
    const auto any = static_cast<std::uint32_t>(random());
    const std::uint32_t n = repeat < 100   ? repeat + 1
                            : repeat < 200 ? kMost - (repeat - 100)
                                           : (any >> random() % 31) % kMost + 1;
    const auto dividend = static_cast<std::uint32_t>(random() % kMost);
    ASSERT_EQ(divide(dividend, make_divisor(n)), dividend / n) << dividend << " / " << n;
    ASSERT_EQ(divide(kMost - 1, make_divisor(n)), (kMost - 1) / n) << n;
  }
}

}  // namespace
}  // namespace numpy_plugin::run
