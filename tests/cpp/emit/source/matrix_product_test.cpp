// Kernels of the form of a matrix product, the reasons for others, and the parts of the former.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <gtest/gtest.h>

#include "emit/source/golden_file.hpp"
#include "kernel/core_kernel.hpp"
#include "numpy_plugin/emit/printing/statement.hpp"

namespace numpy_plugin::emit::test {
namespace {

using enum Operation;

using Statements = std::vector<Statement>;

Expression term(KernelText& t) {
  return call(kMultiply, {t.at("a", {"i", "k"}), t.at("b", {"k", "j"})});
}

// Loops over i and j around the body.
Statements nested(KernelText& t, Statements body) {
  return {t.loop("i", "a", 0, {t.loop("j", "b", 1, std::move(body))})};
}

// With other statements than a plain product's in some places.
Statements product(KernelText& t, Statement start, Statement loop, Statement last) {
  return nested(t, {std::move(start), std::move(loop), std::move(last)});
}

Statements product_of(KernelText& t, Expression each) {
  return product(t, t.set("s", zero()), t.loop("k", "a", 1, {t.add_to("s", std::move(each))}),
                 t.put("out", {"i", "j"}, t.local("s")));
}

struct ProductCase {
  std::string name;
  std::string layout;
  std::function<Statements(KernelText&)> body;
  std::string reason;
};
void PrintTo(const ProductCase& given, std::ostream* stream) { *stream << given.name; }

const char* const kLayout = "(m,k),(k,n)->(m,n)";

const std::vector<ProductCase> kOtherKernels = {
    {"outer_product", "(m),(n)->(m,n)",
     [](KernelText& t) -> Statements {
       return {t.loop("i", "a", 0,
                      {t.loop("j", "b", 0, {t.put("out", {"i", "j"}, t.at("a", {"i"}))})})};
     },
     "there is no loop for a sum"},
    {"one_loop", "(m,k),(k)->(m)",
     [](KernelText& t) -> Statements {
       return {t.loop("i", "a", 0, {t.put("out", {"i"}, t.at("b", {"i"}))})};
     },
     "there are not two loops with independent iterations"},
    {"a_start_from_memory", "(m,k),(k,n),(m,n)->(m,n)",
     [](KernelText& t) {
       return product(t, t.set("s", t.at("c", {"i", "j"})),
                      t.loop("k", "a", 1, {t.add_to("s", term(t))}),
                      t.put("out", {"i", "j"}, t.local("s")));
     },
     "the sum does not start with a constant"},
    {"a_start_in_two_steps", kLayout,
     [](KernelText& t) {
       return nested(t, {t.set("s", zero()), t.add_to("s", zero()),
                         t.loop("k", "a", 1, {t.add_to("s", term(t))}),
                         t.put("out", {"i", "j"}, t.local("s"))});
     },
     "'s' is not set once before the loop over 'k'"},
    {"part_of_the_depth", kLayout,
     [](KernelText& t) {
       return product(t, t.set("s", zero()),
                      t.loop("k", integer(1), t.f.size("a", 1), {t.add_to("s", term(t))}),
                      t.put("out", {"i", "j"}, t.local("s")));
     },
     "the inner loop does not run over a whole core dimension of both inputs"},
    {"a_triangle", kLayout,
     [](KernelText& t) {
       return product(t, t.set("s", zero()),
                      t.loop("k", integer(0), t.local("i"), {t.add_to("s", term(t))}),
                      t.put("out", {"i", "j"}, t.local("s")));
     },
     "the inner loop does not run over a whole core dimension of both inputs"},
    {"depths_of_different_names", "(m,k),(l,n)->(m,n)",
     [](KernelText& t) { return product_of(t, term(t)); },
     "the inner loop does not run over a whole core dimension of both inputs"},
    {"two_statements_in_the_loop", kLayout,
     [](KernelText& t) {
       return product(t, t.set("s", zero()),
                      t.loop("k", "a", 1, {t.set("t", term(t)), t.add_to("s", t.local("t"))}),
                      t.put("out", {"i", "j"}, t.local("s")));
     },
     "the loop over 'k' does more than update one total"},
    {"one_factor", kLayout,
     [](KernelText& t) {
       return product_of(t, t.at("a", {"i", "k"}));
     },
     "the inner loop is no sum over products of an element of each of two inputs"},
    {"three_factors", "(m,k),(k,n),(k,n)->(m,n)",
     [](KernelText& t) {
       return product_of(t, call(kMultiply, {term(t), t.at("c", {"k", "j"})}));
     },
     "the inner loop is no sum over products of an element of each of two inputs"},
    {"another_local_in_the_terms", "(m,k),(k,n),()->(m,n)",
     [](KernelText& t) {
       return product_of(t, call(kMultiply, {term(t), t.local("c")}));
     },
     "the inner loop is no sum over products of an element of each of two inputs"},
    {"the_index_after_its_loop", kLayout,
     [](KernelText& t) {
       return nested(t, {t.set("k", integer(0)), t.set("s", zero()),
                         t.loop("k", "a", 1, {t.add_to("s", term(t))}),
                         t.put("out", {"i", "j"}, cast(kF8, t.local("k")))});
     },
     "'k' is used after its loop"},
    {"a_choice_after_the_sum", kLayout,
     [](KernelText& t) {
       return product(
           t, t.set("s", zero()), t.loop("k", "a", 1, {t.add_to("s", term(t))}),
           branch(call(kLess, {t.local("s"), zero()}), {t.put("out", {"i", "j"}, t.local("s"))}));
     },
     "there are other statements than assignments around the loop over 'k'"},
};

class OtherKernel : public testing::TestWithParam<ProductCase> {};

TEST_P(OtherKernel, has_a_reason) {
  KernelText text(GetParam().layout);
  EXPECT_EQ(analysis::find_matrix_product(text.finish(GetParam().body(text))).reason,
            GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(Kernels, OtherKernel, testing::ValuesIn(kOtherKernels),
                         [](const auto& given) { return given.param.name; });

// A part's body with the locals' own names.
std::string body_of(const declare::Function& function) {
  Scope scope;
  for (const declare::Local& local : function.locals)
    scope.locals.push_back(scope.names.add(local.name));
  return StatementPrinter(function, scope, 0).print();
}

std::vector<std::string> parameters_of(const declare::Function& function) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < function.n_parameters; ++i) names.push_back(function.locals[i].name);
  return names;
}

TEST(MatrixProductTest, ConsistsOfThreeParts) {
  KernelText text(kLayout);
  const analysis::MatrixProduct found =
      analysis::find_matrix_product(text.finish(product_of(text, term(text))));
  ASSERT_EQ(found.reason, "");
  EXPECT_EQ(body_of(found.start), "return 0.0;\n");
  EXPECT_EQ(body_of(found.step), "return npp::add(total, npp::multiply(left, right));\n");
  EXPECT_EQ(body_of(found.finish), "out.at(i, j) = s;\n");
  EXPECT_EQ(parameters_of(found.finish),
            (std::vector<std::string>{"a", "b", "out", "i", "j", "s"}));
  EXPECT_EQ(found.left.input, 0);
  EXPECT_EQ(found.left.line_axis, 0);
  EXPECT_EQ(found.right.input, 1);
  EXPECT_EQ(found.right.line_axis, 1);
  EXPECT_EQ(found.depth_name, 1);
}

TEST(MatrixProductTest, MayAddUpInTheOutput) {
  KernelText t(kLayout);
  const Statement update = t.put("out", {"i", "j"}, call(kAdd, {t.at("out", {"i", "j"}), term(t)}));
  const analysis::MatrixProduct found = analysis::find_matrix_product(
      t.finish(nested(t, {t.put("out", {"i", "j"}, zero()), t.loop("k", "a", 1, {update})})));
  ASSERT_EQ(found.reason, "");
  EXPECT_EQ(body_of(found.start), "return 0.0;\n");
  EXPECT_EQ(body_of(found.step), "return npp::add(total, npp::multiply(left, right));\n");
  EXPECT_EQ(body_of(found.finish), "out.at(i, j) = total;\n");
}

TEST(MatrixProductTest, MayScaleTheSum) {
  KernelText t("(m,k),(k,n),(m,n),()->(m,n)");
  const Expression scaled =
      call(kAdd, {call(kMultiply, {t.local("d"), t.local("s")}), t.at("c", {"i", "j"})});
  const analysis::MatrixProduct found = analysis::find_matrix_product(
      t.finish(product(t, t.set("s", zero()), t.loop("k", "a", 1, {t.add_to("s", term(t))}),
                       t.put("out", {"i", "j"}, scaled))));
  ASSERT_EQ(found.reason, "");
  EXPECT_EQ(body_of(found.finish), "out.at(i, j) = npp::add(npp::multiply(d, s), c.at(i, j));\n");
}

// The loop over the columns of the output is outside, and both inputs are transposed.
TEST(MatrixProductTest, FindsColumnsByTheOutput) {
  KernelText t("(k,m),(n,k)->(m,n)");
  const Expression each = call(kMultiply, {t.at("b", {"j", "k"}), t.at("a", {"k", "i"})});
  const analysis::MatrixProduct found = analysis::find_matrix_product(
      t.finish({t.loop("j", "b", 0,
                       {t.loop("i", "a", 1,
                               {t.set("s", zero()), t.loop("k", "b", 1, {t.add_to("s", each)}),
                                t.put("out", {"i", "j"}, t.local("s"))})})}));
  ASSERT_EQ(found.reason, "");
  EXPECT_EQ(parameters_of(found.finish),
            (std::vector<std::string>{"a", "b", "out", "i", "j", "s"}));
  EXPECT_EQ(found.left.input, 0);
  EXPECT_EQ(found.left.line_axis, 1);
  EXPECT_EQ(found.right.input, 1);
  EXPECT_EQ(found.right.line_axis, 0);
  EXPECT_EQ(body_of(found.step), "return npp::add(total, npp::multiply(right, left));\n");
}

TEST(MatrixProductTest, TakesSizesFromLocals) {
  KernelText t(kLayout);
  Statements body = product(t, t.set("s", zero()),
                            t.loop("k", integer(0), t.local("start"), {t.add_to("s", term(t))}),
                            t.put("out", {"i", "j"}, t.local("s")));
  body.insert(body.begin(), t.set("start", t.f.size("a", 1)));
  EXPECT_EQ(analysis::find_matrix_product(t.finish(body)).reason, "");
}

TEST(MatrixProductTest, OneInputMayBeBothFactors) {
  KernelText t("(m,k)->(m,m)");
  const Expression each = call(kMultiply, {t.at("a", {"i", "k"}), t.at("a", {"j", "k"})});
  const analysis::MatrixProduct found = analysis::find_matrix_product(
      t.finish({t.loop("i", "a", 0,
                       {t.loop("j", "a", 0,
                               {t.set("s", zero()), t.loop("k", "a", 1, {t.add_to("s", each)}),
                                t.put("out", {"i", "j"}, t.local("s"))})})}));
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.right.input, 0);
}

TEST(TiledKernel, has_the_parts_and_the_size_of_tiles) {
  KernelText t(kLayout);
  const Program matmul = program(t.finish(product_of(t, term(t))));
  const Source source =
      emit_cuda(matmul, {.launch = analysis::LaunchForm::kTiled, .stored = {}, .tile_items = 4});
  EXPECT_EQ(source.entry_points, std::vector<std::string>{"npp_tiled_0"});
  expect_golden("matmul_tiled.cuda.cpp", source.text);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
