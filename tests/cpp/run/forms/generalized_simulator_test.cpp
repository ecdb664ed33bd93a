// Generalized kernels with 64-bit indices, whose calls would be too large here: launched with their
// arguments for fewer items.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "kernel/core_kernel.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"
#include "run/forms/generalized_builder.hpp"
#include "run/forms/simulator_fixture.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
using base::DType;

constexpr std::int64_t kItems = 10, kItemRows = 4, kTerms = 5, kColumns = 6;

declare::TypedKernel matmul() {
  emit::test::KernelText t("(m,k),(k,n)->(m,n)");
  const auto product = emit::test::call(declare::Operation::kMultiply,
                                        {t.at("a", {"i", "k"}), t.at("b", {"k", "j"})});
  return t.finish({t.loop(
      "i", "a", 0,
      {t.loop("j", "b", 1,
              {t.set("s", emit::test::zero()), t.loop("k", "a", 1, {t.add_to("s", product)}),
               t.put("out", {"i", "j"}, t.local("s"))})})});
}

std::vector<double> expected(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::int64_t row = 0; row < kItems * kItemRows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      double sum = 0;
      for (std::int64_t term = 0; term < kTerms; ++term)
        sum += a[static_cast<std::size_t>(row * kTerms + term)] *
               b[static_cast<std::size_t>(term * kColumns + column)];
      result.push_back(sum);
    }
  }
  return result;
}

class GeneralizedSimulatorTest : public OnSimulator<testing::TestWithParam<LaunchForm>> {
 protected:
  std::unique_ptr<DeviceBuffer> on_device(const std::vector<double>& values) {
    const std::size_t n_bytes = values.size() * sizeof(double);
    auto buffer = std::make_unique<DeviceBuffer>(stream_, n_bytes);
    const CurrentContext current(*device_);
    const load::Driver& driver = device_->driver();
    driver.check(
        driver.cuMemcpyHtoDAsync(buffer->address(), values.data(), n_bytes, stream_->handle()),
        "to copy");
    return buffer;
  }
  std::vector<double> on_host(const DeviceBuffer& buffer) {
    std::vector<double> values(buffer.n_bytes() / sizeof(double));
    const CurrentContext current(*device_);
    const load::Driver& driver = device_->driver();
    driver.check(driver.cuMemcpyDtoHAsync(values.data(), buffer.address(), buffer.n_bytes(),
                                          stream_->handle()),
                 "to copy");
    stream_->synchronize();
    return values;
  }
};

TEST_P(GeneralizedSimulatorTest, ComputesInSixtyFourBits) {
  std::vector<double> a(kItems * kItemRows * kTerms), b(kTerms * kColumns);
  std::iota(a.begin(), a.end(), 1);
  std::iota(b.begin(), b.end(), -7);
  const auto a_buffer = on_device(a), b_buffer = on_device(b),
             out_buffer = on_device(std::vector<double>(kItems * kItemRows * kColumns));
  const BuiltItems built(
      {kItems}, {kItemRows, kTerms, kColumns},
      {{{kF8, a_buffer->address(), {8 * kItemRows * kTerms}}, {8 * kTerms, 8}},
       {{kF8, b_buffer->address(), {0}}, {8 * kColumns, 8}},
       {{kF8, out_buffer->address(), {8 * kItemRows * kColumns}}, {8 * kColumns, 8}}});

  const declare::TypedKernel kernel = matmul();
  const GeneralizedTraits traits = generalized_traits(kernel, 4);
  const emit::Source source = emit::emit_cuda(
      emit::test::program(kernel), {.launch = GetParam(), .is_wide = true, .stored = {}});
  const std::string& name = source.entry_points.front();
  const DeviceModule module(device_, jit::compile_to_ptx(source, {.arch = "sm_90"}), name, {},
                            CodeAuthor::kPackage);
  const GeneralizedCall call = built.call();
  const bool is_split = GetParam() == LaunchForm::kSplit;
  const ItemIteration items(call, 2,
                            is_split ? traits.split.loops : std::vector<analysis::SplitLoop>());
  ArgumentBuffer arguments;
  const GeneralizedGrid grid =
      pack_items({call, items.iteration(), 2}, /*is_wide=*/true, traits, arguments);
  launch_kernel(*stream_, {module.function(name), name, grid.grid, grid.block}, arguments);
  EXPECT_EQ(on_host(*out_buffer), expected(a, b));
}

INSTANTIATE_TEST_SUITE_P(Forms, GeneralizedSimulatorTest,
                         testing::Values(LaunchForm::kGeneralized, LaunchForm::kSplit),
                         [](const auto& form) {
                           return std::string(analysis::info(form.param).name);
                         });

}  // namespace
}  // namespace numpy_plugin::run
