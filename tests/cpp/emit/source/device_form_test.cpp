// Device kernels of one kernel in each elementwise form, compared with golden/<name>.cuda.cpp.
#include <gtest/gtest.h>

#include "emit/source/example_programs.hpp"
#include "emit/source/golden_file.hpp"

namespace numpy_plugin::emit::test {
namespace {

struct FormExample {
  std::string name;  // of its golden file
  std::string example;
  analysis::DeviceForm form;
};

std::vector<FormExample> form_examples() {
  const analysis::DeviceForm stored{.stored = {base::DType::kInt8, base::DType::kBool,
                                               base::DType::kFloat32, base::DType::kComplex64}};
  return {
      {"gaussian_pdf_rows", "gaussian_pdf", {.launch = analysis::LaunchForm::kRows, .stored = {}}},
      {"gaussian_pdf_short_rows",
       "gaussian_pdf",
       {.launch = analysis::LaunchForm::kShortRows, .stored = {}}},
      {"cpp_outputs_transposed",
       "cpp_outputs",
       {.launch = analysis::LaunchForm::kTransposed, .is_masked = true, .stored = {}}},
      {"gaussian_pdf_wide", "gaussian_pdf", {.is_wide = true, .stored = {}}},
      {"gaussian_pdf_strided",
       "gaussian_pdf",
       {.launch = analysis::LaunchForm::kStrided, .stored = {}}},
      {"gaussian_pdf_masked",
       "gaussian_pdf",
       {.launch = analysis::LaunchForm::kStrided,
        .is_wide = true,
        .is_masked = true,
        .stored = {}}},
      {"gaussian_pdf_masked_rows",
       "gaussian_pdf",
       {.launch = analysis::LaunchForm::kRows, .is_masked = true, .stored = {}}},
      {"gaussian_pdf_cast", "gaussian_pdf", stored}};
}

const Program& example(const std::string& name) {
  static const std::vector<Example> all = examples();
  for (const Example& each : all)
    if (each.name == name) return each.program;
  throw std::out_of_range(name);
}

class DeviceFormTest : public testing::TestWithParam<FormExample> {};

TEST_P(DeviceFormTest, is_what_is_emitted) {
  const FormExample& golden = GetParam();
  expect_golden(golden.name + ".cuda.cpp", emit_cuda(example(golden.example), golden.form).text);
}

INSTANTIATE_TEST_SUITE_P(Text, DeviceFormTest, testing::ValuesIn(form_examples()),
                         [](const auto& example) { return example.param.name; });

TEST(DeviceFormTest, casts_only_where_types_differ) {
  const base::DType f4 = base::DType::kFloat32;
  EXPECT_EQ(emit_cuda(example("gaussian_pdf"), {.stored = {f4, f4, f4, f4}}).text,
            emit_cuda(example("gaussian_pdf"), analysis::DeviceForm{}).text);
}

TEST(DeviceFormTest, computes_words_in_vectors_of_the_kernels_own_types_alone) {
  const auto text = [](const analysis::DeviceForm& form) {
    return emit_cuda(example("packed"), form).text;
  };
  const base::DType u1 = base::DType::kUInt8;
  EXPECT_NE(text({}).find("call_packed"), std::string::npos);
  EXPECT_NE(text({.launch = analysis::LaunchForm::kRows, .stored = {}}).find("call_packed"),
            std::string::npos);
  EXPECT_EQ(text({.launch = analysis::LaunchForm::kStrided, .stored = {}}).find("call_packed"),
            std::string::npos);
  EXPECT_EQ(text({.stored = {u1, u1, base::DType::kInt32}}).find("call_packed"), std::string::npos);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
