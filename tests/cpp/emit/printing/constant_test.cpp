#include "numpy_plugin/emit/printing/cpp_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace numpy_plugin::emit {
namespace {

using base::DType;

std::string text_of(double value, DType dtype) { return print_constant(value, dtype); }
std::string text_of(std::int64_t value, DType dtype) { return print_constant(value, dtype); }
std::string text_of(std::uint64_t value, DType dtype) { return print_constant(value, dtype); }

TEST(Constant, of_floating_type_is_the_shortest_that_reads_back) {
  EXPECT_EQ(text_of(0.1, DType::kFloat64), "0.1");
  EXPECT_EQ(text_of(0.1, DType::kFloat32), "0.1f");
  EXPECT_EQ(text_of(1.0, DType::kFloat64), "1.0");
  EXPECT_EQ(text_of(-3.0, DType::kFloat32), "-3.0f");
  EXPECT_EQ(text_of(1e300, DType::kFloat64), "1e+300");
  EXPECT_EQ(text_of(2.5066282746310002, DType::kFloat64), "2.5066282746310002");
  EXPECT_EQ(text_of(std::numeric_limits<double>::denorm_min(), DType::kFloat64), "5e-324");
}

TEST(Constant, keeps_signed_zeros_infinities_and_nan) {
  EXPECT_EQ(text_of(-0.0, DType::kFloat64), "-0.0");
  EXPECT_EQ(text_of(HUGE_VAL, DType::kFloat64), "npp::Limits<double>::kInfinity");
  EXPECT_EQ(text_of(-HUGE_VAL, DType::kFloat32), "-npp::Limits<float>::kInfinity");
  EXPECT_EQ(text_of(std::nan(""), DType::kFloat32), "npp::Limits<float>::kNan");
  EXPECT_EQ(text_of(1e39, DType::kFloat32), "npp::Limits<float>::kInfinity");
}

TEST(Constant, of_16_bits_is_rounded_once) {
  EXPECT_EQ(text_of(0.5, DType::kFloat16), "npp::cast<npp::float16>(0.5f)");
  EXPECT_EQ(text_of(0.5, DType::kBFloat16), "npp::cast<npp::bfloat16>(0.5f)");
  // Just above the midpoint of two numbers: rounding to float first would give the midpoint, then
  // 1.
  EXPECT_EQ(text_of(1 + 0x1p-11 + 0x1p-40, DType::kFloat16), "npp::cast<npp::float16>(1.0009766f)");
  EXPECT_EQ(text_of(1 + 0x1p-11, DType::kFloat16), "npp::cast<npp::float16>(1.0f)");
  EXPECT_EQ(text_of(0x1p-24, DType::kFloat16), "npp::cast<npp::float16>(5.9604645e-08f)");
  EXPECT_EQ(text_of(0x1p-26, DType::kFloat16), "npp::cast<npp::float16>(0.0f)");
  EXPECT_EQ(text_of(65519.0, DType::kFloat16), "npp::cast<npp::float16>(65504.0f)");
  EXPECT_EQ(text_of(65520.0, DType::kFloat16),
            "npp::cast<npp::float16>(npp::Limits<float>::kInfinity)");
  EXPECT_EQ(text_of(1 + 0x1p-8, DType::kBFloat16), "npp::cast<npp::bfloat16>(1.0f)");
  EXPECT_EQ(text_of(-1.0 - 0x1p-8 - 0x1p-30, DType::kBFloat16),
            "npp::cast<npp::bfloat16>(-1.0078125f)");
}

TEST(Constant, of_integer_type_has_that_type) {
  EXPECT_EQ(text_of(std::int64_t{5}, DType::kInt32), "5");
  EXPECT_EQ(text_of(std::int64_t{-5}, DType::kInt8), "npp::int8(-5)");
  EXPECT_EQ(text_of(std::int64_t{5}, DType::kInt64), "npp::int64(5)");
  EXPECT_EQ(text_of(std::uint64_t{5}, DType::kUInt32), "5u");
  EXPECT_EQ(text_of(std::uint64_t{200}, DType::kUInt8), "npp::uint8(200u)");
}

TEST(Constant, can_be_the_extreme_integer) {
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::min(), DType::kInt64),
            "npp::int64(-9223372036854775807 - 1)");
  EXPECT_EQ(text_of(std::int64_t{std::numeric_limits<std::int32_t>::min()}, DType::kInt32),
            "npp::int32(-2147483648)");
  EXPECT_EQ(text_of(~std::uint64_t{0}, DType::kUInt64), "npp::uint64(18446744073709551615u)");
}

TEST(Constant, of_bool_and_complex_type) {
  EXPECT_EQ(text_of(std::int64_t{1}, DType::kBool), "true");
  EXPECT_EQ(text_of(std::int64_t{0}, DType::kBool), "false");
  EXPECT_EQ(print_constant(std::complex<double>(0.1, -0.0), DType::kComplex64),
            "npp::complex64{0.1f, -0.0f}");
  EXPECT_EQ(print_constant(std::complex<double>(0, 1), DType::kComplex128),
            "npp::complex128{0.0, 1.0}");
}

}  // namespace
}  // namespace numpy_plugin::emit
