// Races on global memory in isolation: which pairs of accesses count as ordered.
#include "simulator/execute/checks/global_races.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/access.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kBytes = 4096;
constexpr std::uint32_t kThreads = 1024;

struct Access {
  bool is_write = false;
  bool is_atomic = false;
};
constexpr Access kReads = {};
constexpr Access kStores = {.is_write = true};
constexpr Access kUpdates = {.is_write = true, .is_atomic = true};

class global_races : public ::testing::Test {
 protected:
  global_races() { begin_launch(); }

  void begin_launch(std::uint32_t n_blocks = 8) {
    blocks_.clear();
    launch_.grid = {n_blocks, 1, 1};
    launch_.memory = &memory_;
    races_ = std::make_unique<LaunchRaces>(launch_);
  }

  BlockRaces& block(std::uint32_t number) {
    std::unique_ptr<BlockRaces>& found = blocks_[number];
    if (found == nullptr) {
      found = std::make_unique<BlockRaces>(*races_);
      found->begin_block(number);
    }
    return *found;
  }

  // A thread's access; threads of block b have the numbers from b * 1024 on. Stores have a value.
  std::optional<GlobalRace> touch(std::uint32_t thread, Access kind, std::uint64_t offset,
                                  std::uint64_t n_bytes = 4, std::uint64_t value = 0) {
    const std::vector<std::uint64_t> values(n_bytes, value == 0 ? thread + 1 : value);
    return touch_row(thread, kind, offset, n_bytes, GlobalAccess::kOneLane, values.data());
  }

  // Lanes from a thread on, each 1 << lane_shift bytes.
  std::optional<GlobalRace> touch_row(std::uint32_t thread, Access kind, std::uint64_t offset,
                                      std::uint64_t n_bytes, std::uint32_t lane_shift,
                                      const void* data = nullptr) {
    const Extent extent = *memory_.find(buffer_);
    const bool is_plain = kind.is_write && !kind.is_atomic;
    return block(thread / kThreads)
        .on_access({.warp = thread % kThreads / kWarpSize,
                    .address = buffer_ + offset,
                    .n_bytes = n_bytes,
                    .first_lane = thread % kWarpSize,
                    .lane_shift = lane_shift,
                    .instruction = ++instruction_,
                    .is_write = kind.is_write,
                    .is_atomic = kind.is_atomic,
                    .line = race_line(extent, buffer_ + offset),
                    .memory = extent.data + offset,
                    .data = is_plain ? static_cast<const std::byte*>(data) : nullptr});
  }

  Memory memory_{std::uint64_t{1} << 20};
  const std::uint64_t buffer_ = memory_.allocate(kBytes, "buffer").value();
  Launch launch_;
  std::unique_ptr<LaunchRaces> races_;
  std::map<std::uint32_t, std::unique_ptr<BlockRaces>> blocks_;
  std::uint32_t instruction_ = 0;
};

TEST_F(global_races, finds_a_read_after_a_store_of_another_block) {
  EXPECT_FALSE(touch(2 * kThreads + 40, kStores, 8));
  const auto race = touch(3, kReads, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, buffer_ + 8);
  EXPECT_EQ(race->earlier.block, 2u);
  EXPECT_EQ(race->earlier.thread, 40u);
  EXPECT_EQ(race->earlier.instruction, 1u);
  EXPECT_TRUE(race->earlier.is_write);
  EXPECT_EQ(race->later.block, 0u);
  EXPECT_EQ(race->later.thread, 3u);
  EXPECT_EQ(race->later.instruction, 2u);
  EXPECT_FALSE(race->later.is_write);
}

TEST_F(global_races, finds_each_pair_of_threads_with_a_store) {
  for (const std::uint32_t other : {1u, 32u, 63u, 1023u, kThreads, 7 * kThreads + 33}) {
    begin_launch();
    EXPECT_FALSE(touch(0, kReads, 0));
    EXPECT_TRUE(touch(other, kStores, 0)) << other;
    EXPECT_FALSE(touch(0, kStores, 4));
    EXPECT_TRUE(touch(other, kStores, 4)) << other;
    EXPECT_FALSE(touch(0, kStores, 8));
    EXPECT_TRUE(touch(other, kReads, 8)) << other;
    EXPECT_FALSE(touch(0, kStores, 12));
    EXPECT_TRUE(touch(other, kUpdates, 12)) << other;
    EXPECT_FALSE(touch(0, kUpdates, 16));
    EXPECT_TRUE(touch(other, kStores, 16)) << other;
    EXPECT_FALSE(touch(0, kUpdates, 20));
    EXPECT_TRUE(touch(other, kReads, 20)) << other;
  }
}

TEST_F(global_races, is_quiet_about_one_thread_reads_atomics_and_other_places) {
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(0, kReads, 0));
  EXPECT_FALSE(touch(0, kUpdates, 0));
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(1, kStores, 4));
  EXPECT_FALSE(touch(5, kReads, 8));
  EXPECT_FALSE(touch(kThreads, kReads, 8));
  EXPECT_FALSE(touch(5, kUpdates, 12));
  EXPECT_FALSE(touch(kThreads, kUpdates, 12));
}

TEST_F(global_races, is_quiet_about_stores_of_one_value) {
  EXPECT_FALSE(touch(0, kStores, 0, 4, 7));
  EXPECT_FALSE(touch(1, kStores, 0, 4, 7));
  EXPECT_FALSE(touch(kThreads, kStores, 0, 4, 7));
  const auto race = touch(2 * kThreads, kStores, 0, 4, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->earlier.block, 1u);
}

TEST_F(global_races, is_quiet_about_other_launches) {
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(1, kStores, 513, 1));
  begin_launch();
  EXPECT_FALSE(touch(1, kStores, 0));
  EXPECT_FALSE(touch(2, kStores, 512));
}

TEST_F(global_races, every_reader_before_a_store_counts) {
  for (const std::uint32_t other : {2u, 33u, kThreads + 1}) {
    begin_launch();
    EXPECT_FALSE(touch(other, kReads, 0));
    EXPECT_FALSE(touch(1, kReads, 0));
    EXPECT_FALSE(touch(1, kReads, 0));
    const auto race = touch(1, kStores, 0);
    ASSERT_TRUE(race) << other;
    EXPECT_EQ(race->earlier.block * kThreads + race->earlier.thread, other);
  }
}

TEST_F(global_races, a_barrier_orders_its_block_only) {
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(0, kReads, 4));
  EXPECT_FALSE(touch(0, kStores, 8));
  block(0).on_barrier();
  EXPECT_FALSE(touch(700, kReads, 0));
  EXPECT_FALSE(touch(700, kStores, 4));
  EXPECT_TRUE(touch(701, kReads, 4));
  block(1).on_barrier();
  EXPECT_TRUE(touch(kThreads, kReads, 8));
}

TEST_F(global_races, a_sync_of_the_warp_orders_its_lanes_only) {
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(0, kStores, 4));
  block(0).on_warp_sync(0);
  EXPECT_FALSE(touch(1, kReads, 0));
  EXPECT_TRUE(touch(32, kReads, 4));
}

TEST_F(global_races, release_then_acquire_orders_what_came_before_and_after) {
  EXPECT_FALSE(touch(0, kStores, 0));
  block(0).on_release();
  EXPECT_FALSE(touch(0, kStores, 4));
  block(1).on_acquire();
  EXPECT_FALSE(touch(kThreads, kStores, 0));
  EXPECT_TRUE(touch(kThreads, kReads, 4));
}

TEST_F(global_races, acquire_before_release_orders_nothing) {
  EXPECT_FALSE(touch(0, kStores, 0));
  block(1).on_acquire();
  block(0).on_release();
  EXPECT_TRUE(touch(kThreads, kReads, 0));
}

TEST_F(global_races, an_acquire_without_a_release_orders_nothing) {
  EXPECT_FALSE(touch(0, kStores, 0));
  block(1).on_acquire();
  EXPECT_TRUE(touch(kThreads, kReads, 0));
}

TEST_F(global_races, is_quiet_where_more_was_released_than_it_remembers) {
  EXPECT_FALSE(touch(0, kStores, 0));
  for (std::uint64_t offset = 4; offset < 44; offset += 4) {
    block(0).on_release();
    if (offset == 4) block(1).on_acquire();
    EXPECT_FALSE(touch(0, kStores, offset));
  }
  EXPECT_FALSE(touch(kThreads, kReads, 0));
  EXPECT_TRUE(touch(kThreads, kReads, 40));
}

TEST_F(global_races, is_quiet_where_time_has_ended) {
  for (int again = 0; again < 1 << 18; ++again) {
    EXPECT_FALSE(touch(0, kStores, 0));
    block(0).on_barrier();
  }
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(1, kStores, 0));
  EXPECT_TRUE(touch(kThreads, kStores, 0));
}

TEST_F(global_races, threads_may_have_bytes_of_one_word) {
  for (std::uint32_t thread = 0; thread < 8; ++thread) {
    EXPECT_FALSE(touch(thread * 300, kStores, thread, 1));
    EXPECT_FALSE(touch(thread * 300, kReads, thread, 1));
  }
  const auto race = touch(8000, kReads, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, buffer_ + 4);
  EXPECT_TRUE(touch(1, kStores, 3, 1));
}

// Rows of a warp's lanes, of all sizes, at all places of a line.
TEST_F(global_races, rows_have_the_lanes_of_their_elements) {
  for (const std::uint32_t shift : {0u, 1u, 2u, 3u, 4u, 5u}) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    for (const std::uint64_t first : {0u, 1u, 8u, 31u, 40u}) {
      for (const std::uint32_t n_lanes : {1u, 5u, 32u}) {
        const std::vector<std::uint64_t> data(32 * size, 1);
        for (std::uint32_t lane = 0; lane < n_lanes; ++lane) {
          begin_launch();
          const std::uint64_t place = first * size;
          ASSERT_FALSE(touch_row(0, kStores, place, n_lanes * size, shift, data.data()));
          ASSERT_FALSE(touch(lane, kReads, place + lane * size, size)) << size << ' ' << lane;
          const auto race = touch(lane + 1, kReads, place + lane * size, size);
          ASSERT_TRUE(race) << size << ' ' << first << ' ' << lane;
          EXPECT_EQ(race->address, buffer_ + place + lane * size);
          EXPECT_EQ(race->earlier.thread, lane);
        }
      }
    }
  }
}

TEST_F(global_races, a_row_by_other_lanes_is_found_where_they_differ) {
  const std::vector<std::uint32_t> data(64);
  EXPECT_FALSE(touch_row(0, kStores, 0, 128, 2, data.data()));
  EXPECT_FALSE(touch_row(0, kReads, 0, 128, 2));
  const auto shifted = touch_row(0, kReads, 4, 128, 2);
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->address, buffer_ + 4);
  EXPECT_EQ(shifted->earlier.thread, 1u);
  EXPECT_EQ(shifted->later.thread, 0u);
  begin_launch();
  EXPECT_FALSE(touch_row(0, kStores, 0, 128, 2, data.data()));
  const auto pairs = touch_row(0, kReads, 0, 256, 3);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->address, buffer_ + 4);
}

// The plain model: each byte's accesses since the launch began, all pairs compared.
TEST_F(global_races, random_accesses_are_found_as_by_comparing_all_pairs) {
  std::uint32_t state = 1;
  const auto draw = [&](std::uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
  };
  int n_races = 0;
  for (int round = 0; round < 3000; ++round) {
    begin_launch();
    std::map<std::uint64_t, std::vector<std::pair<std::uint32_t, Access>>> known;
    const std::uint32_t n_threads = 2 + draw(3);
    for (int step = 0; step < 12; ++step) {
      const std::uint32_t thread = draw(n_threads) * (round % 2 == 0 ? 1 : 700);
      const Access kind = std::array{kReads, kStores, kUpdates}[draw(3)];
      const std::uint64_t n_bytes = std::uint64_t{1} << draw(5);
      const std::uint64_t offset = draw(static_cast<std::uint32_t>(160 / n_bytes)) * n_bytes;
      bool is_race = false;
      for (std::uint64_t byte = offset; byte < offset + n_bytes; ++byte) {
        for (const auto& [other, before] : known[byte]) {
          is_race = is_race || (other != thread && (kind.is_write || before.is_write) &&
                                !(kind.is_atomic && before.is_atomic));
        }
        known[byte].emplace_back(thread, kind);
      }
      const std::uint64_t value = std::uint64_t{0x0101010101010101} * (thread % 251 + 1);
      ASSERT_EQ(touch(thread, kind, offset, n_bytes, value).has_value(), is_race) << round;
      if (is_race) {
        ++n_races;
        break;
      }
    }
  }
  EXPECT_GT(n_races, 1000);
}

TEST_F(global_races, numbers_of_blocks_that_begin_anew_find_no_old_records) {
  begin_launch();
  EXPECT_FALSE(touch(0, kStores, 0));
  EXPECT_FALSE(touch(0, kStores, 512, 1));
  const std::uint32_t first = races_->first_block();
  const std::uint32_t next = first + 8;
  EXPECT_EQ(memory_.number_blocks(UINT32_MAX - next - 2), next);
  EXPECT_EQ(memory_.number_blocks(first - 1), 1u);
  begin_launch();
  ASSERT_EQ(races_->first_block(), first);
  EXPECT_FALSE(touch(1, kStores, 0));
  EXPECT_FALSE(touch(1, kStores, 512, 1));
  EXPECT_EQ(memory_.number_blocks(UINT32_MAX), 0u);
}

TEST_F(global_races, memory_that_is_freed_and_given_out_again_has_no_old_records) {
  EXPECT_FALSE(touch(0, kStores, 0));
  ASSERT_TRUE(memory_.free(buffer_));
  for (std::uint64_t again = 0; again != buffer_;) {
    again = memory_.allocate(kBytes, "again").value();
    if (again != buffer_) {
      ASSERT_TRUE(memory_.free(again));
    }
  }
  EXPECT_FALSE(touch(1, kStores, 0));
}

}  // namespace
}  // namespace numpy_plugin::sim
