#include "numpy_plugin/emit/printing/cpp_text.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::emit {
namespace {

TEST(CppIdentifier, keeps_names_that_cpp_allows) {
  for (const char* name : {"x", "x2", "_", "_x", "SQRT_2PI", "kernel", "T"})
    EXPECT_EQ(cpp_identifier(name), name);
}

TEST(CppIdentifier, marks_words_of_cpp_and_of_ours) {
  EXPECT_EQ(cpp_identifier("double"), "double_");
  EXPECT_EQ(cpp_identifier("register"), "register_");
  EXPECT_EQ(cpp_identifier("alignas"), "alignas_");
  EXPECT_EQ(cpp_identifier("xor_eq"), "xor_eq_");
  EXPECT_EQ(cpp_identifier("npp"), "npp_");
  EXPECT_EQ(cpp_identifier("Kernel0"), "Kernel0_");
  EXPECT_EQ(cpp_identifier("NPP_FUNCTION"), "NPP_FUNCTION_");
}

TEST(CppIdentifier, spells_other_letters_in_ascii) {
  EXPECT_EQ(cpp_identifier("\u00b5"), "_u00B5");
  EXPECT_EQ(cpp_identifier("a\u65e5b"), "a_u65E5b");
  EXPECT_EQ(cpp_identifier("\U0001D6FC"), "_u1D6FC");
  EXPECT_EQ(cpp_identifier("x_\u00e9"), "x_u00E9");
}

TEST(CppIdentifier, leaves_reserved_names_to_the_compilers) {
  EXPECT_EQ(cpp_identifier("__x"), "_x");
  EXPECT_EQ(cpp_identifier("a__b"), "a_b");
  EXPECT_EQ(cpp_identifier("_Pragma"), "v_Pragma");
  EXPECT_EQ(cpp_identifier("__LINE__"), "v_LINE_");
  EXPECT_EQ(cpp_identifier("f.<locals>"), "f_locals_");
  EXPECT_EQ(cpp_identifier("2x"), "v2x");
  EXPECT_EQ(cpp_identifier(""), "v");
}

TEST(Names, are_never_equal) {
  Names names;
  EXPECT_EQ(names.add("x"), "x");
  EXPECT_EQ(names.add("x"), "x_2");
  EXPECT_EQ(names.add("x_2"), "x_2_2");
  EXPECT_EQ(names.add("double"), "double_");
  EXPECT_EQ(names.add("double_"), "double_2");
  EXPECT_EQ(names.add("a__b"), "a_b");
  EXPECT_EQ(names.add("a_b"), "a_b_2");
}

}  // namespace
}  // namespace numpy_plugin::emit
