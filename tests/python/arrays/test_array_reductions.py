"""Reductions of device arrays as functions and methods: NumPy's dtypes, keywords and errors."""

import warnings

import numpy as np
import pytest
from device_arrays.compare import assert_same, check, check_error, to_device

from numpy_plugin import cuda

FLOATS = np.array([[0.5, -1.25, 2.5, 4], [3, 8.75, -7.75, 0]], np.float32)
WHOLE = np.array([[3, -128, 5, 0], [7, 127, -15, 0]], np.int8)
TRUTHS = WHOLE > 4
HALVES = FLOATS.astype(np.float16)

pytestmark = pytest.mark.usefixtures("device")


# A kernel for each name and dtype: few dtypes for most.
REDUCTIONS = {
    "sum": [FLOATS, WHOLE, TRUTHS, HALVES],
    "prod": [WHOLE],
    "min": [FLOATS],
    "max": [WHOLE],
    "mean": [FLOATS, WHOLE, HALVES],
    "var": [FLOATS, WHOLE],
    "std": [FLOATS],
    "any": [TRUTHS, FLOATS],
    "all": [TRUTHS],
}


@pytest.mark.parametrize(
    ("name", "x"), [(name, x) for name, arrays in REDUCTIONS.items() for x in arrays]
)
def test_reductions(name, x):
    ulp = 16 if name in ("mean", "var", "std") else 0
    for named in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": -1}):
        check(lambda x, named=named: getattr(np, name)(x, **named), x, ulp=ulp)
        check(lambda x, named=named: getattr(x, name)(**named), x, ulp=ulp)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, 0, "f8"),
        lambda x: np.sum(x, initial=10, where=x > 0),
        lambda x: np.max(x, axis=1, initial=3),
        lambda x: np.mean(x, dtype="f8"),
        lambda x: np.mean(x, axis=1, where=x > 0),
        lambda x: np.var(x, ddof=1),
        lambda x: np.var(x, axis=0, correction=0.5),
        lambda x: np.std(x, axis=1, where=x != 0),
        lambda x: np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)),
        lambda x: np.ptp(x, axis=1),
        lambda x: np.count_nonzero(x, axis=0),
        lambda x: np.average(x),
        lambda x: np.average(x, axis=0, weights=abs(x[:, 0]) + 1),
        lambda x: np.average(x, weights=abs(x) + 1, returned=True),
        lambda x: np.trace(x),
        lambda x: x.diagonal(1),
        lambda x: np.argmax(x),
        lambda x: np.argmin(x, axis=0),
        lambda x: x.argmax(axis=1, keepdims=True),
        lambda x: x.argmin(keepdims=True),
    ],
)
def test_keywords_and_other_reductions(function):
    check(function, FLOATS, ulp=8)


def test_extremes_of_integers():
    check(lambda x: (np.argmax(x), np.ptp(x, axis=1), np.argmin(x, axis=1)), WHOLE)


NAN = np.array([[1, np.nan, 3, np.nan], [np.nan, 2, -1, 5]], np.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.nansum(x, axis=0),
        lambda x: np.nanprod(x),
        lambda x: np.nanmax(x, axis=1),
        lambda x: np.nanmin(x),
        lambda x: np.nanmean(x, axis=1),
        lambda x: np.max(x, axis=0),
        lambda x: np.argmax(x, axis=1),
        lambda x: np.argmin(x),
    ],
)
def test_nan(function):
    check(function, NAN, ulp=4)


def test_ties_take_the_first():
    x = np.array([[2, 7, 7], [0, 0, 7]], np.int32)
    check(lambda x: np.argmax(x, axis=1), x)
    check(lambda x: np.argmin(x), x)
    check(lambda x: np.argmax(x == 7, axis=0), x)


def test_complex_means():
    x = FLOATS * np.complex64(1 - 2j)
    check(lambda x: np.mean(x, axis=1), x, ulp=8)
    check(lambda x: np.var(x, axis=0), x, ulp=8)
    check(lambda x: x.sum(), x, ulp=8)


def test_outputs():
    x = cuda.to_device(FLOATS)
    out = cuda.zeros(4, np.float64)
    assert np.mean(x, axis=0, out=out) is out
    assert_same(out, np.mean(FLOATS, axis=0, out=np.zeros(4)))
    index = cuda.zeros((), np.int64)
    assert np.argmax(x, out=index) is index
    assert index.item() == FLOATS.argmax()


def test_sums_of_a_float16_are_made_in_float32():
    check(lambda x: np.mean(x), np.full(3000, 40, np.float16))


@pytest.mark.parametrize("function", [np.mean, np.var, np.std])
def test_empty_slices_warn_and_give_nan(function):
    with pytest.warns(RuntimeWarning) as found:
        result = function(cuda.zeros((2, 0)), axis=1)
    with pytest.warns(RuntimeWarning) as expected:
        function(np.zeros((2, 0)), axis=1)
    assert str(found[0].message) == str(expected[0].message)
    assert found[0].filename == __file__
    np.testing.assert_array_equal(result.copy_to_host(), [np.nan, np.nan])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, axis=2),
        lambda x: np.max(x[:0]),
        lambda x: np.argmax(x[:0]),
        lambda x: np.argmin(x, axis=3),
        lambda x: np.var(x, ddof=1, correction=1),
        lambda x: np.average(x, weights=x[0]),
        lambda x: np.average(x, axis=1, weights=x[:, 0]),
        lambda x: np.average(x, weights=x - x),
    ],
)
def test_errors_are_numpys(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_error(function, FLOATS)


def test_results_stay_on_the_device(device):
    x = to_device(FLOATS)
    total = x.sum()
    assert type(total) is cuda.DeviceArray
    assert total.shape == ()
    assert total.device is device
    assert bool(np.all(x == x)) and not bool((x > 100).any())
