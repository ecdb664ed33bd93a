// Forms of operations in lanes.
#include "numpy_plugin/analysis/lanes/lane_form.hpp"

#include <gtest/gtest.h>

#include "emit/lanes/lane_trees.hpp"

namespace numpy_plugin::emit::test {
namespace {

using base::DType;
using declare::Expression;
using declare::Operation;

Expression binary(Operation operation, DType dtype) {
  return call(operation, dtype, {read(0, dtype), read(1, dtype)});
}
Expression divided_by(declare::ConstantValue divisor, DType dtype) {
  return call(Operation::kFloorDivide, dtype, {read(0, dtype), number(divisor, dtype)});
}

TEST(lane_form_test, operations_that_raise_flags_or_signals_are_guarded) {
  EXPECT_EQ(analysis::lane_form(binary(Operation::kAdd, DType::kFloat64)),
            analysis::LaneForm::kGuarded);
  EXPECT_EQ(analysis::lane_form(binary(Operation::kAdd, DType::kInt64)),
            analysis::LaneForm::kPlain);
  EXPECT_EQ(analysis::lane_form(binary(Operation::kTrueDivide, DType::kFloat32)),
            analysis::LaneForm::kGuarded);
  EXPECT_EQ(analysis::lane_form(binary(Operation::kRemainder, DType::kInt32)),
            analysis::LaneForm::kGuarded);
}

TEST(lane_form_test, functions_are_of_the_vector_library_or_called_for_each_lane) {
  EXPECT_EQ(analysis::lane_form(call(Operation::kLog, DType::kFloat64, {read(0)})),
            analysis::LaneForm::kMath);
  EXPECT_EQ(analysis::lane_form(call(Operation::kGamma, DType::kFloat64, {read(0)})),
            analysis::LaneForm::kEach);
}

TEST(lane_form_test, own_functions_have_vectors) {
  using declare::MathMode;
  const Expression gamma = call(Operation::kGamma, DType::kFloat32, {read(0, DType::kFloat32)});
  EXPECT_EQ(analysis::lane_form(gamma, MathMode::kReproducible), analysis::LaneForm::kMath);
  EXPECT_EQ(analysis::lane_form(gamma, MathMode::kVector), analysis::LaneForm::kMath);
  EXPECT_EQ(analysis::lane_form(gamma, MathMode::kLibm), analysis::LaneForm::kEach);
  const Expression fmod = binary(Operation::kFmod, DType::kFloat64);
  EXPECT_EQ(analysis::lane_form(fmod, MathMode::kReproducible), analysis::lane_form(fmod));
}

TEST(lane_form_test, divisors_that_are_known_need_no_guard) {
  EXPECT_EQ(analysis::known_divisor(divided_by(std::int64_t{8}, DType::kInt64)), 8u);
  EXPECT_EQ(analysis::known_divisor(divided_by(std::uint64_t{1}, DType::kUInt32)), 1u);
  for (const std::int64_t divisor : {0, -8})
    EXPECT_FALSE(analysis::known_divisor(divided_by(divisor, DType::kInt64))) << divisor;
  EXPECT_FALSE(analysis::known_divisor(divided_by(8.0, DType::kFloat64)));
  EXPECT_EQ(analysis::lane_form(divided_by(std::int64_t{6}, DType::kInt64)),
            analysis::LaneForm::kPlain);
  EXPECT_EQ(analysis::lane_form(divided_by(std::int64_t{-6}, DType::kInt64)),
            analysis::LaneForm::kGuarded);
}

TEST(lane_form_test, operations_of_16_bits_compute_in_float32_but_for_those_of_their_bits) {
  EXPECT_TRUE(analysis::computes_in_float32(binary(Operation::kAdd, DType::kFloat16)));
  EXPECT_TRUE(analysis::computes_in_float32(
      call(Operation::kLog, DType::kBFloat16, {read(0, DType::kBFloat16)})));
  EXPECT_FALSE(analysis::computes_in_float32(binary(Operation::kMinimum, DType::kFloat16)));
  EXPECT_FALSE(analysis::computes_in_float32(binary(Operation::kAdd, DType::kFloat32)));
}

TEST(lane_form_test, casts_of_floating_point_numbers_are_guarded) {
  const auto cast = [](DType from, DType to) {
    return expression(declare::ExpressionKind::kCast, to, {read(0, from)});
  };
  EXPECT_TRUE(analysis::is_guarded_cast(cast(DType::kFloat64, DType::kInt64)));
  EXPECT_FALSE(analysis::is_guarded_cast(cast(DType::kFloat64, DType::kBool)));
  EXPECT_FALSE(analysis::is_guarded_cast(cast(DType::kInt64, DType::kFloat64)));
  EXPECT_FALSE(analysis::is_guarded_cast(cast(DType::kFloat16, DType::kFloat64)));
  EXPECT_TRUE(analysis::is_guarded_cast(cast(DType::kFloat32, DType::kFloat16)));
  EXPECT_TRUE(analysis::is_guarded_cast(cast(DType::kInt32, DType::kFloat16)));
  EXPECT_TRUE(analysis::is_scalar_cast(cast(DType::kInt32, DType::kFloat16)));
  EXPECT_TRUE(analysis::is_scalar_cast(cast(DType::kFloat64, DType::kBFloat16)));
  EXPECT_FALSE(analysis::is_scalar_cast(cast(DType::kFloat32, DType::kFloat16)));
  EXPECT_FALSE(analysis::is_scalar_cast(cast(DType::kInt16, DType::kFloat16)));
  EXPECT_FALSE(analysis::is_scalar_cast(cast(DType::kFloat64, DType::kFloat32)));
}

}  // namespace
}  // namespace numpy_plugin::emit::test
