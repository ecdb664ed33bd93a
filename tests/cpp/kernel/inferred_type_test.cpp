// Promotion: NumPy's table, weak numbers, and the common type of a variable.
#include "numpy_plugin/kernel/inferred_type.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::declare {
namespace {

using base::DType;

InferredType strong(DType dtype) { return InferredType::scalar(dtype); }
InferredType weak(DType dtype) { return InferredType::weak(dtype); }

TEST(infer_types_test, promotion_is_numpys) {
  EXPECT_EQ(promote(DType::kInt8, DType::kUInt8), DType::kInt16);
  EXPECT_EQ(promote(DType::kInt64, DType::kUInt64), DType::kFloat64);
  EXPECT_EQ(promote(DType::kInt16, DType::kFloat16), DType::kFloat32);
  EXPECT_EQ(promote(DType::kInt32, DType::kFloat32), DType::kFloat64);
  EXPECT_EQ(promote(DType::kComplex64, DType::kInt32), DType::kComplex128);
  EXPECT_EQ(promote(DType::kComplex64, DType::kInt16), DType::kComplex64);
  EXPECT_EQ(promote(DType::kBFloat16, DType::kFloat16), DType::kFloat32);
  EXPECT_EQ(promote(DType::kBFloat16, DType::kInt8), DType::kBFloat16);
  EXPECT_EQ(promote(DType::kBool, DType::kUInt8), DType::kUInt8);
}

TEST(infer_types_test, promotion_does_not_depend_on_the_order) {
  for (const base::DTypeInfo& left : base::kDTypes) {
    for (const base::DTypeInfo& right : base::kDTypes) {
      EXPECT_EQ(promote(left.dtype, right.dtype), promote(right.dtype, left.dtype))
          << left.name << " " << right.name;
    }
  }
}

TEST(infer_types_test, weak_numbers_take_the_type_they_meet) {
  EXPECT_EQ(promote(weak(DType::kInt64), strong(DType::kInt8)), strong(DType::kInt8));
  EXPECT_EQ(promote(weak(DType::kInt64), strong(DType::kBool)), strong(DType::kInt64));
  EXPECT_EQ(promote(weak(DType::kFloat64), strong(DType::kFloat16)), strong(DType::kFloat16));
  EXPECT_EQ(promote(weak(DType::kFloat64), strong(DType::kInt8)), strong(DType::kFloat64));
  EXPECT_EQ(promote(weak(DType::kComplex128), strong(DType::kFloat32)), strong(DType::kComplex64));
  EXPECT_EQ(promote(weak(DType::kInt64), weak(DType::kFloat64)), weak(DType::kFloat64));
}

TEST(infer_types_test, a_variable_has_the_type_that_holds_all_its_values) {
  EXPECT_EQ(unify(strong(DType::kInt32), strong(DType::kFloat32)), strong(DType::kFloat64));
  EXPECT_EQ(unify(strong(DType::kInt64), strong(DType::kFloat32)), std::nullopt);
  EXPECT_EQ(unify(strong(DType::kInt64), strong(DType::kUInt64)), std::nullopt);
  EXPECT_EQ(unify(weak(DType::kInt64), strong(DType::kInt8)), strong(DType::kInt8));
  EXPECT_EQ(unify(strong(DType::kInt8), InferredType::tuple({})), std::nullopt);
}

TEST(infer_types_test, only_exact_conversions_hold_a_type) {
  EXPECT_TRUE(holds_exactly(DType::kFloat64, DType::kInt32));
  EXPECT_FALSE(holds_exactly(DType::kFloat64, DType::kInt64));
  EXPECT_TRUE(holds_exactly(DType::kFloat32, DType::kInt16));
  EXPECT_FALSE(holds_exactly(DType::kBFloat16, DType::kInt8));
  EXPECT_FALSE(holds_exactly(DType::kInt8, DType::kUInt8));
}

}  // namespace
}  // namespace numpy_plugin::declare
