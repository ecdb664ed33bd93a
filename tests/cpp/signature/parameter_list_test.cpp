// Parameter lists of CuPy and PyCUDA, and the resolution of their placeholders.
#include "numpy_plugin/signature/operand_pattern.hpp"

#include <gtest/gtest.h>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

std::string first_type(const std::string& text) {
  return parse_parameter_list({"in_params", text}).at(0).type;
}

std::string message_of_list(const std::string& text) {
  try {
    parse_parameter_list({"in_params", text});
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(parameter_list_test, names_of_c_come_before_num_pys) {
  EXPECT_EQ(first_type("float x"), "float32");
  EXPECT_EQ(first_type("const long x"), "int64");
  EXPECT_EQ(first_type("unsigned   long long x"), "uint64");
  EXPECT_EQ(first_type("int x"), "int32");
  EXPECT_EQ(first_type("intp x"), "int64");
  EXPECT_EQ(first_type("c16 x"), "complex128");
  EXPECT_EQ(first_type("thrust::complex<float> x"), "complex64");
  EXPECT_EQ(first_type("pycuda::complex<double> *x"), "complex128");
}

TEST(parameter_list_test, letters_and_capital_names_are_placeholders) {
  for (const char* text : {"T x", "f x", "Value x", "T_2 x"}) {
    EXPECT_TRUE(parse_parameter_list({"in_params", text}).at(0).is_placeholder) << text;
  }
  EXPECT_FALSE(parse_parameter_list({"in_params", "float32 x"}).at(0).is_placeholder);
}

TEST(parameter_list_test, qualifiers_and_pointers) {
  const auto found = parse_parameter_list({"arguments", "raw T x, const float* __restrict__ y"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].is_raw && !found[0].is_pointer && !found[0].is_const);
  EXPECT_TRUE(found[1].is_raw && found[1].is_pointer && found[1].is_const);
  EXPECT_EQ(found[1].name, "y");
  EXPECT_TRUE(parse_parameter_list({"in_params", "  "}).empty());
}

TEST(parameter_list_test, mistakes_are_underlined) {
  EXPECT_EQ(message_of_list("T x, y"),
            "'y' has no type\n  in_params: T x, y\n                  ^\n  hint: \"T y\"");
  EXPECT_NE(message_of_list("T x,").find("a parameter is missing here"), std::string::npos);
  EXPECT_NE(message_of_list("T i").find("'i' is a reserved name"), std::string::npos);
  EXPECT_NE(message_of_list("list<T> x").find("unknown type 'list<T>'"), std::string::npos);
}

const PatternedOperands kMixed = {
    "f", {"x", "y", "k", "z"}, {{"T"}, {"T"}, {"", DType::kInt32}, {"Z"}}, 3};

GivenType array_of(DType dtype) { return {dtype, std::nullopt}; }
GivenType number_of(DType dtype) { return {std::nullopt, dtype}; }

std::string message_of_call(const std::vector<GivenType>& given) {
  try {
    resolve_pattern(kMixed, given);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(operand_pattern_test, numbers_take_the_types_of_arrays) {
  const auto found = resolve_pattern(kMixed, {number_of(DType::kInt64), array_of(DType::kFloat32),
                                              number_of(DType::kInt64), array_of(DType::kInt8)});
  EXPECT_EQ(found, (std::vector{DType::kFloat32, DType::kFloat32, DType::kInt32, DType::kInt8}));
}

TEST(operand_pattern_test, the_widest_number_decides) {
  const auto found = resolve_pattern(kMixed, {number_of(DType::kInt64), number_of(DType::kFloat64),
                                              array_of(DType::kInt16), array_of(DType::kBool)});
  EXPECT_EQ(found, (std::vector{DType::kFloat64, DType::kFloat64, DType::kInt32, DType::kBool}));
}

TEST(operand_pattern_test, conflicts_name_both) {
  EXPECT_EQ(message_of_call({array_of(DType::kFloat32), array_of(DType::kInt8),
                             number_of(DType::kInt64), array_of(DType::kInt8)}),
            "type 'T' of 'f' is float32 for 'x' and int8 for 'y'; cast one of them, or give 'y' a "
            "placeholder of its own");
  EXPECT_EQ(message_of_call({array_of(DType::kInt8), array_of(DType::kInt8),
                             array_of(DType::kInt64), array_of(DType::kInt8)}),
            "'k' of 'f' is int32, found int64; cast it");
  EXPECT_EQ(
      message_of_call({array_of(DType::kInt8), array_of(DType::kInt8), array_of(DType::kInt8), {}}),
      "no argument of 'f' tells type 'Z' of 'z'; pass the output, or write its type");
}

}  // namespace
}  // namespace numpy_plugin::declare
