// Recorded logs of g++, clang++ and NVRTC give one text for each mistake, without running a
// compiler.
#include "jit/host/recorded_logs.hpp"

#include <gtest/gtest.h>

#include "jit/host/host_test_sources.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"

namespace numpy_plugin::jit {
namespace {

class RecordedLog : public testing::TestWithParam<RecordedMistake> {
 protected:
  // The text for a log, which is empty where the compiler accepts the body.
  static void expect_text_of(const std::string& log, explain::LogForm form) {
    if (log.empty()) return;
    const std::string preamble = GetParam().preamble;
    emit::Source source = body_source(GetParam().body, emit::Target::kCpu);
    if (!preamble.empty()) {
      source.text.insert(
          0, "#line 1 \"<preamble of 'hypot'>\"\n" + preamble + "\n#line 1 \"npp-generated\"\n\n");
    }
    const explain::CompileError error = explain::make_compile_error(source, log, form, "it failed");
    EXPECT_EQ(std::string(error.what()), GetParam().text);
    EXPECT_EQ(error.log(), log);
    EXPECT_FALSE(error.diagnostics().empty());
  }
};

TEST_P(RecordedLog, of_gcc_reads_so) { expect_text_of(GetParam().gcc, explain::LogForm::kGnu); }
TEST_P(RecordedLog, of_clang_reads_so) { expect_text_of(GetParam().clang, explain::LogForm::kGnu); }
TEST_P(RecordedLog, of_nvrtc_reads_so) {
  expect_text_of(GetParam().nvrtc, explain::LogForm::kNvrtc);
}

INSTANTIATE_TEST_SUITE_P(All, RecordedLog, testing::ValuesIn(kRecordedMistakes),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace numpy_plugin::jit
