// Selection of a generalized launch over a table, and its explanations.
#include "numpy_plugin/run/forms/generalized_choice.hpp"

#include <gtest/gtest.h>

#include "kernel/core_kernel.hpp"
#include "run/forms/generalized_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
using base::DType;

constexpr LaunchForm kOneThread = LaunchForm::kGeneralized, kSplit = LaunchForm::kSplit,
                     kStaged = LaunchForm::kStaged;

analysis::MatrixProduct no_product() {
  analysis::MatrixProduct none;
  none.reason = "there is no sum";
  return none;
}

// Traits of a kernel over a layout, as far as the selection uses them.
GeneralizedTraits traits(const std::string& layout, bool can_split, const std::string& obstacle) {
  GeneralizedTraits result{.layout = declare::parse_core_signature(layout),
                           .split = {{}, "'s' is carried"},
                           .loop_names = {},
                           .staging_obstacle = obstacle,
                           .product = no_product(),
                           .n_multiprocessors = 4};
  if (!can_split) return result;
  result.split = {{{.local = 2, .name = 0, .axis = 0}}, ""};
  result.loop_names = {"i"};
  return result;
}

struct ChoiceCase {
  const char* name;
  const char* layout;
  bool can_split;
  Numbers shape;
  Numbers core_sizes;
  std::vector<CorePlace> operands;
  LaunchForm form;
  std::string obstacle;
};

const CorePlace kPacked = {{kF4, 0x1000, {12}}, {4}};

const ChoiceCase kChoiceCases[] = {
    {"packed_items", "(3),(3)->(3)", false, {512}, {3}, {kPacked, kPacked, kPacked}, kStaged, ""},
    {"few_packed_items", "(3)->(3)", false, {1}, {3}, {kPacked, kPacked}, kStaged, ""},
    {"enough_items_to_stage", "(3)->(3)", true, {512}, {3}, {kPacked, kPacked}, kStaged, ""},
    {"more_threads_when_split", "(3)->(3)", true, {511}, {3}, {kPacked, kPacked}, kSplit, ""},
    {"two_loop_dimensions_that_merge",
     "(3)->(3)",
     false,
     {100, 20},
     {3},
     {{{kF4, 0x1000, {240, 12}}, {4}}, {{kF4, 0x9000, {240, 12}}, {4}}},
     kStaged,
     ""},
    {"downwards",
     "(3)->(3)",
     false,
     {600},
     {3},
     {{{kF4, 0x9000, {-12}}, {4}}, {{kF4, 0x90000, {-12}}, {4}}},
     kStaged,
     ""},
    {"one_item_for_all",
     "(3),(3)->(3)",
     false,
     {600},
     {3},
     {kPacked, {{kF4, 0x9000, {0}}, {4}}, kPacked},
     kStaged,
     ""},
    {"one_item_for_all_that_is_strided",
     "(3),(3)->(3)",
     false,
     {600},
     {3},
     {kPacked, {{kF4, 0x9000, {0}}, {8}}, kPacked},
     kOneThread,
     "the items of input 2 are not packed"},
    {"a_number_of_the_host",
     "(3),()->(3)",
     false,
     {600},
     {3},
     {kPacked, {{kF8, 0, {}, true}, {}}, kPacked},
     kStaged,
     ""},
    {"gaps_between_items",
     "(3)->(3)",
     false,
     {600},
     {3},
     {{{kF4, 0x1000, {16}}, {4}}, kPacked},
     kOneThread,
     "the items of input 1 are not packed"},
    {"core_dimension_outside",
     "(3)->(3)",
     false,
     {600},
     {3},
     {kPacked, {{kF4, 0x1000, {4}}, {2400}}},
     kOneThread,
     "the items of output 1 are not packed"},
    {"loop_dimensions_that_do_not_merge",
     "(3),(3)->(3)",
     false,
     {100, 20},
     {3},
     {{{kF4, 0x1000, {240, 12}}, {4}}, {{kF4, 0x9000, {0, 12}}, {4}}, {{kF4, 0, {240, 12}}, {4}}},
     kOneThread,
     "the items of the operands have different layouts"},
    {"matrices",
     "(2,2)->(2,2)",
     false,
     {600},
     {2},
     {{{kF4, 0x1000, {16}}, {8, 4}}, {{kF4, 0x9000, {16}}, {8, 4}}},
     kStaged,
     ""},
    {"transposed_matrices",
     "(2,2)->(2,2)",
     false,
     {600},
     {2},
     {{{kF4, 0x1000, {16}}, {4, 8}}, {{kF4, 0x9000, {16}}, {8, 4}}},
     kOneThread,
     "the items of input 1 are not packed"},
};

class ChoiceOf : public testing::TestWithParam<ChoiceCase> {};

TEST_P(ChoiceOf, form) {
  const ChoiceCase& given = GetParam();
  const BuiltItems built(given.shape, given.core_sizes, given.operands);
  const GeneralizedCall call = built.call();
  const GeneralizedTraits kernel = traits(given.layout, given.can_split, "");
  const ItemIteration items(call, kernel.layout.n_inputs);
  const GeneralizedChoice choice =
      choose_generalized({call, items.iteration(), kernel.layout.n_inputs}, kernel);
  EXPECT_EQ(choice.form, given.form);
  EXPECT_EQ(choice.obstacle, given.obstacle);
}

INSTANTIATE_TEST_SUITE_P(Calls, ChoiceOf, testing::ValuesIn(kChoiceCases),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(GeneralizedChoiceTest, DoesNotStageWhatTheKernelForbids) {
  const BuiltItems built({600}, {3}, {kPacked, kPacked});
  const GeneralizedCall call = built.call();
  const ItemIteration items(call, 1);
  const GeneralizedTraits kernel = traits("(3)->(3)", false, "a C++ body is not analyzed");
  const GeneralizedChoice choice = choose_generalized({call, items.iteration(), 1}, kernel);
  EXPECT_EQ(choice.form, kOneThread);
  EXPECT_EQ(choice.obstacle, "a C++ body is not analyzed");
}

GeneralizedChoice chosen(LaunchForm form) {
  GeneralizedChoice choice;
  choice.form = form;
  choice.obstacle = "the items of input 1 are not packed";
  choice.not_tiled = "there is no sum";
  choice.tile_items = 4;
  return choice;
}

TEST(GeneralizedChoiceTest, SaysWhy) {
  GeneralizedTraits kernel = traits("(3)->(3)", true, "");
  EXPECT_EQ(generalized_reason(chosen(kStaged), kernel),
            "staged: items of fixed sizes are packed; 128 of them pass through shared memory "
            "together");
  EXPECT_EQ(generalized_reason(chosen(kSplit), kernel),
            "split: a thread for each iteration over 'i', which are independent");
  kernel.loop_names = {"i", "j"};
  EXPECT_EQ(
      generalized_reason(chosen(kSplit), kernel),
      "split: a thread for each iteration over 'i' and 'j', which are independent; not tiled, "
      "because there is no sum");
  EXPECT_EQ(generalized_reason(chosen(LaunchForm::kTiled), kernel),
            "tiled: a block for 64 x 64 iterations over 'i' and 'j', whose sums are in registers");
  EXPECT_EQ(generalized_reason(chosen(kOneThread), traits("(3)->(3)", false, "")),
            "one thread per item: not split, because 's' is carried; not staged, because the items "
            "of input 1 are not packed");
}

// A product of float64 matrices.
GeneralizedTraits product_traits(int n_multiprocessors) {
  emit::test::KernelText t("(m,k),(k,n)->(m,n)");
  const auto term = emit::test::call(declare::Operation::kMultiply,
                                     {t.at("a", {"i", "k"}), t.at("b", {"k", "j"})});
  return generalized_traits(t.finish({t.loop("i", "a", 0,
                                             {t.loop("j", "b", 1,
                                                     {t.set("s", emit::test::zero()),
                                                      t.loop("k", "a", 1, {t.add_to("s", term)}),
                                                      t.put("out", {"i", "j"}, t.local("s"))})})}),
                            n_multiprocessors);
}

struct TileCase {
  const char* name;
  Numbers shape;       // of the loop dimension
  Numbers core_sizes;  // rows, depth, columns
  int items;           // 0: not tiled
};

const TileCase kTileCases[] = {
    {"large_matrices", {1}, {4096, 4096, 4096}, 8},
    {"too_few_large_tiles_for_all_multiprocessors", {1}, {1024, 1024, 1024}, 4},
    {"one_small_matrix", {1}, {100, 100, 100}, 2},
    {"many_of_them", {10'000}, {100, 100, 100}, 8},
    {"edges_that_would_waste_large_tiles", {10'000}, {40, 100, 40}, 4},
    {"the_smallest", {1}, {24, 8, 24}, 2},
    {"few_rows", {1}, {23, 100, 100}, 0},
    {"few_columns", {1}, {100, 100, 23}, 0},
    {"short_sums", {1}, {100, 7, 100}, 0},
    {"no_sums", {1}, {100, 0, 100}, 0},
};

class TileOf : public testing::TestWithParam<TileCase> {};

TEST_P(TileOf, sizes) {
  const TileCase& given = GetParam();
  const std::int64_t m = given.core_sizes[0], k = given.core_sizes[1], n = given.core_sizes[2];
  const BuiltItems built(given.shape, given.core_sizes,
                         {{{kF8, 0x1000, {8 * m * k}}, {8 * k, 8}},
                          {{kF8, 0x1000, {8 * k * n}}, {8 * n, 8}},
                          {{kF8, 0x1000, {8 * m * n}}, {8 * n, 8}}});
  const GeneralizedCall call = built.call();
  const ItemIteration items(call, 2);
  const GeneralizedChoice choice =
      choose_generalized({call, items.iteration(), 2}, product_traits(132));
  EXPECT_EQ(choice.form, given.items == 0 ? kSplit : LaunchForm::kTiled);
  EXPECT_EQ(choice.tile_items, given.items);
}

INSTANTIATE_TEST_SUITE_P(Products, TileOf, testing::ValuesIn(kTileCases),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(GeneralizedTraitsTest, AreReadFromTheKernel) {
  emit::test::KernelText text("(m,n)->(m,n)");
  const declare::TypedKernel kernel = text.finish({text.loop(
      "i", "a", 0,
      {text.loop("j", "a", 1, {text.put("out", {"i", "j"}, text.at("a", {"i", "j"}))})})});
  const GeneralizedTraits found = generalized_traits(kernel, 7);
  EXPECT_EQ(found.split.loops.size(), 2u);
  EXPECT_EQ(found.loop_names, (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(found.staging_obstacle, "the size of 'm' is known only at the call");
  EXPECT_EQ(found.n_multiprocessors, 7);
}

}  // namespace
}  // namespace numpy_plugin::run
