// Dates and durations: NumPy's datetime64 and timedelta64, each unit and multiple a dtype of its
// own that is added to the dtypes of the table when it is first named. Kernels hold their values in
// int64.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::base {

enum class TimeUnit : std::uint8_t {
#define NPP_TIME_UNIT(enumerator, ...) enumerator,
#include "numpy_plugin/base/time_unit.def"
};

struct TimeUnitInfo {
  TimeUnit unit;
  std::string_view name;  // "ms"
  std::int64_t n_finer;   // of the next finer unit
};

inline constexpr TimeUnitInfo kTimeUnits[] = {
#define NPP_TIME_UNIT(enumerator, name, n_finer) {TimeUnit::enumerator, name, n_finer},
#include "numpy_plugin/base/time_unit.def"
};

constexpr const TimeUnitInfo& info(TimeUnit unit) {
  return kTimeUnits[static_cast<std::size_t>(unit)];
}

// nullopt for unknown names.
std::optional<TimeUnit> find_time_unit(std::string_view name);

struct TimeType {
  bool is_duration = false;
  TimeUnit unit = TimeUnit::kGeneric;  // kGeneric: without a unit, which takes that of others
  std::int32_t count = 1;              // of units in a tick
  bool operator==(const TimeType&) const = default;

  bool is_generic() const { return unit == TimeUnit::kGeneric; }
  // "datetime64[15m]", "timedelta64"
  std::string text() const;
};

// The dtype of these ticks. Throws Error (kType) where a process names more than it has room for.
DType time_dtype(const TimeType& type);

// Of a dtype for which is_time holds.
const TimeType& time_type(DType dtype);

inline bool is_duration(DType dtype) { return is_time(dtype) && time_type(dtype).is_duration; }
inline bool is_date(DType dtype) { return is_time(dtype) && !time_type(dtype).is_duration; }

// "datetime64[15m]", "M8[s]", "timedelta64"; nullopt for anything else.
std::optional<TimeType> find_time_type(std::string_view text);

}  // namespace numpy_plugin::base
