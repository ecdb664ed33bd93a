#include "numpy_plugin/base/cpu_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace numpy_plugin::base {
namespace {

TEST(CpuLevels, the_oldest_is_supported_and_support_ends_once) {
  const auto levels = cpu_levels();
  if (levels.empty()) GTEST_SKIP() << "compilers have no levels of this processor";
  EXPECT_TRUE(levels.front().is_supported);
  EXPECT_TRUE(std::is_partitioned(levels.begin(), levels.end(),
                                  [](const CpuLevel& level) { return level.is_supported; }));
}

}  // namespace
}  // namespace numpy_plugin::base
