"""Rates of reductions and scans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpu_check.bench.libraries import Library
from gpu_check.bench.rows import Call, Rows
from gpu_check.settings import IS_SMALL, scaled

N_BYTES = scaled(1 << 30, 1 << 14)
COLUMNS = scaled(1 << 14, 64)
DTYPES = ("float32", "float64", "int32", "float16")[: 1 if IS_SMALL else None]
Operation = Callable[[Any, Any], Any]

#: Of an array of one dimension, by a module and the array.
FLAT: dict[str, Operation] = {
    "sum": lambda xp, x: xp.sum(x),
    "max": lambda xp, x: x.max(),
    "argmax": lambda xp, x: x.argmax(),
    "var": lambda xp, x: x.var(),
}
MATRIX: dict[str, Operation] = {
    "sum axis 0": lambda xp, x: xp.sum(x, axis=0),
    "sum axis 1": lambda xp, x: xp.sum(x, axis=1),
}


def measure(rows: Rows) -> None:
    """Add the rows."""
    for dtype in DTYPES:
        n = N_BYTES // np.dtype(dtype).itemsize
        for name, operation in FLAT.items():
            if name != "var" or np.dtype(dtype).kind == "f":
                rows.rate(f"{name} {dtype}", N_BYTES, made(operation, n, dtype))
        for name, operation in MATRIX.items():
            shape = (n // COLUMNS, COLUMNS)
            rows.rate(f"{name} {dtype}", N_BYTES, made(operation, shape, dtype))


def scans(rows: Rows) -> None:
    """Add the rows of scans, which read and write."""
    for dtype in ("float32", "int32", "float64"):
        n = N_BYTES // np.dtype(dtype).itemsize
        rows.rate(f"cumsum {dtype}", 2 * N_BYTES, scan(n, dtype, 0))
    shape = (N_BYTES // 4 // COLUMNS, COLUMNS)
    for axis in (0, 1):
        rows.rate(f"cumsum float32 axis {axis}", 2 * N_BYTES, scan(shape, "float32", axis))


def made(operation: Operation, shape: Any, dtype: str) -> Callable[[Library], Call]:
    """Return what makes a library's call of an operation."""

    def make(library: Library) -> Call:
        x = library.ones(shape, dtype)
        return lambda: operation(library.xp, x)

    return make


def scan(shape: Any, dtype: str, axis: int) -> Callable[[Library], Call]:
    """Return what makes a library's scan."""

    def make(library: Library) -> Call:
        x, kind = library.ones(shape, dtype), library.dtype(dtype)
        return lambda: library.xp.cumsum(x, axis, dtype=kind)

    return make
