// Selection of a generalized launch over a table, and its explanations.
#include "numpy_plugin/run/forms/generalized_choice.hpp"

#include <gtest/gtest.h>

#include "kernel/core_kernel.hpp"
#include "run/forms/generalized_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;
using emit::LaunchForm;

constexpr LaunchForm kOneThread = LaunchForm::kGeneralized, kSplit = LaunchForm::kSplit,
                     kStaged = LaunchForm::kStaged;

// Traits of a kernel over a layout, as far as the selection uses them.
GeneralizedTraits traits(const std::string& layout, bool can_split, const std::string& obstacle) {
  GeneralizedTraits result{.layout = declare::parse_core_signature(layout),
                           .split = {{}, "'s' is carried"},
                           .loop_names = {},
                           .staging_obstacle = obstacle,
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

TEST(GeneralizedChoiceTest, SaysWhy) {
  GeneralizedTraits kernel = traits("(3)->(3)", true, "");
  EXPECT_EQ(generalized_reason({kStaged, ""}, kernel),
            "staged: items of fixed sizes are packed; 128 of them pass through shared memory "
            "together");
  EXPECT_EQ(generalized_reason({kSplit, ""}, kernel),
            "split: a thread for each iteration over 'i', which are independent");
  kernel.loop_names = {"i", "j"};
  EXPECT_EQ(generalized_reason({kSplit, ""}, kernel),
            "split: a thread for each iteration over 'i' and 'j', which are independent");
  EXPECT_EQ(generalized_reason({kOneThread, "the items of input 1 are not packed"},
                               traits("(3)->(3)", false, "")),
            "one thread per item: not split, because 's' is carried; not staged, because the items "
            "of input 1 are not packed");
}

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
