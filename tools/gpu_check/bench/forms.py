"""Rates of sums in each launch form, beside copies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gpu_check.bench.libraries import Library
from gpu_check.bench.rows import Call, Rows
from gpu_check.settings import IS_SMALL, scaled

#: Bytes of each operand.
N_BYTES = scaled(1 << 30, 1 << 14)
DTYPES = ("float32", "int8", "float64", "float16", "complex64")[: 1 if IS_SMALL else None]
View = Callable[[Any], Any]

LAYOUTS: dict[str, View] = {
    "contiguous": lambda x: x,
    "x[1:]": lambda x: x.reshape(-1)[1:],
    "rows x[:, :-64]": lambda x: x[:, :-64],
    "unaligned rows x[:, 1:]": lambda x: x[:, 1:],
    "every second x[:, ::2]": lambda x: x[:, ::2],
    "short rows x[:, :16]": lambda x: x.reshape(-1, 32)[:, :16],
}
#: Those that only one dtype is measured in.
OF_FLOAT32 = tuple(LAYOUTS)[3:]


def measure(rows: Rows) -> None:
    """Add the rows."""
    for dtype in DTYPES:
        n = N_BYTES // np.dtype(dtype).itemsize
        rows.rate(f"copy {dtype}", 2 * N_BYTES, partial(copy, n, dtype))
        for name, view in LAYOUTS.items():
            if dtype in ("float32", "int8") or name not in OF_FLOAT32:
                layout(rows, f"add {dtype} {name}", (n, dtype), view)
        transposed(rows, n, dtype)
    masked_and_scalars(rows, N_BYTES // 4)


def square(n: int) -> int:
    """Return the side of the largest square of n elements whose side is a power of two."""
    return 1 << ((n.bit_length() - 1) // 2)


def copy(n: int, dtype: str, library: Library) -> Call:
    """Return a copy within the device."""
    return library.copy(library.ones(n, dtype), library.ones(n, dtype))


def layout(rows: Rows, what: str, array: tuple[int, str], view: View) -> None:
    """Add a row of sums of views."""
    n, dtype = array
    columns = square(n)

    def make(library: Library) -> Call:
        x, y, out = (view(library.ones((n // columns, columns), dtype)) for _ in range(3))
        return lambda: library.xp.add(x, y, out=out)

    size = view(np.empty((n // columns, columns), np.int8)).size
    rows.rate(what, 3 * size * np.dtype(dtype).itemsize, make)


def transposed(rows: Rows, n: int, dtype: str) -> None:
    """Add a row of a transposed operand beside one that is not."""
    side = square(n)

    def make(library: Library) -> Call:
        x, y, out = (library.ones((side, side), dtype) for _ in range(3))
        return lambda: library.xp.add(x.T, y, out=out)

    rows.rate(f"add {dtype} x.T + y", 3 * side * side * np.dtype(dtype).itemsize, make)


def masked_and_scalars(rows: Rows, n: int) -> None:
    """Add rows of a mask, a number, and a row that is broadcast."""
    mask = np.random.default_rng(0).integers(0, 2, n, dtype=bool)

    def masked(library: Library) -> Call | None:
        if library.name != "ours":
            return None
        x, out, where = library.ones(n, "float32"), library.ones(n, "float32"), library.array(mask)
        return lambda: np.add(x, x, out=out, where=where)

    def number(library: Library) -> Call:
        x, out = library.ones(n, "float32"), library.ones(n, "float32")
        return lambda: library.xp.add(x, 2.0, out=out)

    def row(library: Library) -> Call:
        x, out = (library.ones((n // 1024, 1024), "float32") for _ in range(2))
        y = library.ones(1024, "float32")
        return lambda: library.xp.add(x, y, out=out)

    rows.rate("add float32 where= half", 9 * n, masked)
    rows.rate("add float32 + number", 8 * n, number)
    if n >= 1024:
        rows.rate("add float32 + row", 8 * n, row)
