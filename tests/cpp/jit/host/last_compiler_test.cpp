// The record of the compiler that the cache's entries were made by.
#include "numpy_plugin/jit/host/host_compilation.hpp"

#include <gtest/gtest.h>

#include "jit/host/host_environment.hpp"

namespace numpy_plugin::jit {
namespace {

class LastCompilerTest : public HostEnvironment {};

TEST_F(LastCompilerTest, an_empty_cache_has_none) {
  EXPECT_FALSE(last_compiler(Cache::user_cache()).has_value());
  EXPECT_FALSE(last_compiler(Cache()).has_value()) << "a cache that is not used";
}

TEST_F(LastCompilerTest, the_newest_comes_back_with_every_field) {
  const Cache cache = Cache::user_cache();
  remember_compiler(cache, {{"/usr/bin/g++"}, HostCompilerFamily::kGcc, "g++ 12", "file 1\n"});
  const HostCompiler zig{
      {"/packages/zig", "c++", "two words"}, HostCompilerFamily::kZig, "clang 22", "a\nb\n"};
  remember_compiler(cache, zig);
  const std::optional<HostCompiler> found = last_compiler(Cache::user_cache());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->command, zig.command);
  EXPECT_EQ(found->family, zig.family);
  EXPECT_EQ(found->version, zig.version);
  EXPECT_EQ(found->identity, zig.identity);
}

TEST_F(LastCompilerTest, one_that_is_known_is_not_written_again) {
  const Cache cache = Cache::user_cache();
  const HostCompiler compiler{{"g++"}, HostCompilerFamily::kGcc, "g++ 12", "file\n"};
  remember_compiler(cache, compiler);
  const auto entries = cache.entries();
  ASSERT_EQ(entries.size(), 1u);
  const std::string path = cache.directory() + '/' + entries.front().name;
  struct stat before, after;
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  remember_compiler(cache, compiler);
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "a new entry is another file, renamed";
}

}  // namespace
}  // namespace numpy_plugin::jit
