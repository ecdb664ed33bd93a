"""Dates and durations on device arrays: the values and units of host arrays."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

TIMES = np.array(["2000-02-29T13:00:01", "1969-12-31T23:59:59", "NaT", "1970-01-01"], "M8[s]")
SPANS = np.array([[90, -7, 3600, 0], [5, 86400, -1, 12]], "m8[s]")


@npp.vectorize(["datetime64[s](datetime64[s], float64)"])
def later(t, hours):
    return t + hours * np.timedelta64(3600, "s")


@npp.vectorize(["timedelta64[s](timedelta64[s], timedelta64[s])"], identity=0)
def seconds(d, e):
    return d + e


@npp.vectorize(["datetime64[h](datetime64[h], datetime64[h])"])
def later_hour(t, u):
    return t if t > u else u


@npp.vectorize(["timedelta64(timedelta64, timedelta64)"], identity=0)
def total(d, e):
    return d + e


@pytest.fixture(autouse=True)
def device():
    with cuda.simulator():
        yield


def check(call, *arrays, **named):
    """Compare a call on device arrays with that on host arrays: values and dtype."""
    found = call(*map(cuda.to_device, arrays), **named)
    expected = call(*arrays, **named)
    assert isinstance(found, cuda.DeviceArray) and found.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found.copy_to_host(), expected)


def test_copies_show_themselves():
    on_device = cuda.to_device(TIMES)
    np.testing.assert_array_equal(on_device.copy_to_host(), TIMES)
    assert "datetime64[s]" in repr(on_device) and "2000-02-29T13:00:01" in repr(on_device)


@pytest.mark.parametrize("unit", ["s", "h", "ms", "D", "M", "15m"])
def test_operands_of_any_unit(unit):
    check(lambda t: later(t, 1.5), TIMES.astype(f"M8[{unit}]"))
    check(npp.time.dayofyear, TIMES.astype(f"M8[{unit}]"))


def test_the_common_unit():
    check(
        lambda t, u: npp.vectorize(["timedelta64(datetime64, datetime64)"])(lambda t, u: t - u)(
            t, u
        ),
        TIMES,
        TIMES[:1].astype("M8[h]"),
    )


def test_results_in_another_unit():
    out = cuda.to_device(np.zeros(4, "M8[ms]"))
    assert later(cuda.to_device(TIMES), 1.0, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), later(TIMES, 1.0))
    mask = cuda.to_device(np.array([True, False, True, False]))
    later(cuda.to_device(TIMES), 2.0, out=out, where=mask)
    expected = np.where(mask.copy_to_host(), later(TIMES, 2.0), later(TIMES, 1.0))
    np.testing.assert_array_equal(out.copy_to_host(), expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d + np.timedelta64(1, "m"), lambda d: d - d[0], lambda d: d > d[1],
        lambda d: d == np.datetime64("1970-01-01", "D"), np.isnat,
        lambda d: np.maximum(d, d[1]), lambda d: np.fmin(d, d[3]),
        lambda d: np.clip(d, d[3], d[0]), lambda d: np.where(d < d[0], d, d[3]),
        lambda d: (d - d[1]) / np.timedelta64(1, "D"), lambda d: d.astype("M8[D]"),
        lambda d: d.astype("M8[M]"), lambda d: d.astype("M8[ns]"), lambda d: d.astype("i8"),
        np.maximum.reduce, np.minimum.reduce, np.maximum.accumulate, lambda d: d[1:].max(),
    ],
)  # fmt: skip
def test_numpys_functions_of_dates(call):
    check(call, TIMES)


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d.sum(), lambda d: d.mean(), lambda d: np.add.reduce(d, axis=1),
        lambda d: total.reduce(d, axis=0), total.accumulate, lambda d: total.outer(d[0], d[1]),
        lambda d: d * 3, lambda d: d / 2.5, lambda d: d % np.timedelta64(7, "s"), abs,
        lambda d: total.reduce(d[:0], axis=0), lambda d: d.max(axis=0), lambda d: -d,
    ],
)  # fmt: skip
def test_numpys_functions_of_durations(call):
    check(call, SPANS)


@pytest.mark.parametrize("f", [seconds, total])
@pytest.mark.parametrize("unit", ["ms", "15m", "ns", "W"])
def test_methods_of_other_units(f, unit):
    spans = (SPANS * 1000).astype(f"m8[{unit}]")
    spans[1, 2] = "NaT"
    for d in (spans, spans[:, ::-2], spans.T):
        for axis in (0, 1, None):
            check(lambda d, axis=axis: f.reduce(d, axis=axis), d)
        check(lambda d: f.accumulate(d, axis=1), d)
        check(lambda d: f.reduceat(d, [0, 1, 0], axis=0), d)
        check(f.outer, d[0], SPANS[0].astype("m8[h]"))
    check(lambda d: f.reduce(d[:0], axis=0), spans)
    mask = cuda.to_device(np.array([True, False, True, False]))
    found = f.reduce(cuda.to_device(spans), axis=1, where=mask, initial=np.timedelta64(5, "m"))
    expected = f.reduce(spans, axis=1, where=mask.copy_to_host(), initial=np.timedelta64(5, "m"))
    np.testing.assert_array_equal(found.copy_to_host(), expected)


def test_methods_of_dates_in_other_units():
    times = np.array([TIMES, TIMES[::-1]])
    for call in (later_hour.reduce, later_hour.accumulate, np.maximum.reduce):
        check(lambda t, call=call: call(t, axis=1), times)


@pytest.mark.parametrize("f", [seconds, total])
@pytest.mark.parametrize("unit", ["ms", "h", "15m"])
def test_outputs_of_methods_in_another_unit(f, unit):
    for method, shape in (("reduce", 4), ("accumulate", (2, 4))):
        found, expected = (
            cuda.to_device(np.zeros(shape, f"m8[{unit}]")),
            np.zeros(shape, f"m8[{unit}]"),
        )
        call = getattr(f, method)
        assert call(cuda.to_device(SPANS), axis=0, out=found) is found
        call(SPANS, axis=0, out=expected)
        np.testing.assert_array_equal(found.copy_to_host(), expected)
    found, expected = cuda.to_device(SPANS.astype(f"m8[{unit}]")), SPANS.astype(f"m8[{unit}]")
    f.accumulate(found, axis=1, out=found)
    f.accumulate(expected, axis=1, out=expected)
    np.testing.assert_array_equal(found.copy_to_host(), expected)


def test_values_of_updates_in_other_units():
    for values in (np.array([5, 7, -1], "m8[h]"), np.array([5000, 7500, "NaT"], "m8[ms]")):
        arrays = cuda.to_device(SPANS[0]), SPANS[0].copy()
        seconds.at(arrays[0], [0, 0, 2], cuda.to_device(values))
        seconds.at(arrays[1], [0, 0, 2], values)
        np.testing.assert_array_equal(arrays[0].copy_to_host(), arrays[1])


def test_copies_between_units():
    for unit in ("ms", "D", "15m", "M"):
        on_device = cuda.to_device(np.zeros(4, f"M8[{unit}]"))
        np.copyto(on_device, cuda.to_device(TIMES), casting="unsafe")
        expected = TIMES.astype(f"M8[{unit}]")
        np.testing.assert_array_equal(on_device.copy_to_host(), expected)
        np.testing.assert_array_equal(
            cuda.to_device(TIMES).astype(f"M8[{unit}]").copy_to_host(), expected
        )
        on_device[::2] = cuda.to_device(TIMES[1::2])
        expected[::2] = TIMES[1::2]
        np.testing.assert_array_equal(on_device.copy_to_host(), expected)


def test_at():
    on_device, on_host = cuda.to_device(SPANS[0]), SPANS[0].copy()
    for array in (on_device, on_host):
        total.at(array, [0, 0, 2], np.timedelta64(5, "s"))
    np.testing.assert_array_equal(on_device.copy_to_host(), on_host)


def test_generalized():
    @npp.guvectorize(["void(datetime64[s][:], timedelta64[s], int64[:])"], "(n),()->(n)")
    def visits(t, gap, out):
        number = 0
        for i in range(len(t)):
            if i > 0 and t[i] - t[i - 1] > gap:
                number += 1
            out[i] = number

    times = np.array([0, 10, 4000, 4010]).astype("M8[s]")
    for unit in ("s", "ms"):
        check(lambda t: visits(t, np.timedelta64(30, "m")), times.astype(f"M8[{unit}]"))


def test_assignments():
    on_device = cuda.to_device(np.zeros(4, "M8[ms]"))
    on_device[:] = cuda.to_device(TIMES)
    np.testing.assert_array_equal(on_device.copy_to_host(), TIMES)
    on_device[1:] = np.datetime64("2001-01-01")
    assert on_device.copy_to_host()[3] == np.datetime64("2001-01-01")


def test_what_is_refused_says_why():
    on_device = cuda.to_device(SPANS)
    with pytest.raises(BufferError, match="DLPack can't represent values of dtype timedelta64"):
        on_device.__dlpack__()
    with pytest.raises(TypeError, match=r"no kernel casts timedelta64\[Y\] to timedelta64\[D\]"):
        cuda.to_device(np.array([1], "m8[Y]")).astype("m8[D]", casting="unsafe")
    with pytest.raises(TypeError, match=r"'(var|square|multiply)'"):
        on_device.var()
    with pytest.raises(TypeError, match=r"convert the array with astype"):
        total.at(on_device[0], [0], cuda.to_device(np.array([1], "m8[ms]")))
    np.testing.assert_array_equal(on_device.sum().copy_to_host(), SPANS.sum())


def test_the_array_interface_has_ticks_and_their_dtype():
    on_device = cuda.to_device(TIMES)
    interface = on_device.__cuda_array_interface__
    assert interface["typestr"] == "<i8" and interface["descr"] == [("", "<M8[s]")]

    class Foreign:
        __cuda_array_interface__ = interface

    again = cuda.as_device_array(Foreign())
    assert again.dtype == TIMES.dtype
    np.testing.assert_array_equal(again.copy_to_host(), TIMES)
