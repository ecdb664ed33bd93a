"""`make bench`: a value and its derivative over the value alone, and beside JAX's jvp.

`python benchmarks/derivatives.py` prints what it measures in this process, as JSON; with the
directories docs/benchmarks and build/benchmarks it writes derivatives.md to the first one,
derivatives.json to the second.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from kernel_table.table import in_process, levels
from results import Content, Page, Results, table
from variants import library, variables

import numpy_plugin as npp
from numpy_plugin._benchmark.timing import seconds_of, times_of_rounds
from numpy_plugin._commands.environment import environment

__all__ = ["CASES", "PAGE", "SIZES", "Case", "compile_ratio", "contestants", "measure"]

SIZES = (100_000, 2_000_000)
ROUNDS = 25
COMPILATIONS = 3
#: The most that the compilation of a value and its derivative may take over that of the value.
COMPILE_TARGET = 1.7
N_STEPS = 6
VALUE, BOTH, JAX_VALUE, JAX_BOTH = "f", "f and f'", "JAX's f", "JAX's jvp"

Array = npt.NDArray[Any]
Row = dict[str, Any]


def _polynomial(x: Any) -> Any:
    return ((((0.5 * x - 1.25) * x + 0.75) * x - 2.0) * x + 0.125) * x + 3.0


def _rational(x: Any) -> Any:
    return ((x - 1.5) * x + 2.0) / ((x + 0.5) * x + 1.0)


def _exp(x: Any) -> Any:
    return math.exp(-x * x)


def _sin(x: Any) -> Any:
    return math.sin(x) * x


def _pow(x: Any) -> Any:
    return x**1.7


def _kepler(x: Any) -> Any:
    anomaly = x
    for _ in range(N_STEPS):
        step = anomaly - 0.3 * math.sin(anomaly) - x
        anomaly -= step / (1.0 - 0.3 * math.cos(anomaly))
    return anomaly


class Case(NamedTuple):
    """A kernel, and what its value and derivative may take over the value, at most."""

    kernel: Callable[[Any], Any]
    target: float


CASES = {
    "polynomial of degree 5": Case(_polynomial, 2.0),
    "rational function": Case(_rational, 2.0),
    "exp(-x * x)": Case(_exp, 1.6),
    "sin(x) * x": Case(_sin, 1.6),
    "x ** 1.7": Case(_pow, 1.6),
    f"Kepler's equation, {N_STEPS} steps": Case(_kepler, 1.6),
}


def _jaxs(name: str, x: Array) -> dict[str, Callable[[], Any]]:
    """Return calls of the function and of its jvp by JAX, if it is installed."""
    jax = library("jax")
    if jax is None:
        return {}
    jax.config.update("jax_enable_x64", True)
    kernel = CASES[name].kernel
    of_arrays = FunctionType(kernel.__code__, {**kernel.__globals__, "math": jax.numpy})
    operand = jax.numpy.asarray(x)
    ones = jax.numpy.ones_like(operand)
    jvp = jax.jit(lambda v: jax.jvp(of_arrays, (v,), (ones,)))
    value = jax.jit(of_arrays)
    return {
        JAX_VALUE: lambda: value(operand).block_until_ready(),
        JAX_BOTH: lambda: jax.block_until_ready(jvp(operand)),
    }


def contestants(name: str, n: int) -> dict[str, Callable[[], Any]]:
    """Return calls by name: the value, and the value and its derivative, here and in JAX."""
    x = np.random.default_rng(0).uniform(0.1, 3.0, n)
    value = npp.vectorize(["float64(float64)"])(CASES[name].kernel)
    both = npp.value_and_derivative(value, "x")
    one, first, second = (np.empty(n) for _ in range(3))
    return {
        VALUE: partial(value, x, out=one),
        BOTH: partial(both, x, out=(first, second)),
        **_jaxs(name, x),
    }


def compile_ratio(name: str) -> float:
    """Return the least time to compile a value and its derivative over that of the value."""
    kernel = CASES[name].kernel
    value_of = partial(npp.vectorize, ["float64(float64)"])
    both_of = partial(npp.value_and_derivative, npp.vectorize(kernel), "x")
    x = np.ones(1)
    makers = {VALUE: lambda: value_of()(kernel)(x), BOTH: lambda: both_of()(x)}
    times: dict[str, list[float]] = {who: [] for who in makers}
    for _, (who, make) in itertools.product(range(COMPILATIONS), makers.items()):
        with tempfile.TemporaryDirectory() as empty, variables(NUMPY_PLUGIN_CACHE_DIR=empty):
            times[who].append(seconds_of(make))
    return min(times[BOTH]) / min(times[VALUE])


def measure() -> list[Row]:
    """Return a row for each case and size: ns an element, the least of several rounds in turn."""
    before = npp.get_num_threads()
    npp.set_num_threads(1)
    rows: list[Row] = []
    try:
        for name in CASES:
            compiling = compile_ratio(name)
            for n in SIZES:
                times = times_of_rounds(contestants(name, n), ROUNDS)
                ns = {who: min(seconds) / n * 1e9 for who, seconds in times.items()}
                rows.append({"name": name, "size": n, "ns": ns, "compiling": compiling})
    finally:
        npp.set_num_threads(before)
    return rows


def _outcome(ratio: float, target: float) -> str:
    return f"{target:g}: {'met' if ratio <= target else 'missed'}"


def _cells(row: Row) -> list[str]:
    ns, compiling, target = row["ns"], row["compiling"], CASES[row["name"]].target
    ratio = ns[BOTH] / ns[VALUE]
    cells = [row["name"], row["level"], f"{row['size']:,}", f"{ns[VALUE]:.3g}", f"{ns[BOTH]:.3g}"]
    cells += [f"**{ratio:.2f}**", _outcome(ratio, target)]
    if JAX_BOTH in ns:
        cells += [f"**{ns[JAX_BOTH] / ns[BOTH]:.3g}**", f"{ns[JAX_BOTH] / ns[JAX_VALUE]:.2f}"]
    else:
        cells += ["", ""]
    return [*cells, f"{compiling:.2f}", _outcome(compiling, COMPILE_TARGET)]


HEADERS = ["kernel", "level", "elements", "ns of f", "with f'", "over f", "asked"]
HEADERS += ["JAX's jvp over it", "JAX's jvp over JAX's f", "compiling over f's", "asked"]


def _contents(_: Results) -> Content:
    rows = [
        {**row, "level": level}
        for level, settings in levels().items()
        for row in in_process("derivatives", **settings)
    ]
    lines = table(HEADERS, "llrrrrlrrrl", map(_cells, rows))
    return Content(lines, {"rows": rows}, {"JAX": getattr(library("jax"), "__version__", "")})


PAGE = Page(
    "derivatives",
    "Derivatives",
    _contents,
    "Measured by `make bench` or\n"
    "`python benchmarks/derivatives.py docs/benchmarks build/benchmarks`: float64 on one thread,\n"
    f"the least of {ROUNDS} rounds in turn, a process for each level. The columns are f, and what\n"
    "`npp.value_and_derivative` makes of it, which computes both in one pass; its ratio to f is\n"
    "asked to be at most what stands beside it. JAX's `jvp`, compiled for the CPU, gives the same\n"
    "two arrays; above 1, this package is faster. Least times of compilations are compared.",
)

if __name__ == "__main__":
    if len(sys.argv) > 1:
        Results(*map(Path, sys.argv[1:3])).add(PAGE, environment())
    else:
        print(json.dumps(measure()))
