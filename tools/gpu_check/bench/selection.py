"""Rates of sorts, masks, indices and counts: elements a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpu_check.bench.libraries import Library
from gpu_check.bench.rows import Call, Rows
from gpu_check.settings import scaled
from numpy_plugin import cuda

N = scaled(1 << 26, 1 << 12)
Operation = Callable[[Any, Any], Any]


def measure(rows: Rows) -> None:
    """Add the rows."""
    random = np.random.default_rng(0)
    values, places = random.random(N) * 1e6, random.integers(0, N, N)
    for dtype in ("float32", "int64", "int16"):
        host = values.astype(dtype) if dtype != "int16" else (values % 30000).astype(dtype)
        rows.elements(f"sort {dtype}", N, of(host, lambda xp, x: xp.sort(x)))
        rows.elements(f"argsort {dtype}", N, of(host, lambda xp, x: xp.argsort(x)))
    single = values.astype("float32")
    rows.elements("x[mask] float32, half", N, chosen(single, values > 5e5))
    rows.elements("x[random indices] float32", N, chosen(single, places))
    rows.elements("nonzero", N, of(values > 5e5, lambda xp, x: x.nonzero()))
    keys = places % 1000
    rows.elements("bincount of 1000", N, of(keys, bincount))
    for dtype in ("int32", "float32"):
        rows.elements(f"add.at {dtype}, random", N, added(places, dtype))
    starts = np.arange(0, N, 50)
    rows.rate("reduceat int64, segments of 50", 8 * N, segments(places, starts))


def of(host: Any, operation: Operation) -> Callable[[Library], Call]:
    """Return what makes a library's call of an operation on these values."""

    def make(library: Library) -> Call:
        x = library.array(host)
        return lambda: operation(library.xp, x)

    return make


def bincount(xp: Any, x: Any) -> Any:
    """Count values, by this package's function or the module's."""
    return cuda.bincount(x) if xp is np else xp.bincount(x)


def chosen(host: Any, key: Any) -> Callable[[Library], Call]:
    """Return what makes a library's indexing by an array."""

    def make(library: Library) -> Call:
        x, k = library.array(host), library.array(key)
        return lambda: x[k]

    return make


def added(places: Any, dtype: str) -> Callable[[Library], Call]:
    """Return what makes a library's sum into chosen places."""

    def make(library: Library) -> Call:
        x, k = library.ones(N, dtype), library.array(places)
        if library.name == "torch":
            ones = library.ones(N, dtype)
            return lambda: x.index_add_(0, k, ones)
        one = np.dtype(dtype).type(1)
        return lambda: library.xp.add.at(x, k, one)

    return make


def segments(host: Any, starts: Any) -> Callable[[Library], Call | None]:
    """Return what makes the reductions of segments, which peers have not."""

    def make(library: Library) -> Call | None:
        if library.name != "ours":
            return None
        x, s = library.array(host), library.array(starts)
        return lambda: np.add.reduceat(x, s)

    return make
