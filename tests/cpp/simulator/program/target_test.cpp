// Needs of instructions, compared with the targets of modules.
#include "simulator/program/grammar.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::sim {
namespace {

bool provides(std::string_view module, std::string_view need) {
  return parse_target(module).provides(parse_target(need));
}

TEST(target, text_is_read) {
  EXPECT_EQ(parse_target("sm_90"), (Target{90, 0, 0}));
  EXPECT_EQ(parse_target("sm_100f"), (Target{100, 'f', 0}));
  EXPECT_EQ(module_target("sm_120a", 8, 7), (Target{120, 'a', 87}));
  for (const char* text : {"", "sm_", "sm_x", "compute_90", "90"})
    EXPECT_EQ(parse_target(text), Target{}) << text;
}

TEST(target, newer_architectures_provide_what_older_ones_do) {
  EXPECT_TRUE(provides("sm_90", "sm_90"));
  EXPECT_TRUE(provides("sm_120", "sm_90"));
  EXPECT_TRUE(provides("sm_90a", "sm_90"));
  EXPECT_FALSE(provides("sm_89", "sm_90"));
}

TEST(target, specific_and_family_features_are_for_targets_that_name_them) {
  EXPECT_TRUE(provides("sm_90a", "sm_90a"));
  for (const char* module : {"sm_90", "sm_100a", "sm_100", "sm_90f"})
    EXPECT_FALSE(provides(module, "sm_90a")) << module;
  for (const char* module : {"sm_100f", "sm_100a", "sm_103a", "sm_103f"})
    EXPECT_TRUE(provides(module, "sm_100f")) << module;
  for (const char* module : {"sm_100", "sm_103", "sm_90a", "sm_120f", "sm_120a"})
    EXPECT_FALSE(provides(module, "sm_100f")) << module;
  EXPECT_FALSE(provides("sm_100f", "sm_103f"));
}

TEST(target, mistakes_name_what_is_needed_and_what_is_there) {
  const Target module = module_target("sm_75", 8, 0);
  EXPECT_EQ(describe_missing(module, {}), "");
  EXPECT_EQ(describe_missing(module, {{75, 0, 80}}), "");
  EXPECT_EQ(describe_missing(module, {{90, 0, 0}, {70, 0, 0}}), "");
  EXPECT_EQ(describe_missing(module, {{90, 0, 86}}),
            "needs sm_90 or newer; the module's target is sm_75");
  EXPECT_EQ(describe_missing(module, {{90, 'a', 0}, {100, 'f', 0}}),
            "needs sm_90a or sm_100f or newer of its family; the module's target is sm_75");
  EXPECT_EQ(describe_missing(module, {{90, 0, 0}, {70, 0, 86}, {75, 0, 83}}),
            "needs PTX 8.3 or newer; the module's version is 8.0");
}

TEST(target, needs_of_a_grammar_are_those_of_the_alternatives_that_match) {
  const GrammarNode grammar = parse_grammar(
      "rn (f32 | sm_80 f64 | sm_90 ptx_78 s32 | sm_90a s64 | sm_100f s64) [sm_100 sat]");
  const auto needs_of = [&](std::string_view text) { return match(grammar, text, {})->needs; };
  using Needs = std::vector<Target>;
  EXPECT_EQ(needs_of(".rn.f32"), Needs{});
  EXPECT_EQ(needs_of(".rn.f64"), (Needs{{80, 0, 0}}));
  EXPECT_EQ(needs_of(".rn.s32"), (Needs{{90, 0, 78}}));
  EXPECT_EQ(needs_of(".rn.s32.sat"), (Needs{{100, 0, 78}}));
  EXPECT_EQ(needs_of(".rn.s64"), (Needs{{90, 'a', 0}, {100, 'f', 0}}));
  EXPECT_FALSE(match(grammar, ".rn.sm_80.f64", {}));
}

}  // namespace
}  // namespace numpy_plugin::sim
