// Random kernels become text that compilers accept. A seed that fails is tried kernel by kernel and
// the first that is refused is shown. $NUMPY_PLUGIN_TEST_SEED and $NUMPY_PLUGIN_TEST_KERNELS choose
// others and more.
#include <gtest/gtest.h>

#include <set>

#include "compilers.hpp"
#include "numpy_plugin/declare/kernel_text.hpp"
#include "numpy_plugin/emit/tree.hpp"
#include "random_kernels.hpp"

namespace numpy_plugin::emit::test {
namespace {

constexpr unsigned kBatch = 25;  // kernels of one translation unit

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

std::vector<TypedKernel> kernels(unsigned first, KernelShape shape) {
  std::vector<TypedKernel> result;
  for (unsigned seed = first; seed < first + kBatch; ++seed)
    result.push_back(RandomKernel(seed, shape).run());
  return result;
}

template <class Complaints>
void expect_accepted(const std::vector<TypedKernel>& kernels, unsigned first,
                     const Complaints& complaints) {
  if (complaints(kernels).empty()) return;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    const std::string refused = complaints({kernels[i]});
    if (refused.empty()) continue;
    FAIL() << "seed " << first + i << ": " << refused << "\n" << declare::text(kernels[i]);
  }
  FAIL() << "seeds from " << first << ", only together: " << complaints(kernels);
}

Program made_of(const std::vector<TypedKernel>& kernels) {
  Program result = program(kernels.front());
  result.kernels = kernels;
  return result;
}

template <class Check>
void for_each_batch(const Check& check) {
  const unsigned first = from_environment("NUMPY_PLUGIN_TEST_SEED", 1);
  const unsigned count = from_environment("NUMPY_PLUGIN_TEST_KERNELS", kBatch);
  for (unsigned at = 0; at < count && !testing::Test::HasFatalFailure(); at += kBatch)
    check(first + at);
}

class RandomKernelsHostTest : public testing::TestWithParam<std::string> {};

TEST_P(RandomKernelsHostTest, loops_of_random_kernels_compile) {
  if (!runs(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  const auto complaints_of = [](const std::vector<TypedKernel>& kernels) {
    return complaints(GetParam(), emit_cpu(made_of(kernels)).text, {"-w"});
  };
  for_each_batch([&](unsigned first) {
    for (const KernelShape shape : {KernelShape::kElementwise, KernelShape::kGeneralized})
      expect_accepted(kernels(first, shape), first, complaints_of);
  });
}

INSTANTIATE_TEST_SUITE_P(EachCompiler, RandomKernelsHostTest, testing::Values("g++", "clang++"));

class RandomKernelsDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_.is_loaded()) GTEST_SKIP() << "no NVRTC: set NUMPY_PLUGIN_TEST_NVRTC to its library";
  }
  // What NVRTC refuses; a warning is none. Nothing is optimized, which would take minutes.
  std::string complaints(const Source& source) const {
    const std::string log = nvrtc_.complaints(source.text, {"-fdevice-syntax-only"});
    return log.find(": error") == std::string::npos ? "" : log;
  }
  void check(KernelShape shape, LaunchForm form) {
    DeviceForm device_form;
    device_form.launch = form;
    for_each_batch([&](unsigned first) {
      expect_accepted(kernels(first, shape), first, [&](const std::vector<TypedKernel>& kernels) {
        return complaints(emit_cuda(made_of(kernels), device_form));
      });
    });
  }

  Nvrtc nvrtc_;
};

TEST_F(RandomKernelsDeviceTest, elementwise_random_kernels_compile) {
  check(KernelShape::kElementwise, LaunchForm::kStrided);
}

TEST_F(RandomKernelsDeviceTest, generalized_random_kernels_compile) {
  check(KernelShape::kGeneralized, LaunchForm::kGeneralized);
}

TEST_F(RandomKernelsDeviceTest, launched_random_kernels_compile) {
  for_each_batch([&](unsigned first) {
    for (unsigned seed = first; seed < first + kBatch; ++seed)
      expect_accepted({RandomKernel(seed, KernelShape::kLaunched).run()}, seed,
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
    for (const TypedKernel& kernel : kernels(1, shape)) {
      const auto& python = std::get<declare::PythonKernel>(kernel.body);
      look(python.function);
      for (const Function& function : python.device_functions) look(function);
    }
  EXPECT_EQ(expressions.size(), static_cast<std::size_t>(ExpressionKind::kThread) + 1);
  EXPECT_EQ(statements.size(), static_cast<std::size_t>(StatementKind::kRaise) + 1);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
