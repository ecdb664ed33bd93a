"""Polynomials of growing degree: from the memory's limit to the arithmetic's.

`python -m kernel_table.roofline` prints JSON: the ceilings of one core, and the rates of every
library at each degree.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from variants import library

__all__ = ["DEGREES", "main"]

DEGREES = (1, 2, 4, 8, 16, 32, 64, 128)
N_VALUES = 4_000_000
N_BYTES = 16  # an element read, and one written
ROUNDS = 7

degree = 0  # replaced by `_of_degree`


def polynomial(x: Any) -> Any:
    y = x
    for _ in range(degree):
        y = y * x + 0.5
    return y


def _of_degree(n: int) -> Callable[..., Any]:
    names = {"range": range, "degree": n}
    return types.FunctionType(polynomial.__code__, names, f"polynomial_{n}")


def _contestants(n: int) -> tuple[np.ufunc, dict[str, Callable[..., Any]]]:
    import numpy_plugin

    function = _of_degree(n)
    against = {"NumPy": function}
    numba = library("numba")
    if numba is not None:
        against["Numba"] = numba.vectorize(["float64(float64)"])(function)
    return numpy_plugin.vectorize(["float64(float64)"], target="cpu")(function), against


def main() -> None:
    """Measure on one processor, and print the rows."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    from kernel_table.ceilings import ceilings
    from numpy_plugin import benchmark

    x = np.random.default_rng(0).uniform(-1, 1, N_VALUES)
    rows = []
    with contextlib.redirect_stdout(sys.stderr):
        for n in DEGREES:
            f, against = _contestants(n)
            for row in benchmark(f, x, against=against, rounds=ROUNDS):
                assert row.seconds is not None
                function = "numpy_plugin" if row.function == f.__name__ else row.function
                rows.append(
                    {
                        "function": function,
                        "operations a byte": 2 * n / N_BYTES,
                        "operations a second": 2 * n * N_VALUES / row.seconds,
                    }
                )
        limits = ceilings()
    print(json.dumps({"ceilings": limits._asdict(), "rows": rows}))


if __name__ == "__main__":
    main()
