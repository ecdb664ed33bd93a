"""`make bench`: kernels with scratch arrays, compared with the same kernels given their arrays.

The CPU's loops: a scratch array costs the call that takes its memory, and nothing per element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import guvectorize
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands.bench import Measurement

__all__ = ["calls", "measure"]

N_ELEMENTS = 64_000  # of all rows: more arrays would leave the caches
SIZES = (32, 1000)
ROUNDS = 201

Array = npt.NDArray[np.float64]


def _with_scratch(a: Array, out: Array) -> None:
    t = np.zeros(len(a))
    u = np.empty_like(a)
    for i in range(len(a)):
        u[i] = 0.5 * a[i]
        t[i] += u[i] * a[i]
    for i in range(1, len(a)):
        out[i] = t[i] + u[i - 1]
    out[0] = t[0]


def _given(a: Array, t: Array, u: Array, out: Array) -> None:
    t[:] = 0.0
    for i in range(len(a)):
        u[i] = 0.5 * a[i]
        t[i] += u[i] * a[i]
    for i in range(1, len(a)):
        out[i] = t[i] + u[i - 1]
    out[0] = t[0]


def calls(size: int) -> dict[str, Callable[[], Any]]:
    """Return the calls of both kernels."""
    scratch = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cpu")(_with_scratch)
    given = guvectorize(
        ["void(float64[:], float64[:], float64[:], float64[:])"],
        "(n),(n),(n)->(n)",
        target="cpu",
        writable_args=("t", "u"),
    )(_given)
    a = np.random.default_rng(0).normal(size=(N_ELEMENTS // size, size))
    out = np.empty_like(a)
    t, u = np.empty_like(a), np.empty_like(a)
    return {"scratch": lambda: scratch(a, out=out), "given": lambda: given(a, t, u, out=out)}


def measure() -> list[Measurement]:
    """Return the ratio of both times for each size."""
    rows = []
    for size in SIZES:
        times = median_times(calls(size), ROUNDS)
        ratio = times["scratch"] / times["given"]
        name = f"kernel with 2 scratch arrays of {size} float64, compared with given arrays"
        rows.append(Measurement(name, ratio, "times", 1.1))
    return rows
