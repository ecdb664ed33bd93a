// Kernels that can raise: the errors passed to all their functions, and the checks for them.
#include <gtest/gtest.h>

#include "kernel/kernel_builder.hpp"
#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit::test {
namespace {

Statement raise(int exception, std::vector<Expression> values = {}) {
  Statement result = statement(StatementKind::kRaise);
  result.exception = exception;
  result.indices = std::move(values);
  return result;
}

// while checked(x) < 0: pass; return x, where `checked` raises the second of two exceptions.
Program raising_program() {
  Builder g("checked");
  g.parameter("x", kF8);
  Function checked = g.finish(ValueType::scalar(kF8), {raise(1, {g.local("x")})});
  Builder f("f");
  f.parameter("x", kF8);
  const Expression called = call_function(0, ValueType::scalar(kF8), {f.local("x")});
  Function main = f.finish(
      ValueType::scalar(kF8),
      {loop_while(call(Operation::kLess, {called, f.local("x")}), {}), give_back(f.local("x"))});
  TypedKernel kernel = python_kernel("d->d", std::move(main), {std::move(checked)});
  std::get<declare::PythonKernel>(kernel.body).exceptions.resize(2);
  return program(std::move(kernel));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Raising, hands_errors_to_every_function) {
  const std::string text = emit_cpu(raising_program()).text;
  EXPECT_TRUE(has(text, "double checked_0(npp::Errors& errors, double x)")) << text;
  EXPECT_TRUE(has(text, "errors.report(2, x);\n  return {};")) << text;
  EXPECT_TRUE(has(text, "static constexpr bool kCanRaise = true;")) << text;
  EXPECT_TRUE(has(text, "call(npp::Errors& errors, double x)")) << text;
}

TEST(Raising, leaves_loops_that_call_functions) {
  const std::string text = emit_cpu(raising_program()).text;
  const char* const ends =
      "if (trips.are_interrupted()) return {};\n      if (errors.any()) return {};";
  EXPECT_TRUE(has(text, ends)) << text;
}

TEST(Raising, gives_device_kernels_a_second_parameter) {
  EXPECT_TRUE(has(emit_cuda(raising_program(), {}).text, "NPP_RAISING_CONTIGUOUS_KERNEL("));
}

TEST(Raising, counts_as_a_branch) {
  EXPECT_TRUE(analysis::traits(raising_program().kernels.front()).has_branches);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
