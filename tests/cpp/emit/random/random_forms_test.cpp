// NVRTC accepts random kernels in every form of a device kernel.
#include <gtest/gtest.h>

#include "emit/random/random_batches.hpp"
#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/analysis/generalized_kernel.hpp"

namespace numpy_plugin::emit::test {
namespace {

// A form of a device kernel and the shape of kernels it applies to.
struct FormCase {
  std::string name;
  KernelShape shape;
  analysis::DeviceForm form;
  bool has_casts = false;  // each operand has a different dtype in memory
  unsigned n_kernels = 4;  // in one translation unit, or each in its own
};
void PrintTo(const FormCase& given, std::ostream* stream) { *stream << given.name; }

analysis::DeviceForm form(analysis::LaunchForm launch, bool is_wide = false,
                          bool is_masked = false) {
  return {launch, is_wide, is_masked, {}};
}

const FormCase kForms[] = {
    {"contiguous", KernelShape::kElementwise, form(analysis::LaunchForm::kContiguous)},
    {"contiguous_wide", KernelShape::kElementwise, form(analysis::LaunchForm::kContiguous, true)},
    {"rows", KernelShape::kElementwise, form(analysis::LaunchForm::kRows)},
    {"strided", KernelShape::kElementwise, form(analysis::LaunchForm::kStrided)},
    {"contiguous_masked", KernelShape::kElementwise,
     form(analysis::LaunchForm::kContiguous, false, true)},
    {"short_rows", KernelShape::kElementwise, form(analysis::LaunchForm::kShortRows)},
    {"short_rows_cast", KernelShape::kElementwise,
     form(analysis::LaunchForm::kShortRows, true, true), true, 2},
    {"packed_short_rows", KernelShape::kPacked, form(analysis::LaunchForm::kShortRows, true)},
    {"transposed", KernelShape::kPacked, form(analysis::LaunchForm::kTransposed)},
    {"transposed_masked", KernelShape::kPacked,
     form(analysis::LaunchForm::kTransposed, true, true)},
    {"rows_masked", KernelShape::kElementwise, form(analysis::LaunchForm::kRows, true, true)},
    {"strided_masked", KernelShape::kElementwise, form(analysis::LaunchForm::kStrided, true, true)},
    {"contiguous_cast", KernelShape::kElementwise, form(analysis::LaunchForm::kContiguous), true,
     2},
    {"rows_cast", KernelShape::kElementwise, form(analysis::LaunchForm::kRows, true), true, 2},
    {"strided_cast", KernelShape::kElementwise, form(analysis::LaunchForm::kStrided, false, true),
     true, 2},
    {"packed", KernelShape::kPacked, form(analysis::LaunchForm::kContiguous)},
    {"packed_masked", KernelShape::kPacked, form(analysis::LaunchForm::kContiguous, false, true)},
    {"packed_rows", KernelShape::kPacked, form(analysis::LaunchForm::kRows, true)},
    {"generalized", KernelShape::kGeneralized, form(analysis::LaunchForm::kGeneralized)},
    {"generalized_wide", KernelShape::kGeneralized, form(analysis::LaunchForm::kGeneralized, true)},
    {"split", KernelShape::kSplit, form(analysis::LaunchForm::kSplit)},
    {"split_wide", KernelShape::kSplit, form(analysis::LaunchForm::kSplit, true)},
    {"staged", KernelShape::kStaged, form(analysis::LaunchForm::kStaged)},
};

// Any dtype for each operand: calls may use unsafe casting.
analysis::DeviceForm with_casts(analysis::DeviceForm form, const TypedKernel& kernel,
                                unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t n_operands = kernel.signature.inputs.size() + kernel.signature.outputs.size();
  for (std::size_t i = 0; i < n_operands; ++i)
    form.stored.push_back(*base::find_dtype("?bBhHiIlLeEfdFD"[random() % 15]));
  return form;
}

// Whether calls could use the form with this kernel.
bool fits(const TypedKernel& kernel, KernelShape shape) {
  switch (shape) {
    case KernelShape::kPacked:
      return analysis::has_packed_body(kernel);
    case KernelShape::kSplit:
      return !analysis::find_split_loops(kernel).loops.empty();
    case KernelShape::kStaged:
      return analysis::staging_obstacle(kernel).empty();
    default:
      return true;
  }
}

class RandomFormsTest : public RandomDeviceTest, public testing::WithParamInterface<FormCase> {};

TEST_P(RandomFormsTest, random_kernels_of_this_form_compile) {
  const FormCase& given = GetParam();
  for_each_batch(given.n_kernels, [&](unsigned first) {
    std::vector<TypedKernel> made = random_kernels(first, given.n_kernels, given.shape);
    std::erase_if(made, [&](const TypedKernel& kernel) { return !fits(kernel, given.shape); });
    ASSERT_FALSE(made.empty()) << "seeds from " << first;
    if (!given.has_casts) {
      return expect_accepted(made, first, [&](const std::vector<TypedKernel>& kernels) {
        return complaints(emit_cuda(made_of(kernels), given.form));
      });
    }
    for (const TypedKernel& kernel : made) {
      expect_accepted({kernel}, first, [&](const std::vector<TypedKernel>& kernels) {
        return complaints(emit_cuda(made_of(kernels), with_casts(given.form, kernel, first)));
      });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(EachForm, RandomFormsTest, testing::ValuesIn(kForms),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace numpy_plugin::emit::test
