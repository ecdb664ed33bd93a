"""Calls of this package's ufuncs in functions that Numba compiles."""

import gc
import importlib.metadata
import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import numpy_plugin as npp

numba = pytest.importorskip("numba", reason="Numba is not installed")

from numba.core.errors import TypingError  # noqa: E402


@npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def distance(x, y):
    return math.sqrt(x * x + y * y)


@npp.vectorize
def lazy(x, y):
    return x * 2 + y


@npp.vectorize(["int64, bool(int64, int64)"])
def division(x, y):
    return x // y, x % y == 0


@npp.vectorize(["complex128(complex128)"])
def squared(z):
    return z * z


@npp.vectorize(["float64(float64)"])
def checked(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return math.sqrt(x)


@npp.vectorize(["float64(float64)"])
def logarithm(x):
    return math.log(x)


def test_the_entry_point_names_the_extension():
    points = importlib.metadata.entry_points(group="numba_extensions", name="init")
    assert "numpy_plugin._njit.extension:init" in [point.value for point in points]


def test_scalars():
    @numba.njit
    def total_distance(n):
        result = 0.0
        for i in range(n):
            result += distance(float(i), 1.0)
        return result

    assert total_distance(10) == sum(distance(float(i), 1.0) for i in range(10))


def test_promotion_is_that_of_numpy():
    @numba.njit
    def call(x, y):
        return distance(x, y)

    @numba.njit
    def doubled(x):
        return lazy(x, 1)

    for x, y in [(3, 4), (np.float32(3), np.float32(4)), (np.int8(3), np.float32(4)), (True, 0.5)]:
        assert call(x, y) == distance(x, y)
    types = {str(types): str(of.signature.return_type) for types, of in call.overloads.items()}
    assert types["(float32, float32)"] == types["(int8, float32)"] == "float32"
    assert types["(int64, int64)"] == "float64"
    # An int literal is weak, so the loop is that of the operand.
    assert [doubled(x) for x in (np.float32(1.5), np.int16(4), 2.5)] == [4.0, 9, 6.0]
    results = [str(of.signature.return_type) for of in doubled.overloads.values()]
    assert results == ["float32", "int16", "float64"]


def test_two_results_and_complex_numbers():
    @numba.njit
    def both(x, y):
        quotient, divides = division(x, y)
        return quotient, divides

    @numba.njit
    def fourth(z):
        return squared(squared(z))

    assert both(7, -2) == (-4, False)
    assert both(8, 2) == (4, True)
    assert fourth(1 + 1j) == -4


def test_vector_functions_return_the_bits_of_other_calls():
    @numba.njit
    def call(x):
        return logarithm(x)

    values = np.linspace(0.1, 50.0, 37)
    np.testing.assert_array_equal([call(x) for x in values], logarithm(values))


def test_exceptions_of_kernels():
    @numba.njit
    def call(x):
        return checked(x) + 1

    assert call(4.0) == 3.0
    with pytest.raises(ValueError, match=r"-1\.0 is negative"):
        call(-1.0)
    assert call(9.0) == 4.0

    @numba.njit(nogil=True)
    def outer(values):
        result = 0.0
        for value in values:
            result += call(value)
        return result

    with pytest.raises(ValueError, match=r"-4\.0 is negative"):
        outer(np.array([1.0, -4.0, -9.0]))
    with pytest.raises(ValueError, match=r"-9\.0 is negative"):
        call(np.array([[1.0, 4.0], [-9.0, -4.0]]))
    assert outer(np.array([1.0, 4.0])) == 5.0


def test_try_blocks_catch_exceptions_of_kernels():
    @numba.njit
    def inner(x):
        return checked(x)

    @numba.njit
    def tried(x):
        try:
            return checked(x)
        except Exception:
            return -1.0

    @numba.njit
    def tried_inside(x):
        try:
            return inner(x) + 1
        except Exception:
            return -2.0

    assert [tried(4.0), tried(-4.0), tried_inside(4.0), tried_inside(-4.0)] == [2, -1, 3, -2]
    with pytest.raises(ValueError, match=r"-5\.0 is negative") as caught:
        inner(-5.0)
    assert caught.value.__notes__


def test_calls_that_cannot_be_compiled():
    @numba.njit
    def named(x):
        return distance(x, y=2.0)

    @numba.njit
    def missing(x):
        return distance(x)

    @numba.njit
    def text(x):
        return distance(x, "2")

    @numba.njit
    def wide(x):
        return lazy(x, 300)

    with pytest.raises(TypingError, match="takes no keywords in njit, found y"):
        named(1.0)
    with pytest.raises(TypingError, match="not enough arguments"):
        missing(1.0)
    with pytest.raises(TypingError, match=r"(?s)>>> distance\(float64, .*ufunc 'distance': "):
        text(1.0)
    assert wide(np.int64(1)) == 302


def test_numpys_ufuncs_stay_numbas():
    @numba.njit
    def call(x):
        return np.sin(x) + np.add(x, 1)

    assert call(0.0) == 1.0


def test_dates():
    elapsed = npp.vectorize(["timedelta64(datetime64, datetime64)"])(lambda t, u: t - u)
    year = npp.time.year

    @numba.njit
    def called(t, u):
        return elapsed(t, u)

    @numba.njit
    def years(t):
        return year(t)

    times = np.array(["2000-01-01", "NaT"], "M8[s]")
    for other in (times, times[0]):
        np.testing.assert_array_equal(called(times, other), elapsed(times, other))
    np.testing.assert_array_equal(years(times), year(times))
    np.testing.assert_array_equal(years(times.astype("M8[D]")), year(times))


def test_the_example_of_the_documents(tmp_path, capsys):
    page = (Path(__file__).parents[3] / "docs/how_to/migrating.md").read_text(encoding="utf-8")
    program = tmp_path / "program.py"
    program.write_text(page.partition("```py\n")[2].partition("```")[0])
    runpy.run_path(str(program))
    decays = np.exp(-np.arange(20) * 0.5).sum() + np.exp([-0.5, -1.0]).sum()
    assert float(capsys.readouterr().out) == pytest.approx(decays, rel=1e-14)


@npp.vectorize(["float64(float64)"])
def forgotten(x):
    return x * 3


def test_compiled_functions_keep_the_code_of_ufuncs():
    @numba.njit
    def call(x):
        return forgotten(x)

    assert call(2.0) == 6.0
    del globals()["forgotten"]
    gc.collect()
    assert call(3.0) == 9.0
