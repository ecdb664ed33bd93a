// Dates and durations: their names, their dtypes, and what two units have in common.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "numpy_plugin/base/time_units.hpp"

namespace numpy_plugin::base {
namespace {

TimeType date(TimeUnit unit, std::int32_t count = 1) { return {false, unit, count}; }
TimeType duration(TimeUnit unit, std::int32_t count = 1) { return {true, unit, count}; }

TEST(TimeTypeTest, HasItsNameBothWays) {
  for (const char* name : {"datetime64[s]", "timedelta64[15m]", "datetime64", "timedelta64[Y]"}) {
    const auto type = find_time_type(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type->text(), name);
    EXPECT_EQ(find_dtype(std::string_view(name)), time_dtype(*type));
  }
  EXPECT_EQ(find_time_type("M8[us]"), date(TimeUnit::kMicrosecond));
  EXPECT_EQ(find_time_type("m8"), TimeType{true});
  EXPECT_EQ(find_dtype('M'), time_dtype({}));
}

TEST(TimeTypeTest, HasNoOtherName) {
  for (const char* name : {"datetime64[]", "datetime64[0s]", "datetime64[-2s]", "datetime64[S]",
                           "datetime64[s", "date", "M8[2generic]", "datetime64[99999999999s]"}) {
    EXPECT_FALSE(find_time_type(name)) << name;
  }
}

TEST(TimeTypeTest, IsADTypeOfItsOwn) {
  const DType seconds = time_dtype(date(TimeUnit::kSecond));
  EXPECT_EQ(seconds, time_dtype(date(TimeUnit::kSecond)));
  EXPECT_NE(seconds, time_dtype(date(TimeUnit::kSecond, 2)));
  EXPECT_NE(seconds, time_dtype(duration(TimeUnit::kSecond)));
  EXPECT_EQ(name(seconds), "datetime64[s]");
  EXPECT_EQ(info(seconds).n_bytes, 8u);
  EXPECT_TRUE(is_date(seconds) && !is_duration(seconds) && !is_integer(seconds));
  EXPECT_FALSE(is_time(DType::kComplex128));
}

TEST(TimeTypeTest, IsOneInAllThreads) {
  std::vector<std::vector<DType>> found(4);
  std::vector<std::thread> threads;
  for (auto& dtypes : found) {
    threads.emplace_back([&dtypes] {
      for (int count = 101; count < 121; ++count) {
        dtypes.push_back(time_dtype(duration(TimeUnit::kNanosecond, count)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& dtypes : found) EXPECT_EQ(dtypes, found.front());
}

TEST(TimeUnitsTest, HaveTheCommonUnitOfNumPy) {
  EXPECT_EQ(common_time(date(TimeUnit::kDay), date(TimeUnit::kMillisecond)),
            date(TimeUnit::kMillisecond));
  EXPECT_EQ(common_time(date(TimeUnit::kMinute, 15), duration(TimeUnit::kHour)),
            date(TimeUnit::kMinute, 15));
  EXPECT_EQ(common_time(duration(TimeUnit::kMinute, 7), duration(TimeUnit::kMinute, 3)),
            duration(TimeUnit::kMinute));
  EXPECT_EQ(common_time(date(TimeUnit::kYear), date(TimeUnit::kDay)), date(TimeUnit::kDay));
  EXPECT_EQ(common_time(date(TimeUnit::kYear, 10), date(TimeUnit::kDay, 7)),
            date(TimeUnit::kDay, 7));
  EXPECT_EQ(common_time(duration(TimeUnit::kYear), duration(TimeUnit::kMonth)),
            duration(TimeUnit::kMonth));
  EXPECT_EQ(common_time({true}, duration(TimeUnit::kWeek, 2)), duration(TimeUnit::kWeek, 2));
  EXPECT_FALSE(common_time(date(TimeUnit::kDay), duration(TimeUnit::kMonth)));
  EXPECT_FALSE(common_time(duration(TimeUnit::kSecond), duration(TimeUnit::kAttosecond)));
}

TEST(TimeUnitsTest, HaveARatio) {
  const auto ratio = tick_ratio(date(TimeUnit::kMinute, 15), date(TimeUnit::kHour));
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->numerator, 1);
  EXPECT_EQ(ratio->denominator, 4);
  EXPECT_EQ(tick_ratio(duration(TimeUnit::kYear), duration(TimeUnit::kMonth))->numerator, 12);
  EXPECT_EQ(tick_ratio(date(TimeUnit::kWeek), date(TimeUnit::kDay, 2))->numerator, 7);
  EXPECT_FALSE(tick_ratio(date(TimeUnit::kMonth), date(TimeUnit::kDay)));
  EXPECT_FALSE(tick_ratio(date(TimeUnit::kWeek), date(TimeUnit::kAttosecond)));
}

}  // namespace
}  // namespace numpy_plugin::base
