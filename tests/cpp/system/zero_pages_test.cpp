// Memory that arrays without memory of their own can be read from.
#include "numpy_plugin/system/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::system {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

TEST(ZeroPagesTest, reads_as_zeros) {
  const char* const pages = zero_pages(100);
  EXPECT_TRUE(std::all_of(pages, pages + 100, [](char byte) { return byte == 0; }));
}

TEST(ZeroPagesTest, takes_addresses_and_no_memory) {
  constexpr std::size_t kManyBytes = 256 * kGiB;
  const char* const pages = zero_pages(kManyBytes);
  EXPECT_EQ(pages[0] + pages[kManyBytes / 2] + pages[kManyBytes - 1], 0);
  EXPECT_EQ(zero_pages(kGiB), pages);
}

TEST(ZeroPagesTest, keeps_what_it_has_given) {
  const char* const small = zero_pages(1);
  zero_pages(512 * kGiB);
  EXPECT_EQ(small[0], 0);
}

TEST(ZeroPagesTest, fails_where_there_are_no_addresses) {
  EXPECT_THROW(zero_pages(std::size_t{1} << 60), base::Error);
  EXPECT_EQ(zero_pages(1)[0], 0);
}

TEST(ZeroPagesDeathTest, refuses_stores) { EXPECT_DEATH(zero_pages(1)[0] = 1, ""); }

}  // namespace
}  // namespace numpy_plugin::system
