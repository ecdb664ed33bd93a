// The size of the cache beside which results are streamed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::run {
namespace {

namespace fs = std::filesystem;

void describe_cache(const std::string& root, int index, const std::string& size) {
  const fs::path directory =
      root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
  fs::create_directories(directory);
  std::ofstream(directory / "size") << size << "\n";
}

TEST(LargestCacheTest, is_the_last_level_that_linux_describes) {
  const system::TemporaryDirectory root;
  EXPECT_EQ(largest_cache(root.path()), 0);
  const char* const sizes[] = {"32K", "32K", "512K", "32768K"};
  for (int index = 0; index < 4; ++index) describe_cache(root.path(), index, sizes[index]);
  EXPECT_EQ(largest_cache(root.path()), 32 << 20);
}

TEST(LargestCacheTest, ignores_a_size_that_is_no_number) {
  const system::TemporaryDirectory root;
  describe_cache(root.path(), 0, "unknown");
  describe_cache(root.path(), 1, "1024K");
  EXPECT_EQ(largest_cache(root.path()), 1 << 20);
}

TEST(LargestCacheTest, is_the_cache_of_this_processor) {
  const long found = largest_cache("");
  if (found == 0) GTEST_SKIP() << "this system does not describe its caches";
  EXPECT_EQ(cache_bytes(), found);
}

}  // namespace
}  // namespace numpy_plugin::run
