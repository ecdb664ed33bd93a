"""Dates and durations of pandas, dask, xarray, numpy.ma and Python, as with NumPy's ufuncs."""

import datetime

import numpy as np
import pytest
from sample_dates import (
    DAYS,
    GAPS,
    NAT,
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
from sample_ufuncs import check_call, check_limit

import numpy_plugin as npp

PAIRS = [
    (elapsed, np.subtract),
    (lazy_elapsed, np.subtract),
    (latest, np.maximum),
    (lazy_latest, np.maximum),
]


def check_dates(call):
    """Compare calls of two dates with NumPy's."""
    for ours, numpys in PAIRS:
        check_call(call, ours, numpys)


# --- Python's and NumPy's own ---

REFUSED = {
    "a datetime": datetime.datetime(2000, 1, 1),
    "a date": datetime.date(2000, 1, 1),
    "a text": "2000-01-01",
    "a list of texts": ["2000-01-01"],
    "None": None,
}


@pytest.mark.parametrize("operand", REFUSED.values(), ids=REFUSED.keys())
def test_python_dates_and_texts_are_refused_as_by_numpy(operand):
    for unit in ("s", "D", "ns"):
        times = TIMES.astype(f"M8[{unit}]")
        check_limit(lambda f, t=times: f(t, operand), TypeError, "ufunc", elapsed, np.subtract)
        check_limit(lambda f, t=times: f(operand, t), TypeError, "ufunc", lazy_elapsed, np.subtract)
    with pytest.raises(TypeError, match="ufunc 'year'"):
        npp.time.year(operand)


def test_python_durations_are_refused_as_by_numpy():
    step = datetime.timedelta(hours=1)
    check_limit(lambda f: f(TIMES, step), TypeError, "ufunc", later, np.add)
    check_call(lambda f: f(TIMES, np.timedelta64(step)), later, np.add)


def test_scalars_and_lists_of_numpys_types():
    start = datetime.datetime(1999, 12, 31, 23)
    check_dates(lambda f: f(TIMES, np.datetime64(start)))
    check_dates(lambda f: f(TIMES, [np.datetime64(start)]))
    check_dates(lambda f: f([np.datetime64("2000-01-01")], DAYS))
    check_call(lambda f: f(TIMES, 3), later, np.add)


def test_initial_values_of_reductions_are_converted():
    for value in (datetime.datetime(2030, 1, 1), datetime.date(2030, 1, 1), "2030-01-01"):
        check_call(lambda f, v=value: f.reduce(DAYS[[0, 2]], initial=v), latest, np.maximum)


def test_masked_arrays():
    times = np.ma.masked_array(TIMES, [0, 1, 0, 0])
    check_dates(lambda f: f(times, DAYS))
    check_dates(lambda f: f(times, np.ma.masked_array(DAYS, [1, 0, 0, 0])))
    check_call(lambda f: f.accumulate(times[[0, 3]]), latest, np.maximum)
    years = npp.time.year(times)
    assert years.mask.tolist() == [False, True, False, False]
    assert years.tolist() == [2000, None, NAT, 2000]


# --- pandas ---


@pytest.fixture(scope="module")
def pd():
    return pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture
def series(pd):
    return pd.Series(TIMES, index=list("abcd"), name="t")


@pytest.fixture
def others(pd):
    return pd.Series(DAYS.astype("M8[ms]"), index=list("abcd"), name="u")


UNITS = ["s", "ms", "us", "ns"]


@pytest.mark.parametrize("unit", UNITS)
def test_series_of_any_unit(series, others, unit):
    series = series.astype(f"M8[{unit}]")
    check_dates(lambda f: f(series, others))
    check_dates(lambda f: f(series, TIMES))
    check_dates(lambda f: f(series, np.datetime64("2000-01-01")))
    check_dates(lambda f: f(np.datetime64("2000-01-01T12", "h"), series))
    assert npp.time.year(series).tolist() == [2000, 1969, NAT, 2000]
    assert npp.time.year(series).name == "t"


def test_series_are_aligned_by_labels(series, others):
    check_dates(lambda f: f(series, others[["d", "b", "a"]]))
    check_dates(lambda f: f(series[[]], others))


def test_indexes(pd, series, others):
    times, days = pd.DatetimeIndex(series, name="t"), pd.DatetimeIndex(others, name="t")
    check_dates(lambda f: f(times, days))
    check_dates(lambda f: f(times, np.datetime64("2000-01-01")))
    check_dates(lambda f: f(series, days))
    gaps = pd.TimedeltaIndex(GAPS.astype("m8[s]"), name="t")
    check_call(lambda f: f(times, gaps), later, np.add)
    check_call(lambda f: f(gaps, gaps), plus, np.add)
    assert npp.time.month(times).equals(pd.Index([1, 7, NAT, 2]))
    # np.add keeps the frequency of a range, by pandas' own operator
    days = later(pd.date_range("2000", periods=3), np.timedelta64(1, "D"))
    assert days.freq is None and days.day.tolist() == [2, 3, 4]


def test_frames(pd, series, others):
    frame = pd.DataFrame({"t": series, "u": others.astype("M8[s]")})
    check_dates(lambda f: f(frame, frame))
    check_dates(lambda f: f(frame, frame[::-1][["u", "t"]]))
    check_dates(lambda f: f(frame, np.datetime64("2000-01-01")))
    check_dates(lambda f: f(frame["t"], frame["u"]))
    check_limit(lambda f: f(frame, series), NotImplementedError, "DataFrame and Series", latest)
    assert npp.time.year(frame)["u"].tolist() == [2000, NAT, 1999, 2001]
    units = frame.assign(u=others)  # pandas' own subtraction works by columns
    check_call(lambda f: f(units, units), latest, np.maximum)
    assert set(elapsed(units, units).dtypes) == {np.dtype("m8[ms]")}
    # one array of objects, as np.maximum gets it, too
    with pytest.raises(TypeError, match="ufunc 'latest' not supported"):
        latest(frame, frame[["u"]])
    with pytest.raises(TypeError, match="ufunc 'year' not supported"):
        npp.time.year(frame.assign(x=1.0))


def test_durations(pd, series):
    gaps = pd.Series(GAPS.astype("m8[s]"), index=series.index, name="t")
    check_call(lambda f: f(series, gaps), later, np.add)
    check_call(lambda f: f(gaps, gaps), plus, np.add)
    check_call(lambda f: f(gaps, np.timedelta64(1, "ns")), plus, np.add)
    halved = npp.vectorize(lambda d: d / 2)(gaps)
    pd.testing.assert_series_equal(halved, gaps / 2)


def test_pandas_has_no_series_of_days(series):
    found = day_of(series)
    assert found.dtype == np.dtype("M8[s]")
    np.testing.assert_array_equal(found, TIMES.astype("M8[D]"))


def test_dates_with_numbers(pd, series):
    hours = pd.Series([1.5, 0, 2, np.nan], index=series.index)
    expected = TIMES + np.array([5400, 0, 7200, "NaT"], "m8[s]")
    np.testing.assert_array_equal(hours_later(series, hours), expected)
    np.testing.assert_array_equal(hours_later(series, 0), TIMES)
    nullable = hours.astype("Float64")
    with pytest.raises(ValueError, match="Could not convert object to NumPy datetime"):
        hours_later(series, nullable)  # pandas stores nan where the mask of a result is set
    np.testing.assert_array_equal(hours_later(series, nullable.astype("float64")), expected)


def test_several_results_and_gufuncs(pd, series, others):
    gap, most = both(series, others)
    pd.testing.assert_series_equal(gap, elapsed(series, others))
    pd.testing.assert_series_equal(most, latest(series, others))
    whole, rest = npp.time.julian_date(series)
    assert whole.name == "t" and (whole + rest)["a"] == 2451545.0
    assert newest(series.dropna()) == np.datetime64("2000-02-29")


def accumulated(f, series):
    return f.accumulate(series)


def updated(f, series):
    changed = series.copy()
    f.at(changed, [0, 0], np.datetime64("2020-01-01"))
    return changed


def written(f, series):
    out = np.zeros(len(series), "M8[us]")
    f(series, series, out=out)
    return out


@pytest.mark.parametrize("call", [accumulated, updated, written])
def test_methods(pd, series, call):
    for ours in (latest, lazy_latest):
        check_call(lambda f: call(f, series), ours, np.maximum)
        check_call(lambda f: call(f, pd.DatetimeIndex(series)), ours, np.maximum)


def test_reductions_give_numpys_scalars(pd, series):
    """`np.maximum.reduce` is pandas' own `max`."""
    known = series.dropna()
    for values in (known, pd.DatetimeIndex(known)):
        found = latest.reduce(values)
        assert (type(found), found.dtype) == (np.datetime64, np.dtype("M8[s]"))
        assert pd.Timestamp(found) == np.maximum.reduce(values)
    assert np.isnat(latest.reduce(series))  # max() of pandas skips missing values
    gaps = pd.Series(GAPS.astype("m8[s]"))
    assert plus.reduce(gaps[gaps.notna()]) == np.timedelta64(89, "m")
    check_limit(lambda f: f.outer(series, series), NotImplementedError, "^$", latest, np.maximum)


def test_functions_of_users(series, others):
    frame = series.to_frame().assign(u=others, key=[0, 0, 1, 1])
    by_key = frame.groupby("key")["u"]
    running = by_key.transform(lambda column: latest.accumulate(column))
    expected = by_key.transform(lambda column: np.maximum.accumulate(column))
    assert running.equals(expected)
    assert frame.assign(year=lambda f: npp.time.year(f["t"]))["year"].tolist()[0] == 2000


ARROW = ["timestamp[us][pyarrow]", "timestamp[s][pyarrow]"]


@pytest.mark.parametrize("dtype", ARROW)
def test_arrow_types(pd, series, dtype):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    times = series.astype(dtype)
    check_dates(lambda f: f(times, times))
    assert npp.time.year(times.dropna()).tolist() == [2000, 1969, 2000]
    with pytest.raises(TypeError, match="ufunc 'year' not supported"):
        npp.time.year(series.astype("date32[pyarrow]"))
    in_tokyo = times.dt.tz_localize("Asia/Tokyo")
    assert latest(in_tokyo, in_tokyo).equals(in_tokyo)
    assert npp.time.hour(in_tokyo.dropna()).tolist() == [3, 11, 15]


# --- dask ---


@pytest.fixture
def da():
    return pytest.importorskip("dask.array", reason="dask is not installed")


def check_lazy(call, ours, numpys):
    """Compare the types, known without a computation, and the values."""
    lazy, expected = call(ours), call(numpys)
    assert (lazy.dtype, lazy._meta.dtype) == (expected.dtype, expected._meta.dtype)
    assert lazy.chunks == expected.chunks
    assert lazy.compute().dtype == lazy.dtype
    check_call(lambda f: call(f).compute(), ours, numpys)


LAZY = {
    "other units and chunks": lambda f, t, u: f(t, u),
    "a finer scalar": lambda f, t, u: f(t, np.datetime64("2000-01-01", "us")),
    "a NumPy array": lambda f, t, u: f(TIMES.astype("M8[ns]"), u),
    "no elements": lambda f, t, u: f(t[:0], u[:0]),
    "outer": lambda f, t, u: f.outer(t, u),
    "map_blocks": lambda f, t, u: t.map_blocks(f, u.rechunk(2)),
    "unknown chunks": lambda f, t, u: f(t[t > TIMES[1]], TIMES[0]),
}


@pytest.mark.parametrize("call", LAZY.values(), ids=LAZY.keys())
def test_dask_arrays(da, call):
    times, days = da.from_array(TIMES, chunks=2), da.from_array(DAYS, chunks=1)
    for ours, numpys in PAIRS:
        check_lazy(lambda f: call(f, times, days), ours, numpys)


def test_dask_arrays_of_durations_and_parts(da):
    times, gaps = da.from_array(TIMES, chunks=2), da.from_array(GAPS, chunks=2)
    check_lazy(lambda f: f(times, gaps), later, np.add)
    check_lazy(lambda f: f(times, np.timedelta64(1, "ms")), later, np.add)
    check_lazy(lambda f: f(gaps, gaps.astype("m8[ns]")), plus, np.add)
    out = da.zeros(4, dtype="M8[s]", chunks=2)
    latest(times, times, out=out)
    np.testing.assert_array_equal(out.compute(), TIMES)
    for lazy, dtype in (
        (npp.time.year(times), "int64"),
        (day_of(times), "M8[D]"),
        (da.map_blocks(day_of, times), "M8[D]"),
        (hours_later(times.astype("M8[D]"), 1.5), "M8[s]"),
        (npp.time.date(da.from_array([2000, 2001], chunks=1), 1, 1), "M8[D]"),
    ):
        assert lazy.dtype == lazy.compute().dtype == np.dtype(dtype)
    results = [*both(times, times), *npp.time.julian_date(times)]
    types = ["m8[s]", "M8[s]", "f8", "f8"]
    assert [item.dtype for item in results] == [np.dtype(of) for of in types]
    np.testing.assert_array_equal(results[1].compute(), TIMES)
    rows = da.from_array(np.tile(TIMES[[0, 1, 3]], (2, 1)), chunks=(1, 3))
    assert newest(rows).dtype == np.dtype("M8[s]")
    np.testing.assert_array_equal(newest(rows).compute(), TIMES[[3, 3]])


def test_limits_of_dask(da):
    times = da.from_array(TIMES, chunks=2)
    check_limit(lambda f: f.reduce(times), TypeError, "NotImplemented", latest, np.maximum)
    start = datetime.datetime(2000, 1, 1)
    refused = "not supported|NotImplemented"
    check_limit(lambda f: f(times, start), TypeError, refused, elapsed, np.subtract)
    with pytest.raises(TypeError, match="ufunc 'year' not supported"):
        npp.time.year(da.zeros(3))


def test_dask_frames(pd, series, others):
    dd = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed")
    frame = dd.from_pandas(pd.DataFrame({"t": series, "u": others}), npartitions=2)
    for ours, numpys in PAIRS:
        lazy = ours(frame["t"], frame["u"])
        assert lazy.dtype == lazy.compute().dtype == numpys(frame["t"], frame["u"]).dtype
        check_call(lambda f: f(frame["t"], frame["u"]).compute(), ours, numpys)
    assert npp.time.year(frame["t"]).dtype == np.int64


# --- xarray ---


@pytest.fixture
def xr():
    return pytest.importorskip("xarray", reason="xarray is not installed")


@pytest.fixture
def array(xr):
    return xr.DataArray(TIMES, {"x": [1, 2, 3, 4]}, "x", name="t", attrs={"axis": "T"})


def test_xarray(xr, array):
    other = xr.DataArray(DAYS[1:].astype("M8[s]"), {"x": [2, 3, 4]}, "x")
    start = np.datetime64("2000-01-01")
    check_dates(lambda f: f(array, other))
    check_dates(lambda f: f(array, start))
    check_dates(lambda f: f(xr.Dataset({"p": array, "q": array}), start))
    check_dates(lambda f: xr.apply_ufunc(f, array, other, join="outer"))
    check_call(lambda f: f(array, np.timedelta64(90, "m")), later, np.add)
    coordinate = xr.DataArray(np.arange(3), {"time": DAYS[[0, 2, 3]].astype("M8[ns]")}, "time").time
    check_dates(lambda f: f(coordinate, start))
    years = npp.time.year(coordinate)
    assert years.dims == ("time",) and years.values.tolist() == [2000, 1999, 2001]
    assert npp.time.year(array).attrs == {"axis": "T"}
    assert day_of(array).dtype == np.dtype("M8[s]")  # xarray has no days, either
    assert npp.time.julian_date(array)[0].dims == ("x",)


def test_limits_of_xarray(array):
    method = "reduce method .* not implemented on xarray objects"
    check_limit(lambda f: f.reduce(array), NotImplementedError, method, latest, np.maximum)
    start = datetime.datetime(2000, 1, 1)
    check_limit(lambda f: f(array, start), TypeError, "NotImplemented", elapsed, np.subtract)


def test_xarray_on_dask(xr, array):
    pytest.importorskip("dask.array", reason="dask is not installed")
    chunked, start = array.chunk({"x": 2}), np.datetime64("2000-01-01")
    for ours, numpys in PAIRS:
        lazy = ours(chunked, start)
        parallel = xr.apply_ufunc(ours, chunked, start, dask="parallelized")
        expected = numpys(chunked, start)
        assert lazy.dtype == parallel.dtype == expected.dtype
        assert lazy.chunks == parallel.chunks == expected.chunks
        check_call(lambda f: f(chunked, start).compute(), ours, numpys)
        xr.testing.assert_identical(parallel.compute(), lazy.compute())
    whole = {"input_core_dims": [["x"]], "dask": "parallelized"}
    found = xr.apply_ufunc(newest, array[[0, 1, 3]].chunk({"x": 3}), **whole)
    assert found.dtype == np.dtype("M8[s]") and found.values == TIMES[3]
