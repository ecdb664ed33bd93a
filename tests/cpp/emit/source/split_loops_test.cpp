// Loops that become threads, the reasons for others, and the function of one iteration.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <gtest/gtest.h>

#include "emit/source/golden_file.hpp"
#include "kernel/core_kernel.hpp"
#include "numpy_plugin/emit/printing/statement.hpp"

namespace numpy_plugin::emit::test {
namespace {

using enum Operation;

Expression minus(Expression left, std::int64_t right) {
  return call(kSubtract, {std::move(left), integer(right)});
}
Expression is_below(Expression left, Expression right) {
  return call(kLess, {std::move(left), std::move(right)});
}

struct SplitCase {
  std::string name;
  std::string layout;
  std::function<std::vector<Statement>(KernelText&)> body;
  std::vector<std::string> loops;  // variables that become threads
  std::string reason;
};
void PrintTo(const SplitCase& given, std::ostream* stream) { *stream << given.name; }

std::vector<Statement> matmul_body(KernelText& t) {
  const Statement product =
      t.add_to("s", call(kMultiply, {t.at("a", {"i", "k"}), t.at("b", {"k", "j"})}));
  return {t.loop("i", "a", 0,
                 {t.loop("j", "b", 1,
                         {t.set("s", zero()), t.loop("k", "a", 1, {product}),
                          t.put("out", {"i", "j"}, t.local("s"))})})};
}

const std::vector<SplitCase> kAccepted = {
    {"matmul",
     "(m,k),(k,n)->(m,n)",
     matmul_body,
     {"i", "j"},
     "statements follow the loop over 'k'"},
    {"matmul_in_the_output",
     "(m,k),(k,n)->(m,n)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression sum = call(kAdd, {t.at("out", {"i", "j"}), t.at("a", {"i", "k"})});
       return {t.loop("i", "a", 0,
                      {t.loop("j", "b", 1,
                              {t.put("out", {"i", "j"}, zero()),
                               t.loop("k", "a", 1, {t.put("out", {"i", "j"}, sum)})})})};
     },
     {"i", "j"},
     "the code before the loop over 'k' does more than set variables"},
    {"transposed_output",
     "(m,n)->(n,m)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {t.loop("j", "a", 1, {t.put("out", {"j", "i"}, t.at("a", {"i", "j"}))})})};
     },
     {"i", "j"},
     ""},
    {"outer_product_with_a_row_value",
     "(m),(n)->(m,n)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression product = call(kMultiply, {t.local("t"), t.at("b", {"j"})});
       return {t.loop("i", "a", 0,
                      {t.set("t", t.at("a", {"i"})),
                       t.loop("j", "b", 0, {t.put("out", {"i", "j"}, product)})})};
     },
     {"i", "j"},
     ""},
    {"window_sum",
     "(n),()->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression first = call(kMaximum, {minus(t.local("i"), 3), integer(0)});
       return {
           t.loop("i", "a", 0,
                  {t.set("start", first), t.set("s", zero()),
                   t.loop("k", t.local("start"), t.local("i"), {t.add_to("s", t.at("a", {"k"}))}),
                   t.put("out", {"i"}, t.local("s"))})};
     },
     {"i"},
     "statements follow the loop over 'k'"},
    {"inner_part",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", integer(1), minus(t.f.size("a", 0), 1),
                      {t.put("out", {"i"}, t.at("a", {"i"}))})};
     },
     {"i"},
     ""},
    {"a_value_before_the_loop",
     "(n),()->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {branch(is_below(t.local("b"), zero()), {jump(StatementKind::kReturn)}),
               t.set("t", call(kMultiply, {t.local("b"), t.local("b")})),
               t.loop("i", "a", 0, {t.put("out", {"i"}, t.local("t"))}),
               jump(StatementKind::kReturn)};
     },
     {"i"},
     ""},
    {"leaves_out_some",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {branch(is_below(t.at("a", {"i"}), zero()), {jump(StatementKind::kContinue)}),
                       t.put("out", {"i"}, t.at("a", {"i"}))})};
     },
     {"i"},
     ""},
    {"triangle",
     "(m,n)->(m,n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {t.loop("j", integer(0), t.local("i"),
                              {t.put("out", {"i", "j"}, t.at("a", {"i", "j"}))})})};
     },
     {"i", "j"},
     ""},
    {"fixed_size",
     "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", integer(0), integer(3), {t.put("out", {"i"}, t.at("a", {"i"}))})};
     },
     {"i"},
     ""},
    {"two_outputs",
     "(n)->(n),(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {t.put("out", {"i"}, t.at("a", {"i"})),
                       branch(is_below(t.at("a", {"i"}), zero()),
                              {t.put("out2", {"i"}, t.at("out", {"i"}))})})};
     },
     {"i"},
     ""},
    {"search_in_each_row",
     "(m,n)->(m)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop(
           "i", "a", 0,
           {t.put("out", {"i"}, zero()), t.loop("j", "a", 1,
                                                {branch(is_below(t.at("a", {"i", "j"}), zero()),
                                                        {t.put("out", {"i"}, t.at("a", {"i", "j"})),
                                                         jump(StatementKind::kBreak)})})})};
     },
     {"i"},
     "the code before the loop over 'j' does more than set variables"},
    {"rows_with_a_carried_sum",
     "(m,n)->(m,n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {t.set("s", zero()), t.loop("j", "a", 1,
                                                  {t.add_to("s", t.at("a", {"i", "j"})),
                                                   t.put("out", {"i", "j"}, t.local("s"))})})};
     },
     {"i"},
     "'s' is carried from one iteration of 'j' to the next"},
    {"both_branches_assign",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("t", zero()),
               t.loop("i", "a", 0,
                      {branch(is_below(t.at("a", {"i"}), zero()), {t.set("t", zero())},
                              {t.set("t", t.at("a", {"i"}))}),
                       t.put("out", {"i"}, t.local("t"))})};
     },
     {"i"},
     ""},
};

const std::vector<SplitCase> kRefused = {
    {"prefix_sum",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("s", zero()),
               t.loop("i", "a", 0,
                      {t.add_to("s", t.at("a", {"i"})), t.put("out", {"i"}, t.local("s"))})};
     },
     {},
     "'s' is carried from one iteration of 'i' to the next"},
    {"prefix_sum_in_the_output",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression before = t.f.load("out", {minus(t.local("i"), 1)});
       return {t.loop("i", integer(1), t.f.size("a", 0),
                      {t.put("out", {"i"}, call(kAdd, {before, t.at("a", {"i"})}))})};
     },
     {},
     "'out' is not indexed by 'i' in the same dimension everywhere"},
    {"assigned_in_one_branch_only",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("t", zero()),
               t.loop("i", "a", 0,
                      {branch(is_below(t.at("a", {"i"}), zero()), {t.set("t", zero())}),
                       t.put("out", {"i"}, t.local("t"))})};
     },
     {},
     "'t' is carried from one iteration of 'i' to the next"},
    {"set_in_a_loop_without_trips",
     "(m,n)->(m)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("t", zero()), t.loop("i", "a", 0,
                                          {t.loop("j", "a", 1, {t.set("t", t.at("a", {"i", "j"}))}),
                                           t.put("out", {"i"}, t.local("t"))})};
     },
     {},
     "'t' is carried from one iteration of 'i' to the next"},
    {"counter",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("k", integer(0)),
               t.loop("i", "a", 0,
                      {branch(is_below(t.at("a", {"i"}), zero()),
                              {t.set("k", call(kAdd, {t.local("k"), integer(1)}))}),
                       t.put("out", {"i"}, t.at("a", {"k"}))})};
     },
     {},
     "'k' is carried from one iteration of 'i' to the next"},
    {"parameter_that_changes",
     "(n),()->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {t.add_to("b", t.at("a", {"i"})), t.put("out", {"i"}, t.local("b"))})};
     },
     {},
     "'b' is carried from one iteration of 'i' to the next"},
    {"reversed_index",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression last = minus(call(kSubtract, {t.f.size("a", 0), t.local("i")}), 1);
       return {t.loop("i", "a", 0, {t.f.store("out", {last}, t.at("a", {"i"}))})};
     },
     {},
     "'out' is not indexed by 'i' in the same dimension everywhere"},
    {"scatter",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {t.set("k", cast(kI8, t.at("a", {"i"}))), t.put("out", {"k"}, zero())})};
     },
     {},
     "'out' is not indexed by 'i' in the same dimension everywhere"},
    {"now_one_dimension_now_the_other",
     "(n,n)->(n,n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {
           t.loop("i", "a", 0,
                  {t.loop("j", "a", 0,
                          {t.put("out", {"i", "j"}, zero()), t.put("out", {"j", "i"}, zero())})})};
     },
     {},
     "'out' is not indexed by 'i' in the same dimension everywhere"},
    {"outputs_of_different_sizes",
     "(m,n)->(m),(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0, {t.put("out", {"i"}, zero()), t.put("out2", {"i"}, zero())})};
     },
     {},
     "'i' indexes dimensions of different names"},
    {"one_result",
     "(n)->()",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("s", zero()), t.loop("i", "a", 0, {t.add_to("s", t.at("a", {"i"}))}),
               t.f.store("out", {integer(0)}, t.local("s"))};
     },
     {},
     "statements follow the loop over 'i'"},
    {"argmax",
     "(n)->()",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {branch(is_below(t.f.load("out", {integer(0)}), t.at("a", {"i"})),
                              {t.f.store("out", {integer(0)}, t.at("a", {"i"}))})})};
     },
     {},
     "'out' is not indexed by 'i' in the same dimension everywhere"},
    {"two_loops",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0, {t.put("out", {"i"}, zero())}),
               t.loop("j", "a", 0, {t.put("out", {"j"}, zero())})};
     },
     {},
     "another loop follows the loop over 'i'"},
    {"a_store_before",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.f.store("out", {integer(0)}, zero()),
               t.loop("i", integer(1), t.f.size("a", 0), {t.put("out", {"i"}, zero())})};
     },
     {},
     "the code before the loop over 'i' does more than set variables"},
    {"a_value_of_the_output_before",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("t", t.f.load("out", {integer(0)})),
               t.loop("i", "a", 0, {t.put("out", {"i"}, t.local("t"))})};
     },
     {},
     "'out' is not indexed by 'i' in the same dimension everywhere"},
    {"the_same_name_before",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("i", integer(0)), t.set("t", t.at("out", {"i"})),
               t.loop("i", "a", 0, {t.put("out", {"i"}, t.local("t"))})};
     },
     {},
     "'i' is set elsewhere too"},
    {"variable_assigned",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {
           t.loop("i", "a", 0, {t.set("i", integer(0)), t.put("out", {"i"}, t.at("a", {"i"}))})};
     },
     {},
     "'i' is set elsewhere too"},
    {"ends_early",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0,
                      {branch(is_below(t.at("a", {"i"}), zero()), {jump(StatementKind::kBreak)}),
                       t.put("out", {"i"}, zero())})};
     },
     {},
     "the loop over 'i' may end early"},
    {"returns_from_an_inner_loop",
     "(m,n)->(m)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop(
           "i", "a", 0,
           {t.put("out", {"i"}, zero()), t.loop("j", "a", 1,
                                                {branch(is_below(t.at("a", {"i", "j"}), zero()),
                                                        {jump(StatementKind::kReturn)})})})};
     },
     {},
     "the loop over 'i' may end early"},
    {"downwards",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.f.for_range("i", {minus(t.f.size("a", 0), 1), integer(-1), integer(-1)},
                             {t.put("out", {"i"}, zero())})};
     },
     {},
     "the loop over 'i' does not count up by one from a constant of at least 0"},
    {"from_a_negative_index",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", integer(-1), t.f.size("a", 0), {t.put("out", {"i"}, zero())})};
     },
     {},
     "the loop over 'i' does not count up by one from a constant of at least 0"},
    {"every_second",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.f.for_range("i", {integer(0), t.f.size("a", 0), integer(2)},
                             {t.put("out", {"i"}, zero())})};
     },
     {},
     "the loop over 'i' does not count up by one from a constant of at least 0"},
    {"while_loop",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.set("i", integer(0)),
               loop_while(is_below(t.local("i"), t.f.size("a", 0)),
                          {t.put("out", {"i"}, zero()),
                           t.set("i", call(kAdd, {t.local("i"), integer(1)}))})};
     },
     {},
     "the body's loop is a 'while'"},
    {"no_loop",
     "(3)->(3)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.f.store("out", {integer(0)}, t.f.load("a", {integer(1)}))};
     },
     {},
     "the body is not one loop"},
    {"loop_in_a_branch",
     "(n),()->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {branch(is_below(t.local("b"), zero()),
                      {t.loop("i", "a", 0, {t.put("out", {"i"}, zero())})})};
     },
     {},
     "the body is not one loop"},
    {"output_given_away",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       const Expression value = call_function(0, ValueType::scalar(kF8), {t.local("out")});
       return {t.loop("i", "a", 0, {t.put("out", {"i"}, value)})};
     },
     {},
     "'out' is passed to another function"},
    {"nothing_written",
     "(n)->(n)",
     [](KernelText& t) -> std::vector<Statement> {
       return {t.loop("i", "a", 0, {t.set("t", t.at("a", {"i"}))})};
     },
     {},
     "nothing is written"},
};

class SplitLoopsOf : public testing::TestWithParam<SplitCase> {};

TEST_P(SplitLoopsOf, body) {
  KernelText text(GetParam().layout);
  const TypedKernel kernel = text.finish(GetParam().body(text));
  const analysis::SplitLoops found = analysis::find_split_loops(kernel);
  std::vector<std::string> names;
  const auto& locals = std::get<declare::PythonKernel>(kernel.body).function.locals;
  for (const analysis::SplitLoop& loop : found.loops)
    names.push_back(locals[static_cast<std::size_t>(loop.local)].name);
  EXPECT_EQ(names, GetParam().loops);
  EXPECT_EQ(found.reason, GetParam().reason);
}

const auto kNameOfSplit = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Accepted, SplitLoopsOf, testing::ValuesIn(kAccepted), kNameOfSplit);
INSTANTIATE_TEST_SUITE_P(Refused, SplitLoopsOf, testing::ValuesIn(kRefused), kNameOfSplit);

TEST(SplitLoops, of_a_cpp_body_are_none) {
  TypedKernel kernel{"f", signature("d->d"), declare::parse_core_signature("(n)->(n)"),
                     declare::CppKernel{"for (;;) out[0] = 1;", {"a"}, {"out"}}};
  const analysis::SplitLoops found = analysis::find_split_loops(kernel);
  EXPECT_TRUE(found.loops.empty());
  EXPECT_EQ(found.reason, "a C++ body is not analyzed");
}

TEST(SplitLoops, run_over_the_dimension_that_the_outputs_share) {
  KernelText text("(m,n)->(n,m)");
  const TypedKernel kernel = text.finish({text.loop(
      "i", "a", 0,
      {text.loop("j", "a", 1, {text.put("out", {"j", "i"}, text.at("a", {"i", "j"}))})})});
  const analysis::SplitLoops found = analysis::find_split_loops(kernel);
  ASSERT_EQ(found.loops.size(), 2u);
  EXPECT_EQ(kernel.layout->names[static_cast<std::size_t>(found.loops[0].name)].name, "m");
  EXPECT_EQ(kernel.layout->names[static_cast<std::size_t>(found.loops[1].name)].name, "n");
  EXPECT_EQ(found.loops[0].axis, 1);
  EXPECT_EQ(found.loops[1].axis, 0);
}

// The text of one iteration, without the function's head.
std::string iteration(const TypedKernel& kernel) {
  const Function function =
      analysis::iteration_function(kernel, analysis::find_split_loops(kernel).loops);
  Scope scope;
  for (const declare::Local& local : function.locals)
    scope.locals.push_back(scope.names.add(local.name));
  return StatementPrinter(function, scope, 0).print();
}

TEST(IterationFunction, has_the_variables_as_last_parameters) {
  KernelText text("(m,k),(k,n)->(m,n)");
  const TypedKernel kernel = text.finish(matmul_body(text));
  const Function function =
      analysis::iteration_function(kernel, analysis::find_split_loops(kernel).loops);
  ASSERT_EQ(function.n_parameters, 5u);
  EXPECT_EQ(function.locals[2].name, "out");
  EXPECT_EQ(function.locals[3].name, "i");
  EXPECT_EQ(function.locals[4].name, "j");
  EXPECT_EQ(iteration(kernel), R"(double s = 0.0;
for (npp::int64 k = 0; k < a.shape(1); ++k) {
  s = npp::add(s, npp::multiply(a.at(i, k), b.at(k, j)));
}
out.at(i, j) = s;
)");
}

TEST(IterationFunction, repeats_what_stands_before_and_keeps_to_the_bounds) {
  KernelText text("(m),(n)->(m,n)");
  const Statement skip =
      branch(is_below(text.at("a", {"i"}), zero()), {jump(StatementKind::kContinue)});
  const Statement row = text.set("t", text.at("a", {"i"}));
  const Statement store = text.put("out", {"i", "j"}, text.local("t"));
  const Statement inner = text.loop("j", integer(1), text.local("i"), {skip, store});
  EXPECT_EQ(iteration(text.finish({text.loop("i", "a", 0, {skip, row, inner})})),
            R"(if (npp::less(a.at(i), 0.0)) {
  return;
}
double t = a.at(i);
if (npp::less(j, npp::int64(1))) {
  return;
}
if (npp::greater_equal(j, i)) {
  return;
}
if (npp::less(a.at(i), 0.0)) {
  return;
}
out.at(i, j) = t;
)");
}

TEST(IterationFunction, leaves_the_jumps_of_loops_within_alone) {
  KernelText text("(m,n)->(m)");
  const Statement skip =
      branch(is_below(text.at("a", {"i", "j"}), zero()), {jump(StatementKind::kContinue)});
  const Statement add = text.add_to("s", text.at("a", {"i", "j"}));
  const Statement store = text.put("out", {"i"}, text.local("s"));
  const std::string printed = iteration(text.finish({text.loop(
      "i", "a", 0, {text.set("s", zero()), text.loop("j", "a", 1, {skip, add}), store})}));
  EXPECT_NE(printed.find("continue;"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("return;"), std::string::npos) << printed;
}

TEST(SplitKernel, takes_the_loop_variables_behind_the_operands) {
  KernelText text("(m,k),(k,n)->(m,n)");
  const Program matmul = program(text.finish(matmul_body(text)));
  const Source source = emit_cuda(matmul, {.launch = analysis::LaunchForm::kSplit, .stored = {}});
  EXPECT_EQ(source.entry_points, std::vector<std::string>{"npp_split_0"});
  expect_golden("matmul_split.cuda.cpp", source.text);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
