// The emitted text of each example against golden/<name>.<target>.cpp, whole.
// NPP_UPDATE_GOLDEN=1 in the environment writes the files anew; look at the difference then.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "example_programs.hpp"
#include "numpy_plugin/base/file.hpp"
#include "numpy_plugin/base/process.hpp"

namespace numpy_plugin::emit::test {
namespace {

struct GoldenText {
  std::string file;
  std::string text;
};

std::vector<GoldenText> emitted(const Example& example) {
  const std::string path = std::string(NPP_SOURCE_DIR) + "/tests/cpp/emit/golden/" + example.name;
  const bool is_generalized = example.program.kernels[0].layout.has_value();
  DeviceForm form;
  if (is_generalized) form.launch = LaunchForm::kGeneralized;
  return {{path + ".cpu.cpp", emit_cpu(example.program).text},
          {path + ".cuda.cpp", emit_cuda(example.program, form).text}};
}

void write_templates(const std::string& folder) {
  std::filesystem::create_directory(folder + "/numpy_plugin");
  for (const TemplateFile& file : template_files())
    ASSERT_TRUE(base::write_file_atomically(folder + "/" + std::string(file.name), file.text));
}

class Golden : public testing::TestWithParam<Example> {};

TEST_P(Golden, is_what_is_emitted) {
  for (const GoldenText& golden : emitted(GetParam())) {
    if (std::getenv("NPP_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(base::write_file_atomically(golden.file, golden.text));
      std::filesystem::permissions(golden.file, std::filesystem::perms(0644));
    }
    const auto expected = base::read_file(golden.file);
    ASSERT_TRUE(expected.has_value()) << golden.file;
    EXPECT_EQ(golden.text, *expected);
  }
}

TEST_P(Golden, is_the_same_text_the_second_time) {
  EXPECT_EQ(emit_cpu(GetParam().program).text, emit_cpu(GetParam().program).text);
}

TEST_P(Golden, compiles_without_a_warning) {
  const base::TemporaryDirectory folder;
  write_templates(folder.path());
  const std::string file = folder.path() + "/kernel.cpp";
  ASSERT_TRUE(base::write_file_atomically(file, emit_cpu(GetParam().program).text));
  const auto result = base::run_process(
      {"g++", "-std=c++20", "-fsyntax-only", "-nostdinc", "-nostdinc++", "-Wall", "-Wextra",
       "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-parameter", "-Werror",
       "-DNPP_GLIBC_MINOR=36", "-I", folder.path(), file},
      std::chrono::seconds(60));
  EXPECT_EQ(result.end, base::ProcessResult::End::kExited);
  EXPECT_EQ(result.code, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Text, Golden, testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

}  // namespace
}  // namespace numpy_plugin::emit::test
