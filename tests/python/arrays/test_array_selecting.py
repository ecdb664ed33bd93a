"""NumPy's functions that sort, search and choose, and the methods of their names."""

import numpy as np
import pytest
from device_arrays.compare import check, check_error
from machines.device_under_test import needs_simulator
from machines.fresh_process import run_python

from numpy_plugin import cuda

X = np.array([[3, -1, 2, 2], [0, 7, -1, 5]], np.int32)
F = np.array([2.5, np.nan, -1.0, 2.5, np.nan, 0.0], np.float32)
INDICES = np.array([[1, 0, 3], [2, 2, -1]])

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sort(x),
        lambda x: np.sort(x, axis=0, stable=True),
        lambda x: np.sort(x, axis=None),
        lambda x: np.argsort(x, kind="stable"),
        lambda x: x.argsort(axis=0, stable=True),
        lambda x: np.nonzero(x),
        lambda x: x.nonzero(),
        lambda x: np.where(x > 1),
        lambda x: np.flatnonzero(x),
        lambda x: np.argwhere(x),
        lambda x: np.take(x, 1),
        lambda x: np.take(x, [0, 2], axis=1),
        lambda x: x.take([1, -1], axis=1, mode="wrap"),
        lambda x: np.compress([True, False], x, axis=0),
        lambda x: x.compress([False, True, True], axis=1),
        lambda x: np.extract(x > 1, x),
        lambda x: np.unique(x),
        lambda x: np.unique(x, return_inverse=True, return_counts=True),
        lambda x: np.unique_all(x),
        lambda x: np.unique_counts(x),
        lambda x: np.unique_inverse(x),
        lambda x: np.repeat(x, [1, 0, 2, 1], axis=1),
        lambda x: np.pad(x, ((1, 1), (2, 3)), mode="reflect"),
        lambda x: np.pad(x, 2, mode="edge"),
    ],
)
def test_functions(function):
    check(function, X)


def test_order_of_nan():
    check(lambda x: np.sort(x), F)
    check(lambda x: np.unique_values(x), np.array([2.5, np.nan, 1, np.nan]))


def test_indices_along_an_axis():
    check(lambda x, i: np.take_along_axis(x, i, axis=1), X, INDICES)
    check(lambda x, i: np.take_along_axis(x, i % 2, axis=0), X[:, :3], INDICES)
    check(lambda x, i: np.take_along_axis(x, i.ravel(), axis=None), X, INDICES)

    def put(x, i):
        x = x.copy()
        np.put_along_axis(x, i, 9, axis=1)
        return x

    check(put, X, INDICES)


def test_arrays_as_arguments():
    check(lambda a, v: np.searchsorted(a, v), np.sort(X[0]), X)
    check(lambda a, v: a.searchsorted(v, side="right"), np.sort(X[0]), X)
    check(lambda x, i: np.take(x, i), X, INDICES)
    check(lambda x: np.bincount(x, minlength=9), X.ravel() + 1)
    check(lambda x: np.histogram(x, 4), F[[0, 2, 3, 5]])
    check(lambda x, w: np.bincount(x, w), X[1] + 1, F[[0, 2, 3, 5]])
    check(lambda x, w: np.histogram(x, 3, weights=w), X[1], F[[0, 2, 3, 5]])


@needs_simulator
def test_a_first_sort_is_two_compilations(tmp_path):
    found = run_python(
        """
        import numpy as np
        from numpy_plugin import _core, cuda

        with cuda.simulator():
            np.argsort(cuda.to_device(np.arange(5000.0, 0, -1))).copy_to_host()
        print(len(_core.cache_info()["entries"]))
        """,
        NUMPY_PLUGIN_CACHE_DIR=str(tmp_path),
    )
    assert found == "2"  # the passes, and the cast of positions


@needs_simulator
def test_a_long_sort_is_one_launch_a_digit():
    values = np.random.default_rng(0).integers(-300, 300, (2, 12 * 4096 + 7)).astype(np.float32)
    with cuda.simulator() as simulated:
        found = np.argsort(cuda.to_device(values), axis=1).copy_to_host()
        assert simulated.counters.launches == 1 + 4 + 1  # keys, digits, the cast of positions
    np.testing.assert_array_equal(found, np.argsort(values, axis=1, kind="stable"))


@needs_simulator
@pytest.mark.parametrize("n", [4096, 33 * 4096 + 5, 200 * 4096])
def test_a_mask_is_counted_in_one_launch(n):
    mask = np.random.default_rng(n).random(n) < 0.3
    with cuda.simulator() as simulated:
        (found,) = np.nonzero(cuda.to_device(mask))
        found = found.copy_to_host()
        assert simulated.counters.launches == 2  # one counts, one writes the positions
    np.testing.assert_array_equal(found, np.nonzero(mask)[0])


def test_sorting_in_place():
    x = cuda.to_device(X)
    assert x.sort(axis=0) is None
    np.testing.assert_array_equal(x.copy_to_host(), np.sort(X, axis=0))
    x.T.sort()
    np.testing.assert_array_equal(x.copy_to_host(), np.sort(X, axis=0))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sort(x, axis=2),
        lambda x: np.sort(x, kind="x"),
        lambda x: np.nonzero(x[0, 0:1].reshape(())),
        lambda x: np.take_along_axis(x, x[0], axis=1),
        lambda x: np.take_along_axis(x, x > 0, axis=1),
        lambda x: np.repeat(x, x[0] - 9, axis=1),
        lambda x: np.repeat(x[0], x[0].astype("f4")),
    ],
)
def test_errors_are_numpys(function):
    check_error(function, X)


def test_keywords_that_are_not_supported():
    x = cuda.to_device(X)
    with pytest.raises(ValueError, match="Cannot specify order when the array has no fields"):
        np.sort(x, order="field")
    records = cuda.to_device(np.zeros(3, [("field", "f8")]))
    with pytest.raises(TypeError, match="has no order="):
        np.sort(records, order="field")
