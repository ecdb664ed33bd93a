"""Microseconds of calls that are too short to fill the GPU."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gpu_check.bench.libraries import Library
from gpu_check.bench.rows import Call, Rows
from gpu_check.probes.arrays import kernel
from gpu_check.settings import scaled
from numpy_plugin import cuda
from numpy_plugin._benchmark.timing import repeated

N = 1000


def measure(rows: Rows) -> None:
    """Add the rows."""
    f = kernel("float32", 2, "return x + y;")
    rows.time("f(x, y, out=out)", partial(into, f))
    rows.time("f(x, y)", partial(new, f))
    rows.time("ours on its arrays, out=", partial(ours_into, f))
    rows.time("ours on its arrays", partial(ours_new, f))
    rows.time("call and wait", partial(waited, f))
    rows.time("float(sum(x))", sum_on_host)
    rows.time("x[1:]", view)
    for n in (scaled(1 << 16), scaled(1 << 20, 1 << 14)):
        rows.time(f"sum of {n}", partial(summed, n))
    rows.time("launch of a graph of 10", partial(graph_of_ten, f))


def three(library: Library) -> list[Any]:
    """Return short arrays."""
    return [library.ones(N, "float32") for _ in range(3)]


def into(f: np.ufunc, library: Library) -> Call:
    """Return a library's own sum into an array."""
    x, y, out = three(library)
    add = f if library.name == "ours" else library.xp.add
    return lambda: add(x, y, out=out)


def new(f: np.ufunc, library: Library) -> Call:
    """Return a library's own sum."""
    x, y, _ = three(library)
    add = f if library.name == "ours" else library.xp.add
    return lambda: add(x, y)


def ours_into(f: np.ufunc, library: Library) -> Call:
    """Return this package's sum into an array of a library."""
    x, y, out = three(library)
    return lambda: f(x, y, out=out)


def ours_new(f: np.ufunc, library: Library) -> Call:
    """Return this package's sum of arrays of a library."""
    x, y, _ = three(library)
    return lambda: f(x, y)


def waited(f: np.ufunc, library: Library) -> Call:
    """Return a call and the wait for it."""
    return repeated(into(f, library), 1, library.wait)


def sum_on_host(library: Library) -> Call:
    """Return a sum as a number of Python."""
    x = library.ones(N, "float32")
    return lambda: float(library.xp.sum(x))


def view(library: Library) -> Call:
    """Return the making of a view."""
    x = library.ones(N, "float32")
    return lambda: x[1:]


def summed(n: int, library: Library) -> Call:
    """Return a sum of n numbers."""
    x = library.ones(n, "float32")
    return lambda: library.xp.sum(x)


def graph_of_ten(f: np.ufunc, library: Library) -> Call | None:
    """Return the launch of a graph of ten calls."""
    if library.name != "ours":
        return None
    x, _, out = three(library)
    with cuda.graph() as graph:
        for _ in range(10):
            f(x, x, out=out)
    return graph.launch
