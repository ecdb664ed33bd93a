#include "numpy_plugin/base/time_units.hpp"

#include <algorithm>
#include <limits>

namespace numpy_plugin::base {
namespace {

__extension__ using Int128 = __int128;

// Number of `fine` in `coarse`, both of the calendar or both not; 0 from 2**56 on, NumPy's limit.
Int128 units_in(TimeUnit coarse, TimeUnit fine) {
  Int128 count = 1;
  for (auto unit = coarse; unit < fine; unit = static_cast<TimeUnit>(static_cast<int>(unit) + 1)) {
    count *= info(unit).n_finer;
    if (count >> 56 != 0) return 0;
  }
  return count;
}

Int128 units_in_tick(const TimeType& type, TimeUnit unit) {
  return type.count * units_in(type.unit, unit);
}

Int128 gcd(Int128 left, Int128 right) { return right == 0 ? left : gcd(right, left % right); }

}  // namespace

std::optional<TimeType> common_time(const TimeType& left, const TimeType& right) {
  const bool is_duration = left.is_duration && right.is_duration;
  if (left.is_generic()) return TimeType{is_duration, right.unit, right.count};
  if (right.is_generic()) return TimeType{is_duration, left.unit, left.count};
  const TimeType& coarse = left.unit > right.unit ? right : left;
  const TimeType& fine = left.unit > right.unit ? left : right;
  // The lengths of years and months vary: dates are in the finer unit, durations in none.
  if (is_calendar_unit(coarse.unit) && !is_calendar_unit(fine.unit)) {
    if (coarse.is_duration) return std::nullopt;
    return TimeType{is_duration, fine.unit, fine.count};
  }
  const Int128 first = units_in_tick(left, fine.unit), second = units_in_tick(right, fine.unit);
  const Int128 count = gcd(first, second);
  if (first == 0 || second == 0 || count > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return TimeType{is_duration, fine.unit, static_cast<std::int32_t>(count)};
}

std::optional<TickRatio> tick_ratio(const TimeType& from, const TimeType& to) {
  if (from.is_generic() || to.is_generic()) return TickRatio{};
  if (is_calendar_unit(from.unit) != is_calendar_unit(to.unit)) return std::nullopt;
  const TimeUnit unit = std::max(from.unit, to.unit);
  const Int128 numerator = units_in_tick(from, unit);
  const Int128 denominator = units_in_tick(to, unit);
  const Int128 common = gcd(numerator, denominator);
  constexpr Int128 most = std::numeric_limits<std::int64_t>::max();
  if (numerator == 0 || denominator == 0) return std::nullopt;
  if (numerator / common > most || denominator / common > most) return std::nullopt;
  return TickRatio{static_cast<std::int64_t>(numerator / common),
                   static_cast<std::int64_t>(denominator / common)};
}

}  // namespace numpy_plugin::base
