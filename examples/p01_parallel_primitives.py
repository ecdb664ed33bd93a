"""Parallel primitives: map, zipwith, reduce, scan, scatter, sort, k-select and random numbers.

Calls and methods of ufuncs, the same on NumPy arrays and on device arrays.
"""

from typing import Any

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda

square = npp.vectorize(["int64(int64)"])(lambda x: x * x)
add = npp.vectorize(["int64(int64, int64)"], name="add", identity=0)(lambda x, y: x + y)


@npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(3)")
def largest(values: np.ndarray, out: np.ndarray) -> None:
    """k-select: the three largest, in descending order."""
    for k in range(3):
        out[k] = -(2**62)
    for i in range(len(values)):
        value = values[i]
        for k in range(3):
            if value > out[k]:
                out[k], value = value, out[k]


def main() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(-100, 100, (40, 50))
    flat = rows.reshape(-1)
    places = rng.integers(0, 16, flat.size)

    bins = np.zeros(16, np.int64)
    add.at(bins, places, flat)
    expected = {
        "map": rows**2,
        "zipwith": rows + rows[::-1],
        "reduce": rows.sum(axis=1),
        "scan": rows.cumsum(axis=1),
        "sort": np.sort(rows),
        "k-select": np.sort(rows)[:, :-4:-1],
        "scatter": np.bincount(places, flat, 16).astype(np.int64),
    }
    on_cpu = {
        "map": square(rows),
        "zipwith": add(rows, rows[::-1]),
        "reduce": add.reduce(rows, axis=1),
        "scan": add.accumulate(rows, axis=1),
        "sort": np.sort(rows),
        "k-select": largest(rows),
        "scatter": bins,
    }
    for name, result in on_cpu.items():
        assert np.array_equal(result, expected[name]), name
        print(f"{name} on the CPU: as NumPy's")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        there = cuda.to_device(rows)
        scattered: Any = cuda.zeros(16, np.int64)
        add.at(scattered, places, there.reshape(-1))
        on_device = {
            "map": square(there),
            "zipwith": add(there, there[::-1]),
            "reduce": add.reduce(there, axis=1),
            "scan": add.accumulate(there, axis=1),
            "sort": cuda.sort(there),
            "k-select": largest(there),
            "scatter": scattered,
        }
        for name, array in on_device.items():
            assert np.array_equal(array.copy_to_host(), expected[name]), name
            print(f"{name} on a device: as NumPy's")

        indices = np.arange(1000)
        there = npp.random.uniform(7, cuda.to_device(indices)).copy_to_host()
        assert np.array_equal(there, npp.random.uniform(7, indices))
        assert 0 <= there.min() < 0.01 and 0.99 < there.max() < 1
        print("random numbers: the same bits on both")


if __name__ == "__main__":
    main()
