// The cost model of shared calls.
#include "numpy_plugin/run/cpu/sharing.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace numpy_plugin::run {
namespace {

constexpr double kMicrosecond = 1e3;

Work work(std::intptr_t n_elements, double microseconds, std::size_t n_threads = 2,
          bool has_awake_workers = false) {
  return {n_elements, microseconds * kMicrosecond, n_threads, has_awake_workers};
}

TEST(SharingTest, begins_with_enough_work) {
  EXPECT_FALSE(is_worth_sharing(work(10'000, 50), kLeastWorkOfParallel));
  EXPECT_TRUE(is_worth_sharing(work(10'000, 70), kLeastWorkOfParallel));
  EXPECT_FALSE(is_worth_sharing(work(10'000, 70), kLeastWorkOfAuto));
  EXPECT_TRUE(is_worth_sharing(work(10'000, 300), kLeastWorkOfAuto));
}

TEST(SharingTest, begins_with_less_where_workers_are_awake) {
  EXPECT_TRUE(is_worth_sharing(work(10'000, 7, 2, true), kLeastWorkOfParallel));
  EXPECT_FALSE(is_worth_sharing(work(10'000, 5, 2, true), kLeastWorkOfParallel));
}

TEST(SharingTest, needs_two_threads) {
  EXPECT_FALSE(is_worth_sharing(work(10'000, 1e6, 1), kLeastWorkOfParallel));
}

TEST(SharingTest, cuts_a_short_call_into_as_many_pieces_for_each_thread) {
  const Sharing sharing = share(work(10'000, 6, 2, true), 64);
  EXPECT_EQ(sharing.n_threads, 2u);
  EXPECT_EQ(sharing.n_each, 1'728);
}

TEST(SharingTest, wakes_no_more_threads_than_pay) {
  EXPECT_EQ(share(work(10'000, 100, 64), 1).n_threads, 5u);
  EXPECT_EQ(share(work(10'000, 1e6, 64), 1).n_threads, 64u);
}

TEST(SharingTest, cuts_long_calls_into_many_pieces) {
  EXPECT_EQ(share(work(2'000'000, 1'200), 64).n_each, 16'704);
  EXPECT_EQ(share(work(2'000'000, 1e6), 64).n_each, 512);
}

TEST(SharingTest, times_few_of_many_short_calls) {
  int n_timed = 0;
  for (int i = 0; i < 320; ++i) n_timed += is_left_untimed(300, kLeastWorkOfParallel) ? 0 : 1;
  EXPECT_EQ(n_timed, 10);
  EXPECT_FALSE(is_left_untimed(0, kLeastWorkOfParallel));
  EXPECT_FALSE(is_left_untimed(5000, kLeastWorkOfParallel));
}

TEST(SharingTest, knows_short_parts) {
  EXPECT_TRUE(is_short(50, 80));
  EXPECT_FALSE(is_short(90, 80));
  EXPECT_FALSE(is_short(0, 80)) << "not known";
  share_short_calls(true);
  EXPECT_FALSE(is_short(50, 80));
  share_short_calls(false);
}

TEST(SharingTest, keeps_pieces_of_one_element_and_more) {
  EXPECT_EQ(share(work(3, 1e6), 1).n_each, 1);
  EXPECT_EQ(share(work(3, 1e6), 64).n_each, 64);
}

constexpr double kAlone = 20 * kMicrosecond;

// Of the next calls, as many as the cost model tries in a row.
int n_shared_of(ElementCost& cost, int n_calls) {
  int n_shared = 0;
  for (int i = 0; i < n_calls; ++i) n_shared += cost.may_share(kAlone, 6 * kMicrosecond) ? 1 : 0;
  return n_shared;
}

// Calls that are shared and take a part of one thread's time, from the beginning of a trial on.
void note_shared_calls(ElementCost& cost, int n_calls, double part) {
  for (int i = 0; i < n_calls; ++i) {
    if (cost.may_share(kAlone, 6 * kMicrosecond)) cost.note_shared(kAlone, part * kAlone);
  }
}

TEST(ElementCostTest, shares_all_but_two_of_many_calls_that_gain) {
  ElementCost cost;
  note_shared_calls(cost, 256, 0.6);
  EXPECT_EQ(n_shared_of(cost, 256), 254);
}

TEST(ElementCostTest, tries_six_of_many_calls_that_lose) {
  ElementCost cost;
  note_shared_calls(cost, 256, 1.1);
  EXPECT_EQ(n_shared_of(cost, 256), 6);
}

TEST(ElementCostTest, shares_again_once_calls_gain) {
  ElementCost cost;
  note_shared_calls(cost, 10 * 256, 1.1);
  note_shared_calls(cost, 256, 0.6);
  EXPECT_EQ(n_shared_of(cost, 256), 254);
}

TEST(ElementCostTest, shares_calls_that_are_longer_than_those_that_lose) {
  ElementCost cost;
  note_shared_calls(cost, 10 * 256 + 8, 1.1);
  EXPECT_FALSE(cost.may_share(kAlone, 6 * kMicrosecond));
  EXPECT_TRUE(cost.may_share(1.5 * kAlone, 6 * kMicrosecond));
}

TEST(ElementCostTest, does_not_judge_calls_that_move_operands_between_caches) {
  ElementCost cost;
  note_shared_calls(cost, 5, 3);
  note_shared_calls(cost, 251, 0.6);
  EXPECT_EQ(n_shared_of(cost, 256), 254);
}

TEST(ElementCostTest, measures_a_sudden_cost_again) {
  ElementCost cost;
  cost.note(1, ElementCost::Time());
  n_shared_of(cost, 100);
  cost.note(10, ElementCost::Time());
  EXPECT_EQ(n_shared_of(cost, 2), 0);
}

TEST(ElementCostTest, keeps_its_trials_when_scaled) {
  ElementCost cost;
  cost.note(2, ElementCost::Time());
  EXPECT_EQ(cost.scaled(10).ns(), 20);
  int n_shared = 0;
  for (int i = 0; i < 256; ++i) {
    ElementCost of_rows = cost.scaled(10);
    n_shared += of_rows.may_share(kAlone, 6 * kMicrosecond) ? 1 : 0;
    cost = of_rows.scaled(0.1);
  }
  EXPECT_EQ(n_shared, 254);
}

TEST(ElementCostTest, takes_no_more_from_short_shared_calls_than_it_was) {
  ElementCost cost;
  cost.note(20, ElementCost::Time());
  cost.note_threads(10'000, 1000, ElementCost::Time());
  EXPECT_EQ(cost.ns(), 10);
  cost.note_threads(15'000, 1000, ElementCost::Time());
  EXPECT_EQ(cost.ns(), 10);
  cost.note_threads(1e6, 50'000, ElementCost::Time());
  EXPECT_EQ(cost.ns(), 20);
}

// Elements of a microsecond each, which count how often threads would pay.
class CountedRange final : public ElementRange {
 public:
  void run(std::intptr_t, std::intptr_t count) const override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(count);
    while (std::chrono::steady_clock::now() < end) continue;
  }
  bool can_split() const override {
    ++n_asked_;
    return true;
  }

  int n_asked() const { return n_asked_; }

 private:
  mutable int n_asked_ = 0;
};

int n_worth_sharing(int n_calls, std::chrono::microseconds pause) {
  const CountedRange range;
  ElementCost cost;
  for (int i = 0; i < n_calls; ++i) {
    std::this_thread::sleep_for(pause);
    run_and_share(range, {.n_elements = 15, .n_threads = 2}, kLeastWorkOfParallel, cost);
  }
  return range.n_asked();
}

TEST(SharedRangeTest, wakes_no_workers_for_short_calls_after_pauses) {
  EXPECT_LT(n_worth_sharing(50, std::chrono::microseconds(500)), 25);
}

TEST(SharedRangeTest, wakes_workers_for_short_calls_that_follow_one_another) {
  EXPECT_GT(n_worth_sharing(50, std::chrono::microseconds(0)), 25);
}

}  // namespace
}  // namespace numpy_plugin::run
