"""An integer ufunc: a minimal declaration, and NumPy's broadcasting."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["int64(int64, int64)"])
def add(x: int, y: int) -> int:
    """x plus y."""
    return x + y


def main() -> None:
    assert type(add) is np.ufunc
    assert add.types == ["ll->l"] or add.types == ["qq->q"]

    scalar = add(10, 20)
    assert scalar == 30 and type(scalar) is np.int64
    print("scalars:   add(10, 20) =", scalar)

    row = np.array([1, 2, 3, 4])
    assert np.array_equal(add(row, row), np.add(row, row))
    print("arrays:    add(row, row) =", add(row, row))

    table = np.arange(16).reshape(4, 4)
    column = row.reshape(4, 1)
    total = add(table, column)
    assert np.array_equal(total, np.add(table, column))
    print("broadcast: 4x4 plus a column, first column =", total[:, 0])

    assert add.reduce(row) == row.sum()
    assert np.array_equal(add.outer(row, row), np.add.outer(row, row))
    print("reduce:    add.reduce(row) =", add.reduce(row))

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = add(cuda.to_device(table), cuda.to_device(column))
        assert np.array_equal(on_device.copy_to_host(), total)
        print("device:    the same table from device arrays,", on_device.shape)


if __name__ == "__main__":
    main()
