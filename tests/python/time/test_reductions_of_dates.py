"""Reductions and new arrays of dates and durations in kernels, as NumPy and Python have them."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp

DAYS = np.array(["2000-02-28", "1970-01-01", "NaT", "1969-07-20"], "M8[D]")
GAPS = np.array([5, 0, "NaT", -7], "m8[s]")
ARRAYS = {
    "known": lambda t: t[[0, 1, 3]],
    "with NaT": lambda t: t,
    "NaT first": lambda t: t[[2, 0, 3]],
    "NaT alone": lambda t: t[2:3],
    "zero": lambda t: t[1:2],
    "many": lambda t: np.tile(t, 50),
    "strided": lambda t: np.repeat(t, 3)[::3],
}

# Of dates and of durations, with the type of the result; None: that of the elements.
OF_TIMES = {
    "np.any(t)": "bool",
    "t.all()": "bool",
    "any(t)": "bool",
    "all(t)": "bool",
    "np.count_nonzero(t)": "int64",
    "max(t)": None,
    "min(t)": None,
    "np.zeros_like(t)[0]": None,
    "np.ones_like(t)[0]": None,
    "np.zeros(3, t.dtype)[2]": None,
    "np.zeros_like(t[0])": None,
    "np.ones_like(t[0])": None,
}
OF_DURATIONS = {
    "sum(t)": None,
    "np.nansum(t)": None,
    "np.nanmean(t)": None,
    "sum(t, SECOND)": None,
    "sum(t, MINUTE)": None,
}
NAMES = {"SECOND": np.timedelta64(1, "s"), "MINUTE": np.timedelta64(1, "m")}


def declared(expression, dtype, result):
    """Return a ufunc of an array that computes the expression."""
    source = f"def f(t, out):\n    out[0] = {expression}\n"
    signature = f"void({dtype}[:], {result or dtype}[:])"
    return npp.guvectorize([signature], "(n)->()")(function(source, **NAMES))


@pytest.mark.parametrize("expression", [*OF_TIMES, *OF_DURATIONS])
def test_expressions(expression):
    result = (OF_TIMES | OF_DURATIONS)[expression]
    for times in (DAYS, GAPS) if expression in OF_TIMES else (GAPS,):
        ufunc = declared(expression, times.dtype.str[1:], result)
        for name, choose in ARRAYS.items():
            expected = np.asarray(eval(expression, {"np": np, "t": choose(times), **NAMES}))
            found = ufunc(choose(times))
            np.testing.assert_array_equal(found, expected, err_msg=name)
            assert found.dtype == np.dtype(result or times.dtype)


def test_along_an_axis():
    source = "def f(t, out):\n    out[:] = np.any(t, axis=0)\n"
    rows = np.stack([GAPS, GAPS[[1, 1, 2, 1]]])
    found = npp.guvectorize(["void(m8[s][:, :], bool[:])"], "(m,n)->(n)")(function(source))(rows)
    np.testing.assert_array_equal(found, np.any(rows, axis=0))


@pytest.mark.parametrize("name", ["max", "min"])
def test_python_extrema_of_nothing(name):
    source = f"def f(t, out):\n    out[0] = {name}(t)\n"
    largest = npp.guvectorize(["void(M8[D][:], M8[D][:])"], "(n)->()")(function(source))
    with pytest.raises(ValueError, match="iterable argument is empty"):
        largest(DAYS[:0])


def test_without_signatures():
    source = "def f(t, out):\n    z = np.zeros_like(t)\n    z[0] = max(t)\n    out[:] = z\n"
    written = npp.guvectorize("(n)->(n)")(function(source))
    for times in (DAYS, GAPS, DAYS.astype("M8[h]")):
        expected = np.zeros_like(times)
        expected[0] = max(times)
        np.testing.assert_array_equal(written(times), expected)


@pytest.mark.parametrize("expression", ["sum(t)", "np.nansum(t)", "np.nanmean(t)"])
def test_dates_have_no_sum(expression):
    with pytest.raises(npp.KernelError, match=r"dates have no (sum|such reduction)"):
        declared(expression, "M8[D]", None)


WITHOUT_A_UNIT = ["t.astype('{}8')", "t.astype('{}8').astype('{}8[h]')", "t.astype(np.{})"]


@pytest.mark.parametrize("expression", WITHOUT_A_UNIT)
def test_conversion_without_a_unit_keeps_it(expression):
    for times, letter, name in ((DAYS, "M", "datetime64"), (GAPS, "m", "timedelta64")):
        written = expression.replace("np.{}", f"np.{name}").replace("{}", letter)
        found = npp.vectorize(function(f"def f(t):\n    return {written}\n"))(times)
        expected = eval(written, {"np": np, "t": times})
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_printed_dates(capsys):
    source = "def f(t, d):\n    print(t, d, f'{t!r} {d}', sep='; ')\n    return t\n"
    npp.vectorize(function(source))(DAYS, GAPS)
    printed = capsys.readouterr().out.splitlines()
    assert sorted(printed) == sorted(
        f"{t}; {d}; {t!r} {d}" for t, d in zip(DAYS, GAPS, strict=True)
    )
    source = "def f(t):\n    print(t)\n    return t\n"
    npp.vectorize(["M8[15m](M8[15m])"])(function(source))(np.datetime64("2000-01-01T00:20", "m"))
    assert capsys.readouterr().out == "2000-01-01T00:15\n"


def test_a_sum_that_starts_with_a_number():
    source = "def f(d):\n    s = 0\n    s += d\n    return s\n"
    with pytest.warns(npp.KernelWarning) as caught:
        total = npp.vectorize(["m8[s](m8[s])"])(function(source))
    np.testing.assert_array_equal(total(GAPS), GAPS)
    text = str(caught[0].message)
    assert "as timedelta64[s] the number counts its ticks" in text
    assert "write s = np.timedelta64(0, 's') in line 2" in text
    hinted = source.replace("s = 0", "s = np.timedelta64(0, 's')")
    np.testing.assert_array_equal(npp.vectorize(["m8[s](m8[s])"])(function(hinted))(GAPS), GAPS)


def test_units_too_far_apart_are_no_matter_of_months():
    with pytest.raises(npp.KernelError, match="have no common unit") as caught:
        npp.vectorize(["m8[W](m8[W])"])(
            function("def f(t):\n    return t + np.timedelta64(1, 'as')\n")
        )
    assert "64 bits; use closer units" in caught.value.diagnostics[0].hint
