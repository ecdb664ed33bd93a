// Copies and fills of device memory: bytes moved, written state, rejected ranges.
#include "simulator/device/memory.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace numpy_plugin::sim {
namespace {

class device_copy : public ::testing::Test {
 protected:
  std::vector<std::uint8_t> read(std::uint64_t address, std::size_t n_bytes) {
    std::vector<std::uint8_t> bytes(n_bytes);
    EXPECT_EQ(copy_out(memory_, bytes.data(), address, n_bytes), "");
    return bytes;
  }

  Memory memory_{1 << 20};
  std::uint64_t first_ = memory_.allocate(1000, "device_array at model.py:12").value();
  std::uint64_t second_ = memory_.allocate(1000, "").value();
};

TEST_F(device_copy, in_and_out_gives_the_same_bytes) {
  std::vector<std::uint8_t> bytes(1000);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  EXPECT_EQ(copy_in(memory_, first_, bytes.data(), bytes.size()), "");
  EXPECT_EQ(read(first_, 1000), bytes);
  EXPECT_EQ(read(first_ + 7, 3), (std::vector<std::uint8_t>{8, 9, 10}));
}

TEST_F(device_copy, out_shows_what_was_never_written) {
  EXPECT_EQ(copy_in(memory_, first_ + 1, "ab", 2), "");
  EXPECT_EQ(read(first_, 4), (std::vector<std::uint8_t>{0xff, 'a', 'b', 0xff}));
}

TEST_F(device_copy, within_the_device_takes_along_what_is_written) {
  EXPECT_EQ(copy_in(memory_, first_, "abcd", 4), "");
  EXPECT_EQ(copy(memory_, second_ + 10, memory_, first_ + 2, 4), "");
  EXPECT_EQ(read(second_ + 9, 6), (std::vector<std::uint8_t>{0xff, 'c', 'd', 0xff, 0xff, 0xff}));
  EXPECT_EQ(copy(memory_, second_ + 10, memory_, first_ + 4, 1), "");
  EXPECT_EQ(read(second_ + 10, 1), (std::vector<std::uint8_t>{0xff}));
}

TEST_F(device_copy, within_an_allocation_may_overlap) {
  EXPECT_EQ(copy_in(memory_, first_, "abcd", 4), "");
  EXPECT_EQ(copy(memory_, first_ + 1, memory_, first_, 4), "");
  EXPECT_EQ(read(first_, 6), (std::vector<std::uint8_t>{'a', 'a', 'b', 'c', 'd', 0xff}));
}

TEST_F(device_copy, within_an_allocation_moves_long_ranges_either_way) {
  std::vector<std::uint8_t> bytes(900);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  for (const auto& [from, to] : {std::pair(7, 50), std::pair(50, 7)}) {
    EXPECT_EQ(copy_in(memory_, first_ + static_cast<unsigned>(from), bytes.data(), 900), "");
    EXPECT_EQ(copy(memory_, first_ + static_cast<unsigned>(to), memory_,
                   first_ + static_cast<unsigned>(from), 900),
              "");
    EXPECT_EQ(read(first_ + static_cast<unsigned>(to), 900), bytes);
  }
}

TEST_F(device_copy, of_host_memory_counts_as_written) {
  std::vector<std::uint8_t> host = {1, 2, 3};
  memory_.add_host(host.data(), host.size(), "pinned");
  const auto address = reinterpret_cast<std::uint64_t>(host.data());
  EXPECT_EQ(copy(memory_, first_, memory_, address, 3), "");
  EXPECT_EQ(read(first_, 3), host);
  EXPECT_EQ(fill(memory_, address, 9, 1, 2), "");
  EXPECT_EQ(host, (std::vector<std::uint8_t>{9, 9, 3}));
}

TEST_F(device_copy, fill_repeats_an_element) {
  EXPECT_EQ(fill(memory_, first_, 0x1234abcd, 1, 3), "");
  EXPECT_EQ(read(first_, 4), (std::vector<std::uint8_t>{0xcd, 0xcd, 0xcd, 0xff}));
  EXPECT_EQ(fill(memory_, first_, 0x1234abcd, 2, 3), "");
  EXPECT_EQ(read(first_, 7), (std::vector<std::uint8_t>{0xcd, 0xab, 0xcd, 0xab, 0xcd, 0xab, 0xff}));
  EXPECT_EQ(fill(memory_, first_, 0x04030201, 4, 250), "");
  const auto bytes = read(first_, 1000);
  for (std::size_t index = 0; index < bytes.size(); ++index) ASSERT_EQ(bytes[index], index % 4 + 1);
}

TEST_F(device_copy, of_nothing_asks_for_no_address) {
  EXPECT_EQ(copy_in(memory_, 0, nullptr, 0), "");
  EXPECT_EQ(copy_out(memory_, nullptr, 0, 0), "");
  EXPECT_EQ(copy(memory_, 0, memory_, 0, 0), "");
  EXPECT_EQ(fill(memory_, 0, 0, 4, 0), "");
  EXPECT_EQ(mark_written(memory_, 0, 0), "");
}

TEST_F(device_copy, marks_what_others_wrote) {
  memory_.find(first_)->data[5] = std::byte{7};
  EXPECT_EQ(mark_written(memory_, first_ + 5, 1), "");
  EXPECT_EQ(read(first_ + 4, 3), (std::vector<std::uint8_t>{0xff, 7, 0xff}));
}

TEST_F(device_copy, past_the_end_is_refused_and_changes_nothing) {
  std::vector<std::uint8_t> bytes(1001, 1);
  const std::string at = address_text(first_);
  EXPECT_EQ(copy_in(memory_, first_, bytes.data(), 1001),
            "a copy to the device of 1001 bytes at " + at +
                ": the last 1 byte past the end of allocation 1 (1000 bytes, device_array at "
                "model.py:12)");
  EXPECT_EQ(read(first_, 1), (std::vector<std::uint8_t>{0xff}));
  EXPECT_EQ(copy_out(memory_, bytes.data(), first_, 1001).substr(0, 40),
            "a copy from the device of 1001 bytes at ");
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(fill(memory_, first_, 0, 4, 251).substr(0, 10), "a fill of ");
  EXPECT_NE(fill(memory_, first_, 0, 4, (std::uint64_t{1} << 62) + 1), "");
  EXPECT_EQ(copy(memory_, second_, memory_, first_, 1001).substr(0, 34),
            "a copy within the device, read of ");
  EXPECT_EQ(copy(memory_, first_ + 1, memory_, second_, 1000).substr(0, 35),
            "a copy within the device, write of ");
  EXPECT_NE(mark_written(memory_, first_ + 999, 2), "");
}

TEST_F(device_copy, names_the_place_of_an_address) {
  EXPECT_EQ(place_text(memory_, first_ + 1000, 4),
            "0 bytes past the end of allocation 1 (1000 bytes, device_array at model.py:12)");
  EXPECT_EQ(place_text(memory_, first_ + 1001, 4).substr(0, 20), "1 byte past the end ");
  EXPECT_EQ(place_text(memory_, first_ - 4, 4),
            "4 bytes before allocation 1 (1000 bytes, device_array at model.py:12)");
  EXPECT_EQ(place_text(memory_, second_ + 998, 4),
            "the last 2 bytes past the end of allocation 2 (1000 bytes)");
  memory_.free(second_);
  EXPECT_EQ(place_text(memory_, second_ + 8, 4),
            "inside allocation 2 (1000 bytes), which was freed");
  EXPECT_EQ(place_text(Memory(1), 8, 4), "and the device has no allocation");
}

TEST_F(device_copy, names_null_pointers) {
  EXPECT_EQ(address_text(0), "0x0 (a null pointer)");
  EXPECT_EQ(address_text(16), "0x10 (a null pointer)");
  EXPECT_EQ(address_text(0x7f0000001000), "0x7f0000001000");
  EXPECT_EQ(copy_out(memory_, nullptr, 0, 4).substr(0, 53),
            "a copy from the device of 4 bytes at 0x0 (a null poin");
}

}  // namespace
}  // namespace numpy_plugin::sim
