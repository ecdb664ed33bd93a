// Generalized launches as the kernels read them: through the templates' structs.
#include "numpy_plugin/run/forms/generalized_launch.hpp"

#include <gtest/gtest.h>

#include "npp/cuda/arguments.hpp"
#include "run/forms/generalized_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

template <class T>
T slot(const npp::Operand& operand) {
  T value;
  std::memcpy(&value, operand.bytes, sizeof(value));
  return value;
}

GeneralizedTraits traits(const std::string& layout) {
  return {.layout = declare::parse_core_signature(layout),
          .split = {},
          .loop_names = {},
          .staging_obstacle = "",
          .product = {},
          .n_multiprocessors = 4};
}

template <class Arguments>
struct Packed {
  Arguments arguments;
  GeneralizedGrid grid;
  bool is_wide = false;
};

template <class Arguments>
Packed<Arguments> pack(const BuiltItems& built, const GeneralizedTraits& kernel,
                       std::vector<analysis::SplitLoop> loops = {}) {
  const GeneralizedCall call = built.call();
  const ItemIteration items(call, kernel.layout.n_inputs, loops);
  Packed<Arguments> result;
  result.is_wide = items.is_wide();
  ArgumentBuffer buffer;
  result.grid =
      pack_items({call, items.iteration(), kernel.layout.n_inputs}, result.is_wide, kernel, buffer);
  EXPECT_EQ(buffer.size(), sizeof(Arguments));
  std::memcpy(&result.arguments, buffer.data(), std::min(buffer.size(), sizeof(Arguments)));
  return result;
}

TEST(GeneralizedLaunchTest, PacksLoopAndCoreDimensions) {
  BuiltItems built({5, 7}, {3, 2},
                   {{{kF8, 0x1000, {0, 24}}, {8}},
                    {{kF8, 0x2000, {336, 48}}, {16, 8}},
                    {{kF4, 0, {}, true}, {}},
                    {{kF8, 0x3000, {112, 16}}, {8}}});
  built.set_value(2, 2.5f);
  const auto packed =
      pack<npp::GeneralizedArguments<npp::Narrow, 4, 2, 4>>(built, traits("(n),(n,m),()->(m)"));
  const auto& arguments = packed.arguments;
  EXPECT_FALSE(packed.is_wide);
  EXPECT_EQ(slot<std::uint64_t>(arguments.outer.operands[1]), 0x2000u);
  EXPECT_EQ(slot<float>(arguments.outer.operands[2]), 2.5f);
  EXPECT_EQ(arguments.outer.values, 4u);
  EXPECT_EQ(arguments.outer.n, 35u);
  ASSERT_EQ(arguments.outer.n_dimensions, 2u);
  EXPECT_EQ(arguments.outer.sizes[0].divisor, 7u);
  EXPECT_EQ(arguments.outer.sizes[1].divisor, 5u);
  const int strides[2][4] = {{24, 48, 0, 16}, {0, 336, 0, 112}};
  for (int dimension = 0; dimension < 2; ++dimension)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(arguments.outer.strides[dimension][i], strides[dimension][i]);
  EXPECT_EQ(arguments.core_sizes[0], 3);
  EXPECT_EQ(arguments.core_sizes[1], 2);
  const std::int64_t core_strides[] = {8, 16, 8, 8};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(arguments.core_strides[i], core_strides[i]);
}

TEST(GeneralizedLaunchTest, TakesSmallBlocksForFewThreads) {
  const GeneralizedTraits kernel = traits("()->()");
  using Arguments = npp::GeneralizedArguments<npp::Narrow, 2, 0, 0>;
  const auto grid = [&](std::int64_t n) {
    const BuiltItems built({n}, {}, {{{kF8, 0x1000, {8}}, {}}, {{kF8, 0x80000, {8}}, {}}});
    return pack<Arguments>(built, kernel).grid;
  };
  EXPECT_EQ(grid(1).grid, 1u);
  EXPECT_EQ(grid(1).block, 32u);
  EXPECT_EQ(grid(511).grid, 16u);
  EXPECT_EQ(grid(511).block, 32u);
  EXPECT_EQ(grid(512).grid, 4u);
  EXPECT_EQ(grid(512).block, 128u);
  EXPECT_EQ(grid(513).grid, 5u);
}

using SplitOfTwo = npp::GeneralizedArguments<npp::Narrow, 3 + 2 + 1, 3, 6>;
const std::vector<analysis::SplitLoop> kRowsAndColumns = {{0, 0, 0}, {0, 2, 1}};

TEST(GeneralizedLaunchTest, GivesSplitLoopsDimensionsOfTheirOwn) {
  const BuiltItems built({10}, {4, 5, 6},
                         {{{kF8, 0x1000, {160}}, {40, 8}},
                          {{kF8, 0x2000, {0}}, {48, 8}},
                          {{kF8, 0x3000, {192}}, {48, 8}}});
  const auto packed = pack<SplitOfTwo>(built, traits("(m,k),(k,n)->(m,n)"), kRowsAndColumns);
  const auto& outer = packed.arguments.outer;
  EXPECT_EQ(outer.n, 240u);
  ASSERT_EQ(outer.n_dimensions, 3u);
  // The output's innermost dimension comes first: columns, rows, items.
  const unsigned sizes[] = {6, 4, 10};
  const int strides[3][5] = {{0, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, {160, 0, 192, 0, 0}};
  for (int dimension = 0; dimension < 3; ++dimension) {
    EXPECT_EQ(outer.sizes[dimension].divisor, sizes[dimension]);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(outer.strides[dimension][i], strides[dimension][i]);
  }
  EXPECT_EQ(packed.arguments.core_sizes[1], 5);
  EXPECT_EQ(packed.arguments.core_strides[2], 48);
}

TEST(GeneralizedLaunchTest, SortsSplitLoopsByTheOutput) {
  const BuiltItems built({10}, {4, 5, 6},
                         {{{kF8, 0x1000, {160}}, {40, 8}},
                          {{kF8, 0x2000, {0}}, {48, 8}},
                          {{kF8, 0x3000, {8}}, {80, 320}}});
  const auto packed = pack<SplitOfTwo>(built, traits("(m,k),(k,n)->(m,n)"), kRowsAndColumns);
  const auto& outer = packed.arguments.outer;
  ASSERT_EQ(outer.n_dimensions, 3u);
  EXPECT_EQ(outer.sizes[0].divisor, 10u);
  EXPECT_EQ(outer.sizes[1].divisor, 4u);
  EXPECT_EQ(outer.sizes[2].divisor, 6u);
}

TEST(GeneralizedLaunchTest, HasNoThreadsForAnEmptySplitDimension) {
  const BuiltItems built({10}, {0}, {{{kF8, 0x1000, {0}}, {8}}, {{kF8, 0x2000, {0}}, {8}}});
  const ItemIteration items(built.call(), 1, std::vector<analysis::SplitLoop>{{0, 0, 0}});
  EXPECT_EQ(items.iteration().n_elements(), 0);
}

TEST(GeneralizedLaunchTest, CountsInSixtyFourBitsWhereThirtyTwoAreNotEnough) {
  const std::vector<analysis::SplitLoop> loop = {{0, 0, 0}};
  const auto is_wide = [&](std::int64_t n, std::int64_t stride, std::int64_t core_size,
                           bool is_split) {
    const BuiltItems built({n}, {core_size},
                           {{{kF8, 0x1000, {0}}, {0}}, {{kF8, 0x2000, {stride}}, {8}}});
    return ItemIteration(built.call(), 1, is_split ? loop : std::vector<analysis::SplitLoop>())
        .is_wide();
  };
  EXPECT_FALSE(is_wide(1000, 8, 1000, false));
  EXPECT_TRUE(is_wide(2 * kGiga, 1, 1, false));
  EXPECT_TRUE(is_wide(3, kGiga, 1, false));
  EXPECT_FALSE(is_wide(2, kGiga, 1, false));
  // Core dimensions are always counted in 64 bits; the number of threads is not.
  EXPECT_FALSE(is_wide(4, 8, kGiga, false));
  EXPECT_TRUE(is_wide(4, 8, kGiga, true));
}

TEST(GeneralizedLaunchTest, PacksWideCalls) {
  const BuiltItems built({4}, {kGiga},
                         {{{kF8, 0x1000, {8 * kGiga}}, {8}}, {{kF8, 0x2000, {16 * kGiga}}, {16}}});
  const auto packed =
      pack<npp::GeneralizedArguments<npp::Wide, 4, 1, 2>>(built, traits("(n)->(n)"), {{0, 0, 0}});
  ASSERT_TRUE(packed.is_wide);
  const auto& outer = packed.arguments.outer;
  EXPECT_EQ(outer.n, static_cast<std::uint64_t>(4 * kGiga));
  EXPECT_EQ(packed.grid.grid, 4 * kGiga / 128);
  ASSERT_EQ(outer.n_dimensions, 2u);
  EXPECT_EQ(outer.sizes[0], static_cast<std::uint64_t>(kGiga));
  EXPECT_EQ(outer.strides[0][2], 1);
  EXPECT_EQ(outer.strides[1][1], 16 * kGiga);
}

TEST(GeneralizedLaunchTest, RefusesMoreBlocksThanAGridHas) {
  const BuiltItems built({kGiga, kGiga}, {},
                         {{{kF8, 0x1000, {0, 0}}, {}}, {{kF8, 0x2000, {0, 0}}, {}}});
  const GeneralizedTraits kernel = traits("()->()");
  const ItemIteration items(built.call(), 1);
  const GeneralizedCall call = built.call();
  ArgumentBuffer buffer;
  try {
    pack_items({call, items.iteration(), 1}, true, kernel, buffer);
    FAIL() << "it was packed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kValue);
    EXPECT_NE(std::string(error.what()).find("a launch can have fewer than 2^31"),
              std::string::npos);
  }
}

TEST(GeneralizedLaunchTest, PacksStagedItems) {
  BuiltItems built({300}, {3},
                   {{{kF4, 0x9000, {0}}, {4}},
                    {{kF4, 0x1000 + 299 * 12, {-12}}, {4}},
                    {{kF4, 0, {}, true}, {}},
                    {{kF4, 0x4000 + 299 * 12, {-12}}, {4}}});
  built.set_value(2, 1.5f);
  const GeneralizedCall call = built.call();
  const ItemIteration items(call, 3);
  ArgumentBuffer buffer;
  const GeneralizedGrid grid = pack_staged({call, items.iteration(), 3}, buffer);
  npp::StagedArguments<4> arguments;
  ASSERT_EQ(buffer.size(), sizeof(arguments));
  std::memcpy(&arguments, buffer.data(), sizeof(arguments));
  EXPECT_EQ(slot<std::uint64_t>(arguments.operands[0]), 0x9000u);
  EXPECT_EQ(slot<std::uint64_t>(arguments.operands[1]), 0x1000u);
  EXPECT_EQ(slot<float>(arguments.operands[2]), 1.5f);
  EXPECT_EQ(slot<std::uint64_t>(arguments.operands[3]), 0x4000u);
  EXPECT_EQ(arguments.values, 4u);
  EXPECT_EQ(arguments.repeated, 5u);
  EXPECT_EQ(arguments.n, 300u);
  EXPECT_EQ(grid.grid, 3u);
  EXPECT_EQ(grid.block, 128u);
}

// 3 products of 130 x 40 by 40 x 70 float64: the left operand transposed, the right one in C order.
TEST(GeneralizedLaunchTest, PacksTiledProducts) {
  GeneralizedTraits kernel = traits("(m,k),(k,n)->(m,n)");
  kernel.product.rows.name = 0;
  kernel.product.columns.name = 2;
  kernel.product.depth_name = 1;
  kernel.product.left = {.input = 0, .line_axis = 0, .depth_axis = 1};
  kernel.product.right = {.input = 1, .line_axis = 1, .depth_axis = 0};
  const BuiltItems built({3}, {130, 40, 70},
                         {{{kF8, 0x1000, {41600}}, {8, 1040}},
                          {{kF8, 0x9000, {0}}, {560, 8}},
                          {{kF8, 0x4000, {72800}}, {560, 8}}});
  const GeneralizedCall call = built.call();
  const ItemIteration items(call, 2);
  ArgumentBuffer buffer;
  const GeneralizedGrid grid = pack_tiled({call, items.iteration(), 2}, 4, kernel, buffer);
  npp::TiledArguments<3, 3, 6> arguments;
  ASSERT_EQ(buffer.size(), sizeof(arguments));
  std::memcpy(&arguments, buffer.data(), sizeof(arguments));
  EXPECT_EQ(arguments.outer.n, 3u);
  EXPECT_EQ(arguments.outer.strides[0][0], 41600);
  EXPECT_EQ(arguments.outer.strides[0][1], 0);
  EXPECT_EQ(arguments.core_sizes[2], 70);
  EXPECT_EQ(arguments.rows, 130);
  EXPECT_EQ(arguments.columns, 70);
  EXPECT_EQ(arguments.depth, 40);
  EXPECT_EQ(arguments.left_strides[0], 8);
  EXPECT_EQ(arguments.left_strides[1], 1040);
  EXPECT_EQ(arguments.right_strides[0], 8);
  EXPECT_EQ(arguments.right_strides[1], 560);
  EXPECT_EQ(arguments.row_tiles.divisor, 3u);
  EXPECT_EQ(arguments.column_tiles.divisor, 2u);
  EXPECT_EQ(arguments.is_left_along_depth, 0u);
  EXPECT_EQ(arguments.is_right_along_depth, 0u);
  EXPECT_EQ(grid.grid, 3u * 3 * 2);
  EXPECT_EQ(grid.block, 256u);
}

}  // namespace
}  // namespace numpy_plugin::run
