"""Extreme elements of arrays in kernels: by vectors, the result of one element after the other."""

from __future__ import annotations

import platform
import re
import shutil

import numpy as np
import pytest
from kernel_source import array_expressions, define

import numpy_plugin as npp
from numpy_plugin import cuda

FLOATS = ("float16", "float32", "float64")
DTYPES = (*FLOATS, "bool", "int8", "uint16", "int32", "uint64")
# Around the lengths of vectors, of several of them, and of blocks of 4096 bytes.
LENGTHS = (*range(1, 131), 511, 512, 513, 1023, 1025, 2500)
NAMES = ("max", "min", "argmax", "argmin")

pytestmark = pytest.mark.usefixtures("simulator")


@pytest.fixture(scope="module")
def extrema() -> np.ufunc:
    """Return the extrema of a line and their places, compiled for each type."""
    return array_expressions("x", [f"np.{name}(x)" for name in NAMES], "(n)")


def place(x: np.ndarray, is_least: bool) -> int:
    """Return the index of the element that np.minimum or np.maximum leaves, one by one."""
    if np.isnan(x).any():
        return int(np.argmax(np.isnan(x)))
    equal = np.flatnonzero(x == (x.min() if is_least else x.max()))
    return int(equal[0 if x.dtype == np.float16 else -1])


def expected(x: np.ndarray) -> list[bytes]:
    """Return the bytes of the results for each row."""
    extreme = [np.array([row[place(row, is_least)] for row in x]) for is_least in (False, True)]
    return [each.tobytes() for each in (*extreme, x.argmax(axis=1), x.argmin(axis=1))]


def rows(dtype: str, n: int) -> np.ndarray:
    """Return rows of few numbers, so that many are equal; half of those of floats have nan."""
    rng = np.random.default_rng(n)
    if dtype == "bool":
        return rng.random((12, n)) < rng.random((12, 1)) ** 4
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 100, (12, n)).astype(dtype)
    numbers = np.array([-np.inf, -2.0, -0.0, 0.0, 7.0, np.inf, np.nan, -np.nan], dtype)
    ends = np.array([[2, 4], [1, 4], [2, 5], [0, 1], [0, 6], [0, 8]])
    return np.concatenate([numbers[rng.integers(*end, (2, n))] for end in ends])


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_have_the_bits_of_one_element_after_the_other(extrema, dtype):
    for n in LENGTHS:
        x = rows(dtype, n)
        with np.errstate(all="raise"):
            for each in (x, np.repeat(x, 2, axis=1)[:, ::2], x[:, ::-1].copy()[:, ::-1]):
                assert [y.tobytes() for y in extrema(each)] == expected(x), n


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [7, 70])
def test_one_other_element_at_each_position(extrema, dtype, n):
    for value in (np.nan, -np.nan, 0.0, -0.0):
        for others in (0.0, -0.0, 1.0, -1.0):
            x = np.full((n, n), others, dtype)
            np.fill_diagonal(x, value)
            x[:-1, n - 1] = -value
            assert [y.tobytes() for y in extrema(x)] == expected(x), (value, others)


@pytest.mark.parametrize("dtype", DTYPES)
def test_devices_have_the_bits_of_the_host(extrema, dtype):
    for n in (3, 16, 65, 1025):
        x = rows(dtype, n)
        on_device = extrema(cuda.to_device(x))
        assert [y.copy_to_host().tobytes() for y in on_device] == expected(x), n


# Of x, y and the matrix m.
EXPRESSIONS = [
    "np.max(np.abs(x - y))", "np.argmin(x * y)", "np.min(m)", "np.argmax(m)", "np.ptp(m[1:])",
    "m.max(axis=0)[1]", "m.argmin(axis=1)[0]", "np.max(m[:, 0] - m[::-1, 1])", "np.nanmax(x)",
    "np.nanargmin(m)",
]  # fmt: skip


def test_elements_that_are_computed_and_those_of_matrices():
    f = array_expressions("x, y, m", EXPRESSIONS, "(n),(n),(n,k)")
    for n in (2, 100, 1500):
        x, y = np.random.default_rng(n).normal(size=(2, n))
        names = {"np": np, "x": x, "y": y, "m": np.stack([y, x, y], axis=1)}
        for text, found in zip(EXPRESSIONS, f(x, y, names["m"]), strict=True):
            assert found == eval(text, names), (n, text)


def test_columns_are_folded_row_by_row():
    source = """def f(m, low, high, product, total):
    low[:] = np.min(m, axis=0)
    high[:] = np.max(m * m, axis=0)
    product[:] = np.prod(m, axis=0)
    total[:] = np.sum(m > 1, axis=0)
"""
    types = "void(float64[:,:], float64[:], float64[:], float64[:], int64[:])"
    f = npp.guvectorize([types], "(m,n)->(n),(n),(n),(n)")(define(source)["f"])
    assert npp.inspect(f).source("cpu").count("npp::fold_columns") == 4
    for n in (1, 8, 63, 255, 256, 257, 520):
        m = rows("float64", n)
        m[np.isinf(m)] = 3.0
        low = [column[place(column, True)] for column in m.T]
        high = [column[place(column, False)] for column in (m * m).T]
        expected = [np.array(low).tobytes(), np.array(high).tobytes()]
        for part in (m, np.repeat(m, 2, axis=1)[:, ::2]):
            found = f(part)
            assert [y.tobytes() for y in found[:2]] == expected, n
            np.testing.assert_array_equal(found[2], np.prod(m, axis=0))
            np.testing.assert_array_equal(found[3], np.sum(m > 1, axis=0))
    on_device = f(cuda.to_device(m))
    assert [y.copy_to_host().tobytes() for y in on_device[:2]] == expected


def test_nan_ends_neither_the_flags_nor_the_exceptions_of_other_elements():
    @npp.vectorize(["float64(float64)"])
    def inverse(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return 1 / x

    @npp.guvectorize(["void(float64[:], float64[:], int64[:])"], "(n)->(),()", target="cpu")
    def f(x, best, place):
        best[0] = np.max(inverse(x))
        place[0] = np.argmin(1 / x)

    x = np.ones(1200)
    x[3] = np.nan
    assert list(map(str, f(x))) == ["nan", "3"]
    x[1100] = 0.0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        f(x)
    x[1100] = -1.0
    with pytest.raises(ValueError, match=r"negative: -1\.0"):
        f(x)


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("g++"), reason="reads x86's instructions"
)
@pytest.mark.parametrize("name", NAMES)
def test_floats_are_compared_in_vectors(name, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "g++")
    source = define(f"def f(x, out):\n    out[()] = np.{name}(x)\n")["f"]
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cpu")(source)
    assert re.search(rf"\sv?{name[-3:]}pd\s", npp.inspect(f).assembly())


def test_few_elements_are_taken_in_a_plain_loop():
    source = define("def f(x, out):\n    out[()] = np.max(x) + np.float32(np.argmin(x))\n")["f"]
    few = npp.guvectorize(["void(float32[:], float32[:])"], "(7)->()", target="cpu")(source)
    assert "extremum" not in npp.inspect(few).source("cpu")
    assert few(np.float32([3, 1, 0, 2, 9, 2, 5])) == 11.0
