#include "numpy_plugin/declaration/declaration.hpp"

#include <gtest/gtest.h>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {
namespace {

DeclarationText add() {
  DeclarationText text;
  text.name = "add";
  text.signatures = {"float64(float64, float64)", "float32(float32, float32)"};
  text.body = "return x + y;";
  text.input_names = {"x", "y"};
  return text;
}

std::string message_of(const DeclarationText& text) {
  try {
    make_declaration(text);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(make_declaration, counts_operands_and_orders_signatures_by_casting) {
  const Declaration declaration = make_declaration(add());
  EXPECT_EQ(declaration.n_inputs, 2u);
  EXPECT_EQ(declaration.n_outputs, 1u);
  ASSERT_EQ(declaration.signatures.size(), 2u);
  EXPECT_EQ(declaration.signatures[0].numpy_types(), "ff->f");
  EXPECT_EQ(declaration.signatures[1].numpy_types(), "dd->d");
}

TEST(make_declaration, takes_a_bare_type_for_all_operands) {
  DeclarationText text = add();
  text.signatures = {"int32"};
  EXPECT_EQ(make_declaration(text).signatures.front().numpy_types(), "ii->i");
}

TEST(make_declaration, counts_a_body_without_signatures_by_its_names) {
  DeclarationText text = add();
  text.signatures.reset();
  text.output_names = {"q", "r"};
  const Declaration declaration = make_declaration(text);
  EXPECT_TRUE(declaration.signatures.empty());
  EXPECT_EQ(declaration.n_inputs, 2u);
  EXPECT_EQ(declaration.n_outputs, 2u);
}

TEST(make_declaration, understands_the_words_for_targets) {
  DeclarationText text = add();
  for (const auto& [word, target] : {std::pair{"auto", CallTarget::kAuto},
                                     {"cpu", CallTarget::kCpu},
                                     {"parallel", CallTarget::kParallel},
                                     {"cuda", CallTarget::kCuda},
                                     {"gpu", CallTarget::kCuda}}) {
    text.target = word;
    EXPECT_EQ(make_declaration(text).call_target, target) << word;
  }
}

TEST(make_declaration, names_the_words_it_expects) {
  DeclarationText text = add();
  text.target = "gpuu";
  EXPECT_EQ(message_of(text),
            "unknown target 'gpuu'\n  hint: expected one of auto, cpu, parallel, cuda");
  text = add();
  text.math = "fast";
  EXPECT_EQ(message_of(text),
            "unknown math 'fast'\n  hint: expected one of vector, libm, reproducible");
}

TEST(make_declaration, refuses_more_operands_than_numpy_takes) {
  DeclarationText text = add();
  text.signatures.reset();
  text.input_names.assign(64, "x");
  EXPECT_EQ(message_of(text), "'add' has 65 operands; NumPy takes at most 64");
  text.input_names.clear();
  EXPECT_EQ(message_of(text), "'add' has no operands; a ufunc takes at least 1");
}

TEST(make_declaration, takes_the_operands_of_a_layout_without_signatures) {
  DeclarationText text = add();
  text.signatures.reset();
  text.layout = "(n),(n)->()";
  text.output_names = {"out"};
  EXPECT_EQ(make_declaration(text).n_inputs, 2u);
  EXPECT_EQ(make_declaration(text).n_outputs, 1u);
  text.layout = "(n)->()";
  EXPECT_EQ(message_of(text),
            "'add' takes 3 arguments, the layout has 2\n  layout: (n)->()\n          ^^^^^^^");
}

}  // namespace
}  // namespace numpy_plugin::declare
