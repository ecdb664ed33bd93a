"""Lists and tuples of numbers where NumPy's functions take arrays: beside NumPy's own results."""

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")

QUARTILES = (25, 50, 75)
TABLE = ((1.0, 2.0), (0.5, 4.0))
A = np.random.default_rng(5).integers(-9, 9, (7, 6)).astype(float)
A[3, 1] = np.nan

OF_ARRAYS = [
    "np.percentile(a, [10, 90])[1]",
    "np.quantile(a, (0.25, 0.75)).sum()",
    "np.nanpercentile(a, QUARTILES)[2] - np.nanpercentile(a, q=QUARTILES)[0]",
    "np.searchsorted(np.sort(a), [a[0], 3])[1]",
    "np.interp([0.5, 2.5], [0.0, 1.0, 3.0], (a[0], a[1], a[2]))[1]",
    "np.dot([1.0, -2.0, 0.5], a[:3]) + np.dot(a[:2], (3, 4))",
    "np.dot(TABLE, a[:2])[1] + np.linalg.det(TABLE) + np.linalg.det([[a[0], 2.0], [3.0, a[1]]])",
    "np.linalg.norm([a[0], a[1]])",
    "np.cross([a[0], a[1], 1.0], [a[1], a[0], 2.0])[2]",
    "np.take(a, [5, 0, 2])[0] + np.isin(a, [1, 2]).sum()",
    "np.reshape(a, (3, 2))[2, 1] + np.reshape(a, [2, 3])[1, 0]",
    "np.histogram(a[:1], 4, (-9.0, 9.0))[0].sum()",
    "np.mean([a[0], a[1], 3.0]) + np.mean(QUARTILES) + np.sum((a[0], a[1]), axis=0)",
]
OF_NUMBERS = [
    "np.max([x, y]) - np.min((x, y, 0.5))",
    "np.asarray(x) + np.array(y, dtype=np.float32) * np.copy(2)",
    "np.median([x, y, 3.0])",
    "np.interp(x, [0.0, 1.0, 5.0], [1.0, 2.0, 0.5])",
    "np.polyval([2.0, -1.0, y], x)",
    "np.std([x, y]) + np.var((x, 1)) + np.prod([x, y, 2])",
    "np.argmax([x, y, 1.5]) + np.count_nonzero([x, y, 0]) + np.all([x > y, True]) + np.any((x, 0))",
]


def defined(text, **names):
    return define(text, QUARTILES=QUARTILES, TABLE=TABLE, **names)["f"]


@pytest.mark.parametrize("text", OF_ARRAYS)
def test_in_kernels_of_arrays(text):
    plain = defined(f"def f(a, out):\n    out[0] = {text}\n")
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(plain)
    expected = np.zeros((len(A), 1))
    with np.errstate(all="ignore"):
        for row, out in zip(A, expected, strict=True):
            plain(row, out)
        found = f(A)
    np.testing.assert_allclose(found, expected[:, 0], rtol=1e-14)
    np.testing.assert_array_equal(f(cuda.to_device(A)).copy_to_host(), found)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("text", OF_NUMBERS)
def test_in_kernels_of_numbers(text, dtype):
    plain = defined(f"def f(x, y):\n    return {text}\n")
    x, y = A[:2].astype(dtype), A[4:6].astype(dtype)
    f = npp.vectorize([f"{dtype}({dtype}, {dtype})"])(plain)
    expected = [plain(*pair) for pair in zip(x.flat, y.flat, strict=True)]
    found = f(x, y)
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-14 if dtype == "float64" else 1e-6)
    there = f(cuda.to_device(x), cuda.to_device(y)).copy_to_host()
    np.testing.assert_array_equal(there, found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("np.mean([a, a])", "an item of an array must be a number, a is a 1-dimensional array"),
        ("np.dot([1.0, 'x'], a[:2])", "a string in a kernel"),
        ("np.median([])", "a list in a kernel"),
    ],
)
def test_lists_that_are_no_arrays(text, message):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, f"def f(a, out):\n    out[0] = {text}\n")
    assert message in str(error)
