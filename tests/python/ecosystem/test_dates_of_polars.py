"""Dates and durations of polars: series, expressions, missing values and zones."""

import datetime

import numpy as np
import pytest
from sample_dates import (
    DAYS,
    GAPS,
    TIMES,
    both,
    day_of,
    elapsed,
    hours_later,
    later,
    latest,
    lazy_elapsed,
    lazy_latest,
    newest,
    plus,
)

import numpy_plugin as npp

pl = pytest.importorskip("polars", reason="polars is not installed")
assert_series_equal = pytest.importorskip("polars.testing").assert_series_equal

SERIES = pl.Series("t", TIMES.astype("M8[ms]"))
DATES = pl.Series("d", DAYS)
MIDNIGHTS = DATES.cast(pl.Datetime("ms"))
STEPS = pl.Series("g", GAPS.astype("m8[ms]"))
NUMBERS = pl.Series("n", [1, None, 3, 4])
ZONED = SERIES.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
IN_BERLIN = ZONED.dt.convert_time_zone("Europe/Berlin")
IN_UTC = ZONED.dt.convert_time_zone("UTC")
FRAME = pl.DataFrame([SERIES, DATES, STEPS, NUMBERS, ZONED.alias("z")])
START = datetime.datetime(2000, 1, 1)
AWARE = START.replace(tzinfo=datetime.UTC)
HOUR = datetime.timedelta(hours=1)


@npp.vectorize
def months_later(t, n):
    return t.astype("M8[M]") + n * np.timedelta64(1, "M")


@npp.vectorize
def is_missing(t):
    return np.isnat(t)


def of(values, dtype):
    return pl.Series("t", values, dtype=dtype)


MS = pl.Duration("ms")
# Calls, and what polars' own expressions give; names are those of the first series.
CALLS = {
    "two series": (lambda: elapsed(SERIES, SERIES), SERIES - SERIES),
    "dates and times": (lambda: elapsed(SERIES, DATES), SERIES - MIDNIGHTS),
    "dates": (lambda: latest(DATES, DATES), DATES),
    "differences of dates": (lambda: elapsed(DATES, DATES), (DATES - DATES).cast(MS)),
    "lazy": (lambda: lazy_latest(SERIES, SERIES), SERIES),
    "a lazy duration": (
        lambda: lazy_elapsed(SERIES, DATES),
        SERIES - MIDNIGHTS,
    ),
    "durations": (lambda: later(SERIES, STEPS), SERIES + STEPS),
    "only durations": (lambda: plus(STEPS, STEPS), STEPS + STEPS),
    "parts": (lambda: npp.time.year(SERIES), SERIES.dt.year().cast(pl.Int64)),
    "numbers": (
        lambda: npp.time.date(NUMBERS, 2, 1),
        pl.Series("n", [1, None, 3, 4]).map_elements(
            lambda year: datetime.date(year, 2, 1), return_dtype=pl.Date
        ),
    ),
    "times and numbers": (lambda: hours_later(SERIES, NUMBERS), SERIES + NUMBERS * HOUR),
    "months": (lambda: months_later(DATES, 1), DATES.dt.month_start().dt.offset_by("1mo")),
    "booleans": (lambda: is_missing(SERIES), of([False, False, None, False], pl.Boolean)),
    "a unit that polars lacks": (lambda: day_of(SERIES), SERIES.dt.date()),
    "an array": (lambda: latest(TIMES, SERIES), SERIES),
    "one value": (lambda: elapsed(SERIES, SERIES[3:]), SERIES - SERIES[3]),
    "one missing value": (lambda: elapsed(SERIES, SERIES[2:3]), of([None] * 4, MS)),
    "no values": (lambda: latest(SERIES[:0], SERIES[:0]), SERIES[:0]),
    "datetime64": (lambda: elapsed(SERIES, np.datetime64(START)), SERIES - START),
    "datetime": (lambda: elapsed(SERIES, START), SERIES - START),
    "date": (lambda: elapsed(SERIES, START.date()), SERIES - START),
    "timedelta": (lambda: later(SERIES, HOUR), SERIES + HOUR),
    "a zone": (lambda: latest(ZONED, ZONED), ZONED),
    "parts of a zone": (lambda: npp.time.hour(ZONED), IN_UTC.dt.hour().cast(pl.Int64)),
    "two zones": (lambda: latest(ZONED, IN_BERLIN), IN_UTC),
    "datetime with a zone": (lambda: elapsed(ZONED, AWARE), IN_UTC - AWARE),
    "the day of a zone": (lambda: day_of(ZONED), IN_UTC.dt.date()),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    call, expected = CALLS[name]
    found = call()
    if isinstance(expected.dtype, (pl.Datetime, pl.Duration)):
        found, expected = found.dt.cast_time_unit("ms"), expected.dt.cast_time_unit("ms")
    assert_series_equal(found, expected)


def test_series_in_chunks():
    chunks = pl.concat([SERIES, SERIES], rechunk=False)
    assert latest(chunks, chunks).equals(chunks)


def test_several_results():
    gaps, most = both(SERIES, DATES)
    assert gaps.equals(elapsed(SERIES, DATES)) and most.equals(latest(SERIES, DATES))
    whole, rest = npp.time.julian_date(SERIES)
    assert whole.null_count() == 1 and whole[0] + rest[0] == 2451545.0


def test_generalized_ufuncs():
    assert newest(SERIES.drop_nulls()) == SERIES.max()
    assert newest(ZONED.drop_nulls()) == ZONED.max()
    with pytest.raises(pl.exceptions.ComputeError, match="missing values: drop or fill them"):
        newest(SERIES)


EXPRESSIONS = {
    "two columns": (lambda: latest(pl.col("t"), pl.col("d")), latest(SERIES, DATES)),
    "one column": (lambda: npp.time.year(pl.col("t")), npp.time.year(SERIES)),
    "a scalar": (lambda: elapsed(pl.col("t"), START), elapsed(SERIES, START)),
    "a zone": (lambda: latest(pl.col("z"), pl.col("z")), ZONED.alias("z")),
    "map_batches": (
        lambda: pl.col("t").map_batches(
            lambda column: newest(column.drop_nulls()),
            return_dtype=pl.Datetime("ms"),
            returns_scalar=True,
        ),
        pl.Series("t", [SERIES.max()], dtype=pl.Datetime("ms")),
    ),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name):
    expression, expected = EXPRESSIONS[name]
    for found in (FRAME.select(expression()), FRAME.lazy().select(expression()).collect()):
        assert_series_equal(found.to_series(), expected)


REFUSED = {
    "zones and none": (lambda: latest(ZONED, SERIES), TypeError, "beside dates without a zone"),
    "a zone and a date": (lambda: elapsed(ZONED, START), TypeError, "beside dates without a zone"),
    "out=": (lambda: latest(SERIES, SERIES, out=TIMES.copy()), TypeError, "argument 'out'"),
    "a method": (lambda: latest.reduce(SERIES), NotImplementedError, "only `__call__`"),
    "numbers": (lambda: latest(SERIES, NUMBERS), TypeError, "ufunc 'latest' not supported"),
    "a text": (lambda: latest(SERIES, "2000"), TypeError, "ufunc 'latest' not supported"),
    "texts": (lambda: latest(SERIES, pl.Series(["a"] * 4)), TypeError, "not supported"),
    "None": (lambda: latest(SERIES, None), TypeError, "ufunc 'latest' not supported"),
    "other lengths": (lambda: latest(SERIES, SERIES[1:]), ValueError, "broadcast"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_calls(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


def test_results_are_series_of_numpys_arrays_too():
    gaps = pl.Series(elapsed(SERIES.to_numpy(), DATES.to_numpy()))
    assert gaps.dtype == MS and gaps.null_count() == 2
    np.testing.assert_array_equal(npp.time.hour(ZONED.to_numpy())[[0, 1, 3]], [12, 20, 0])
