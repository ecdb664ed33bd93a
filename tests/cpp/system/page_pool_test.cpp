// Blocks that are kept, reused and given back.
#include "numpy_plugin/system/pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace numpy_plugin::system {
namespace {

constexpr std::size_t kMiB = 1 << 20;

TEST(PagePoolTest, aligns_blocks_to_huge_pages) {
  PagePool pool(64 * kMiB);
  void* const block = pool.allocate(3 * kMiB + 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (2 * kMiB), 0u);
  EXPECT_EQ(pool.size_of(block), 4 * kMiB);
  std::memset(block, 1, 3 * kMiB + 5);
  EXPECT_TRUE(pool.free(block));
}

TEST(PagePoolTest, reuses_the_smallest_free_block_that_fits) {
  PagePool pool(64 * kMiB);
  void* const large = pool.allocate(12 * kMiB);
  void* const small = pool.allocate(10 * kMiB);
  pool.free(small);
  pool.free(large);
  EXPECT_EQ(pool.n_free_bytes(), 22 * kMiB);
  EXPECT_EQ(pool.allocate(9 * kMiB), small);
  EXPECT_EQ(pool.allocate(9 * kMiB), large);
  EXPECT_EQ(pool.n_free_bytes(), 0u);
  pool.free(small);
  pool.free(large);
}

TEST(PagePoolTest, wastes_no_large_block_on_a_small_request) {
  PagePool pool(64 * kMiB);
  void* const large = pool.allocate(40 * kMiB);
  pool.free(large);
  void* const small = pool.allocate(4 * kMiB);
  EXPECT_NE(small, large);
  EXPECT_EQ(pool.n_free_bytes(), 40 * kMiB);
  pool.free(small);
}

TEST(PagePoolTest, keeps_no_more_than_its_limit) {
  PagePool pool(10 * kMiB);
  void* const first = pool.allocate(6 * kMiB);
  void* const second = pool.allocate(8 * kMiB);
  void* const third = pool.allocate(12 * kMiB);
  pool.free(first);
  EXPECT_EQ(pool.n_free_bytes(), 6 * kMiB);
  pool.free(second);
  EXPECT_EQ(pool.n_free_bytes(), 8 * kMiB);
  pool.free(third);
  EXPECT_EQ(pool.n_free_bytes(), 8 * kMiB);
}

TEST(PagePoolTest, leaves_other_memory_alone) {
  PagePool pool(10 * kMiB);
  int other = 0;
  EXPECT_FALSE(pool.free(&other));
  EXPECT_EQ(pool.size_of(&other), 0u);
  EXPECT_FALSE(pool.free(nullptr));
}

TEST(PagePoolTest, has_no_memory_for_absurd_sizes) {
  PagePool pool(10 * kMiB);
  EXPECT_EQ(pool.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(pool.allocate(SIZE_MAX / 2), nullptr);
}

}  // namespace
}  // namespace numpy_plugin::system
