"""Ufuncs of dates and durations: their signatures, units, keywords and methods, as NumPy's."""

import pickle

import numpy as np
import pytest
from kernel_source import array_expressions

import numpy_plugin as npp

HOURS = np.array(["2000-02-29T13", "1969-12-31T23", "NaT"], "M8[h]")


@npp.vectorize(["datetime64[s](datetime64[s], float64)"])
def later(t, hours):
    return t + np.timedelta64(3600, "s") * hours


@npp.vectorize(["datetime64(datetime64, datetime64)"])
def latest(t, u):
    return np.maximum(t, u)


@npp.vectorize(["timedelta64(timedelta64, timedelta64)"], identity=0)
def total(d, e):
    return d + e


def test_it_is_a_ufunc():
    assert type(later) is np.ufunc
    assert later.types == ["Md->M"] and latest.types == ["MM->M"] and later.ntypes == 1


SPELLINGS = {
    "a text": "datetime64[s](datetime64[s], float64)",
    "short names": "M8[s](M8[s], f8)",
    "type objects": npp.datetime64("s")(npp.datetime64("s"), npp.float64),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings(spelling):
    made = npp.vectorize([SPELLINGS[spelling]])(lambda t, h: t + np.timedelta64(1, "s"))
    assert made(HOURS, 1.0).dtype == np.dtype("M8[s]")


def test_numbas_types():
    types = pytest.importorskip("numba").types
    made = npp.vectorize([types.NPDatetime("s")(types.NPDatetime("s"), types.float64)])(
        lambda t, h: t
    )
    assert made(HOURS, 1.0).dtype == np.dtype("M8[s]")


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "15m"])
def test_operands_of_any_unit_are_cast(unit):
    times = HOURS.astype(f"M8[{unit}]")
    expected = times.astype("M8[s]") + np.timedelta64(5400, "s")
    for hours in (1.5, np.float32(1.5), [1.5] * 3, np.float16(1.5)):
        found = later(times, hours)
        assert found.dtype == np.dtype("M8[s]")
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        later(times, 2), times.astype("M8[s]") + np.timedelta64(7200, "s")
    )


def test_byte_order_and_strides():
    swapped = np.repeat(HOURS.astype(">M8[h]"), 2)[::2]
    np.testing.assert_array_equal(later(swapped, 1.0), later(HOURS, 1.0))


def test_out_in_another_unit():
    out = np.zeros(3, "M8[ms]")
    assert later(HOURS, 1.0, out=out) is out
    np.testing.assert_array_equal(out, later(HOURS, 1.0))
    with pytest.raises(TypeError, match="Cannot cast ufunc 'later' output"):
        later(HOURS, 1.0, out=np.zeros(3))


def test_casting():
    with pytest.raises(TypeError, match="Cannot cast ufunc 'later' input 0"):
        later(HOURS, 1.0, casting="no")
    days = npp.vectorize(["datetime64[D](datetime64[D])"])(lambda t: t)
    np.testing.assert_array_equal(days(HOURS), HOURS.astype("M8[D]"))
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        days(HOURS, casting="safe")


def test_the_common_unit():
    minutes = np.array(["2000-01-01T00:10"], "M8[10m]")
    found = latest(HOURS, minutes)
    assert found.dtype == np.maximum(HOURS, minutes).dtype == np.dtype("M8[10m]")
    np.testing.assert_array_equal(found, np.maximum(HOURS, minutes))
    assert latest(HOURS.astype("M8[ns]"), HOURS[0]).dtype == np.dtype("M8[ns]")


def test_units_that_have_none_in_common():
    with pytest.raises(TypeError, match=r"timedelta64\[M\] and timedelta64\[D\]"):
        total(np.timedelta64(1, "M"), np.timedelta64(1, "D"))
    assert total(np.timedelta64(1, "Y"), np.timedelta64(1, "M")) == np.timedelta64(13, "M")


def test_several_signatures():
    @npp.vectorize(["int64(datetime64[D])", "int64(datetime64[ns])", "float64(float64)"])
    def ticks(t):
        return t.astype(np.int64)

    day = np.datetime64("1970-01-02", "D")
    assert ticks(day) == 1
    assert ticks(day.astype("M8[s]")) == 86400 * 10**9  # [D] would drop the seconds
    assert ticks(1.5) == 1.0 and ticks.types == ["M->l", "M->l", "d->d"]


def test_without_signatures():
    add = npp.vectorize(lambda t, u: t + u)
    assert add(HOURS[0], 1) == HOURS[0] + 1
    assert add(1.5, 2) == 3.5
    found = add(HOURS, np.array([1, 2, 3], "m8[m]"))
    np.testing.assert_array_equal(found, HOURS + np.array([1, 2, 3], "m8[m]"))
    assert found.dtype == np.dtype("M8[m]")


def test_methods():
    np.testing.assert_array_equal(latest.reduce(HOURS[:2]), np.maximum.reduce(HOURS[:2]))
    np.testing.assert_array_equal(latest.accumulate(HOURS), np.maximum.accumulate(HOURS))
    np.testing.assert_array_equal(latest.outer(HOURS, HOURS), np.maximum.outer(HOURS, HOURS))
    np.testing.assert_array_equal(
        latest.reduceat(HOURS, [0, 1]), np.maximum.reduceat(HOURS, [0, 1])
    )
    table = np.arange(12).reshape(3, 4).astype("m8[s]")
    np.testing.assert_array_equal(total.reduce(table, axis=0), np.add.reduce(table, axis=0))
    assert total.reduce(table[:0], axis=None) == np.timedelta64(0, "s")
    changed = table.copy()
    total.at(changed, [0, 0, 2], np.timedelta64(5, "s"))
    expected = table.copy()
    np.add.at(expected, [0, 0, 2], np.timedelta64(5, "s"))
    np.testing.assert_array_equal(changed, expected)


def test_where():
    out = np.zeros(3, "M8[s]")
    later(HOURS, 1.0, where=[True, False, True], out=out)
    expected = np.append(later(HOURS[:1], 1.0), np.array([0, "NaT"], "M8[s]"))
    np.testing.assert_array_equal(out, expected)


def test_dtype_and_signature():
    assert latest(HOURS, HOURS, dtype=np.datetime64).dtype == HOURS.dtype
    assert latest(HOURS, HOURS, signature="MM->M").dtype == HOURS.dtype
    with pytest.raises(TypeError):
        latest(HOURS, HOURS, dtype=float)
    resolved = later.resolve_dtypes((np.dtype("M8[D]"), float, None))
    assert resolved == (np.dtype("M8[s]"), np.dtype("f8"), np.dtype("M8[s]"))


def test_generalized():
    @npp.guvectorize(["void(datetime64[s][:], timedelta64[s], int64[:])"], "(n),()->(n)")
    def visits(t, gap, out):
        number = 0
        for i in range(len(t)):
            if i > 0 and t[i] - t[i - 1] > gap:
                number += 1
            out[i] = number

    times = np.array([0, 10, 20, 4000, 4010, 9000]).astype("M8[s]")
    np.testing.assert_array_equal(visits(times, np.timedelta64(30, "m")), [0, 0, 0, 1, 1, 2])
    np.testing.assert_array_equal(
        visits(times.astype("M8[ms]"), np.timedelta64(1800, "s")), [0, 0, 0, 1, 1, 2]
    )


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "sum", "mean"])
def test_reductions_in_kernels(name):
    source = np.array([5, -3, 12, -3, 7])
    for dtype in ("M8[h]", "m8[ms]"):
        if dtype == "M8[h]" and name in ("sum", "mean"):
            continue
        times = source.astype(dtype)
        for values in (times, np.append(times, np.array("NaT", dtype))):
            reduced = array_expressions("t", [f"t.{name}()"], "(n)")
            found, expected = reduced(values), getattr(values, name)()
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


def test_large_calls_in_several_threads():
    times = np.arange(300_000).astype("M8[s]")
    expected = times + np.timedelta64(3600, "s")
    np.testing.assert_array_equal(later(times, 1.0), expected)
    np.testing.assert_array_equal(later(times.astype("M8[ms]")[::2], 1.0), expected[::2])


def test_a_pickle_is_the_same_ufunc():
    again = pickle.loads(pickle.dumps(npp.time.year))
    assert again is npp.time.year
    copied = pickle.loads(pickle.dumps(later))
    np.testing.assert_array_equal(copied(HOURS, 1.0), later(HOURS, 1.0))


def test_inspect_tells_units_apart():
    ticks = npp.vectorize(["int64(M8[D])", "int64(M8[ns])"])(lambda t: int(t))
    for unit in ("D", "ns"):
        text = npp.inspect(ticks).source(signature=f"int64(M8[{unit}])")
        assert text.count("struct Kernel") == 1 and f"datetime64[{unit}]" in text
    assert npp.inspect(ticks).source(signature="M->l").count("struct Kernel") == 2
    with pytest.raises(ValueError, match=r"no kernel for int64\(M8\[s\]\)"):
        npp.inspect(ticks).source(signature="int64(M8[s])")


def test_inspect_lists_the_units():
    latest(HOURS, HOURS)
    assert "datetime64[h](datetime64[h], datetime64[h])" in repr(npp.inspect(latest))
    assert "datetime64[s](datetime64[s], float64)" in repr(npp.inspect(later))
