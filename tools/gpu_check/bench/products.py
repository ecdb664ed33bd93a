"""Rates of products of matrices, and of kernels with core dimensions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import numpy_plugin as npp
from gpu_check.bench.libraries import Library
from gpu_check.bench.rows import Call, Rows
from gpu_check.settings import scaled
from numpy_plugin import cuda

SIDE = scaled(4096, 32)
N_VECTORS = scaled(1 << 24, 1 << 10)


def measure(rows: Rows) -> None:
    """Add the rows."""
    for dtype in ("float32", "float64"):
        rows.compare(f"matmul {dtype} of {SIDE}", "TFLOP/s", partial(product, dtype), teraflops)
    rows.rate("cross product, (3),(3)->(3) float32", 36 * N_VECTORS, cross)
    rows.rate("sum of rows, (n)->() float32", 64 * N_VECTORS, sum_of_rows)


def teraflops(seconds: float) -> float:
    """Return the rate of a product in 10^12 operations a second."""
    return round(2 * SIDE**3 / seconds / 1e12, 2)


def product(dtype: str, library: Library) -> Call:
    """Return a product of two matrices."""
    x, y = library.ones((SIDE, SIDE), dtype), library.ones((SIDE, SIDE), dtype)
    return lambda: library.xp.matmul(x, y)


@npp.guvectorize(["void(float32[:], float32[:], float32[:])"], "(3),(3)->(3)")
def cross_product(a: Any, b: Any, out: Any) -> None:
    """Product of two vectors in space."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@npp.guvectorize(["void(float32[:], float32[:])"], "(n)->()")
def total(a: Any, out: Any) -> None:
    """Sum in order."""
    out[0] = 0.0
    for i in range(a.shape[0]):
        out[0] += a[i]


def cross(library: Library) -> Call | None:
    """Return products of vectors."""
    if library.name == "torch":
        x, y = (library.ones((N_VECTORS, 3), "float32") for _ in range(2))
        return lambda: library.xp.linalg.cross(x, y)
    if library.name != "ours":
        return None
    x, y, out = (library.ones((N_VECTORS, 3), "float32") for _ in range(3))
    return lambda: cross_product(x, y, out)


def sum_of_rows(library: Library) -> Call | None:
    """Return sums of rows of 16 numbers, each by a thread."""
    if library.name != "ours":
        return None
    x, out = library.ones((N_VECTORS, 16), "float32"), cuda.zeros(N_VECTORS, np.float32)
    return lambda: total(x, out)
