// Core signatures: everything that NumPy's own parser accepts, also "|1", and every mistake with
// its message.
#include <gtest/gtest.h>

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::declare {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_core_signature(text);
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kSignature);
    return error.what();
  }
}

// "n? m|1 3": the names with their properties.
std::string names_of(const CoreSignature& layout) {
  std::string text;
  for (const DimensionName& name : layout.names) {
    text += text.empty() ? "" : " ";
    text += name.name + (name.is_optional ? "?" : "") + (name.is_broadcastable ? "|1" : "");
    if (name.frozen_size != -1) text += "=" + std::to_string(name.frozen_size);
  }
  return text;
}

struct GoodCase {
  std::string text;
  std::string numpy_text;
  std::size_t n_inputs;
  std::string names;
};

class layout_good_test : public testing::TestWithParam<GoodCase> {};

TEST_P(layout_good_test, is_understood) {
  const CoreSignature layout = parse_core_signature(GetParam().text);
  EXPECT_EQ(layout.text, GetParam().numpy_text);
  EXPECT_EQ(layout.n_inputs, GetParam().n_inputs);
  EXPECT_EQ(names_of(layout), GetParam().names);
}

INSTANTIATE_TEST_SUITE_P(
    layout_test, layout_good_test,
    testing::Values(GoodCase{"(m,n),(n)->(m)", "(m,n),(n)->(m)", 2, "m n"},
                    GoodCase{" ( m , n ) , (n)\t-> (m) ", "(m,n),(n)->(m)", 2, "m n"},
                    GoodCase{"(),()->()", "(),()->()", 2, ""},
                    GoodCase{"(n)->(),(n)", "(n)->(),(n)", 1, "n"},
                    GoodCase{"(n,n)->(n)", "(n,n)->(n)", 1, "n"},
                    GoodCase{"(3),(3)->(3)", "(3),(3)->(3)", 2, "3=3"},
                    GoodCase{"(3),(03)->(2)", "(3),(3)->(2)", 2, "3=3 2=2"},
                    GoodCase{"()->(2)", "()->(2)", 1, "2=2"},
                    GoodCase{"(n)->(m)", "(n)->(m)", 1, "n m"},
                    GoodCase{"(n?,k),(k,m?)->(n?,m?)", "(n?,k),(k,m?)->(n?,m?)", 2, "n? k m?"},
                    GoodCase{"(n ?)->(n ?)", "(n?)->(n?)", 1, "n?"},
                    GoodCase{"(3?)->(3?)", "(3?)->(3?)", 1, "3?=3"},
                    GoodCase{"(n|1),(n|1)->()", "(n),(n)->()", 2, "n|1"},
                    GoodCase{"(n),(n|1)->(n)", "(n),(n)->(n)", 2, "n|1"},
                    GoodCase{"(_1,x_2)->()", "(_1,x_2)->()", 1, "_1 x_2"}));

TEST(layout_test, tells_which_name_no_input_has) {
  const auto name_of = [](const std::string& text) {
    return parse_core_signature(text).output_only_name();
  };
  EXPECT_EQ(name_of("(n)->(m,n),(k)"), "m");
  EXPECT_EQ(name_of("(n?),(m|1)->(m,n?)"), "");
  EXPECT_EQ(name_of("()->(3)"), "");
}

TEST(layout_test, tells_which_dimension_each_operand_has) {
  const CoreSignature layout = parse_core_signature("(m,n),(n|1)->(m)");
  EXPECT_EQ(layout.operands,
            (std::vector<std::vector<CoreDimension>>{{{0}, {1}}, {{1, true}}, {{0}}}));
  EXPECT_EQ(layout.n_outputs(), 1u);
  EXPECT_EQ(layout.operand_text(0), "(m,n)");
  EXPECT_EQ(layout.operand_text(2), "(m)");
}

struct BadCase {
  std::string text;
  std::string error;
};

class layout_bad_test : public testing::TestWithParam<BadCase> {};

TEST_P(layout_bad_test, is_explained) { EXPECT_EQ(error_of(GetParam().text), GetParam().error); }

INSTANTIATE_TEST_SUITE_P(layout_arrow_test, layout_bad_test,
                         testing::Values(BadCase{"(n)(n)",
                                                 "the layout has no '->'\n"
                                                 "  layout: (n)(n)\n"
                                                 "          ^^^^^^\n"
                                                 "  hint: \"(n)->(n)\""},
                                         BadCase{"(m,n), (n), ()",
                                                 "the layout has no '->'\n"
                                                 "  layout: (m,n), (n), ()\n"
                                                 "          ^^^^^^^^^^^^^^\n"
                                                 "  hint: \"(m,n),(n)->()\""},
                                         BadCase{"(n)",
                                                 "the layout has no '->'\n"
                                                 "  layout: (n)\n"
                                                 "          ^^^\n"
                                                 "  hint: \"(n)->(n)\""},
                                         BadCase{"n,n",
                                                 "the layout has no '->'\n"
                                                 "  layout: n,n\n"
                                                 "          ^^^\n"
                                                 "  hint: \"(n)->(n)\""},
                                         BadCase{"(n) - > (n)",
                                                 "the layout has no '->'\n"
                                                 "  layout: (n) - > (n)\n"
                                                 "          ^^^^^^^^^^^\n"
                                                 "  hint: \"(n)->(n)\""},
                                         BadCase{"(n)->(n)->(n)",
                                                 "'->' appears twice\n"
                                                 "  layout: (n)->(n)->(n)\n"
                                                 "                  ^^"},
                                         BadCase{" \t",
                                                 "the layout is empty\n"
                                                 "  hint: \"(n)->(n)\""},
                                         BadCase{"->(3)",
                                                 "the layout has no input before '->'\n"
                                                 "  layout: ->(3)\n"
                                                 "          ^^"},
                                         BadCase{"(n)->",
                                                 "the layout has no output after '->'\n"
                                                 "  layout: (n)->\n"
                                                 "             ^^"}));

INSTANTIATE_TEST_SUITE_P(layout_operand_test, layout_bad_test,
                         testing::Values(BadCase{"(n)(n)->()",
                                                 "',' is missing between the operands\n"
                                                 "  layout: (n)(n)->()\n"
                                                 "            ^^"},
                                         BadCase{"(n),->()",
                                                 "an operand is missing after the comma\n"
                                                 "  layout: (n),->()\n"
                                                 "             ^"},
                                         BadCase{"(n)->(n),",
                                                 "an operand is missing after the comma\n"
                                                 "  layout: (n)->(n),\n"
                                                 "                  ^"},
                                         BadCase{"n->()",
                                                 "'(' is expected here, found 'n'\n"
                                                 "  layout: n->()\n"
                                                 "          ^"},
                                         BadCase{"(n)->() x",
                                                 "',' is expected after ')', found 'x'\n"
                                                 "  layout: (n)->() x\n"
                                                 "                  ^"},
                                         BadCase{"(n->()",
                                                 "')' is missing\n"
                                                 "  layout: (n->()\n"
                                                 "            ^^"},
                                         BadCase{"(n)->(n",
                                                 "')' is missing\n"
                                                 "  layout: (n)->(n\n"
                                                 "                 ^"},
                                         BadCase{"(n)->(",
                                                 "')' is missing\n"
                                                 "  layout: (n)->(\n"
                                                 "                ^"},
                                         BadCase{"(n))->()",
                                                 "',' is expected after ')', found ')'\n"
                                                 "  layout: (n))->()\n"
                                                 "             ^"}));

INSTANTIATE_TEST_SUITE_P(layout_dimension_test, layout_bad_test,
                         testing::Values(BadCase{"(n,)->()",
                                                 "a dimension is missing after the comma\n"
                                                 "  layout: (n,)->()\n"
                                                 "            ^"},
                                         BadCase{"(,n)->()",
                                                 "a dimension is missing before the comma\n"
                                                 "  layout: (,n)->()\n"
                                                 "           ^"},
                                         BadCase{"(m,,n)->()",
                                                 "a dimension is missing between the commas\n"
                                                 "  layout: (m,,n)->()\n"
                                                 "            ^^"},
                                         BadCase{"(m n)->()",
                                                 "',' is missing before 'n'\n"
                                                 "  layout: (m n)->()\n"
                                                 "             ^"},
                                         BadCase{"(m;n)->()",
                                                 "',' or ')' is expected here, found ';'\n"
                                                 "  layout: (m;n)->()\n"
                                                 "            ^"},
                                         BadCase{
                                             "(3x)->()",
                                             "a dimension must be a name or a size, found '3x'\n"
                                             "  layout: (3x)->()\n"
                                             "           ^^"},
                                         BadCase{"(é)->()",
                                                 "a dimension must be a name or a size, found 'é'\n"
                                                 "  layout: (é)->()\n"
                                                 "           ^"},
                                         BadCase{"(-3)->()",
                                                 "a dimension must be a name or a size, found '-'\n"
                                                 "  layout: (-3)->()\n"
                                                 "           ^"},
                                         BadCase{"(?n)->()",
                                                 "a dimension must be a name or a size, found '?'\n"
                                                 "  layout: (?n)->()\n"
                                                 "           ^"},
                                         BadCase{"(0)->()",
                                                 "a fixed size must be 1 or more, found 0\n"
                                                 "  layout: (0)->()\n"
                                                 "           ^"},
                                         BadCase{"(99999999999999999999)->()",
                                                 "the size 99999999999999999999 is too large\n"
                                                 "  layout: (99999999999999999999)->()\n"
                                                 "           ^^^^^^^^^^^^^^^^^^^^"}));

INSTANTIATE_TEST_SUITE_P(
    layout_modifier_test, layout_bad_test,
    testing::Values(BadCase{"(n?),(n)->()",
                            "'n' here, 'n?' before; '?' must be in every place or in none\n"
                            "  layout: (n?),(n)->()\n"
                            "                ^"},
                    BadCase{"(n)->(n?)",
                            "'n?' here, 'n' before; '?' must be in every place or in none\n"
                            "  layout: (n)->(n?)\n"
                            "                ^^"},
                    BadCase{"(n? ?)->()",
                            "',' or ')' is expected here, found '?'\n"
                            "  layout: (n? ?)->()\n"
                            "              ^"},
                    BadCase{"(n|2)->()",
                            "'|' must be followed by 1, found '2'\n"
                            "  layout: (n|2)->()\n"
                            "             ^"},
                    BadCase{"(n?|1)->()",
                            "a dimension is optional or broadcastable, not both\n"
                            "  layout: (n?|1)->()\n"
                            "           ^^^^"},
                    BadCase{"(n)->(n|1)",
                            "'|1' is for inputs only\n"
                            "  layout: (n)->(n|1)\n"
                            "                 ^^"}));

}  // namespace
}  // namespace numpy_plugin::declare
