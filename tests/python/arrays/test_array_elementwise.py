"""Elementwise functions of NumPy that are no ufuncs, and conversions of single elements."""

import operator

import numpy as np
import pytest
from device_arrays.compare import check, check_error
from long_runs import one_in

from numpy_plugin import cuda

X = np.array([[0.5, -1.25, 2.5], [np.nan, np.inf, -7.75]], np.float32)
WHOLE = np.array([[3, -128, 5], [7, 127, -15]], np.int8)
COMPLEX = X.astype(np.complex64) * (1 - 2j)

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.where(x > 1, x, 0),
        lambda x: np.where(x, x, x[0]),
        lambda x: np.where(x[0] != x[0], 1.5, x),
        lambda x: np.where(x > 1, np.float64(3), x),
        lambda x: np.where(x == x, x, x[:, :1].astype("c16")),
    ],
)
def test_where(function):
    for x in (X, WHOLE):
        check(function, x)


def test_where_of_every_size():
    for dtype in ("?", "u1", "f2", "f4", "f8", "c16", "M8[s]"):
        check(lambda c, x: np.where(c, x, x[::-1]), X > 0, np.arange(3).astype(dtype))
    with pytest.raises(TypeError, match=r"'numpy.where' of \|?S3 works on host arrays only"):
        np.where(cuda.ones(2, bool), cuda.zeros(2, "S3"), cuda.zeros(2, "S3"))
    with pytest.raises(ValueError, match="either both or neither of x and y should be given"):
        np.where(cuda.ones(2, bool), 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.clip(x, -1, 2),
        lambda x: x.clip(-1, 2),
        lambda x: x.clip(max=2),
        lambda x: np.clip(x, x[1], None),
        lambda x: np.clip(x, 0, x[0]),
        lambda x: np.clip(x, min=1),
        lambda x: np.clip(x, -1.5, 2.5),
        lambda x: np.clip(x, -1000, 1000) if x.dtype == np.int8 else x.clip(),
        lambda x: np.clip(x, 0, 1, dtype="f8"),
    ],
)
def test_clip(function):
    for x in (X, WHOLE):
        check(function, x)


def test_clip_into_an_output():
    x = cuda.to_device(X)
    assert np.clip(x, 0, 1, out=x) is x
    np.testing.assert_array_equal(x.copy_to_host(), np.clip(X, 0, 1))


@pytest.mark.parametrize("decimals", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "i1", "i4", "?"])
def test_round(decimals, dtype):
    values = np.array([0.5, 1.5, -2.45, 2.675, 15, 25, 127]).astype(dtype)
    if dtype == "?" and decimals:
        pytest.skip("NumPy's float16 of bools")
    check(lambda x: np.round(x, decimals), values)
    check(lambda x: x.round(decimals), values)


FUNCTIONS = [
    lambda x: np.nan_to_num(x),
    lambda x: np.nan_to_num(x, nan=1, posinf=2, neginf=-3),
    lambda x: np.isclose(x, x + 1e-7),
    lambda x: np.isclose(x, x[0], rtol=0.1, atol=2),
    lambda x: np.isclose(x, x, equal_nan=True),
    lambda x: np.isclose(x, 2.5),
    lambda x: np.allclose(x, x),
    lambda x: np.allclose(x, x, equal_nan=True),
    lambda x: np.array_equal(x, x, equal_nan=True),
    lambda x: np.diff(x),
    lambda x: np.diff(x, 2, axis=0),
    lambda x: np.diff(x, prepend=0, append=x[:, :2]),
    lambda x: np.diff(x == x[0]),
    lambda x: np.astype(x, np.complex128),
    lambda x: x.conj(),
]


# One or two of three dtypes by default.
@pytest.mark.parametrize(("function", "x"), one_in(2, FUNCTIONS, [X, WHOLE, COMPLEX]))
def test_functions_of_elements(function, x):
    check(function, x)


def test_copyto():
    def copied(dst, src, **named):
        dst = dst.copy()
        np.copyto(dst, src, **named)
        return dst

    check(copied, X, X[0])
    check(copied, X, 2)
    check(lambda x, y: copied(x, y, casting="unsafe"), WHOLE, X[0, :1])
    check(lambda x, y, mask: copied(x, y, where=mask), X, X[0].astype("f8"), X > 0)
    check(lambda x, mask: copied(x, 5, where=mask), X, X > 0)
    check_error(lambda x, y: copied(x, y), WHOLE, X)
    check_error(lambda x: copied(x, 2.5), WHOLE)
    check_error(lambda x: copied(x, x[:, :2]), X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.clip(x, 1, 2, min=3),
        lambda x: np.clip(x, 1, max=2, dtype=np.int8),
        lambda x: np.diff(x, -1),
        lambda x: np.diff(x[0, 0:1].reshape(())),
        lambda x: np.diff(x, axis=5),
    ],
)
def test_errors_are_numpys(function):
    check_error(function, X)


# --- single elements ---


def test_conversions_of_single_elements():
    assert cuda.to_device(np.int16(3)).__index__() == 3
    assert [10, 20, 30][cuda.to_device(np.uint8(1))] == 20
    assert complex(cuda.to_device(np.complex64(1 - 2j))) == 1 - 2j
    x = cuda.to_device(WHOLE)
    assert x.item(1, 2) == -15 and x.item(4) == 127 and x.item(-1) == -15
    assert x.T.item(1) == 7
    assert x.tolist() == WHOLE.tolist() and x[0, 0].tolist() == 3
    assert cuda.to_device(np.array([2.5]))[0].tolist() == 2.5


@pytest.mark.parametrize(
    ("convert", "error", "message"),
    [
        (lambda x: operator.index(x[0]), TypeError, "only integer scalar arrays"),
        (lambda x: operator.index(x[0, 0]), TypeError, "only integer scalar arrays"),
        (lambda x: complex(x), TypeError, "only an array of one element"),
        (lambda x: x.item(), TypeError, "only an array of one element .* this one has 6"),
        (lambda x: x.item(6), IndexError, "index 6 is out of bounds for axis 0 with size 6"),
        (lambda x: x.item(0, 3), IndexError, "index 3 is out of bounds for axis 1 with size 3"),
        (lambda x: x[0].mT, ValueError, "matrix transpose with ndim < 2 is undefined"),
        (lambda x: bool(x), ValueError, r"use a\.any\(\) or a\.all\(\)"),
    ],
)
def test_elements_that_are_no_scalar(convert, error, message):
    with pytest.raises(error, match=message):
        convert(cuda.to_device(X))
