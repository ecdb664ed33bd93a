// Compilers that compute wrongly: here real ones with options that make them.
#include "numpy_plugin/jit/host/compiler_check.hpp"

#include <gtest/gtest.h>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"

namespace numpy_plugin::jit {
namespace {

class CompilerCheckTest : public HostEnvironment {
 protected:
  static CompileChecked failing() {
    return [](const emit::Source&, const std::vector<std::string>&) -> std::string {
      throw base::Error(base::ErrorKind::kCompiler, "out of order");
    };
  }
};

TEST_F(CompilerCheckTest, a_compiler_that_fails_gets_all_flags_of_its_family) {
  const HostCompiler gcc{{"g++"}, HostCompilerFamily::kGcc, "g++ 0", "a failing g++"};
  EXPECT_EQ(compiler_workarounds(gcc, failing()),
            std::vector<std::string>{"-fno-tree-slp-vectorize"});
  const HostCompiler clang{{"clang++"}, HostCompilerFamily::kClang, "clang 0", "a failing clang"};
  EXPECT_TRUE(compiler_workarounds(clang, failing()).empty());
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
    EXPECT_NE(text.find("tests for nan are left out"), std::string::npos) << text;
    EXPECT_NE(text.find("set NUMPY_PLUGIN_CXX to another compiler"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace numpy_plugin::jit
