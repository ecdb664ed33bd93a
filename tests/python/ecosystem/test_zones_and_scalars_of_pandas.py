"""Dates with a time zone, and scalars of pandas and Python beside a Series, as pandas has them."""

import datetime

import numpy as np
import pytest
from sample_dates import (
    GAPS,
    TIMES,
    both,
    day_of,
    elapsed,
    later,
    latest,
    lazy_elapsed,
    lazy_latest,
    newest,
    plus,
)

import numpy_plugin as npp

pd = pytest.importorskip("pandas", reason="pandas is not installed")

ZONE = "Europe/Berlin"
NAIVE = pd.Series(TIMES, index=list("abcd"), name="t")
ZONED = NAIVE.dt.tz_localize("UTC").dt.tz_convert(ZONE)
KNOWN = ZONED.dropna()
INDEX = pd.DatetimeIndex(ZONED)
ANY = [True] * 4
FRAME = pd.DataFrame({"t": ZONED, "u": ZONED + pd.Timedelta("1D").as_unit("s")})
START = pd.Timestamp("1999-12-31T12").as_unit("s")
STEP = pd.Timedelta("90s")
PAUSES = pd.Series(GAPS.astype("m8[s]"), index=NAIVE.index, name="t")

# Calls, and what pandas' own functions give.
CALLS = {
    "one series": (lambda: npp.time.hour(KNOWN), KNOWN.dt.tz_convert(None).dt.hour),
    "two series": (lambda: elapsed(ZONED, ZONED), ZONED - ZONED),
    "a date": (lambda: latest(ZONED, ZONED), ZONED),
    "other labels": (lambda: latest(ZONED[:3], ZONED[::-1]), ZONED.where(ZONED.index != "d")),
    "lazy": (lambda: lazy_latest(ZONED, ZONED), ZONED),
    "a lazy duration": (lambda: lazy_elapsed(ZONED, ZONED[::-1]), ZONED - ZONED),
    "a unit without zones": (
        lambda: day_of(ZONED),
        ZONED.dt.tz_convert("UTC").dt.floor("D").dt.tz_convert(ZONE),
    ),
    "two zones": (
        lambda: latest(ZONED, ZONED.dt.tz_convert("Asia/Tokyo")),
        ZONED.dt.tz_convert("UTC"),
    ),
    "the difference of two zones": (
        lambda: elapsed(ZONED, ZONED.dt.tz_convert("Asia/Tokyo")),
        ZONED - ZONED,
    ),
    "an index": (lambda: latest(INDEX, INDEX), INDEX),
    "durations of an index": (lambda: elapsed(INDEX, INDEX), INDEX - INDEX),
    "a frame": (lambda: latest(FRAME, FRAME), FRAME),
    "differences in a frame": (lambda: elapsed(FRAME, FRAME[::-1]), FRAME - FRAME),
    "several results": (lambda: both(ZONED, ZONED)[1], ZONED),
    "accumulate": (lambda: latest.accumulate(KNOWN), KNOWN.cummax()),
    "Timestamp with a zone": (
        lambda: elapsed(ZONED, START.tz_localize(ZONE)),
        ZONED - START.tz_localize(ZONE),
    ),
    "datetime with a zone": (
        lambda: elapsed(ZONED, datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)),
        ZONED - datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC),
    ),
    "Timedelta with a zone": (lambda: later(ZONED, STEP), ZONED + STEP),
    "NaT with a zone": (lambda: later(ZONED, pd.NaT), ZONED.mask(ANY)),
    "Timestamp": (lambda: elapsed(NAIVE, START), NAIVE - START),
    "Timestamp first": (lambda: elapsed(START, NAIVE), START - NAIVE),
    "Timestamp, lazy": (lambda: lazy_latest(NAIVE, START), NAIVE.where(~(NAIVE < START), START)),
    "Timestamp and an index": (
        lambda: elapsed(pd.DatetimeIndex(NAIVE), START),
        pd.DatetimeIndex(NAIVE) - START,
    ),
    "datetime": (
        lambda: elapsed(NAIVE, datetime.datetime(2000, 1, 1)),
        NAIVE - pd.Timestamp("2000-01-01"),
    ),
    "Timedelta": (lambda: later(NAIVE, STEP), NAIVE + STEP),
    "timedelta": (lambda: later(NAIVE, datetime.timedelta(hours=1)), NAIVE + pd.Timedelta("1h")),
    "NaT, a date": (lambda: elapsed(NAIVE, pd.NaT), NAIVE - pd.NaT),
    "NaT, a duration": (lambda: later(NAIVE, pd.NaT), NAIVE.mask(ANY)),
    "NaT, lazy": (lambda: lazy_elapsed(NAIVE, pd.NaT), NAIVE - pd.NaT),
    "NaT, of durations": (lambda: plus(PAUSES, pd.NaT), PAUSES.mask(ANY)),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    call, expected = CALLS[name]
    found = call()
    kind = type(expected).__name__
    assert type(found) is type(expected)
    if kind == "DataFrame":
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
        return
    check = getattr(pd.testing, f"assert_{'series' if kind == 'Series' else 'index'}_equal")
    exact = {"check_dtype": False} if kind == "Series" else {"exact": False}
    check(found, expected, **exact)
    assert getattr(found.dtype, "tz", None) == getattr(expected.dtype, "tz", None)


def test_single_dates_have_the_zone():
    expected = KNOWN.max()
    for found in (newest(KNOWN), latest.reduce(KNOWN)):
        assert found == expected and found.tz == expected.tz
    assert newest(ZONED) is pd.NaT


MIXED = {
    "a series": lambda f: f(ZONED, NAIVE),
    "Timestamp": lambda f: f(ZONED, START),
    "Timestamp with a zone": lambda f: f(NAIVE, START.tz_localize("UTC")),
    "datetime64": lambda f: f(ZONED, np.datetime64("2000-01-01")),
    "an array": lambda f: f(TIMES, ZONED),
    "a frame": lambda f: f(FRAME, FRAME.assign(u=NAIVE)),
}


@pytest.mark.parametrize("call", MIXED.values(), ids=MIXED.keys())
def test_dates_with_and_without_a_zone_are_refused(call):
    for ufunc in (elapsed, lazy_latest):
        with pytest.raises(TypeError, match=f"ufunc '{ufunc.__name__}' .* beside dates without a"):
            call(ufunc)


@pytest.mark.parametrize("out", [ZONED, ZONED.array], ids=["a series", "an array"])
def test_results_are_not_written_without_their_zone(out):
    before = out.copy()
    with pytest.raises(TypeError):
        latest(ZONED, ZONED, out=out)
    with pytest.raises(TypeError):
        latest.at(out, [0], np.datetime64("2020-01-01"))
    assert out.equals(before)


def test_out_and_where():
    out = np.full(4, "2020-01-01", "M8[s]")
    where = np.array([True, False, True, True])
    latest(ZONED, ZONED, out=out, where=where)
    np.testing.assert_array_equal(out, np.where(where, TIMES, np.datetime64("2020-01-01")))


REFUSED = {
    "a date": datetime.date(2000, 1, 1),
    "a text": "2000-01-01",
    "a period": pd.Period("2000-01"),
    "an object": object(),
}


@pytest.mark.parametrize("operand", REFUSED.values(), ids=REFUSED.keys())
def test_other_operands_are_refused(operand):
    for values in (NAIVE, ZONED):
        with pytest.raises(TypeError, match="ufunc 'elapsed' not supported"):
            elapsed(values, operand)
    with pytest.raises(TypeError, match="ufunc 'elapsed' not supported"):
        elapsed(NAIVE, STEP)
