// Miscompiling compilers: here real ones with options that make them so.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <gtest/gtest.h>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"

namespace numpy_plugin::jit {
namespace {

class CompilerCheckTest : public HostEnvironment {
 protected:
  // Checks a compiler whose compilations fail.
  void check_failing() {
    CompilerCheck check(compiler_, [this](const emit::Source&) {
      ++n_started_;
      return []() -> std::string { throw base::Error(base::ErrorKind::kCompiler, "out of order"); };
    });
    check.finish();
  }

  HostCompiler compiler_{{"g++"}, HostCompilerFamily::kGcc, "g++ 0", "a failing g++"};
  int n_started_ = 0;
};

TEST_F(CompilerCheckTest, a_compiler_that_fails_is_accepted_and_checked_again) {
  EXPECT_NO_THROW(check_failing());
  EXPECT_NO_THROW(check_failing());
  EXPECT_EQ(n_started_, 2);
}

TEST_F(CompilerCheckTest, a_failed_compilation_leaves_the_check_to_the_next) {
  emit::Source broken;
  broken.text = "int broken(";
  EXPECT_THROW(compile_for_host(broken, {}), base::Error);
  EXPECT_NO_THROW(compile_for_host(exp_source("after a failure"), {}));
}

TEST_F(CompilerCheckTest, the_compiler_of_this_machine_is_accepted) {
  EXPECT_NO_THROW(compile_for_host(exp_source("accepted"), {}));
}

TEST_F(CompilerCheckTest, options_that_change_results_are_refused) {
  const std::string real = find_host_compiler().command.front();
  set("NUMPY_PLUGIN_CXX", real + " -ffast-math");
  try {
    compile_for_host(exp_source("refused"), {});
    FAIL() << "it compiled";
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("-ffast-math' ("), std::string::npos) << text;
    EXPECT_NE(text.find("tests for nan are removed"), std::string::npos) << text;
    EXPECT_NE(text.find("set NUMPY_PLUGIN_CXX to another compiler"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace numpy_plugin::jit
