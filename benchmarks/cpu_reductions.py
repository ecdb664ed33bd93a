"""`make bench`: `npp.reduction` on the CPU, compared to NumPy, SciPy and Numba's loops.

The operands have 80 MB each and do not fit the caches. All contestants compute the same number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from results import Page, measured
from variants import library

from numpy_plugin import reduction
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands.bench import Measurement

__all__ = ["CONTESTS", "N_VALUES", "PAGE", "measure"]

N_VALUES = 10_000_000
ROUNDS = 7

Array = npt.NDArray[np.float64]
Contest = Callable[[Array, Array], Mapping[str, Callable[[], Any]]]


def _merge_exponentials(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    high = max(a[0], b[0])
    return high, a[1] * math.exp(a[0] - high) + b[1] * math.exp(b[0] - high)


def _merge_moments(
    a: tuple[float, float, float], b: tuple[float, float, float]
) -> tuple[float, float, float]:
    n = a[0] + b[0]
    difference = b[1] - a[1]
    mean = a[1] + difference * (b[0] / n)
    return n, mean, a[2] + b[2] + difference * difference * (a[0] * b[0] / n)


def _dot(x: Array, y: Array) -> dict[str, Callable[[], Any]]:
    ours = reduction(np.multiply, np.add, identity=0, name="dot")
    found: dict[str, Callable[[], Any]] = {
        "numpy_plugin": lambda: ours(x, y),
        "NumPy, (x * y).sum()": lambda: (x * y).sum(),
        "np.dot": lambda: np.dot(x, y),
    }
    return found | _numba(_loop_of_products, x, y)


def _log_sum_exp(x: Array, _: Array) -> dict[str, Callable[[], Any]]:
    ours = reduction(
        lambda x: (x, 1.0),
        _merge_exponentials,
        finish=lambda a: a[0] + math.log(a[1]),
        name="log_sum_exp",
    )

    def staged() -> Any:
        high = x.max()
        return high + np.log(np.exp(x - high).sum())

    found: dict[str, Callable[[], Any]] = {
        "numpy_plugin": lambda: ours(x),
        "the NumPy expression": staged,
    }
    special = library("scipy.special")
    if special is not None:
        found["SciPy's logsumexp"] = lambda: special.logsumexp(x)
    return found | _numba(_loop_of_exponentials, x)


def _variance(x: Array, _: Array) -> dict[str, Callable[[], Any]]:
    ours = reduction(
        lambda x: (1.0, x, 0 * x), _merge_moments, finish=lambda a: a[2] / a[0], name="variance"
    )
    found: dict[str, Callable[[], Any]] = {
        "numpy_plugin": lambda: ours(x),
        "np.var": lambda: np.var(x),
    }
    return found | _numba(_loop_of_moments, x)


#: The contestants of each computation, the first one this package.
CONTESTS: dict[str, Contest] = {
    "dot product": _dot,
    "log-sum-exp": _log_sum_exp,
    "variance": _variance,
}


def _numba(loop: Callable[..., float], *operands: Array) -> dict[str, Callable[[], Any]]:
    """Return a loop compiled by Numba, if that is installed."""
    numba = library("numba")
    return {} if numba is None else {"Numba's loop": partial(numba.njit(loop), *operands)}


def _loop_of_products(x: Array, y: Array) -> float:
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


def _loop_of_exponentials(x: Array) -> float:
    high, total = -np.inf, 0.0
    for i in range(x.size):
        if x[i] > high:
            total *= math.exp(high - x[i])
            high = x[i]
        total += math.exp(x[i] - high)
    return high + math.log(total)


def _loop_of_moments(x: Array) -> float:
    mean, squares = 0.0, 0.0
    for i in range(x.size):
        difference = x[i] - mean
        mean += difference / (i + 1)
        squares += difference * (x[i] - mean)
    return squares / x.size


def measure(n: int = N_VALUES) -> list[Measurement]:
    """Return the time of each reduction, and how much faster it is than the others."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=n), random.normal(size=n)
    rows = []
    for name, contest in CONTESTS.items():
        times = median_times(contest(x, y), ROUNDS)
        ours = times.pop("numpy_plugin")
        rows.append(Measurement(f"{name} float64, {n:.0e} values", ours * 1e3, "ms"))
        rows += [
            Measurement(f"{name}, faster than {other}", seconds / ours, "times")
            for other, seconds in times.items()
        ]
    return rows


PAGE = Page("cpu_reductions", "Reductions on the CPU", measured(measure))
