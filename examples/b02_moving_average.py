"""A window over the last axis: one operand with a core dimension and one without."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Vector = npt.NDArray[Any]


@npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def moving_average(a: Vector, window: int, out: Vector) -> None:
    """Mean of each element and the `window - 1` elements before it, fewer at the beginning."""
    total = 0.0
    count = 0
    for i in range(a.shape[0]):
        total += a[i]
        count += 1
        if i >= window:
            total -= a[i - window]
            count -= 1
        out[i] = total / count


@npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def window_mean(a: Vector, window: int, out: Vector) -> None:
    """The same means, each from its own window: no element depends on the previous one."""
    for i in range(a.shape[0]):
        first = max(i - window + 1, 0)
        total = 0.0
        for k in range(first, i + 1):
            total += a[k]
        out[i] = total / (i + 1 - first)


def expected_average(a: Vector, window: int) -> Vector:
    """The same means from NumPy's running sums."""
    sums = np.concatenate([[0.0], np.cumsum(a)])
    end = np.arange(1, a.size + 1)
    start = np.maximum(end - window, 0)
    return np.asarray((sums[end] - sums[start]) / (end - start))


def main() -> None:
    steps = np.arange(20.0)
    assert np.array_equal(moving_average(steps, 3)[:5], [0.0, 0.5, 1.0, 2.0, 3.0])
    print("0, 1, 2, ... over 3:", moving_average(steps, 3)[:5])

    rng = np.random.default_rng(1)
    rows = rng.normal(size=(50, 400))
    windows = rng.integers(1, 40, size=50)
    means = moving_average(rows, windows)
    for row, window, mean in zip(rows, windows, means, strict=True):
        np.testing.assert_allclose(mean, expected_average(row, int(window)), rtol=0, atol=1e-12)
    print("50 rows, a window of its own for each: within 1e-12 of NumPy's running sums")

    columns = moving_average(rows.T, windows, axes=[0, (), 0])
    assert np.array_equal(columns, means.T)
    print("along the first axis, with axes=:", columns.shape)

    np.testing.assert_allclose(window_mean(rows, windows), means, rtol=0, atol=1e-12)
    print("each from its own window: within 1e-12 of the running ones")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        for average in (moving_average, window_mean):
            on_device = average(cuda.to_device(rows), cuda.to_device(windows))
            assert np.array_equal(on_device.copy_to_host(), average(rows, windows))
    print("on device arrays: the same bits")


if __name__ == "__main__":
    main()
