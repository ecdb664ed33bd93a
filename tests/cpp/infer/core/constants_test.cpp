// Python's arithmetic on plain numbers, and the ranges of dtypes.
#include "numpy_plugin/infer/core/constants.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Loss = Conversion::Loss;

std::string folded(SyntaxKind operation, const PlainNumber& left, const PlainNumber& right) {
  const auto result = fold(operation, left, right);
  if (!result) return "none";
  if (const auto* integer = std::get_if<Int128>(&*result)) return to_text(*integer);
  if (std::holds_alternative<HugeInteger>(*result)) return "huge";
  return to_text(to_double(*result));
}

TEST(constants_test, integers_fold_as_in_python) {
  EXPECT_EQ(folded(SyntaxKind::kFloorDiv, Int128{-7}, Int128{2}), "-4");
  EXPECT_EQ(folded(SyntaxKind::kMod, Int128{-7}, Int128{2}), "1");
  EXPECT_EQ(folded(SyntaxKind::kMod, Int128{7}, Int128{-2}), "-1");
  EXPECT_EQ(folded(SyntaxKind::kPow, Int128{2}, Int128{64}), "18446744073709551616");
  EXPECT_EQ(folded(SyntaxKind::kPow, Int128{2}, Int128{-1}), "0.5");
  EXPECT_EQ(folded(SyntaxKind::kPow, Int128{2}, Int128{1000}), "huge");
  EXPECT_EQ(folded(SyntaxKind::kLShift, Int128{1}, Int128{200}), "huge");
  EXPECT_EQ(folded(SyntaxKind::kRShift, Int128{-1}, Int128{500}), "-1");
  EXPECT_EQ(folded(SyntaxKind::kDiv, Int128{1}, Int128{2}), "0.5");
}

TEST(constants_test, what_python_refuses_does_not_fold) {
  EXPECT_EQ(folded(SyntaxKind::kFloorDiv, Int128{1}, Int128{0}), "none");
  EXPECT_EQ(folded(SyntaxKind::kMod, Int128{1}, Int128{0}), "none");
  EXPECT_EQ(folded(SyntaxKind::kLShift, Int128{1}, Int128{-1}), "none");
  EXPECT_EQ(folded(SyntaxKind::kDiv, 1.0, 0.0), "none");
  EXPECT_EQ(folded(SyntaxKind::kPow, -8.0, 0.5), "none");
}

TEST(constants_test, literals_of_any_length_are_read) {
  EXPECT_EQ(to_text(std::get<Int128>(plain_number(Integer{"-170141183460469231731"}))),
            "-170141183460469231731");
  const PlainNumber huge = plain_number(Integer{"-1" + std::string(60, '0')});
  EXPECT_DOUBLE_EQ(std::get<HugeInteger>(huge).nearest, -1e60);
}

TEST(constants_test, a_conversion_says_what_is_lost) {
  EXPECT_EQ(convert(Int128{255}, DType::kUInt8).loss, Loss::kNone);
  EXPECT_EQ(convert(Int128{256}, DType::kUInt8).loss, Loss::kOutOfRange);
  EXPECT_EQ(convert(Int128{-1}, DType::kUInt64).loss, Loss::kOutOfRange);
  EXPECT_EQ(convert(Int128{16777216}, DType::kFloat32).loss, Loss::kNone);
  EXPECT_EQ(convert(Int128{16777217}, DType::kFloat32).loss, Loss::kRounds);
  EXPECT_EQ(convert(1e300, DType::kFloat32).loss, Loss::kBecomesInfinite);
  EXPECT_EQ(convert(3.4028235e38, DType::kFloat32).loss, Loss::kNone);
  EXPECT_EQ(convert(1e-50, DType::kFloat32).loss, Loss::kBecomesZero);
  EXPECT_EQ(convert(1e-44, DType::kFloat32).loss, Loss::kNone);
  EXPECT_EQ(convert(65519.0, DType::kFloat16).loss, Loss::kNone);
  EXPECT_EQ(convert(65520.0, DType::kFloat16).loss, Loss::kBecomesInfinite);
  EXPECT_EQ(convert(INFINITY, DType::kFloat32).loss, Loss::kNone);
  EXPECT_EQ(convert(HugeInteger{1e60}, DType::kInt64).loss, Loss::kOutOfRange);
}

}  // namespace
}  // namespace numpy_plugin::declare
