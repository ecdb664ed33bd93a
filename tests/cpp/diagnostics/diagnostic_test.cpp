// Rendered diagnostics: every part, and columns with unusual characters.
#include "numpy_plugin/diagnostics/diagnostic.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::declare {
namespace {

SourceText pdf(std::vector<std::string> lines) { return {"pdf.py", "f", 5, std::move(lines)}; }

// A diagnostic at [column, end_column) of one line.
Diagnostic at(int line, int column, int end_column) {
  return {Severity::kError, "wrong", {line, column, line, end_column, 0}, {}, ""};
}

TEST(diagnostic_test, shows_message_place_and_hint) {
  Diagnostic diagnostic = at(6, 8, 9);
  diagnostic.message = "'<<' needs integers, x is float32";
  diagnostic.hint = "x * 2, or int(x) << 1";
  EXPECT_EQ(render({diagnostic}, {pdf({"def f(x, y):", "    k = x << 1"})}),
            "'<<' needs integers, x is float32\n"
            "  File \"pdf.py\", line 6, in f\n"
            "    k = x << 1\n"
            "        ^\n"
            "  hint: x * 2, or int(x) << 1");
}

TEST(diagnostic_test, shows_notes_with_their_own_place) {
  Diagnostic diagnostic = at(9, 11, 12);
  diagnostic.message = "'r' may have no value here";
  diagnostic.notes = {{"r is assigned only when this holds", {7, 7, 7, 12, 0}},
                      {"the function is called from here", {2, 0, 2, 4, 1}}};
  diagnostic.hint = "assign r before the 'if', or add an 'else'";
  const SourceText caller{"main.py", "g", 2, {"f(1)"}};
  const SourceText source =
      pdf({"def f(x, y):", "", "    if x > y:", "        r = x", "    return r"});
  EXPECT_EQ(render({diagnostic}, {source, caller}),
            "'r' may have no value here\n"
            "  File \"pdf.py\", line 9, in f\n"
            "    return r\n"
            "           ^\n"
            "  note: r is assigned only when this holds\n"
            "  File \"pdf.py\", line 7, in f\n"
            "    if x > y:\n"
            "       ^^^^^\n"
            "  note: the function is called from here\n"
            "  File \"main.py\", line 2, in g\n"
            "    f(1)\n"
            "    ^^^^\n"
            "  hint: assign r before the 'if', or add an 'else'");
}

TEST(diagnostic_test, separates_diagnostics_by_an_empty_line) {
  EXPECT_EQ(render({at(5, 0, 1), at(5, 4, 5)}, {pdf({"x = y"})}),
            "wrong\n"
            "  File \"pdf.py\", line 5, in f\n"
            "    x = y\n"
            "    ^\n"
            "\n"
            "wrong\n"
            "  File \"pdf.py\", line 5, in f\n"
            "    x = y\n"
            "        ^");
}

TEST(diagnostic_test, shows_at_most_ten_diagnostics) {
  std::vector<Diagnostic> diagnostics(11);
  for (int i = 0; i < 11; ++i) {
    diagnostics[static_cast<std::size_t>(i)].message = std::to_string(i);
  }
  EXPECT_EQ(render(diagnostics, {}), "0\n\n1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8\n\n9");
}

TEST(diagnostic_test, shows_no_place_where_there_is_no_line) {
  Diagnostic diagnostic;
  diagnostic.message = "the source of 'f' cannot be read: it was created by exec";
  diagnostic.notes = {{"a note without a place", {}}};
  diagnostic.hint = "give body=";
  EXPECT_EQ(render({diagnostic}, {}),
            "the source of 'f' cannot be read: it was created by exec\n"
            "  note: a note without a place\n"
            "  hint: give body=");
}

TEST(diagnostic_test, names_a_notebook_cell_without_quotes) {
  const SourceText cell{"Cell In[3]", "f", 6, {"    return dd"}};
  EXPECT_EQ(render({at(6, 11, 13)}, {cell}),
            "wrong\n"
            "  Cell In[3], line 6, in f\n"
            "    return dd\n"
            "           ^^");
}

TEST(diagnostic_test, names_no_function_where_there_is_none) {
  const SourceText body{"<body of 'hypot'>", "", 1, {"return x**2;"}};
  EXPECT_EQ(render({at(1, 8, 10)}, {body}),
            "wrong\n"
            "  File \"<body of 'hypot'>\", line 1\n"
            "    return x**2;\n"
            "            ^^");
}

TEST(diagnostic_test, underlines_the_first_line_of_a_place_that_spans_lines) {
  Diagnostic diagnostic = at(5, 9, 0);
  diagnostic.place.end_line = 6;
  diagnostic.place.end_column = 3;
  EXPECT_EQ(render({diagnostic}, {pdf({"  return (a +  ", "    b)"})}),
            "wrong\n"
            "  File \"pdf.py\", line 5, in f\n"
            "    return (a +\n"
            "           ^^^^\n"
            "    ...");
}

TEST(diagnostic_test, shows_only_the_file_where_the_line_is_not_at_hand) {
  EXPECT_EQ(render({at(4, 0, 1)}, {pdf({"x"})}), "wrong\n  File \"pdf.py\", line 4, in f");
  EXPECT_EQ(render({at(6, 0, 1)}, {pdf({"x"})}), "wrong\n  File \"pdf.py\", line 6, in f");
  EXPECT_EQ(render({at(5, 0, 1)}, {pdf({"   "})}), "wrong\n  File \"pdf.py\", line 5, in f");
}

TEST(diagnostic_test, refuses_a_place_in_an_unknown_source) {
  EXPECT_THROW(render({at(1, 0, 1)}, {}), base::Error);
}

struct UnderlineCase {
  const char* what;
  std::string line;
  std::string underlined;  // the text to underline
  std::string marks;       // without the 4 leading columns
};

class underline_test : public testing::TestWithParam<UnderlineCase> {};

TEST_P(underline_test, stands_under_the_text) {
  const UnderlineCase& row = GetParam();
  const int column = static_cast<int>(row.line.find(row.underlined));
  const int end_column = column + static_cast<int>(row.underlined.size());
  const std::string text = render({at(5, column, end_column)}, {pdf({row.line})});
  EXPECT_EQ(text.substr(text.rfind('\n') + 5), row.marks);
}

INSTANTIATE_TEST_SUITE_P(
    diagnostic_test, underline_test,
    testing::Values(UnderlineCase{"empty_place", "a + b", "", "^"},
                    UnderlineCase{"indented_by_tabs", "\t\ta + bb", "bb", "    ^^"},
                    UnderlineCase{"tab_before_the_place", "a =\tbb", "bb", "   \t^^"},
                    UnderlineCase{"tab_in_the_place", "a = b\t+ c", "b\t+ c", "    ^\t^^^"},
                    UnderlineCase{"two_byte_letter", "é = dd", "dd", "    ^^"},
                    UnderlineCase{"wide_characters_before", "日本 = dd", "dd", "       ^^"},
                    UnderlineCase{"wide_characters_in_place", "a = 日本 * b", "日本", "    ^^^^"},
                    UnderlineCase{"emoji", "'😀', x @ 2", "x @ 2", "      ^^^^^"},
                    UnderlineCase{"combining_accent", "e\u0301 = dd", "dd", "    ^^"},
                    UnderlineCase{"stray_byte", "\x80 = dd", "dd", "    ^^"}),
    [](const auto& test) { return test.param.what; });

TEST(diagnostic_test, clips_a_place_that_reaches_beyond_the_line) {
  EXPECT_EQ(render({at(5, 4, 99)}, {pdf({"a + b"})}),
            "wrong\n  File \"pdf.py\", line 5, in f\n    a + b\n        ^");
}

TEST(diagnostic_test, counts_columns_in_characters_from_1) {
  const std::vector<SourceText> sources = {pdf({"\"日本語\", x @ 2", "é = dd"})};
  EXPECT_EQ(character_column({5, 13, 5, 18, 0}, sources), 8);
  EXPECT_EQ(character_column({6, 0, 6, 2, 0}, sources), 1);
  EXPECT_EQ(character_column({6, 5, 6, 7, 0}, sources), 5);
}

TEST(diagnostic_test, throws_all_diagnostics_as_one_error) {
  const KernelError error({at(5, 0, 1), at(5, 4, 5)}, {pdf({"x = y"})});
  EXPECT_EQ(error.kind(), base::ErrorKind::kKernel);
  EXPECT_EQ(error.diagnostics().size(), 2u);
  EXPECT_EQ(error.what(), render(error.diagnostics(), error.sources()));
}

}  // namespace
}  // namespace numpy_plugin::declare
