"""Errors of functions of float32 in units in the last place, and rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_check.bench.rows import Rows, shortest
from gpu_check.settings import IS_SMALL, scaled
from numpy_plugin import cuda

NAMES = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin"),
    *("arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt"),
    *("sqrt", "reciprocal"),
)
#: Points of the errors, and of each rate.
N_POINTS, N_RATE = scaled(1 << 22, 1 << 9), scaled(1 << 25, 1 << 12)


def measure(rows: Rows) -> None:
    """Add a row a function: its errors, its rates, and the share that differs on the simulator."""
    values = np.abs(np.random.default_rng(1).standard_normal(N_POINTS)).astype("float32")
    for name in NAMES[: 2 if IS_SMALL else None]:
        if rows.is_over:
            return
        host = domain(name, values)
        call = getattr(np, name)
        found = call(cuda.to_device(host)).copy_to_host()
        rows.add(
            name,
            "ulp; share of other bits on the simulator; GB/s",
            ulp=largest_error(call, host, found),
            simulator=share_of_others(call, host[:5000], found[:5000]),
            float32=rate(call, host),
            float64=rate(call, host.astype("float64")),
        )


def domain(name: str, values: Any) -> Any:
    """Return values for which a function is defined."""
    if name in ("arcsin", "arccos", "arctanh"):
        return values % 1
    return values + 1 if name == "arccosh" else values


def largest_error(call: Any, host: Any, found: Any) -> float:
    """Return the largest distance from the value in float64, in units in the last place."""
    exact = call(host.astype("float64"))
    size = np.spacing(np.abs(exact).astype("float32")).astype("float64")
    with np.errstate(all="ignore"):
        return round(float(np.nanmax(np.abs((found - exact) / size))), 3)


def share_of_others(call: Any, host: Any, found: Any) -> float:
    """Return the share of values that have other bits on the simulator."""
    with cuda.simulator():
        there = call(cuda.to_device(host)).copy_to_host()
    return round(float(np.mean(there.view("u4") != found.view("u4"))), 4)


def rate(call: Any, host: Any) -> float:
    """Return gigabytes a second, read and written."""
    x = cuda.to_device(np.resize(host, N_RATE))
    out = cuda.device_array_like(x)
    seconds = shortest(lambda: call(x, out=out), cuda.synchronize, 2)
    return round(2 * x.nbytes / seconds / 1e9)
