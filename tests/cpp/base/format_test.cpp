// Patterns: places, braces that are text, and what each kind of argument becomes.
#include "numpy_plugin/base/format.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace numpy_plugin::base {
namespace {

TEST(FormatTest, PutsArgumentsIntoPlacesInOrder) {
  const std::string text = "first";
  const std::string_view view = std::string_view("second, more").substr(0, 6);
  EXPECT_EQ(format("{}, {}; {}{}", text, view, "third", '.'), "first, second; third.");
  EXPECT_EQ(format("{}", std::string("of a temporary")), "of a temporary");
  EXPECT_EQ(format("no place"), "no place");
  EXPECT_EQ(format("{}{}", "", ""), "");
}

TEST(FormatTest, TakesOtherBracesForText) {
  EXPECT_EQ(format("struct {} {\n}; // {{}} }{ } {", "Kernel", 1),
            "struct Kernel {\n}; // {1} }{ } {");
}

TEST(FormatTest, PutsNoArgumentIntoThePlacesOfAnother) {
  EXPECT_EQ(format("{} and {}", "{}", "{"), "{} and {");
}

TEST(FormatTest, KeepsNulCharacters) {
  EXPECT_EQ(format("{}.", std::string(2, '\0')), std::string("\0\0.", 3));
}

template <class T>
class FormatNumberTest : public testing::Test {};

using Numbers = testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned,
                               long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(FormatNumberTest, Numbers);

TYPED_TEST(FormatNumberTest, PrintsNumbersAsToString) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam value : {Limits::lowest(), TypeParam{0}, TypeParam{7}, Limits::max()}) {
    EXPECT_EQ(format("<{}>", value), "<" + std::to_string(value) + ">");
  }
}

TEST(FormatTest, RefusesWhatHasNoText) {
  enum Color { kRed };
  EXPECT_FALSE((std::is_constructible_v<FormatArgument, bool>));
  EXPECT_FALSE((std::is_constructible_v<FormatArgument, double>));
  EXPECT_FALSE((std::is_constructible_v<FormatArgument, Color>));
  EXPECT_FALSE((std::is_constructible_v<FormatArgument, const int*>));
  EXPECT_TRUE((std::is_constructible_v<FormatArgument, const char*>));
}

}  // namespace
}  // namespace numpy_plugin::base
