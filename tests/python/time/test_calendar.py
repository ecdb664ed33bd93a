"""The calendar of npp.time: against Python's, NumPy's and cftime's, over all days and at random."""

import numpy as np
import pytest

import numpy_plugin as npp

DAYS = np.arange(np.datetime64("-9999-01-01"), np.datetime64("9999-12-31"))
NAT = np.iinfo(np.int64).min


def numpys_parts(days):
    """Return year, month, day and day of the year by NumPy's casts."""
    years, months = days.astype("M8[Y]"), days.astype("M8[M]")
    return (
        years.astype(int) + 1970,
        months.astype(int) % 12 + 1,
        (days - months.astype("M8[D]")).astype(int) + 1,
        (days - years.astype("M8[D]")).astype(int) + 1,
    )


def test_all_days():
    parts = numpys_parts(DAYS)
    for name, expected in zip(("year", "month", "day", "dayofyear"), parts, strict=True):
        np.testing.assert_array_equal(getattr(npp.time, name)(DAYS), expected, err_msg=name)
    np.testing.assert_array_equal(npp.time.weekday(DAYS), (DAYS.astype(int) + 3) % 7)
    np.testing.assert_array_equal(npp.time.date(*parts[:3]), DAYS)
    lengths = np.diff(np.arange(-1000, 1000).astype("M8[M]").astype("M8[D]").astype(int))
    np.testing.assert_array_equal(
        npp.time.days_in_month(np.arange(-1000, 999).astype("M8[M]")), lengths
    )


def test_days_far_away():
    days = np.random.default_rng(7).integers(-(2**50), 2**50, 100_000).astype("M8[D]")
    for name, expected in zip(
        ("year", "month", "day", "dayofyear"), numpys_parts(days), strict=True
    ):
        np.testing.assert_array_equal(getattr(npp.time, name)(days), expected, err_msg=name)


def test_pythons_calendar():
    days = np.arange(np.datetime64("0001-01-01"), np.datetime64("9999-12-31"), 17)
    weeks = [day.isocalendar() for day in days.astype(object)]
    np.testing.assert_array_equal(npp.time.isoyear(days), [week[0] for week in weeks])
    np.testing.assert_array_equal(npp.time.isoweek(days), [week[1] for week in weeks])
    np.testing.assert_array_equal(npp.time.weekday(days), [week[2] - 1 for week in weeks])


PARTS = ["year", "month", "day", "hour", "minute", "second", "microsecond"]


@pytest.mark.parametrize("unit", ["h", "m", "s", "ms", "us", "ns", "25m", "700ms"])
def test_parts_of_a_day(unit):
    dates = np.datetime64("0010-01-01") + np.random.default_rng(5).integers(0, 3_000_000, 300)
    if unit == "ns":
        dates = np.datetime64("1700-01-01") + np.random.default_rng(5).integers(0, 200_000, 300)
    rest = np.random.default_rng(6).integers(0, 86400 * 10**6, 300).astype("m8[us]")
    times = (dates.astype("M8[us]") + rest).astype(f"M8[{unit}]")
    expected = times.astype("M8[us]").astype(object)
    for part in PARTS:
        found = getattr(npp.time, part)(times)
        np.testing.assert_array_equal(found, [getattr(each, part) for each in expected], part)


def test_nanoseconds():
    times = np.array([0, 1, 999, 1000, -1, 10**9 + 123], "M8[ns]")
    np.testing.assert_array_equal(npp.time.nanosecond(times), [0, 1, 999, 0, 999, 123])


def test_coarse_ticks_have_no_finer_parts():
    far = np.array([10**12, -(10**12)], "M8[D]")  # beyond what nanoseconds hold
    for part in ("hour", "minute", "second", "microsecond", "nanosecond"):
        np.testing.assert_array_equal(getattr(npp.time, part)(far), [0, 0])
    assert npp.time.day(np.datetime64("2000-07", "M")) == 1


def test_nat():
    for name in [*PARTS, "dayofyear", "weekday", "isoweek", "isoyear", "nanosecond"]:
        for unit in ("M", "D", "s", "ns"):
            assert getattr(npp.time, name)(np.datetime64("NaT", unit)) == NAT, (name, unit)
    assert not npp.time.is_leap_year(np.datetime64("NaT", "D"))
    assert all(np.isnan(npp.time.julian_date(np.datetime64("NaT", "s"))))


def test_leap_years():
    years = np.arange(-400, 2401)
    expected = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    np.testing.assert_array_equal(npp.time.is_leap_year((years - 1970).astype("M8[Y]")), expected)


def test_dates_of_parts():
    assert npp.time.date(2000, 14, 1) == np.datetime64("2001-02-01")
    assert npp.time.date(2000, 0, 31) == np.datetime64("1999-12-31")
    found = npp.time.datetime(2000, [1, 2], 29, 23, 59, 61)
    np.testing.assert_array_equal(
        found, np.array(["2000-01-30T00:00:01", "2000-03-01T00:00:01"], "M8[s]")
    )


def test_julian_dates():
    times = np.array(["2000-01-01T12", "1858-11-17", "1970-01-01T06"], "M8[ns]")
    whole, rest = npp.time.julian_date(times)
    np.testing.assert_array_equal(whole, [2451545.0, 2400000.0, 2440588.0])
    np.testing.assert_array_equal(rest, [0.0, 0.5, -0.25])
    for multiple in ("15m", "2h", "90s"):
        found = npp.time.julian_date(np.array(["1970-01-01T06"], f"M8[{multiple}]"))
        assert found == (2440588.0, -0.25)
    assert npp.time.julian_date(np.array(["1970-01-01T06:15"], "M8[15m]"))[1] == -0.25 + 1 / 96
    one = npp.time.julian_date(times + np.timedelta64(1, "ns"))
    np.testing.assert_array_less(rest, one[1] + (one[0] - whole))


@pytest.mark.parametrize(
    ("name", "of_cftime"), [("noleap", "noleap"), ("days360", "360_day"), ("julian", "julian")]
)
def test_other_calendars(name, of_cftime):
    cftime = pytest.importorskip("cftime")
    days = np.arange(-400_000, 400_000, 13)
    dates = cftime.num2date(days, "days since 1970-01-01", of_cftime, has_year_zero=True)
    calendar = getattr(npp.time, name)
    for part, of_date in [
        ("year", "year"),
        ("month", "month"),
        ("day", "day"),
        ("dayofyear", "dayofyr"),
        ("weekday", "dayofwk"),
    ]:
        expected = [getattr(date, of_date) for date in dates]
        np.testing.assert_array_equal(getattr(calendar, part)(days.astype("M8[D]")), expected, part)
    parts = [getattr(calendar, part)(days.astype("M8[D]")) for part in ("year", "month", "day")]
    np.testing.assert_array_equal(calendar.date(*parts).astype(int), days)


def test_in_kernels():
    @npp.vectorize(["float64(datetime64[s])"])
    def season(t):
        start = npp.time.datetime(npp.time.year(t), 1, 1, 0)
        return (t - start) / np.timedelta64(1, "D") / (365 + npp.time.is_leap_year(t))

    times = np.array(["2000-07-01T12", "2001-01-01"], "M8[h]")
    np.testing.assert_allclose(season(times), [182.5 / 366, 0.0], rtol=1e-15)
    noleap = npp.vectorize(lambda t: npp.time.noleap.month(t))
    np.testing.assert_array_equal(noleap(np.array([58, 59], "M8[D]")), [2, 3])


def test_the_names_are_those_of_the_module():
    assert set(npp.time.__all__) <= set(dir(npp.time))
    assert "noleap" in dir(npp.time) and "year" in dir(npp.time.noleap)
    with pytest.raises(AttributeError, match="no function 'hour'"):
        npp.time.noleap.hour  # noqa: B018
