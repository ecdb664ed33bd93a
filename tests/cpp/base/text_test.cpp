// Suggestions, lines, joins and white space.
#include "numpy_plugin/base/text.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::base {
namespace {

using Words = std::vector<std::string>;

TEST(NearestTest, FindsOneOrTwoEdits) {
  const Words dtypes = {"bool", "int8", "float32", "float64"};
  EXPECT_EQ(nearest("flaot64", dtypes), "float64");  // a swap
  EXPECT_EQ(nearest("loat32", dtypes), "float32");
  EXPECT_EQ(nearest("floaat64", dtypes), "float64");
  EXPECT_EQ(nearest("flot6", dtypes), "float64");  // two letters are missing
  EXPECT_EQ(nearest("float64", dtypes), "float64");
}

TEST(NearestTest, RefusesThreeEdits) {
  EXPECT_EQ(nearest("flt6", {"float64"}), "");
  EXPECT_EQ(nearest("anything", {}), "");
  EXPECT_EQ(nearest("", {"exp"}), "");
}

TEST(NearestTest, AllowsShortWordsOneEdit) {
  EXPECT_EQ(nearest("sim", {"sin"}), "sin");
  EXPECT_EQ(nearest("abc", {"tan"}), "");
  EXPECT_EQ(nearest("epx", {"exp"}), "exp");  // a swap counts as one
}

TEST(text_test, means_no_word_without_a_common_letter) {
  EXPECT_EQ(nearest("7", {"a", "b"}), "");
  EXPECT_EQ(nearest("xy", {"ab"}), "");
  EXPECT_EQ(nearest("dd", {"a", "d"}), "d");
  EXPECT_EQ(nearest("x", {"x1"}), "x1");
}

TEST(NearestTest, PrefersTheNearestThenTheFirst) {
  EXPECT_EQ(nearest("minimum", {"maximum", "minimun", "minimums"}), "minimun");
  EXPECT_EQ(nearest("arctan", {"arcsan", "arctin"}), "arcsan");
}

TEST(SplitLinesTest, EndsALineAtEachNewline) {
  EXPECT_EQ(split_lines("one\ntwo\r\n\nfour"), (Words{"one", "two", "", "four"}));
  EXPECT_EQ(split_lines("one\n"), (Words{"one"}));
  EXPECT_EQ(split_lines("\n"), (Words{""}));
  EXPECT_EQ(split_lines(""), Words{});
}

TEST(JoinTest, PutsTheSeparatorBetween) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(StripTest, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(strip(" \t a b \r\n"), "a b");
  EXPECT_EQ(strip("a"), "a");
  EXPECT_EQ(strip(" \n "), "");
  EXPECT_EQ(strip(""), "");
}

}  // namespace
}  // namespace numpy_plugin::base
