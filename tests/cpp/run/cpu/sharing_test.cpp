// The cost model of shared calls.
#include "numpy_plugin/run/cpu/sharing.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::run {
namespace {

constexpr double kMicrosecond = 1e3;

Work work(std::intptr_t n_elements, double microseconds, std::size_t n_threads = 2,
          bool has_awake_workers = false) {
  return {n_elements, microseconds * kMicrosecond, n_threads, has_awake_workers};
}

TEST(SharingTest, begins_with_enough_work) {
  EXPECT_FALSE(is_worth_sharing(work(10'000, 20), kLeastWorkOfParallel));
  EXPECT_TRUE(is_worth_sharing(work(10'000, 30), kLeastWorkOfParallel));
  EXPECT_FALSE(is_worth_sharing(work(10'000, 30), kLeastWorkOfAuto));
  EXPECT_TRUE(is_worth_sharing(work(10'000, 300), kLeastWorkOfAuto));
}

TEST(SharingTest, begins_with_less_where_workers_are_awake) {
  EXPECT_TRUE(is_worth_sharing(work(10'000, 6, 2, true), kLeastWorkOfParallel));
  EXPECT_FALSE(is_worth_sharing(work(10'000, 3, 2, true), kLeastWorkOfParallel));
}

TEST(SharingTest, needs_two_threads) {
  EXPECT_FALSE(is_worth_sharing(work(10'000, 1e6, 1), kLeastWorkOfParallel));
}

TEST(SharingTest, halves_a_short_call) {
  const Sharing sharing = share(work(10'000, 6, 2, true), 64);
  EXPECT_EQ(sharing.n_threads, 2u);
  EXPECT_EQ(sharing.n_each, 5'056);
}

TEST(SharingTest, wakes_no_more_threads_than_pay) {
  EXPECT_EQ(share(work(10'000, 50, 64), 1).n_threads, 5u);
  EXPECT_EQ(share(work(10'000, 1e6, 64), 1).n_threads, 64u);
}

TEST(SharingTest, cuts_long_calls_into_many_pieces) {
  EXPECT_EQ(share(work(2'000'000, 1'200), 64).n_each, 33'344);
  EXPECT_EQ(share(work(2'000'000, 1e6), 64).n_each, 512);
}

TEST(SharingTest, times_few_of_many_short_calls) {
  int n_timed = 0;
  for (int i = 0; i < 80; ++i) n_timed += is_left_untimed(300) ? 0 : 1;
  EXPECT_EQ(n_timed, 10);
  EXPECT_FALSE(is_left_untimed(0));
  EXPECT_FALSE(is_left_untimed(2000));
}

TEST(SharingTest, keeps_pieces_of_one_element_and_more) {
  EXPECT_EQ(share(work(3, 1e6), 1).n_each, 1);
  EXPECT_EQ(share(work(3, 1e6), 64).n_each, 64);
}

}  // namespace
}  // namespace numpy_plugin::run
