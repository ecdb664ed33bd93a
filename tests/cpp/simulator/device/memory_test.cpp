// Device memory: addresses, sizes and records of allocations.
#include "simulator/device/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST(device_memory, addresses_are_aligned_and_apart) {
  Memory memory(kMebibyte);
  std::uint64_t last_end = 0;
  for (const std::uint64_t n_bytes : {1, 255, 256, 257, 4096, 1}) {
    const std::uint64_t address = memory.allocate(n_bytes, "").value();
    EXPECT_EQ(address % 256, 0u);
    EXPECT_GE(address, last_end + (last_end == 0 ? 0 : 256));
    last_end = address + n_bytes;
  }
}

TEST(device_memory, is_found_from_its_first_to_its_last_byte) {
  Memory memory(kMebibyte);
  const std::uint64_t address = memory.allocate(100, "").value();
  EXPECT_FALSE(memory.find(address - 1));
  EXPECT_EQ(memory.find(address)->begin, address);
  EXPECT_EQ(memory.find(address + 99)->end, address + 100);
  EXPECT_FALSE(memory.find(address + 100));
  EXPECT_FALSE(memory.find(0));
  EXPECT_FALSE(memory.find(UINT64_MAX));
}

TEST(device_memory, ranges_are_held_where_all_of_them_is_inside) {
  const Extent extent = {.begin = 1000, .end = 1100};
  EXPECT_TRUE(extent.holds(1000, 100));
  EXPECT_TRUE(extent.holds(1099, 1));
  EXPECT_TRUE(extent.holds(1100, 0));
  EXPECT_FALSE(extent.holds(999, 2));
  EXPECT_FALSE(extent.holds(1000, 101));
  EXPECT_FALSE(extent.holds(1099, 2));
  EXPECT_FALSE(extent.holds(1050, UINT64_MAX));
  EXPECT_FALSE(extent.holds(UINT64_MAX, 4));
}

TEST(device_memory, capacity_is_what_can_be_had_at_once) {
  Memory memory(4096);
  EXPECT_EQ(memory.capacity_bytes(), 4096u);
  EXPECT_EQ(memory.used_bytes(), 0u);
  const auto first = memory.allocate(1, "");
  EXPECT_EQ(memory.used_bytes(), 512u);
  const auto second = memory.allocate(3584, "");
  ASSERT_TRUE(second);
  EXPECT_EQ(memory.used_bytes(), 4096u);
  EXPECT_FALSE(memory.allocate(1, ""));
  EXPECT_TRUE(memory.free(*first));
  EXPECT_EQ(memory.used_bytes(), 3584u);
  EXPECT_TRUE(memory.allocate(512, ""));
  EXPECT_FALSE(memory.allocate(1, ""));
}

TEST(device_memory, more_than_the_capacity_is_refused_whatever_the_size) {
  Memory memory(4096);
  EXPECT_FALSE(memory.allocate(4097, ""));
  EXPECT_FALSE(memory.allocate(UINT64_MAX, ""));
  EXPECT_FALSE(memory.allocate(UINT64_MAX - 255, ""));
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_TRUE(memory.allocate(4096, ""));
}

TEST(device_memory, what_the_host_cant_address_is_an_error_that_says_so) {
  try {
    Memory memory(std::uint64_t{1} << 60);
    FAIL() << "reserved";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kDeviceMemory);
    EXPECT_NE(std::string(error.what()).find("give the simulator less memory"), std::string::npos);
  }
}

TEST(device_memory, is_freed_once_and_by_its_own_address) {
  Memory memory(kMebibyte);
  const std::uint64_t address = memory.allocate(100, "").value();
  EXPECT_FALSE(memory.free(address + 1));
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.free(address));
  EXPECT_FALSE(memory.find(address));
  EXPECT_FALSE(memory.free(0));
}

TEST(device_memory, freed_addresses_are_not_given_out_soon) {
  Memory memory(kMebibyte);
  std::uint64_t last = memory.allocate(kMebibyte, "").value();
  memory.free(last);
  for (int again = 0; again < 3; ++again) {
    const std::uint64_t next = memory.allocate(kMebibyte, "").value();
    EXPECT_GE(next, last + kMebibyte + 256);
    memory.free(next);
    last = next;
  }
}

TEST(device_memory, addresses_wrap_around_past_those_in_use) {
  constexpr std::uint64_t kBytes = 16 * kMebibyte;
  Memory memory(4 * kBytes);
  const std::uint64_t kept = memory.allocate(kBytes, "").value();
  std::uint64_t last = kept;
  bool has_wrapped = false;
  for (int again = 0; again < 64; ++again) {
    const std::uint64_t address = memory.allocate(kBytes, "").value();
    EXPECT_TRUE(address >= kept + kBytes + 256 || address + kBytes + 256 <= kept);
    has_wrapped |= address < last;
    last = address;
    memory.free(address);
  }
  EXPECT_TRUE(has_wrapped);
}

constexpr std::uint64_t kPiece = 8 * kMebibyte;
constexpr std::uint64_t kRange = 64 * kMebibyte;  // of addresses, for a small capacity

// Allocates until a piece no longer fits after the last one.
void use_up_addresses(Memory& memory, std::uint64_t begin) {
  std::uint64_t end = begin;
  while (end + kPiece + 1024 <= begin + kRange) {
    const std::uint64_t address = memory.allocate(kPiece, "passing").value();
    end = address + kPiece;
    memory.free(address);
  }
}

TEST(device_memory, there_is_a_gap_on_both_sides_also_in_a_hole) {
  Memory memory(2 * kPiece);
  const std::uint64_t begin = memory.allocate(256, "before").value();
  const std::uint64_t hole = memory.allocate(kPiece, "").value();
  memory.allocate(256, "after").value();
  memory.free(hole);
  use_up_addresses(memory, begin);
  const std::uint64_t too_large = memory.allocate(kPiece + 256, "").value();
  EXPECT_GT(too_large, hole);
  EXPECT_LT(too_large, hole + 2 * kPiece);
  memory.free(too_large);
  use_up_addresses(memory, begin);
  EXPECT_EQ(memory.allocate(kPiece, "").value(), hole);
}

TEST(device_memory, freed_allocations_are_forgotten_where_their_addresses_come_again) {
  Memory memory(2 * kPiece);
  const std::uint64_t begin = memory.allocate(2 * kPiece, "old").value();
  memory.free(begin);
  EXPECT_EQ(memory.nearest(begin + kPiece + 100)->origin, "old");
  use_up_addresses(memory, begin);
  EXPECT_EQ(memory.allocate(kPiece, "new").value(), begin);
  EXPECT_EQ(memory.nearest(begin + kPiece + 100)->origin, "new");
}

TEST(device_memory, is_unwritten_also_where_an_earlier_allocation_wrote) {
  Memory memory(256 * kMebibyte);
  for (int again = 0; again < 40; ++again) {
    const std::uint64_t n_bytes = 48 * kMebibyte + 1000;
    const std::uint64_t address = memory.allocate(n_bytes, "").value();
    const Extent extent = memory.find(address).value();
    for (const std::uint64_t offset : {std::uint64_t{0}, n_bytes / 2, n_bytes - 1}) {
      ASSERT_EQ(extent.written[offset], 0) << again << " " << offset;
      extent.written[offset] = 1;
      extent.data[offset] = std::byte{7};
    }
    memory.free(address);
  }
}

TEST(device_memory, of_the_host_has_its_own_addresses) {
  Memory memory(kMebibyte);
  std::vector<std::byte> host(100);
  const auto address = reinterpret_cast<std::uint64_t>(host.data());
  memory.add_host(host.data(), host.size(), "pinned");
  const Extent extent = memory.find(address + 99).value();
  EXPECT_EQ(extent.data, host.data());
  EXPECT_EQ(extent.written, nullptr);
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.find(address));
  EXPECT_EQ(memory.used_bytes(), 0u);
}

TEST(device_memory, can_be_for_reading_only) {
  Memory memory(kMebibyte);
  const std::uint64_t address = memory.allocate(100, "").value();
  EXPECT_FALSE(memory.find(address)->is_read_only);
  memory.set_read_only(address);
  EXPECT_TRUE(memory.find(address)->is_read_only);
}

TEST(device_memory, nearest_is_the_allocation_around_or_closest) {
  Memory memory(kMebibyte);
  EXPECT_FALSE(memory.nearest(12345));
  const std::uint64_t first = memory.allocate(100, "first").value();
  const std::uint64_t second = memory.allocate(100, "second").value();
  EXPECT_EQ(memory.nearest(first + 50)->origin, "first");
  EXPECT_EQ(memory.nearest(first + 120)->origin, "first");
  EXPECT_EQ(memory.nearest(second - 20)->origin, "second");
  EXPECT_EQ(memory.nearest(0)->origin, "first");
  EXPECT_EQ(memory.nearest(UINT64_MAX)->origin, "second");
  EXPECT_EQ(memory.nearest(second)->number, 2u);
}

TEST(device_memory, freed_allocations_are_remembered) {
  Memory memory(kMebibyte);
  const std::uint64_t first = memory.allocate(100, "first").value();
  const std::uint64_t second = memory.allocate(100, "second").value();
  memory.free(first);
  EXPECT_TRUE(memory.nearest(first)->is_freed);
  EXPECT_EQ(memory.nearest(first)->origin, "first");
  EXPECT_FALSE(memory.nearest(second)->is_freed);
}

TEST(device_memory, freed_allocations_are_forgotten_where_their_addresses_live_again) {
  std::vector<std::byte> host(100);
  Memory memory(kMebibyte);
  memory.add_host(host.data(), host.size(), "before");
  memory.free(reinterpret_cast<std::uint64_t>(host.data()));
  memory.add_host(host.data() + 10, 10, "after");
  EXPECT_EQ(memory.nearest(reinterpret_cast<std::uint64_t>(host.data()))->origin, "after");
}

using device_memory_death = ::testing::Test;

TEST(device_memory_death, the_host_faults_where_it_touches_a_device_address) {
  Memory memory(kMebibyte);
  const std::uint64_t address = memory.allocate(100, "").value();
  EXPECT_DEATH(
      {
        volatile char* pointer = reinterpret_cast<volatile char*>(address);
        *pointer = 1;
      },
      "");
  EXPECT_DEATH(
      {
        volatile const char* pointer = reinterpret_cast<volatile const char*>(address);
        std::exit(*pointer);
      },
      "");
}

// Every live allocation keeps its contents, regardless of others.
TEST(device_memory, agrees_with_a_model_over_random_allocations) {
  struct Model {
    std::uint64_t n_bytes;
    std::vector<std::byte> bytes;
  };
  Memory memory(8 * kMebibyte);
  std::map<std::uint64_t, Model> model;
  std::mt19937 random(1);
  for (int step = 0; step < 3000; ++step) {
    if (random() % 2 == 0) {
      const std::uint64_t n_bytes = 1 + random() % (random() % 8 == 0 ? 2'000'000 : 5'000);
      const auto address = memory.allocate(n_bytes, "");
      if (!address) continue;
      std::vector<std::byte> bytes(n_bytes, static_cast<std::byte>(random()));
      EXPECT_EQ(copy_in(memory, *address, bytes.data(), n_bytes), "");
      const auto [place, is_new] = model.try_emplace(*address, Model{n_bytes, std::move(bytes)});
      ASSERT_TRUE(is_new);
      if (place != model.begin()) {
        const auto& [before, earlier] = *std::prev(place);
        ASSERT_GE(*address, before + earlier.n_bytes + 256);
      }
      if (std::next(place) != model.end()) {
        ASSERT_GE(std::next(place)->first, *address + n_bytes + 256);
      }
    } else if (!model.empty()) {
      auto victim = std::next(model.begin(), static_cast<long>(random() % model.size()));
      std::vector<std::byte> bytes(victim->second.n_bytes);
      EXPECT_EQ(copy_out(memory, bytes.data(), victim->first, bytes.size()), "");
      ASSERT_EQ(bytes, victim->second.bytes);
      ASSERT_TRUE(memory.free(victim->first));
      model.erase(victim);
    }
  }
}

TEST(device_memory, is_safe_from_several_threads) {
  Memory memory(8 * kMebibyte);
  const auto work = [&](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int step = 0; step < 500; ++step) {
      const auto address = memory.allocate(1 + random() % 10'000, "thread");
      ASSERT_TRUE(address);
      const auto value = static_cast<std::uint32_t>(random());
      EXPECT_EQ(fill(memory, *address, value & 0xff, 1, 1), "");
      EXPECT_TRUE(memory.find(*address));
      EXPECT_EQ(memory.nearest(*address)->origin, "thread");
      EXPECT_TRUE(memory.free(*address));
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  EXPECT_EQ(memory.used_bytes(), 0u);
}

}  // namespace
}  // namespace numpy_plugin::sim
