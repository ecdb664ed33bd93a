// Typed kernels from small trees: types, casts, temporaries and the order of functions.
#include <gtest/gtest.h>

#include "infer/tree_builder.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using namespace tree;  // NOLINT: makes the trees read like Python

std::string typed_expression(const SyntaxNode& expression, DType x) {
  return typed(function({"x"}, {give(expression)}), signature({x}));
}

TEST(infer_test, a_literal_takes_the_type_of_what_it_meets) {
  EXPECT_EQ(typed_expression(binary(number(0.5), "Mult", name("x")), DType::kFloat32),
            "float32 f(float32 x)\n  return multiply(float32:0.5, x)\n");
  EXPECT_EQ(typed_expression(binary(number(0.5), "Mult", name("x")), DType::kInt32),
            "float64 f(int32 x)\n  return multiply(float64:0.5, float64(x))\n");
}

TEST(infer_test, constants_fold_before_they_take_a_type) {
  const SyntaxNode sum = binary(integer("100"), "Add", integer("100"));
  EXPECT_EQ(typed_expression(binary(name("x"), "Add", sum), DType::kInt16),
            "int16 f(int16 x)\n  return add(x, int16:200)\n");
  EXPECT_EQ(typed_expression(binary(name("x"), "Add", sum), DType::kInt8),
            "200 does not fit int8 (-128 to 127)");
}

TEST(infer_test, small_constant_powers_are_no_calls_of_pow) {
  const auto power = [](const std::string& exponent) {
    return typed_expression(binary(name("x"), "Pow", integer(exponent)), DType::kFloat64);
  };
  EXPECT_EQ(power("2"), "float64 f(float64 x)\n  return square(x)\n");
  EXPECT_EQ(power("1"), "float64 f(float64 x)\n  return positive(x)\n");
  EXPECT_EQ(power("0"), "float64 f(float64 x)\n  return float64:1.0\n");
  EXPECT_EQ(power("-1"), "float64 f(float64 x)\n  return reciprocal(x)\n");
  EXPECT_EQ(power("3"), "float64 f(float64 x)\n  return multiply(square(x), x)\n");
  EXPECT_EQ(power("-2"),
            "float64 f(float64 x)\n  float64 temporary_1\n  temporary_1 = reciprocal(x)\n"
            "  return square(temporary_1)\n");
  EXPECT_EQ(power("6"), "float64 f(float64 x)\n  return power(x, float64:6.0)\n");
}

TEST(infer_test, an_integer_to_a_negative_power_is_refused) {
  EXPECT_EQ(typed_expression(binary(name("x"), "Pow", integer("-1")), DType::kInt32),
            "an integer to a negative power");
}

TEST(infer_test, a_weak_variable_stays_weak) {
  const Nodes body = {assign(name("c"), number(0.5)), give(binary(name("c"), "Mult", name("x")))};
  EXPECT_EQ(typed(function({"x"}, body), signature({DType::kFloat32})),
            "float32 f(float32 x)\n  float64 c\n  c = float64:0.5\n"
            "  return multiply(float32(c), x)\n");
}

TEST(infer_test, a_variable_takes_the_type_it_meets_in_a_loop) {
  const Nodes body = {assign(name("s"), number(0.0)),
                      count("i", {integer("4")}, {augment(name("s"), "Add", name("x"))}),
                      give(name("s"))};
  EXPECT_EQ(typed(function({"x"}, body), signature({DType::kFloat32})),
            "float32 f(float32 x)\n  float32 s\n  int64 i\n  s = float32:0.0\n"
            "  for i in range(int64:0, int64:4, int64:1)\n    s = add(s, x)\n  return s\n");
}

// In every other pass n is float32 where it is shifted, so that its assignment has no type.
TEST(infer_test, an_error_of_every_other_walk_is_reported) {
  const SyntaxNode shifted = binary(name("n"), "RShift", integer("1"));
  const Nodes body = {
      assign(name("n"), integer("2")),
      count("i", {integer("4")}, {assign(name("n"), binary(shifted, "Mult", name("x")))}),
      give(name("n"))};
  EXPECT_TRUE(typed(function({"x"}, body), signature({DType::kFloat32}))
                  .starts_with("'>>' needs integers"));
}

TEST(infer_test, a_parameter_that_is_widened_is_copied_first) {
  const Nodes body = {assign(name("x"), binary(name("x"), "Mult", number(0.5))), give(name("x"))};
  EXPECT_EQ(typed(function({"x"}, body), signature({DType::kInt32})),
            "float64 f(int32 x)\n  float64 x_1\n  x_1 = float64(x)\n"
            "  x_1 = multiply(x_1, float64:0.5)\n  return x_1\n");
}

TEST(infer_test, two_types_that_no_type_holds_are_a_conflict) {
  const Nodes body = {assign(name("r"), name("n")), assign(name("r"), name("x")), give(name("r"))};
  EXPECT_EQ(typed(function({"n", "x"}, body), signature({DType::kInt64, DType::kUInt64})),
            "'r' is uint64 here and int64 elsewhere; no type holds both exactly");
}

TEST(infer_test, a_swap_reads_both_before_it_writes) {
  const Nodes body = {assign(tuple({name("a"), name("b")}), tuple({name("b"), name("a")})),
                      give(name("a"))};
  EXPECT_EQ(typed(function({"a", "b"}, body), signature({DType::kInt8, DType::kInt8})),
            "int8 f(int8 a, int8 b)\n  int8 temporary_2\n  temporary_2 = a\n  a = b\n"
            "  b = temporary_2\n  return a\n");
}

TEST(infer_test, tuple_targets_that_do_not_meet_need_no_temporary) {
  const Nodes body = {assign(tuple({name("p"), name("q")}),
                             tuple({name("a"), binary(name("a"), "Add", name("a"))})),
                      give(name("q"))};
  EXPECT_EQ(typed(function({"a"}, body), signature({DType::kInt8})),
            "int8 f(int8 a)\n  int8 p\n  int8 q\n  p = a\n  q = add(a, a)\n  return q\n");
}

TEST(infer_test, a_condition_that_needs_a_temporary_is_tested_inside_the_loop) {
  const SyntaxNode chain =
      node("Compare", "",
           {{"left", {integer("0")}},
            {"ops", {node("Lt", ""), node("Lt", "")}},
            {"comparators", {binary(name("x"), "Mult", name("x")), integer("9")}}});
  const Nodes body = {repeat(chain, {augment(name("x"), "Add", integer("1"))}), give(name("x"))};
  EXPECT_EQ(typed(function({"x"}, body), signature({DType::kInt64})),
            "int64 f(int64 x)\n  int64 temporary_1\n  while true\n"
            "    temporary_1 = multiply(x, x)\n"
            "    if logical_not(and(less(int64:0, temporary_1), less(temporary_1, int64:9)))\n"
            "      break\n    x = add(x, int64:1)\n  return x\n");
}

TEST(infer_test, signed_and_unsigned_64_bits_compare_by_value_and_add_as_floats) {
  const TypeSignature types = signature({DType::kInt64, DType::kUInt64});
  EXPECT_EQ(typed(function({"a", "b"}, {give(compare(name("a"), "Lt", name("b")))}), types),
            "bool f(int64 a, uint64 b)\n  return less(a, b)\n");
  EXPECT_EQ(typed(function({"a", "b"}, {give(binary(name("a"), "Add", name("b")))}), types),
            "float64 f(int64 a, uint64 b)\n  return add(float64(a), float64(b))\n");
  EXPECT_EQ(typed(function({"a", "b"}, {give(binary(name("a"), "BitAnd", name("b")))}), types),
            "'&' has no type for int64 and uint64");
}

TEST(infer_test, and_of_numbers_is_one_of_them) {
  EXPECT_EQ(typed(function({"a", "b"}, {give(both({name("a"), name("b")}))}),
                  signature({DType::kFloat32, DType::kFloat64})),
            "float64 f(float32 a, float64 b)\n  return select(truth(a), b, float64(a))\n");
}

TEST(infer_test, a_variable_of_one_branch_may_have_no_value) {
  const Nodes body = {
      branch(compare(name("x"), "Gt", integer("0")), {assign(name("r"), name("x"))}),
      give(name("r"))};
  EXPECT_EQ(typed(function({"x"}, body), signature({DType::kFloat32})),
            "float32 f(float32 x)\n  float32 r\n  bool temporary_2\n  temporary_2 = false\n"
            "  if greater(x, float32:0.0)\n    temporary_2 = true\n    r = x\n"
            "  if logical_not(temporary_2)\n    raise exception_0()\n  return r\n");
}

TEST(infer_test, a_range_of_constants_with_a_trip_gives_its_variable_a_value) {
  const Nodes some = {count("i", {integer("9")}, {node("Pass", "")}), give(name("i"))};
  EXPECT_EQ(typed(function({"x"}, some), signature({DType::kFloat32})),
            "int64 f(float32 x)\n  int64 i\n  for i in range(int64:0, int64:9, int64:1)\n"
            "  return i\n");
  const Nodes none = {count("i", {integer("0")}, {node("Pass", "")}), give(name("i"))};
  EXPECT_EQ(typed(function({"x"}, none), signature({DType::kFloat32})),
            "int64 f(float32 x)\n  int64 i\n  bool temporary_2\n  temporary_2 = false\n"
            "  for i in range(int64:0, int64:0, int64:1)\n    temporary_2 = true\n"
            "  if logical_not(temporary_2)\n    raise exception_0()\n  return i\n");
}

TEST(infer_test, a_device_function_is_made_once_for_each_type_and_before_its_caller) {
  FunctionSyntax half = function({"v"}, {give(binary(name("v"), "Div", integer("2")))});
  half.name = "half";
  FunctionSyntax quarter =
      function({"v"}, {give(call(name("half"), {call(name("half"), {name("v")})}))});
  quarter.name = "quarter";
  quarter.bindings["half"] = device_binding(half);
  FunctionSyntax main = function({"x"}, {give(call(name("quarter"), {name("x")}))});
  main.bindings["quarter"] = device_binding(quarter);
  EXPECT_EQ(typed(main, signature({DType::kInt32})),
            "float64 half(int32 v)\n  return true_divide(float64(v), float64:2.0)\n"
            "float64 half(float64 v)\n  return true_divide(v, float64:2.0)\n"
            "float64 quarter(int32 v)\n  return half_1(half_0(v))\n"
            "float64 f(int32 x)\n  return quarter_2(x)\n");
}

TEST(infer_test, a_result_is_cast_to_the_declared_type) {
  const FunctionSyntax same = function({"x"}, {give(name("x"))});
  EXPECT_EQ(typed(same, signature({DType::kInt64}, {DType::kInt8})),
            "int8 f(int64 x)\n  return int8(x)\n");
  EXPECT_EQ(typed(same, signature({DType::kFloat64}, {DType::kInt64})),
            "int64 f(float64 x)\n  return int64(x)\n");
  EXPECT_EQ(typed(same, signature({DType::kFloat64}, {DType::kBool})),
            "bool f(float64 x)\n  return bool(x)\n");
  EXPECT_EQ(typed(same, signature({DType::kComplex64}, {DType::kFloat32})),
            "complex64 returned, float32 declared");
}

TEST(infer_test, a_result_of_another_kind_is_warned_about) {
  const FunctionSyntax same = function({"x"}, {give(name("x"))});
  const auto message = [&same](DType from, DType to) {
    const auto found = type_python_kernel(same, signature({from}, {to}), std::nullopt).warnings;
    return found.empty() ? "" : found.front().message;
  };
  EXPECT_EQ(message(DType::kFloat64, DType::kInt64),
            "float64 returned, int64 declared; truncated toward zero");
  EXPECT_EQ(message(DType::kInt8, DType::kBool),
            "int8 returned, bool declared; True where it is not 0");
  EXPECT_EQ(message(DType::kComplex64, DType::kBool),
            "complex64 returned, bool declared; True where it is not 0");
  EXPECT_EQ(message(DType::kInt64, DType::kInt8), "");
  EXPECT_EQ(message(DType::kBool, DType::kFloat64), "");
}

TEST(infer_test, a_wider_number_is_warned_about_unless_an_operand_was_declared_so) {
  const FunctionSyntax product = function({"x", "n"}, {give(binary(name("x"), "Mult", name("n")))});
  const auto n_warnings = [&product](DType x, DType n) {
    return type_python_kernel(product, signature({x, n}, {DType::kFloat32}), std::nullopt)
        .warnings.size();
  };
  EXPECT_EQ(n_warnings(DType::kFloat32, DType::kInt32), 1u);
  EXPECT_EQ(n_warnings(DType::kFloat64, DType::kInt32), 0u);
  EXPECT_EQ(n_warnings(DType::kFloat32, DType::kInt16), 0u);
}

TEST(infer_test, an_output_without_core_dimensions_is_an_array_of_one) {
  const Nodes body = {assign(item(name("out"), integer("0")),
                             binary(item(name("a"), integer("0")), "Mult", name("w")))};
  const CoreSignature layout = parse_core_signature("(n),()->()");
  const TypeSignature types = signature({DType::kFloat32, DType::kFloat32}, {DType::kFloat32});
  const FrontEndResult result =
      type_python_kernel(function({"a", "w", "out"}, body), types, layout);
  EXPECT_EQ(text(std::get<PythonKernel>(result.kernel.body).function.locals[2].type), "float32[:]");
  EXPECT_NE(text(result.kernel).find("out[int64:0] = multiply(a[int64:0], w)"), std::string::npos);
}

TEST(infer_test, all_errors_come_at_once_and_none_follows_from_another) {
  const Nodes body = {assign(name("a"), name("unknown")),
                      assign(name("b"), binary(name("a"), "LShift", number(1.5))),
                      assign(name("c"), binary(name("x"), "LShift", integer("1"))),
                      give(binary(name("b"), "Add", name("c")))};
  try {
    type_python_kernel(function({"x"}, body), signature({DType::kFloat32}), std::nullopt);
    FAIL() << "no error";
  } catch (const KernelError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2u);
    EXPECT_EQ(error.diagnostics()[0].message, "unknown name 'unknown'");
    EXPECT_TRUE(error.diagnostics()[1].message.starts_with("'<<' needs integers, "));
  }
}

}  // namespace
}  // namespace numpy_plugin::declare
