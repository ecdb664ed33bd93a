// Dates of days since 1970-01-01 in the proleptic Gregorian calendar and in cftime's noleap (365
// days), 360_day and julian, each counted in its own calendar. Years are astronomical, with a year
// 0. NaT gives NaT's integer. Exact where |days| < 2**62.
//
// After Hinnant, "chrono-compatible low-level date algorithms" (eras, months from March),
// and Neri and Schneider, "Euclidean affine functions and their application to calendar
// algorithms", 2023 (months). Within an era numbers have 32 bits, of which vectors hold more.
#pragma once

#include "npp/time/units.hpp"

namespace npp {

// A calendar's eras all have the same days; one begins on January 1 of year kFirstYear, on day
// kFirstDay. kWeekday is that of 1970-01-01.
struct Gregorian {
  static constexpr int32 kDaysPerEra = 146097, kYearsPerEra = 400;
  static constexpr int32 kFirstYear = 2000, kFirstDay = 10957, kWeekday = 3, kLeapDays = 1;
};
struct Julian {
  static constexpr int32 kDaysPerEra = 11688, kYearsPerEra = 32;
  static constexpr int32 kFirstYear = 1968, kFirstDay = -731, kWeekday = 2, kLeapDays = 1;
};
struct NoLeap {
  static constexpr int32 kDaysPerEra = 11680, kYearsPerEra = 32;
  static constexpr int32 kFirstYear = 1970, kFirstDay = 0, kWeekday = 3, kLeapDays = 0;
};
struct Days360 {
  static constexpr int32 kDaysPerEra = 11520, kYearsPerEra = 32;
  static constexpr int32 kFirstYear = 1970, kFirstDay = 0, kWeekday = 2, kLeapDays = 0;
};

// The floor of a quotient of floats, exact for the calendars' numbers: these quotients are too far
// from integers to be rounded to one.
NPP_FUNCTION int32 small_quotient(float numerator, float denominator) {
  return static_cast<int32>(numerator * (1.0f / denominator));
}
// Of integers.
NPP_FUNCTION int32 small_quotient(int32 numerator, int32 denominator) {
  return small_quotient(static_cast<float>(numerator) + 0.5f, static_cast<float>(denominator));
}

template <class Calendar>
struct EraDate {
  int64 era;
  int32 year;     // of the era
  int32 day;      // of the year, from 0, as if all fourth years had a leap day
  int32 skipped;  // 1 where that leap day does not exist, but has been counted

  NPP_FUNCTION int64 civil_year() const {
    return integer::add(integer::multiply(era, int64(Calendar::kYearsPerEra)),
                        int64(Calendar::kFirstYear + year));
  }
  NPP_FUNCTION int32 day_of_year() const { return day + 1 - skipped; }
  NPP_FUNCTION int32 day_from_march() const {
    const int32 january_and_february = 59 + ((year & 3) == 0 ? Calendar::kLeapDays : 0);
    const int32 rest = day - january_and_february;
    return rest + (rest < 0 ? 306 + january_and_february : 0);
  }
  NPP_FUNCTION int32 civil_month() const {
    if constexpr (kIsSame<Calendar, Days360>) return (day * 2185 >> 16) + 1;
    const int32 month = (day_from_march() * 2141 + 1305) >> 16;
    return month + 3 - (month >= 10 ? 12 : 0);
  }
  NPP_FUNCTION int32 civil_day() const {
    if constexpr (kIsSame<Calendar, Days360>) return day - 30 * (day * 2185 >> 16) + 1;
    const int32 days = day_from_march(), month = (days * 2141 + 1305) >> 16;
    return days - ((979 * month + 15) >> 5) + 1;
  }
};

template <class Calendar>
NPP_FUNCTION FloorQuotient<int32> era_of_days(int64 days) {
  return floor_quotient<int32>(integer::subtract(days, int64(Calendar::kFirstDay)),
                               int64(Calendar::kDaysPerEra));
}

template <class Calendar>
NPP_FUNCTION EraDate<Calendar> date_of_days(int64 days) {
  const FloorQuotient<int32> split = era_of_days<Calendar>(days);
  if constexpr (Calendar::kLeapDays == 0) {
    constexpr int32 kDays = Calendar::kDaysPerEra / Calendar::kYearsPerEra;
    const int32 year = small_quotient(split.rest, kDays);
    return {split.quotient, year, split.rest - kDays * year, 0};
  } else {
    // Centuries from the first February's end: with the leap days they lack, every fourth year has
    // one.
    const int32 lacked = kIsSame<Calendar, Julian>
                             ? 0
                             : small_quotient(static_cast<float>(split.rest - 59), 36524.25f);
    const int32 number = split.rest + lacked;
    const int32 year = small_quotient(static_cast<float>(number) + 0.125f, 365.25f);
    const bool is_skipped = builtin::both(lacked != 0, year == 100 * lacked);
    return {split.quotient, year, number - 365 * year - ((year + 3) >> 2), is_skipped ? 1 : 0};
  }
}

NPP_FUNCTION int64 nat_or(int64 days, int64 value) { return nat_where(is_nat(days), value); }

template <class Calendar>
NPP_FUNCTION int64 weekday_of(int64 days) {
  // Gregorian eras are whole weeks, which saves a quotient where other functions divide as well.
  constexpr bool kIsWhole = Calendar::kDaysPerEra % 7 == 0;
  constexpr int32 kFirst = (Calendar::kWeekday + (kIsWhole ? Calendar::kFirstDay : 0)) % 7;
  const int32 rest =
      kIsWhole ? era_of_days<Calendar>(days).rest : floor_quotient<int32>(days, 7 * 4096).rest;
  const int32 day = rest + kFirst;
  return nat_or(days, int64(day - 7 * small_quotient(day, 7)));
}

// ---- days of dates

template <class Calendar>
NPP_FUNCTION bool is_leap_year_of(int64 year) {
  if constexpr (kIsSame<Calendar, Gregorian>) {
    // Of years divisible by 25, those by 16 are leap years (Neri and Schneider).
    const int32 rest = floor_quotient<int32>(year, 25 * 4096).rest;
    const bool is_25th = rest == 25 * small_quotient(rest, 25);
    return builtin::both((year & (is_25th ? 15 : 3)) == 0, !is_nat(year));
  } else {
    return Calendar::kLeapDays != 0 && builtin::both((year & 3) == 0, !is_nat(year));
  }
}

// Of the first day of a month counted from year 1970's first one.
template <class Calendar>
NPP_FUNCTION int64 days_of_months(int64 months) {
  if constexpr (kIsSame<Calendar, Days360>) {
    return integer::multiply(months, int64(30));
  } else {
    // From March of an era's first year, so that leap days end years.
    constexpr int64 kMoved = (Calendar::kFirstYear - 1970) * 12 + 2;
    constexpr int32 kFirstMarch = Calendar::kFirstDay + 59 + Calendar::kLeapDays;
    const FloorQuotient<int32> split = floor_quotient<int32>(integer::subtract(months, kMoved),
                                                             int64(12 * Calendar::kYearsPerEra));
    const int32 year = split.rest * 43691 >> 19, month = split.rest - 12 * year;
    const int32 lacked = kIsSame<Calendar, Gregorian> ? year * 5243 >> 19 : 0;  // year / 100
    const int32 leap_days = Calendar::kLeapDays * (year >> 2) - lacked;
    const int32 day = 365 * year + leap_days + ((979 * month + 15) >> 5) + kFirstMarch;
    return integer::add(integer::multiply(split.quotient, int64(Calendar::kDaysPerEra)),
                        int64(day));
  }
}

// Months outside 1..12 carry into years, days outside the month into months, as in sums of
// np.datetime64. Any NaT gives NaT.
template <class Calendar>
NPP_FUNCTION int64 days_of_civil(int64 year, int64 month, int64 day) {
  const int64 years = integer::multiply(integer::subtract(year, int64(1970)), int64(12));
  const int64 months = integer::add(years, integer::subtract(month, int64(1)));
  const int64 days =
      integer::add(days_of_months<Calendar>(months), integer::subtract(day, int64(1)));
  const bool is_missing =
      builtin::either(builtin::either(is_nat(year), is_nat(month)), is_nat(day));
  return nat_where(is_missing, days);
}

// Of months 1 to 12. NaT for a missing year or month.
template <class Calendar>
NPP_FUNCTION int64 days_in_month_of(int64 year, int64 month) {
  const bool is_missing = builtin::either(is_nat(year), is_nat(month));
  if constexpr (kIsSame<Calendar, Days360>) return is_missing ? kNat : 30;
  const int64 long_months = 30 + ((month ^ (month >> 3)) & 1);
  const int64 february = is_leap_year_of<Calendar>(year) ? 29 : 28;
  return is_missing ? kNat : month == 2 ? february : long_months;
}

// ---- the functions by name

#define NPP_CALENDAR(Calendar, suffix)                                                           \
  NPP_FUNCTION int64 calendar_year##suffix(int64 days) {                                         \
    return nat_or(days, date_of_days<Calendar>(days).civil_year());                              \
  }                                                                                              \
  NPP_FUNCTION int64 calendar_month##suffix(int64 days) {                                        \
    return nat_or(days, int64(date_of_days<Calendar>(days).civil_month()));                      \
  }                                                                                              \
  NPP_FUNCTION int64 calendar_day##suffix(int64 days) {                                          \
    return nat_or(days, int64(date_of_days<Calendar>(days).civil_day()));                        \
  }                                                                                              \
  NPP_FUNCTION int64 calendar_day_of_year##suffix(int64 days) {                                  \
    return nat_or(days, int64(date_of_days<Calendar>(days).day_of_year()));                      \
  }                                                                                              \
  NPP_FUNCTION int64 calendar_weekday##suffix(int64 days) { return weekday_of<Calendar>(days); } \
  NPP_FUNCTION bool is_leap_year##suffix(int64 year) { return is_leap_year_of<Calendar>(year); } \
  NPP_FUNCTION int64 days_in_month##suffix(int64 year, int64 month) {                            \
    return days_in_month_of<Calendar>(year, month);                                              \
  }                                                                                              \
  NPP_FUNCTION int64 days_from_civil##suffix(int64 year, int64 month, int64 day) {               \
    return days_of_civil<Calendar>(year, month, day);                                            \
  }
NPP_CALENDAR(Gregorian, )
NPP_CALENDAR(NoLeap, _noleap)
NPP_CALENDAR(Days360, _360_day)
NPP_CALENDAR(Julian, _julian)
#undef NPP_CALENDAR

// ISO weeks begin on Mondays and belong to the year of their Thursday.
NPP_FUNCTION int64 thursday_of_week(int64 days) {
  return integer::add(days, integer::subtract(int64(3), calendar_weekday(days)));
}
NPP_FUNCTION int64 iso_year(int64 days) {
  return nat_or(days, date_of_days<Gregorian>(thursday_of_week(days)).civil_year());
}
NPP_FUNCTION int64 iso_week(int64 days) {
  const int32 day = date_of_days<Gregorian>(thursday_of_week(days)).day_of_year() - 1;
  return nat_or(days, int64(small_quotient(day, 7) + 1));
}

// ---- casts of datetime64[M] from and to [D]

NPP_FUNCTION int64 months_to_days(int64 months) {
  return nat_or(months, days_of_months<Gregorian>(months));
}
NPP_FUNCTION int64 days_to_months(int64 days) {
  const EraDate<Gregorian> date = date_of_days<Gregorian>(days);
  const int64 months = integer::multiply(date.era, int64(12 * Gregorian::kYearsPerEra));
  return nat_or(days, integer::add(months, int64(12 * (date.year + 30) + date.civil_month() - 1)));
}

// ---- Julian dates, as two doubles of astropy

// 1970-01-01 is Julian date 2440587.5. The whole part is the nearest integer, at midnights the even
// one, and the fraction the rest, from -0.5 to 0.5, rounded once.
NPP_FUNCTION double julian_day_whole(int64 ticks, int64 ticks_per_day) {
  const FloorQuotient<int64> split = floor_quotient<int64>(ticks, ticks_per_day);
  const int64 day = integer::add(split.quotient, int64(2440587));
  const bool is_down = builtin::both(split.rest == 0, (day & 1) == 0);
  const double whole = nearest_double(integer::add(day, is_down ? int64(0) : int64(1)));
  return npp::choose(is_nat(ticks), Limits<double>::kNan, whole);
}
NPP_FUNCTION double julian_day_fraction(int64 ticks, int64 ticks_per_day) {
  const FloorQuotient<int64> split = floor_quotient<int64>(ticks, ticks_per_day);
  // After the even integer half a day, else up to the next one. By a mask, as g++ does not
  // vectorize conversions of a bit to bool.
  const int64 odd = integer::subtract(int64(0), split.quotient & 1);
  const int64 moved = integer::add(split.rest, split.rest == 0 ? odd & ticks_per_day : int64(0));
  const int64 halves = integer::subtract(integer::add(moved, moved), ticks_per_day);
  const double fraction = nearest_double(halves) / (2.0 * static_cast<double>(ticks_per_day));
  return npp::choose(is_nat(ticks), Limits<double>::kNan, fraction);
}

}  // namespace npp
