// Which devices of the simulated machine a value of CUDA_VISIBLE_DEVICES shows.
#include "simulator/device/visible_devices.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::sim {
namespace {

using Numbers = std::vector<int>;

TEST(device_visible_devices, are_numbers_in_the_order_given) {
  EXPECT_EQ(visible_devices("0", 4), (Numbers{0}));
  EXPECT_EQ(visible_devices("2,3,0,1", 4), (Numbers{2, 3, 0, 1}));
  EXPECT_EQ(visible_devices(" 1 , 0", 4), (Numbers{1, 0}));
  EXPECT_EQ(visible_devices("+3", 4), (Numbers{3}));
  EXPECT_EQ(visible_devices("01", 4), (Numbers{1}));
}

TEST(device_visible_devices, end_before_the_first_entry_that_is_none) {
  EXPECT_EQ(visible_devices("", 4), Numbers());
  EXPECT_EQ(visible_devices("-1", 4), Numbers());
  EXPECT_EQ(visible_devices("NoDevFiles", 4), Numbers());
  EXPECT_EQ(visible_devices("0,4,1", 4), (Numbers{0}));
  EXPECT_EQ(visible_devices("0,-1,1", 4), (Numbers{0}));
  EXPECT_EQ(visible_devices("1,,0", 4), (Numbers{1}));
  EXPECT_EQ(visible_devices("1,", 4), (Numbers{1}));
  EXPECT_EQ(visible_devices("99999999999999999999", 4), Numbers());
}

TEST(device_visible_devices, ignore_letters_after_the_digits) {
  EXPECT_EQ(visible_devices("1gpu2,2ampere", 4), (Numbers{1, 2}));
}

TEST(device_visible_devices, are_none_where_one_is_repeated) {
  EXPECT_EQ(visible_devices("0,0", 4), Numbers());
  EXPECT_EQ(visible_devices("1,2,1", 4), Numbers());
  EXPECT_EQ(visible_devices(uuid_text(1) + "," + uuid_text(1), 4), Numbers());
}

TEST(device_visible_devices, are_uuids_or_their_beginnings) {
  EXPECT_EQ(uuid_text(0), "GPU-6e707020-7369-6d75-6c61-746f72303000");
  EXPECT_EQ(visible_devices(uuid_text(3) + "," + uuid_text(0), 4), (Numbers{3, 0}));
  EXPECT_EQ(visible_devices(uuid_text(2).substr(0, 38), 4), (Numbers{2}));
  EXPECT_EQ(visible_devices("GPU-6e", 1), (Numbers{0}));
  EXPECT_EQ(visible_devices("GPU-6e", 2), Numbers());  // of both
  EXPECT_EQ(visible_devices("GPU-7", 4), Numbers());
  EXPECT_EQ(visible_devices(uuid_text(1) + ",0", 4), (Numbers{1}));
  EXPECT_EQ(visible_devices("0," + uuid_text(1), 4), (Numbers{0}));
}

TEST(device_count, is_a_number_from_1) {
  EXPECT_EQ(parse_device_count(""), 1);
  EXPECT_EQ(parse_device_count("1"), 1);
  EXPECT_EQ(parse_device_count("64"), 64);
  for (const char* const text : {"0", "65", "-1", "two", "2 ", "2.5", "1e1"}) {
    EXPECT_EQ(parse_device_count(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace numpy_plugin::sim
