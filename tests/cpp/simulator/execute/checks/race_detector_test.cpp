// The race detector in isolation: which pairs of accesses count as ordered.
#include "simulator/execute/checks/race_detector.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kSharedBytes = 4096;

struct Kind {
  bool is_write = false;
  bool is_atomic = false;
};
constexpr Kind kRead = {};
constexpr Kind kWrite = {.is_write = true};
constexpr Kind kAtomicRead = {.is_atomic = true};
constexpr Kind kAtomicWrite = {.is_write = true, .is_atomic = true};

class race_detector : public ::testing::Test {
 protected:
  race_detector() { detector_.begin_block(); }

  // One thread accesses n_bytes at an offset; the instruction's number identifies the access.
  std::optional<Race> touch(std::uint32_t thread, Kind kind, std::uint32_t offset,
                            std::uint32_t n_bytes = 4) {
    offsets_[thread % kWarpSize] = offset;
    return touch_all(thread / kWarpSize, LaneMask{1} << thread % kWarpSize, kind, n_bytes);
  }

  std::optional<Race> touch_all(std::uint32_t warp, LaneMask lanes, Kind kind,
                                std::uint32_t n_bytes) {
    return detector_.on_access({.warp = warp,
                                .lanes = lanes,
                                .offsets = offsets_,
                                .n_bytes = n_bytes,
                                .instruction = ++instruction_,
                                .is_write = kind.is_write,
                                .is_atomic = kind.is_atomic,
                                .data = reinterpret_cast<const std::byte*>(data_),
                                .data_stride = n_bytes});
  }

  void release(std::uint32_t thread) {
    detector_.on_release(thread / kWarpSize, LaneMask{1} << thread % kWarpSize);
  }
  void acquire(std::uint32_t thread) {
    detector_.on_acquire(thread / kWarpSize, LaneMask{1} << thread % kWarpSize);
  }

  RaceDetector detector_{kSharedBytes};
  std::uint32_t offsets_[kWarpSize] = {};
  std::uint32_t data_[kWarpSize * 8] = {};
  std::uint32_t instruction_ = 0;
};

TEST_F(race_detector, finds_a_read_after_a_write_of_another_thread) {
  EXPECT_FALSE(touch(40, kWrite, 8));
  const auto race = touch(3, kRead, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 8u);
  EXPECT_EQ(race->earlier.thread, 40u);
  EXPECT_EQ(race->earlier.instruction, 1u);
  EXPECT_TRUE(race->earlier.is_write);
  EXPECT_EQ(race->later.thread, 3u);
  EXPECT_EQ(race->later.instruction, 2u);
  EXPECT_FALSE(race->later.is_write);
  EXPECT_FALSE(race->is_same_time);
}

TEST_F(race_detector, finds_a_write_after_a_read_and_after_a_write) {
  EXPECT_FALSE(touch(0, kRead, 0));
  const auto race = touch(1, kWrite, 0);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->earlier.is_write);
  EXPECT_TRUE(race->later.is_write);
  EXPECT_FALSE(touch(0, kWrite, 4));
  EXPECT_TRUE(touch(1, kWrite, 4));
}

TEST_F(race_detector, is_quiet_about_one_thread_reads_and_other_places) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(0, kRead, 0));
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(1, kWrite, 4));
  EXPECT_FALSE(touch(5, kRead, 8));
  EXPECT_FALSE(touch(6, kRead, 8));
}

TEST_F(race_detector, a_barrier_of_the_block_orders_all) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(9, kRead, 4));
  detector_.on_block_barrier();
  EXPECT_FALSE(touch(700, kRead, 0));
  EXPECT_FALSE(touch(700, kWrite, 4));
  EXPECT_TRUE(touch(701, kRead, 4));
}

TEST_F(race_detector, a_new_block_has_nothing_of_the_last) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  detector_.begin_block();
  EXPECT_FALSE(touch(1, kWrite, 0));
}

TEST_F(race_detector, every_reader_before_a_write_counts) {
  for (const std::uint32_t other : {33u, 2u}) {
    detector_.on_block_barrier();
    EXPECT_FALSE(touch(other, kRead, 0));
    EXPECT_FALSE(touch(1, kRead, 0));
    EXPECT_FALSE(touch(1, kRead, 0));
    const auto race = touch(1, kWrite, 0);
    ASSERT_TRUE(race) << other;
    EXPECT_EQ(race->earlier.thread, other);
  }
}

TEST_F(race_detector, a_reader_of_another_warp_is_kept_behind_readers_of_this_one) {
  EXPECT_FALSE(touch(33, kRead, 0));
  EXPECT_FALSE(touch(1, kRead, 0));
  EXPECT_FALSE(touch(2, kRead, 0));
  detector_.on_warp_sync(0, kAllLanes);
  EXPECT_FALSE(touch(3, kRead, 0));
  const auto race = touch(3, kWrite, 0);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->earlier.thread, 33u);
}

TEST_F(race_detector, a_sync_of_the_warp_orders_its_lanes_only) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(0, kWrite, 4));
  detector_.on_warp_sync(0, kAllLanes);
  EXPECT_FALSE(touch(1, kRead, 0));
  EXPECT_TRUE(touch(32, kRead, 4));
  detector_.on_warp_sync(1, kAllLanes);
  EXPECT_TRUE(touch(33, kRead, 4));
}

TEST_F(race_detector, a_sync_of_some_lanes_orders_those) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(0, kWrite, 4));
  EXPECT_FALSE(touch(2, kWrite, 8));
  detector_.on_warp_sync(0, 0b0011);
  EXPECT_FALSE(touch(1, kRead, 0));
  EXPECT_TRUE(touch(2, kRead, 4));
  EXPECT_TRUE(touch(1, kRead, 8));
}

TEST_F(race_detector, syncs_of_some_lanes_pass_on_what_they_ordered) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  detector_.on_warp_sync(0, 0b0011);
  detector_.on_warp_sync(0, 0b0110);
  EXPECT_FALSE(touch(2, kRead, 0));
  EXPECT_TRUE(touch(3, kRead, 0));
}

TEST_F(race_detector, lock_step_orders_nothing) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) offsets_[lane] = lane * 4;
  EXPECT_FALSE(touch_all(0, kAllLanes, kWrite, 4));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) offsets_[lane] = (lane + 1) % 32 * 4;
  EXPECT_TRUE(touch_all(0, kAllLanes, kRead, 4));
}

TEST_F(race_detector, lanes_that_write_one_value_to_one_place_at_once_are_quiet) {
  for (std::uint32_t& value : data_) value = 7;
  for (std::uint32_t& offset : offsets_) offset = 16;
  EXPECT_FALSE(touch_all(0, kAllLanes, kWrite, 4));
  detector_.on_block_barrier();
  data_[20] = 8;
  const auto race = touch_all(0, kAllLanes, kWrite, 4);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->is_same_time);
  EXPECT_EQ(race->earlier.thread, 19u);
  EXPECT_EQ(race->later.thread, 20u);
}

TEST_F(race_detector, values_are_compared_where_accesses_of_one_time_overlap) {
  offsets_[0] = 0;
  offsets_[1] = 4;
  const std::uint32_t same[] = {1, 2, 2, 3};
  std::memcpy(data_, same, sizeof same);
  EXPECT_FALSE(touch_all(0, 0b11, kWrite, 8));
  detector_.on_block_barrier();
  const std::uint32_t other[] = {1, 2, 5, 3};
  std::memcpy(data_, other, sizeof other);
  const auto race = touch_all(0, 0b11, kWrite, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 4u);
}

TEST_F(race_detector, two_atomics_do_not_race_but_an_atomic_and_a_plain_access_do) {
  EXPECT_FALSE(touch(0, kAtomicWrite, 0));
  EXPECT_FALSE(touch(1, kAtomicWrite, 0));
  EXPECT_FALSE(touch(2, kAtomicRead, 0));
  EXPECT_TRUE(touch(3, kRead, 0));
  EXPECT_FALSE(touch(0, kRead, 4));
  const auto race = touch(1, kAtomicWrite, 4);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->later.is_atomic);
  EXPECT_FALSE(race->earlier.is_atomic);
}

TEST_F(race_detector, a_plain_write_is_not_forgotten_behind_an_atomic_of_the_same_thread) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(0, kAtomicWrite, 0));
  EXPECT_TRUE(touch(40, kAtomicWrite, 0));
}

TEST_F(race_detector, release_then_acquire_orders_what_came_before_and_after) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  release(0);
  EXPECT_FALSE(touch(0, kWrite, 4));
  acquire(40);
  EXPECT_FALSE(touch(40, kWrite, 0));
  EXPECT_TRUE(touch(40, kRead, 4));
}

TEST_F(race_detector, acquire_before_release_orders_nothing) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  acquire(40);
  release(0);
  EXPECT_TRUE(touch(40, kRead, 0));
}

TEST_F(race_detector, an_earlier_release_counts_though_a_later_one_came_after_the_acquire) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  release(0);
  acquire(40);
  release(0);
  EXPECT_FALSE(touch(40, kRead, 0));
}

TEST_F(race_detector, is_quiet_where_more_was_released_than_it_remembers) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  release(0);
  acquire(40);
  for (int again = 0; again < 100; ++again) release(0);
  EXPECT_FALSE(touch(40, kRead, 0));
}

TEST_F(race_detector, releases_of_other_lanes_count_after_a_sync) {
  EXPECT_FALSE(touch(5, kWrite, 0));
  EXPECT_FALSE(touch(6, kWrite, 4));
  release(0);
  acquire(40);
  EXPECT_TRUE(touch(40, kRead, 4));
  detector_.on_warp_sync(0, kAllLanes);
  release(0);
  acquire(40);
  detector_.on_warp_sync(1, kAllLanes);
  EXPECT_FALSE(touch(41, kRead, 0));
}

TEST_F(race_detector, a_lock_orders_its_holders) {
  for (const std::uint32_t thread : {0u, 1u, 33u, 0u, 64u, 1u}) {
    EXPECT_FALSE(touch(thread, kAtomicWrite, 0));  // compare and swap
    acquire(thread);
    EXPECT_FALSE(touch(thread, kRead, 4));
    EXPECT_FALSE(touch(thread, kWrite, 4));
    release(thread);
    EXPECT_FALSE(touch(thread, kAtomicWrite, 0));  // exchange
  }
  EXPECT_TRUE(touch(65, kRead, 4));
}

TEST_F(race_detector, a_barrier_of_some_warps_orders_those) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  EXPECT_FALSE(touch(0, kWrite, 4));
  EXPECT_FALSE(touch(1, kWrite, 8));
  detector_.on_barrier({{.warp = 0}, {.warp = 1}});
  EXPECT_FALSE(touch(33, kRead, 0));
  EXPECT_FALSE(touch(2, kRead, 8));
  EXPECT_TRUE(touch(64, kRead, 4));
}

TEST_F(race_detector, barriers_of_some_warps_pass_on_what_they_ordered) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  detector_.on_barrier({{.warp = 0}, {.warp = 1}});
  detector_.on_barrier({{.warp = 1}, {.warp = 2}});
  EXPECT_FALSE(touch(64, kRead, 0));
  EXPECT_TRUE(touch(96, kRead, 0));
}

TEST_F(race_detector, barriers_of_some_warps_pass_on_what_was_released_and_acquired) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  release(0);
  acquire(33);
  detector_.on_barrier({{.warp = 1}, {.warp = 2}});
  EXPECT_FALSE(touch(65, kRead, 0));
  EXPECT_TRUE(touch(97, kRead, 0));
}

TEST_F(race_detector, what_a_barrier_ordered_can_be_released_by_others) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  detector_.on_barrier({{.warp = 0}, {.warp = 1}});
  release(32);
  acquire(64);
  EXPECT_FALSE(touch(64, kRead, 0));
}

TEST_F(race_detector, who_arrives_without_waiting_gives_and_does_not_get) {
  EXPECT_FALSE(touch(0, kWrite, 0));
  const std::uint32_t arrival = detector_.now() + 1;
  release(99);  // time advances
  EXPECT_FALSE(touch(0, kWrite, 4));
  EXPECT_FALSE(touch(32, kWrite, 8));
  detector_.on_barrier({{.warp = 0, .arrival = arrival, .waits = false}, {.warp = 1}});
  EXPECT_FALSE(touch(32, kRead, 0));
  EXPECT_TRUE(touch(32, kRead, 4));
  EXPECT_TRUE(touch(0, kRead, 8));
}

TEST_F(race_detector, neighbouring_bytes_are_apart) {
  EXPECT_FALSE(touch(0, kWrite, 0, 1));
  EXPECT_FALSE(touch(1, kWrite, 1, 1));
  EXPECT_FALSE(touch(2, kWrite, 2, 2));
  EXPECT_TRUE(touch(3, kRead, 0, 4));
  EXPECT_TRUE(touch(0, kRead, 1, 1));
}

TEST_F(race_detector, a_byte_of_a_word_races_with_the_word) {
  EXPECT_FALSE(touch(0, kWrite, 0, 4));
  const auto race = touch(1, kRead, 3, 1);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 3u);
}

TEST_F(race_detector, a_word_is_read_after_its_bytes_were_written) {
  EXPECT_FALSE(touch(0, kWrite, 0, 1));
  EXPECT_FALSE(touch(1, kWrite, 1, 1));
  detector_.on_block_barrier();
  EXPECT_FALSE(touch(2, kRead, 0, 4));
  EXPECT_FALSE(touch(3, kRead, 1, 1));
  EXPECT_FALSE(touch(1, kRead, 0, 1));
  const auto race = touch(1, kWrite, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->earlier.thread, 2u);
}

TEST_F(race_detector, the_last_thread_of_a_block_is_like_every_other) {
  EXPECT_FALSE(touch(0, kWrite, 2, 2));
  EXPECT_FALSE(touch(1023, kWrite, 0, 1));
  const auto race = touch(1023, kRead, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 2u);
}

TEST_F(race_detector, accesses_of_many_bytes_touch_all_of_them) {
  EXPECT_FALSE(touch(0, kWrite, 16, 16));
  for (std::uint32_t offset = 16; offset < 32; offset += 4) EXPECT_TRUE(touch(1, kRead, offset));
  EXPECT_FALSE(touch(1, kRead, 12));
  EXPECT_FALSE(touch(1, kRead, 32));
  EXPECT_FALSE(touch(2, kWrite, 42, 8));  // where alignment is not checked
  EXPECT_TRUE(touch(3, kRead, 48, 4));
}

// Compared with a model that records every access and every order: with block barriers and warp
// syncs, the detector reports races for the same steps, as long as three readers suffice.
TEST_F(race_detector, agrees_with_a_model_of_barriers_over_random_accesses) {
  struct Access {
    std::uint32_t thread;
    bool is_write;
    std::set<std::uint32_t> ordered;  // ordered before accesses of these threads
  };
  constexpr std::uint32_t kThreads = 4;  // threads 0, 1 of warp 0 and 32, 33 of warp 1
  const std::uint32_t threads[kThreads] = {0, 1, 32, 33};
  std::mt19937 random(3);
  int n_races = 0;
  for (int round = 0; round < 3000; ++round) {
    detector_.begin_block();
    std::map<std::uint32_t, std::vector<Access>> model;
    for (int step = 0; step < 12; ++step) {
      const auto choice = random() % 8;
      if (choice == 0) {
        detector_.on_block_barrier();
        for (auto& [offset, accesses] : model) {
          for (Access& access : accesses) access.ordered = {0, 1, 32, 33};
        }
      } else if (choice == 1) {
        const auto warp = static_cast<std::uint32_t>(random() % 2);
        detector_.on_warp_sync(warp, kAllLanes);
        for (auto& [offset, accesses] : model) {
          for (Access& access : accesses) {
            // Transitive: ordering before one of the lanes implies ordering before both.
            if (access.thread / 32 == warp || access.ordered.count(warp * 32) != 0 ||
                access.ordered.count(warp * 32 + 1) != 0) {
              access.ordered.insert({warp * 32, warp * 32 + 1});
            }
          }
        }
      } else {
        const std::uint32_t thread = threads[random() % kThreads];
        const auto offset = static_cast<std::uint32_t>(random() % 2 * 4);
        const bool is_write = random() % 3 == 0;
        bool is_race = false;
        for (const Access& earlier : model[offset]) {
          is_race |= earlier.thread != thread && (earlier.is_write || is_write) &&
                     earlier.ordered.count(thread) == 0;
        }
        const auto race = touch(thread, is_write ? kWrite : kRead, offset);
        ASSERT_EQ(race.has_value(), is_race) << round << " " << step;
        if (is_race) {
          ++n_races;
          break;
        }
        model[offset].push_back({thread, is_write, {}});
      }
    }
  }
  EXPECT_GT(n_races, 500);
}

}  // namespace
}  // namespace numpy_plugin::sim
