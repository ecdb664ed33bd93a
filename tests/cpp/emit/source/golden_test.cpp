// The emitted text of each example against golden/<name>.<target>.cpp, whole.
#include <gtest/gtest.h>

#include <filesystem>

#include "emit/source/example_programs.hpp"
#include "emit/source/golden_file.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::emit::test {
namespace {

void write_templates(const std::string& directory) {
  for (const TemplateFile& file : template_files()) {
    const std::filesystem::path path = std::filesystem::path(directory) / file.name;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(system::write_file_atomically(path, file.text));
  }
}

class Golden : public testing::TestWithParam<Example> {};

TEST_P(Golden, is_what_is_emitted) {
  const Example& example = GetParam();
  analysis::DeviceForm form;
  if (example.program.kernels[0].layout) form.launch = analysis::LaunchForm::kGeneralized;
  expect_golden(example.name + ".cpu.cpp", emit_cpu(example.program).text);
  expect_golden(example.name + ".cuda.cpp", emit_cuda(example.program, form).text);
}

TEST_P(Golden, is_the_same_text_the_second_time) {
  EXPECT_EQ(emit_cpu(GetParam().program).text, emit_cpu(GetParam().program).text);
}

TEST_P(Golden, compiles_without_a_warning) {
  const system::TemporaryDirectory directory;
  write_templates(directory.path());
  const std::string file = directory.path() + "/kernel.cpp";
  ASSERT_TRUE(system::write_file_atomically(file, emit_cpu(GetParam().program).text));
  const auto result = system::run_process(
      {"g++", "-std=c++20", "-fsyntax-only", "-nostdinc", "-nostdinc++", "-Wall", "-Wextra",
       "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-parameter", "-Werror",
       "-DNPP_GLIBC_MINOR=36", "-I", directory.path(), file},
      std::chrono::seconds(60));
  EXPECT_EQ(result.end, system::ProcessResult::End::kExited);
  EXPECT_EQ(result.code, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Text, Golden, testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

}  // namespace
}  // namespace numpy_plugin::emit::test
