// Kernels whose items can be staged, and the reasons for others.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <gtest/gtest.h>

#include "emit/source/golden_file.hpp"
#include "kernel/core_kernel.hpp"

namespace numpy_plugin::emit::test {
namespace {

using enum Operation;

struct Case {
  std::string name;
  std::string layout;
  std::function<std::vector<Statement>(KernelText&)> body;
};
void PrintTo(const Case& given, std::ostream* stream) { *stream << given.name; }

Statement put_at(KernelText& t, std::int64_t index, Expression value = zero()) {
  return t.f.store("out", {integer(index)}, std::move(value));
}
Expression first_of(KernelText& t, const char* array) { return t.f.load(array, {integer(0)}); }

const std::vector<Case> kStaged = {
    {"element_by_element", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {put_at(t, 0), put_at(t, 1, first_of(t, "a")), put_at(t, -1)};
     }},
    {"loop_over_an_input", "(3),()->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0, {t.put("out", {"i"}, t.local("b"))})};
     }},
    {"matmul_in_the_output", "(2,3),(3,2)->(2,2)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression sum = call(kAdd, {t.at("out", {"i", "j"}), t.at("a", {"i", "k"})});
       return {t.loop("i", "a", 0,
                      {t.loop("j", "b", 1,
                              {t.put("out", {"i", "j"}, zero()),
                               t.loop("k", "a", 1, {t.put("out", {"i", "j"}, sum)})})})};
     }},
    {"read_when_all_is_written", "(2)->(2)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "out", 0, {t.put("out", {"i"}, zero())}),
               t.loop("j", "out", 0, {put_at(t, 0, t.at("out", {"j"}))})};
     }},
    {"one_result", "(3)->()",
     [](KernelText& t) -> std::vector<Statement> {
       return {put_at(t, 0), t.loop("i", "a", 0, {put_at(t, 0, first_of(t, "out"))}),
               jump(StatementKind::kReturn)};
     }},
    {"two_parts", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {put_at(t, 0),
               t.loop("i", integer(1), integer(3), {t.put("out", {"i"}, t.at("a", {"i"}))})};
     }},
    {"downwards", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.f.for_range("i", {integer(2), integer(-1), integer(-1)},
                             {t.put("out", {"i"}, zero())})};
     }},
};

const std::vector<Case> kNotWritten = {
    {"one_left_out", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {put_at(t, 0), put_at(t, 2)};
     }},
    {"in_a_branch", "(1),()->(1)",
     [](KernelText& t) -> std::vector<Statement> {
       return {branch(call(kLess, {t.local("b"), zero()}), {put_at(t, 0)})};
     }},
    {"diagonal", "(2,2)->(2,2)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0, {t.put("out", {"i", "i"}, zero())})};
     }},
    {"loop_that_skips", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop(
           "i", "a", 0,
           {branch(call(kLess, {t.at("a", {"i"}), zero()}), {jump(StatementKind::kContinue)}),
            t.put("out", {"i"}, zero())})};
     }},
    {"loop_without_trips", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("k", integer(3), integer(3),
                      {t.loop("i", "a", 0, {t.put("out", {"i"}, zero())})})};
     }},
    {"returns_before", "(1),()->(1)",
     [](KernelText& t) -> std::vector<Statement> {
       return {branch(call(kLess, {t.local("b"), zero()}), {jump(StatementKind::kReturn)}),
               put_at(t, 0)};
     }},
    {"adds_to_what_is_there", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression sum = call(kAdd, {t.at("out", {"i"}), t.at("a", {"i"})});
       return {t.loop("i", "a", 0, {t.put("out", {"i"}, sum)})};
     }},
    {"reads_the_next", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression next = call(kSubtract, {integer(2), t.local("i")});
       return {
           t.loop("i", "a", 0, {t.put("out", {"i"}, zero()), t.set("s", t.f.load("out", {next}))})};
     }},
    {"reads_what_another_trip_writes", "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop(
           "i", "a", 0,
           {t.put("out", {"i"}, zero()), t.loop("j", "a", 0, {t.set("s", t.at("out", {"j"}))})})};
     }},
    {"index_from_a_value", "(1)->(1)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("k", cast(kI8, first_of(t, "a"))), t.put("out", {"k"}, zero())};
     }},
};

class StagingOf : public testing::TestWithParam<Case> {
 protected:
  std::string obstacle() const {
    KernelText text(GetParam().layout);
    return analysis::staging_obstacle(text.finish(GetParam().body(text)));
  }
};
class StagedItems : public StagingOf {};
class UnwrittenItems : public StagingOf {};

TEST_P(StagedItems, have_no_obstacle) { EXPECT_EQ(obstacle(), ""); }
TEST_P(UnwrittenItems, are_not_staged) {
  EXPECT_EQ(obstacle(), "not every element of 'out' is known to be written before it is read");
}

const auto kNameOfCase = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Bodies, StagedItems, testing::ValuesIn(kStaged), kNameOfCase);
INSTANTIATE_TEST_SUITE_P(Bodies, UnwrittenItems, testing::ValuesIn(kNotWritten), kNameOfCase);

std::string obstacle_of(const std::string& layout) {
  KernelText text(layout);
  return analysis::staging_obstacle(text.finish({}));
}

TEST(StagingObstacle, is_a_size_that_is_not_fixed) {
  EXPECT_EQ(obstacle_of("(3),(n)->(3)"), "the size of 'n' is known only at the call");
}

TEST(StagingObstacle, is_the_lack_of_core_dimensions) {
  EXPECT_EQ(obstacle_of("()->()"), "there are no core dimensions");
}

TEST(StagingObstacle, is_the_size_of_an_item) {
  EXPECT_EQ(obstacle_of("(4,4)->(4,4),()"), "an item has 264 bytes, more than 256");
  EXPECT_NE(obstacle_of("(4,4)->(4,4)").find("known to be written"), std::string::npos);
}

TEST(StagingObstacle, is_a_cpp_body) {
  const TypedKernel kernel{"f", signature("d->d"), declare::parse_core_signature("(3)->(3)"),
                           declare::CppKernel{"out[0] = 1;", {"a"}, {"out"}}};
  EXPECT_EQ(analysis::staging_obstacle(kernel), "a C++ body is not analyzed");
}

TEST(StagedKernel, is_the_kernel_as_it_is) {
  KernelText text("(3),(),(3)->(3),()");
  const Expression first = call(kMultiply, {first_of(text, "a"), text.local("b")});
  const Expression sum = call(kAdd, {text.at("c", {"i"}), first});
  const Program rows = program(text.finish({text.loop("i", "a", 0, {text.put("out", {"i"}, sum)}),
                                            text.f.store("out2", {integer(0)}, first)}));
  ASSERT_EQ(analysis::staging_obstacle(rows.kernels[0]), "");
  const Source source = emit_cuda(rows, {.launch = analysis::LaunchForm::kStaged, .stored = {}});
  EXPECT_EQ(source.entry_points, std::vector<std::string>{"npp_staged_0"});
  expect_golden("rows_staged.cuda.cpp", source.text);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
