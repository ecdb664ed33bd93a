// Kernels that can be computed on words of narrow integers.
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <gtest/gtest.h>

#include "kernel/kernel_builder.hpp"
#include "numpy_plugin/analysis/device_form.hpp"

namespace numpy_plugin::emit::test {
namespace {

constexpr DType kI1 = DType::kInt8;
constexpr DType kI2 = DType::kInt16;

bool is_packed(Operation operation, DType dtype, std::string_view types) {
  Builder f("f");
  f.parameter("x", dtype).parameter("y", dtype);
  const Expression value = call(operation, {f.local("x"), f.local("y")});
  return analysis::has_packed_body(
      python_kernel(types, f.finish(ValueType::scalar(dtype), {give_back(value)})));
}

TEST(packed_words_test, sums_and_bits_of_narrow_integers) {
  for (const Operation operation : {Operation::kAdd, Operation::kSubtract, Operation::kBitwiseAnd,
                                    Operation::kBitwiseOr, Operation::kBitwiseXor}) {
    EXPECT_TRUE(is_packed(operation, kI1, "bb->b"));
    EXPECT_TRUE(is_packed(operation, kI2, "hh->h"));
    EXPECT_FALSE(is_packed(operation, kI4, "ii->i"));
    EXPECT_FALSE(is_packed(operation, DType::kFloat16, "ee->e"));
    EXPECT_FALSE(is_packed(operation, DType::kBool, "?\?->?"));
  }
}

TEST(packed_words_test, no_other_operation) {
  EXPECT_FALSE(is_packed(Operation::kMultiply, kI1, "bb->b"));
  EXPECT_FALSE(is_packed(Operation::kShiftLeft, kI1, "bb->b"));
  EXPECT_FALSE(is_packed(Operation::kMinimum, kI1, "bb->b"));
}

TEST(packed_words_test, one_type_throughout) {
  EXPECT_FALSE(is_packed(Operation::kAdd, kI1, "bb->h"));
  Builder f("f");
  f.parameter("x", kI1);
  Expression cast = node(ExpressionKind::kCast, ValueType::scalar(kI2), {f.local("x")});
  cast = node(ExpressionKind::kCast, ValueType::scalar(kI1), {cast});
  EXPECT_FALSE(analysis::has_packed_body(
      python_kernel("b->b", f.finish(ValueType::scalar(kI1), {give_back(cast)}))));
}

TEST(packed_words_test, one_statement) {
  Builder f("f");
  f.parameter("x", kI1);
  const Statement assign = f.assign("y", call(Operation::kInvert, {f.local("x")}));
  EXPECT_FALSE(analysis::has_packed_body(
      python_kernel("b->b", f.finish(ValueType::scalar(kI1), {assign, give_back(f.local("y"))}))));
}

TEST(packed_words_test, no_body_in_cpp) {
  EXPECT_FALSE(analysis::has_packed_body(
      {"f", signature("b->b"), {}, declare::CppKernel{"return ~x;", {"x"}, {}}}));
}

TEST(packed_words_test, constants_are_their_bits) {
  Builder f("f");
  f.parameter("x", kI2);
  const Expression value = call(Operation::kAdd, {f.local("x"), number(kI2, std::int64_t{-2})});
  const TypedKernel kernel =
      python_kernel("h->h", f.finish(ValueType::scalar(kI2), {give_back(value)}));
  ASSERT_TRUE(analysis::has_packed_body(kernel));
  EXPECT_NE(print_packed_struct(kernel, "A", "B")
                .find("npp::add_packed<16>(x, npp::in_each_element<16>(65534u))"),
            std::string::npos);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
