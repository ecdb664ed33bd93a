// Random kernels become text that compilers accept: the loops of g++ and clang, and kernels that
// are launched.
#include <gtest/gtest.h>

#include <set>

#include "emit/random/random_batches.hpp"
#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit::test {
namespace {

constexpr unsigned kBatch = 25;    // kernels of one translation unit
constexpr unsigned kLaunched = 6;  // each in a translation unit of its own

class RandomKernelsHostTest : public testing::TestWithParam<std::string> {};

TEST_P(RandomKernelsHostTest, loops_of_random_kernels_compile) {
  if (!runs(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  const auto complaints_of = [](const std::vector<TypedKernel>& kernels) {
    return complaints(GetParam(), emit_cpu(made_of(kernels)).text, {"-w"});
  };
  for_each_batch(kBatch, [&](unsigned first) {
    for (const KernelShape shape : {KernelShape::kElementwise, KernelShape::kGeneralized})
      expect_accepted(random_kernels(first, kBatch, shape), first, complaints_of);
  });
}

INSTANTIATE_TEST_SUITE_P(EachCompiler, RandomKernelsHostTest, testing::Values("g++", "clang++"));

using RandomLaunchedTest = RandomDeviceTest;

TEST_F(RandomLaunchedTest, launched_random_kernels_compile) {
  for_each_batch(kLaunched, [&](unsigned first) {
    for (unsigned seed = first; seed < first + kLaunched; ++seed)
      expect_accepted(random_kernels(seed, 1, KernelShape::kLaunched), seed,
                      [&](const std::vector<TypedKernel>& kernels) {
                        return complaints(emit_device_kernel(made_of(kernels)));
                      });
  });
}

// Every kind is made by some seed, or the other tests mean little.
TEST(random_kernels_test, have_every_kind_of_expression_and_statement) {
  std::set<ExpressionKind> expressions;
  std::set<StatementKind> statements;
  const auto look = [&](const Function& function) {
    visit_expressions(function.body, [&](const Expression& e) { expressions.insert(e.kind); });
    visit_statements(function.body, [&](const Statement& s) { statements.insert(s.kind); });
  };
  for (const KernelShape shape :
       {KernelShape::kElementwise, KernelShape::kGeneralized, KernelShape::kLaunched})
    for (const TypedKernel& kernel : random_kernels(1, kBatch, shape)) {
      const auto& python = std::get<declare::PythonKernel>(kernel.body);
      look(python.function);
      for (const Function& function : python.device_functions) look(function);
    }
  EXPECT_EQ(expressions.size(), static_cast<std::size_t>(ExpressionKind::kThread) + 1);
  EXPECT_EQ(statements.size(), static_cast<std::size_t>(StatementKind::kRaise) + 1);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
