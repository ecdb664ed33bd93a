"""`make bench`: one thread's calls with a `where=` that selects random elements, beside NumPy's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from numpy_plugin import get_num_threads, set_num_threads, vectorize
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands.bench import Measurement

__all__ = ["calls", "measure"]

SIZES = (10_000, 100_000)
ROUNDS = 201
TARGET = 2.0  # NumPy calls its loop for each run of some two elements


@vectorize(["float64(float64, float64)"])
def total(x: float, y: float) -> float:
    """Add, as np.add does."""
    return x + y


def calls(n: int) -> dict[str, Callable[[], object]]:
    """Return both ufuncs' calls on n elements, of which half are selected."""
    rng = np.random.default_rng(0)
    x, y, mask = rng.random(n), rng.random(n), rng.random(n) < 0.5
    ours, numpys = np.zeros(n), np.zeros(n)
    return {
        "numpy_plugin": lambda: total(x, y, out=ours, where=mask),
        "NumPy": lambda: np.add(x, y, out=numpys, where=mask),
    }


def measure() -> list[Measurement]:
    """Return how much faster than np.add each size is."""
    before = get_num_threads()
    set_num_threads(1)
    try:
        times = {n: median_times(calls(n), ROUNDS) for n in SIZES}
    finally:
        set_num_threads(before)
    return [
        Measurement(
            f"x + y where a random mask of {n:,} says so, faster than np.add",
            each["NumPy"] / each["numpy_plugin"],
            "times",
            TARGET,
            False,
        )
        for n, each in times.items()
    ]
