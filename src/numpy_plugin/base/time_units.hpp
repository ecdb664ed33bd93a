// Units of dates and durations: the common one of two types, and how a value's ticks become those
// of another unit. NumPy's rules.
#pragma once

#include <cstdint>
#include <optional>

#include "numpy_plugin/base/time_type.hpp"

namespace numpy_plugin::base {

// Whether ticks are whole years or months, whose lengths vary.
constexpr bool is_calendar_unit(TimeUnit unit) {
  return unit == TimeUnit::kYear || unit == TimeUnit::kMonth;
}

// The type of whose ticks those of both are multiples; a date where one of them is. nullopt where
// there is none: for years or months as a duration beside weeks or finer units, and where it has
// too many ticks.
std::optional<TimeType> common_time(const TimeType& left, const TimeType& right);

// Ticks in another unit are ticks * numerator / denominator; both are positive.
struct TickRatio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

// For two types whose units are both of the calendar, or both not; nullopt for others and where the
// ratio exceeds 64 bits.
std::optional<TickRatio> tick_ratio(const TimeType& from, const TimeType& to);

}  // namespace numpy_plugin::base
