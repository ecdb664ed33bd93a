"""any, all and count_nonzero in kernels: several elements at a time, and where they may end."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import array_expressions, define

import numpy_plugin as npp
from numpy_plugin import cuda

DTYPES = ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64")
LENGTHS = (0, 1, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 128, 129, 130, 513, 4097)
TEXTS = ["np.any(x)", "np.all(x)", "np.count_nonzero(x)", "np.any(x == 0)", "np.all(x != 2)"]

pytestmark = pytest.mark.usefixtures("simulator")


@pytest.fixture(scope="module")
def truths() -> np.ufunc:
    """Return the tests of a line, compiled for each type."""
    return array_expressions("x", TEXTS, "(n)")


def rows(dtype: str, n: int) -> np.ndarray:
    """Return rows of zeros and of others, with one element of the other kind at some places."""
    x = np.zeros((24, n), dtype)
    x[12:] = 1 if dtype == "bool" else 2
    if np.dtype(dtype).kind == "f":
        x[:6], x[12:18] = -0.0, np.nan
    for i, place in enumerate(np.linspace(0, n - 1, 11).astype(int) if n > 0 else []):
        x[[i, 12 + i], place] = 1, 0
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_are_those_of_numpy(truths, dtype):
    for n in LENGTHS:
        x = rows(dtype, n)
        for part in (x, np.repeat(x, 2, axis=1)[:, ::2], x[:, ::-1]):
            expected = [
                eval(text.replace(")", ", axis=1)"), {"np": np, "x": part}) for text in TEXTS
            ]
            for text, found, numbers in zip(TEXTS, truths(part), expected, strict=True):
                np.testing.assert_array_equal(found, numbers, f"{text} {n}")
    on_device = [y.copy_to_host().tolist() for y in truths(cuda.to_device(x[:, :70]))]
    assert on_device == [y.tolist() for y in truths(x[:, :70])]


def test_only_elements_without_flags_may_be_left_out():
    source = define("def f(x, out):\n    out[0] = np.any(x > 0) | np.any(1 / x > 0)\n")["f"]
    f = npp.guvectorize(["void(float64[:], bool[:])"], "(n)->()", target="cpu")(source)
    text = npp.inspect(f).source("cpu")
    assert "any_of<bool, true>" in text
    assert "any_of<bool, false>" in text
    x = np.ones(1000)
    x[900] = 0.0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        f(x)


def test_elements_that_raise_are_all_looked_at():
    @npp.vectorize(["bool(float64)"])
    def is_large(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return x > 10

    @npp.guvectorize(["void(float64[:], bool[:])"], "(n)->()", target="cpu")
    def f(x, out):
        out[0] = np.any(is_large(x))

    x = np.full(300, 20.0)
    assert f(x)
    x[290] = -1.0
    with pytest.raises(ValueError, match=r"negative: -1\.0"):
        f(x)
