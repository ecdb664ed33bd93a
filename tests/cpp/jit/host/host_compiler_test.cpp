// The search for the host compiler, and messages where it can't be found or used.
#include "numpy_plugin/jit/host/host_compiler.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "jit/host/host_environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"

namespace numpy_plugin::jit {
namespace {

namespace fs = std::filesystem;

class HostCompilerTest : public HostEnvironment {};

TEST_F(HostCompilerTest, finds_one_in_path) {
  const HostCompiler compiler = find_host_compiler();
  ASSERT_EQ(compiler.command.size(), 1u);
  EXPECT_TRUE(fs::exists(compiler.command.front()));
  EXPECT_FALSE(compiler.version.empty());
  EXPECT_EQ(compiler.version.find('\n'), std::string::npos);
  EXPECT_NE(compiler.identity.find('/'), std::string::npos);
}

TEST_F(HostCompilerTest, tells_clang_from_gcc) {
  set("NUMPY_PLUGIN_CXX", script("my-clang", "echo 'Debian clang version 14.0.6'"));
  EXPECT_EQ(find_host_compiler().family, HostCompilerFamily::kClang);
  EXPECT_EQ(find_host_compiler().version, "Debian clang version 14.0.6");
  set("NUMPY_PLUGIN_CXX", script("gcc-13", "echo 'Copyright (C) Free Software Foundation'"));
  EXPECT_EQ(find_host_compiler().family, HostCompilerFamily::kGcc);
  set("NUMPY_PLUGIN_CXX", script("zig", "echo 'clang version 22.1.8'") + " c++");
  EXPECT_EQ(find_host_compiler().family, HostCompilerFamily::kZig);
}

TEST_F(HostCompilerTest, takes_the_names_in_their_order) {
  script("clang++", "echo 'clang version 1'");
  set("PATH", directory() + ":/nowhere");
  EXPECT_EQ(find_host_compiler().command, std::vector<std::string>{directory() + "/clang++"});
  script("g++", "echo 'Free Software Foundation'");
  script("c++", "exit 1");
  set("PATH", directory());
  EXPECT_EQ(find_host_compiler().command, std::vector<std::string>{directory() + "/g++"});
}

TEST_F(HostCompilerTest, variable_is_a_path_with_spaces_or_a_command) {
  fs::create_directory(directory() + "/with space");
  const std::string path = script("with space/cxx", "echo clang $#");
  set("NUMPY_PLUGIN_CXX", path);
  EXPECT_EQ(find_host_compiler().command, std::vector<std::string>{path});
  set("NUMPY_PLUGIN_CXX", "'" + path + "' --one \"two three\" four\\ five");
  const HostCompiler compiler = find_host_compiler();
  EXPECT_EQ(compiler.command, (std::vector<std::string>{path, "--one", "two three", "four five"}));
  EXPECT_EQ(compiler.version, "clang 4") << "three words and --version";
}

TEST_F(HostCompilerTest, version_is_asked_once_for_each_compiler) {
  const std::string log = directory() + "/log";
  const std::string path = script("cxx", "echo asked >> " + log + "; echo clang version");
  set("NUMPY_PLUGIN_CXX", path);
  find_host_compiler();
  set("NUMPY_PLUGIN_CXX", "  " + path);  // a different value, the same compiler
  find_host_compiler();
  EXPECT_EQ(fs::file_size(log), 6u);
  const std::string identity = find_host_compiler().identity;
  script("cxx", "echo asked >> " + log + "; echo clang version of another size");
  EXPECT_EQ(find_host_compiler().version, "clang version of another size");
  EXPECT_NE(find_host_compiler().identity, identity);
}

TEST_F(HostCompilerTest, compiler_that_vanished_is_looked_for_again) {
  script("c++", "echo clang first");
  set("PATH", directory());
  EXPECT_EQ(find_host_compiler().version, "clang first");
  script("g++", "echo clang second");
  fs::remove(directory() + "/c++");
  EXPECT_EQ(find_host_compiler().version, "clang second");
}

TEST_F(HostCompilerTest, identity_covers_every_program_of_a_command) {
  const std::string launcher = script("launcher", "exec \"$@\"");
  const std::string path = script("cxx", "echo clang");
  set("NUMPY_PLUGIN_CXX", launcher + " " + path);
  const std::string identity = find_host_compiler().identity;
  script("cxx", "echo clang, a newer one");
  EXPECT_NE(find_host_compiler().identity, identity);
}

TEST_F(HostCompilerTest, none_at_all_names_the_remedies) {
  set("PATH", directory());
  const std::string text = error_text();
  EXPECT_NE(text.find("no C++ compiler"), std::string::npos) << text;
  EXPECT_NE(text.find("install a C++ compiler"), std::string::npos) << text;
  EXPECT_NE(text.find("pip install \"numpy_plugin[compiler]\""), std::string::npos) << text;
  EXPECT_NE(text.find("NUMPY_PLUGIN_CXX"), std::string::npos) << text;
}

TEST_F(HostCompilerTest, compiler_that_does_not_run_is_named) {
  script("c++", "exit 3");
  set("PATH", directory());
  EXPECT_NE(error_text().find("c++ --version' exited with status 3"), std::string::npos)
      << error_text();
}

TEST_F(HostCompilerTest, variable_in_error_is_named_with_its_value) {
  set("NUMPY_PLUGIN_CXX", "no-such-compiler -x");
  EXPECT_EQ(error_text(),
            "NUMPY_PLUGIN_CXX is 'no-such-compiler -x', but 'no-such-compiler' is not a program; "
            "expected the path or command of a C++ compiler; pip install "
            "\"numpy_plugin[compiler]\" installs one that needs no NUMPY_PLUGIN_CXX");
  set("NUMPY_PLUGIN_CXX", directory());
  EXPECT_NE(error_text().find("is not a program"), std::string::npos) << error_text();
  set("NUMPY_PLUGIN_CXX", script("cxx", "echo out of order; exit 2"));
  EXPECT_NE(error_text().find("exited with status 2"), std::string::npos) << error_text();
  set("NUMPY_PLUGIN_CXX", script("cxx", "echo fortran"));
  EXPECT_NE(error_text().find("neither g++ nor clang++ nor zig"), std::string::npos)
      << error_text();
}

TEST_F(HostCompilerTest, blank_variable_counts_as_none) {
  set("NUMPY_PLUGIN_CXX", " ");
  EXPECT_FALSE(find_host_compiler().command.empty());
}

TEST_F(HostCompilerTest, takes_zig_out_of_python_s_packages) {
  fs::create_directories(directory() + "/packages/ziglang");
  const std::string zig = script("packages/ziglang/zig", "echo clang version 22");
  set("PATH", directory() + "/nothing");
  system::set_package_directories({"", directory() + "/others", directory() + "/packages"});
  EXPECT_EQ(find_host_compiler().command, (std::vector<std::string>{zig, "c++"}));
  EXPECT_EQ(find_host_compiler().family, HostCompilerFamily::kZig);
  system::set_package_directories({});
  EXPECT_NE(error_text().find("no C++ compiler"), std::string::npos);
}

TEST_F(HostCompilerTest, zig_is_given_a_directory_to_work_in) {
  set("NUMPY_PLUGIN_CXX",
      script("zig", "[ -d \"$ZIG_GLOBAL_CACHE_DIR\" ] && echo clang version 22") + " c++");
  EXPECT_EQ(find_host_compiler().version, "clang version 22");
}

TEST_F(HostCompilerTest, zig_below_the_current_directory_is_not_run) {
  fs::create_directories(directory() + "/ziglang");
  script("ziglang/zig", "echo clang version 22");
  set("PATH", directory() + "/nothing");
  const fs::path before = fs::current_path();
  fs::current_path(directory());
  system::set_package_directories({"."});
  EXPECT_NE(error_text().find("no C++ compiler"), std::string::npos);
  fs::current_path(before);
  system::set_package_directories({});
}

}  // namespace
}  // namespace numpy_plugin::jit
