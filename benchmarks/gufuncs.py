"""`python benchmarks/gufuncs.py`: generalized ufuncs beside Numba's, np.matmul and np.einsum.

Nanoseconds of a call of the kernel, and how many times longer the others take.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from declarations import matmul, norm

from numpy_plugin import guvectorize
from numpy_plugin._benchmark.timing import median_times

__all__ = ["main", "matrix_products", "norms"]

N_ITEMS = 160_000
ROUNDS = 25
WARM_SECONDS = 2.0  # of calls while versions for repeated sizes are compiled
OURS = "numpy_plugin"

Array = npt.NDArray[np.float64]
Contestants = Mapping[str, Callable[[], Any]]


def matrix_products(size: int) -> Contestants:
    """Return products of stacks of small matrices, by contestant."""
    random = np.random.default_rng(0)
    shape = (N_ITEMS // size**2, size, size)
    a, b, out = random.normal(size=shape), random.normal(size=shape), np.empty(shape)
    types = "void(float64[:,:], float64[:,:], float64[:,:])"
    layout, fixed = "(m,k),(k,n)->(m,n)", f"({size},{size}),({size},{size})->({size},{size})"
    ours, ours_fixed = guvectorize([types], layout)(matmul), guvectorize([types], fixed)(matmul)
    return {
        OURS: partial(ours, a, b, out=out),
        "numpy_plugin, fixed sizes": partial(ours_fixed, a, b, out=out),
        **_numba(types, layout, matmul, a, b, out),
        "np.matmul": partial(np.matmul, a, b, out=out),
        "np.einsum": partial(np.einsum, "nij,njk->nik", a, b, out=out),
    }


def norms(size: int) -> Contestants:
    """Return lengths of vectors, by contestant."""
    x = np.random.default_rng(0).normal(size=(N_ITEMS // size, size))
    out = np.empty(len(x))
    types, layout = "void(float64[:], float64[:])", "(n)->()"
    return {
        OURS: partial(guvectorize([types], layout)(norm), x, out=out),
        "numpy_plugin, fastmath": partial(
            guvectorize([types], layout, fastmath=True)(norm), x, out=out
        ),
        **_numba(types, layout, norm, x, out),
        "np.linalg.norm": partial(np.linalg.norm, x, axis=1),
    }


def _numba(types: str, layout: str, kernel: Callable[..., Any], *operands: Array) -> Contestants:
    """Return Numba's ufunc of a kernel, if that is installed."""
    if importlib.util.find_spec("numba") is None:
        return {}
    declare = importlib.import_module("numba").guvectorize
    return {"Numba": partial(declare([types], layout, nopython=True)(kernel), *operands)}


def _warm(function: Callable[[], Any]) -> None:
    """Repeat the call until what it compiles in the background is there."""
    end = time.monotonic() + WARM_SECONDS
    while time.monotonic() < end:
        function()


def main() -> None:
    """Print the times and ratios."""
    for what, contestants, sizes in (
        ("product of matrices", matrix_products, (2, 3, 4, 8)),
        ("norm of vectors", norms, (4, 16, 1000)),
    ):
        for size in sizes:
            functions = contestants(size)
            _warm(functions[OURS])
            times = median_times(functions, ROUNDS)
            n_calls = N_ITEMS // (size**2 if contestants is matrix_products else size)
            ours = times.pop(OURS)
            print(f"{what}, size {size}: {ours / n_calls * 1e9:.1f} ns")
            for name, seconds in times.items():
                print(f"  {name}: {seconds / ours:.2f} of this time")


if __name__ == "__main__":
    main()
