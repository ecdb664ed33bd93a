"""Duration of declarations: reading and typing of kernels, and the host compiler.

`python benchmarks/front_end.py` shows the time of each kernel's compilation.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import partial
from typing import Any

import declarations
import device_kernels
import numpy as np

from numpy_plugin import vectorize
from numpy_plugin._benchmark.timing import median_times, seconds_of
from numpy_plugin._commands.bench import Measurement

__all__ = ["measure"]

N_LINES = 200
ROUNDS = 15
COMPILATIONS = 5
SIMPLEST = "x + y"
_FOUR = ["float64(float64, float64, float64, float64)"]


def measure() -> list[Measurement]:
    """Return the times of the front end, and of the simplest and the slowest compilation."""
    times = compilations()
    slowest = max(times, key=lambda name: times[name])
    name = "source to loaded kernel, compiled"
    return [
        *declared_again(),
        Measurement(f"{name}: x + y", times[SIMPLEST], "ms", 50.0),
        Measurement(f"{name}: {slowest}, the slowest", times[slowest], "ms", 100.0),
    ]


def long_kernel() -> Callable[..., Any]:
    """Return a function of 200 lines: assignments, branches and loops."""
    block = [
        "    a = x * {0} + y",
        "    if a > {0}:",
        "        y = math.sqrt(abs(a)) - 0.5 * y",
        "    for i in range(3):",
        "        x = min(x, a) + 0.25 * i",
    ]
    lines = [line.format(number) for number in range(N_LINES // len(block)) for line in block]
    source = "\n".join(["import math", "def long_kernel(x, y):", *lines, "    return x + y", ""])
    name = "<bench: a kernel of 200 lines>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, name, "exec"), names)
    function: Callable[..., Any] = names["long_kernel"]
    return function


def declared_again() -> list[Measurement]:
    """Time declarations whose code is in the disk cache: the front end, and loading of code."""
    polar = vars(device_kernels.polar_distance)["__wrapped__"]
    functions: dict[str, Callable[[], object]] = {
        "polar_distance": partial(vectorize(_FOUR), polar),
        "200 lines": partial(vectorize(["float64(float64, float64)"]), long_kernel()),
    }
    times = median_times(functions, ROUNDS)
    targets = {"polar_distance": 3.0, "200 lines": 10.0}
    what = "source to loaded kernel, from the disk cache"
    return [
        Measurement(f"{what}: {name}", 1e3 * times[name], "ms", target)
        for name, target in targets.items()
    ]


def compilations() -> dict[str, float]:
    """Return the milliseconds of declarations without a cache, by kernel."""
    cases = dict(declarations.DECLARATIONS)
    cases[SIMPLEST] = partial(vectorize(["float64(float64, float64)"], cache=False), _sum)
    for ufunc in device_kernels.UFUNCS:
        declare = vectorize([ufunc_signature(ufunc)], cache=False)
        cases[ufunc.__name__] = partial(declare, vars(ufunc)["__wrapped__"])
    return {
        name: 1e3 * min(seconds_of(declare) for _ in range(COMPILATIONS))
        for name, declare in cases.items()
    }


def _sum(x: float, y: float) -> float:
    return x + y


def ufunc_signature(ufunc: np.ufunc) -> str:
    """Return the last signature of a ufunc, by dtype names."""
    inputs, _, outputs = ufunc.types[-1].partition("->")
    results = ", ".join(np.dtype(char).name for char in outputs)
    return f"{results}({', '.join(np.dtype(char).name for char in inputs)})"


def main() -> None:
    """Print the compilations, slowest first."""
    for name, milliseconds in sorted(compilations().items(), key=lambda item: -item[1]):
        print(f"{milliseconds:8.1f} ms  {name}")


if __name__ == "__main__":
    main()
