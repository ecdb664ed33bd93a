"""`python benchmarks/gufuncs.py`: generalized ufuncs beside Numba's and NumPy's functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from declarations import deviation, matmul, norm
from variants import library

from numpy_plugin import benchmark, guvectorize

__all__ = ["Contest", "deviations", "main", "matrix_products", "norms", "searches", "selections"]

N_ITEMS = 160_000
ROUNDS = 25
WARM_SECONDS = 2.0  # of calls while versions for repeated sizes are compiled


class Contest(NamedTuple):
    """A ufunc, its operands, and what it is compared with."""

    ours: Callable[..., Any]
    operands: list[npt.NDArray[np.float64]]
    others: Mapping[str, Callable[..., Any]]


def matrix_products(size: int) -> Contest:
    """Return products of stacks of small matrices."""
    random = np.random.default_rng(0)
    shape = (N_ITEMS // size**2, size, size)
    types = "void(float64[:,:], float64[:,:], float64[:,:])"
    layout, fixed = "(m,k),(k,n)->(m,n)", f"({size},{size}),({size},{size})->({size},{size})"
    others = {
        "fixed sizes": guvectorize([types], fixed)(matmul),
        **_numba(types, layout, matmul),
        "np.matmul": np.matmul,
        "np.einsum": partial(np.einsum, "nij,njk->nik"),
    }
    operands = [random.normal(size=shape) for _ in range(2)]
    return Contest(guvectorize([types], layout)(matmul), operands, others)


def norms(size: int) -> Contest:
    """Return lengths of vectors."""
    types, layout = "void(float64[:], float64[:])", "(n)->()"
    others = {
        "fastmath": guvectorize([types], layout, fastmath=True)(norm),
        **_numba(types, layout, norm),
        "np.linalg.norm": partial(np.linalg.norm, axis=1),
    }
    x = np.random.default_rng(0).normal(size=(N_ITEMS // size, size))
    return Contest(guvectorize([types], layout)(norm), [x], others)


def deviations(size: int) -> Contest:
    """Return standard deviations, two sums of a row."""
    types, layout = "void(float64[:], float64[:])", "(n)->()"
    others = {"np.std": partial(np.std, axis=1), **_numba(types, layout, deviation)}
    x = np.random.default_rng(0).normal(size=(N_ITEMS // size, size))
    return Contest(guvectorize([types], layout)(deviation), [x], others)


def _greatest(x: Any, out: Any) -> None:
    best = 0
    for i in range(1, x.shape[0]):
        if x[i] > x[best]:
            best = i
    out[0] = best


def _searched(x: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        low, high = 0, x.shape[0] - 1
        while high - low > 1:
            middle = (low + high) // 2
            if x[middle] <= 0.37 * i:
                low = middle
            else:
                high = middle
        out[i] = low


def _exchanged(x: Any, out: Any) -> None:
    n = x.shape[0]
    for i in range(n):
        out[i] = x[i]
    for i in range(n):
        for k in range(n - 1 - i):
            if out[k] > out[k + 1]:
                t = out[k]
                out[k] = out[k + 1]
                out[k + 1] = t


def _longest_run(x: Any, out: Any) -> None:
    best = run = 0
    for i in range(x.shape[0]):
        if x[i] > 0:
            run += 1
            if run > best:
                best = run
        else:
            run = 0
    out[0] = best


def _selected(x: Any, out: Any) -> None:
    large = x[x > 2]
    out[0] = large.shape[0] + (large[0] if large.shape[0] > 0 else 0.0)


def _selected_by_a_loop(x: Any, out: Any) -> None:
    large = np.empty(x.shape[0])
    n = 0
    for i in range(x.shape[0]):
        if x[i] > 2:
            large[n] = x[i]
            n += 1
    out[0] = n + (large[0] if n > 0 else 0.0)


def selections(size: int, share: float) -> Contest:
    """Return a mask's selection of a share of the elements, beside the loop written out."""
    types, layout = "void(float64[:], float64[:])", "(n)->()"
    chosen = np.random.default_rng(0).random((N_ITEMS // size, size)) < share
    loop = guvectorize([types], layout)(_selected_by_a_loop)
    others = {"the loop": loop, **_numba(types, layout, _selected)}
    return Contest(guvectorize([types], layout)(_selected), [np.where(chosen, 3.0, 1.0)], others)


def searches(size: int, kernel: Callable[..., Any]) -> Contest:
    """Return loops that no compiler vectorizes, with a comparison in each trip."""
    layout = "(n)->()" if kernel in (_greatest, _longest_run) else "(n)->(n)"
    types = "void(float64[:], float64[:])"
    x = np.random.default_rng(0).normal(size=(N_ITEMS // size, size))
    x = np.sort(x) if kernel is _searched else x
    return Contest(guvectorize([types], layout)(kernel), [x], _numba(types, layout, kernel))


def _numba(types: str, layout: str, kernel: Callable[..., Any]) -> Mapping[str, Any]:
    """Return Numba's ufunc of a kernel, if that is installed."""
    numba = library("numba")
    return {} if numba is None else {"Numba": numba.guvectorize([types], layout)(kernel)}


def _warm(function: Callable[[], Any]) -> None:
    """Repeat the call until what it compiles in the background is there."""
    end = time.monotonic() + WARM_SECONDS
    while time.monotonic() < end:
        function()


def main() -> None:
    """Print the times."""
    contests: list[tuple[Callable[[int], Contest], tuple[int, ...]]] = [
        (matrix_products, (2, 3, 4, 8)),
        (norms, (4, 16, 1000)),
        (deviations, (16, 365, 8760)),
        (partial(searches, kernel=_greatest), (16, 365, 8760)),
        (partial(searches, kernel=_searched), (16, 365)),
        (partial(searches, kernel=_exchanged), (16, 64)),
        (partial(searches, kernel=_longest_run), (16, 365)),
        *((partial(selections, share=share), (100, 10000)) for share in (0.0, 0.01, 0.5, 0.99)),
    ]
    for contest, sizes in contests:
        for size in sizes:
            ours, operands, others = contest(size)
            _warm(partial(ours, *operands))
            print(f"\n{N_ITEMS:,} numbers in items of size {size}", flush=True)
            benchmark(ours, *operands, against=others, rounds=ROUNDS)


if __name__ == "__main__":
    main()
