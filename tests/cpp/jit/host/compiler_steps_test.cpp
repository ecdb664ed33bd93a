// The programs that g++ starts, and the libraries that an object needs.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::jit {
namespace {

using Words = std::vector<std::string>;

class CompilerStepsTest : public HostEnvironment {
 protected:
  void SetUp() override {
    const HostCompiler compiler = find_host_compiler();
    if (compiler.family != HostCompilerFamily::kGcc) GTEST_SKIP() << "not g++";
    if (system::read_file(compiler.command.front()).value_or("").starts_with("#!"))
      GTEST_SKIP() << "this compiler is a script";
  }

  std::string source() const {
    const std::string path = directory() + "/source.cpp";
    system::write_file_atomically(path,
                                  "double exp(double); double f(double x) { return exp(x); }");
    return path;
  }

  // The steps of a command that links a shared object.
  std::optional<CompilerSteps> steps(const HostCompiler& compiler) const {
    Words words = compiler.command;
    words.push_back(source());
    const Words link = host_link_flags(compiler.family);
    words.insert(words.end(), link.begin(), link.end());
    words.insert(words.end(), {"-o", directory() + "/object.so"});
    return find_compiler_steps(compiler, words, directory());
  }

  static bool succeeds(const Words& words) {
    const system::ProcessResult result = system::run_process(words, std::chrono::seconds(20));
    return result.end == system::ProcessResult::End::kExited && result.code == 0;
  }
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

TEST_F(CompilerStepsTest, are_the_compiler_the_assembler_and_the_linker) {
  const auto found = steps(find_host_compiler());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(file_name(found->compile.front()), "cc1plus");
  EXPECT_EQ(file_name(found->assemble.front()), "as");
  EXPECT_EQ(file_name(found->link.front()), "ld");
  ASSERT_TRUE(succeeds(found->compile));
  ASSERT_TRUE(succeeds(found->assemble));
  const std::optional<std::string> object = system::read_file(found->object);
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(undefined_symbols(*object), Words{"_Z3expd"});
}

TEST_F(CompilerStepsTest, of_another_directory_come_from_memory) {
  const auto first = steps(find_host_compiler());
  const system::TemporaryDirectory other;
  Words words = {find_host_compiler().command.front(), source(), "-o", other.path() + "/a"};
  const auto second = find_compiler_steps(find_host_compiler(), words, other.path());
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_TRUE(second->object.starts_with(other.path() + '/')) << second->object;
}

TEST_F(CompilerStepsTest, of_a_script_are_unknown) {
  HostCompiler compiler = find_host_compiler();
  compiler.command = {script("cxx", "exec " + compiler.command.front() + " \"$@\"")};
  EXPECT_FALSE(steps(compiler).has_value());
}

TEST_F(CompilerStepsTest, of_a_command_of_several_words_are_unknown) {
  HostCompiler compiler = find_host_compiler();
  compiler.command.emplace_back("-O1");
  EXPECT_FALSE(steps(compiler).has_value());
}

TEST_F(CompilerStepsTest, that_fail_are_left_to_the_command) {
  // g++ sets this variable for its steps.
  script("as", "[ -n \"$COLLECT_GCC\" ] || exit 1\nexec " + find_program("as").value() + " \"$@\"");
  set("PATH", directory() + ':' + std::getenv("PATH"));
  EXPECT_FALSE(compile_for_host(exp_source("failing"), {}).bytes.empty());
}

TEST(HostLibrariesTest, are_those_that_define_the_symbols) {
  const auto names = [](const Words& symbols) {
    Words found;
    for (const std::string& path : libraries_with(symbols, HostCompilerFamily::kGcc))
      found.push_back(file_name(path));
    return found;
  };
  if (glibc_minor_version() < 22) GTEST_SKIP() << "no glibc with vector functions";
  EXPECT_EQ(names({}), Words{});
  EXPECT_EQ(names({"memcpy"}), Words{"libc.so.6"});
  EXPECT_EQ(names({"exp", "sinf"}), Words{"libm.so.6"});
  EXPECT_EQ(names({"exp", "memset"}), (Words{"libm.so.6", "libc.so.6"}));
#if defined(__x86_64__)
  EXPECT_EQ(names({"_ZGVdN4v_exp"}), Words{"libmvec.so.1"});
#endif
  EXPECT_EQ(libraries_with({"exp", "nowhere"}, HostCompilerFamily::kGcc),
            host_libraries(HostCompilerFamily::kGcc));
}

TEST(ObjectSymbolsTest, of_other_files_are_unknown) {
  EXPECT_FALSE(undefined_symbols("").has_value());
  EXPECT_FALSE(
      undefined_symbols("text that is no object, but longer than the header of one").has_value());
}

}  // namespace
}  // namespace numpy_plugin::jit
