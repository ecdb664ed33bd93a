"""Loops of this machine's C++ compilers, compared with g++'s, and the times of a compilation.

`python benchmarks/compilers.py docs/benchmarks build/benchmarks` writes compilers.md to the first
directory and compilers.json to the second; run it with `pip install "numpy_plugin[compiler]"`.
"""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kernel_table.kernels import KERNELS, Kernel, function_of, operands_of
from results import Content, Page, Results, table
from variants import variables

from numpy_plugin import _core, vectorize
from numpy_plugin._benchmark.timing import median_times, seconds_of
from numpy_plugin._commands.environment import environment

__all__ = ["PAGE", "compilations", "compilers", "loops"]

DTYPES = ("float32", "float64")
SIZE = 20_000
ROUNDS = 31
COMPILATIONS = 7
# Differences below this are called equal.
TOLERANCE = 1.1

Rows = list[dict[str, Any]]


def compilers() -> dict[str, str]:
    """Return the value of NUMPY_PLUGIN_CXX for each compiler of this machine, g++ first."""
    found = {name: path for name in ("g++", "clang++") if (path := shutil.which(name))}
    package = importlib.util.find_spec("ziglang")
    if package is not None and package.origin is not None:
        found["ziglang"] = f"{Path(package.origin).parent / 'zig'} c++"
    return found


def _compile(kernel: Kernel, dtype: str) -> Callable[..., Any]:
    signature = f"{dtype}({', '.join([dtype] * len(kernel.ranges))})"
    return vectorize([signature])(function_of(kernel, dtype))


def compilations() -> Rows:
    """Return the ms that each compiler takes for the first kernel of an empty cache and for others.

    The first one includes questions to the compiler and its check, whose answers are stored.
    Call this before `loops`: this process remembers them, too.
    """
    rows = []
    for name, command in compilers().items():
        times = []
        with (
            tempfile.TemporaryDirectory() as cache,
            variables(NUMPY_PLUGIN_CXX=command, NUMPY_PLUGIN_CACHE_DIR=cache),
        ):
            for kernel in KERNELS[:COMPILATIONS]:
                times.append(seconds_of(partial(_compile, kernel, "float64")) * 1e3)
        first, *others = times
        rows.append({"compiler": name, "first": first, "others": statistics.median(others)})
    return rows


def loops(size: int = SIZE, rounds: int = ROUNDS) -> Rows:
    """Return a row for each kernel and dtype: the ns an element with each compiler's loop."""
    rows = []
    for kernel in KERNELS:
        for dtype in DTYPES:
            operands = operands_of(kernel, dtype, size)
            out = np.empty(size, dtype)
            calls = {}
            for name, command in compilers().items():
                with variables(NUMPY_PLUGIN_CXX=command):
                    calls[name] = partial(_compile(kernel, dtype), *operands, out=out)
            times = median_times(calls, rounds)
            ns = {name: seconds / size * 1e9 for name, seconds in times.items()}
            rows.append({"kernel": kernel.name, "dtype": dtype, "ns": ns})
    return rows


def _loop_table(rows: Rows) -> list[str]:
    names = list(rows[0]["ns"])
    cells = [[row["kernel"], row["dtype"], *_times(row["ns"])] for row in rows]
    return table(["kernel", "dtype", *names], "ll" + "r" * len(names), cells)


def _times(ns: dict[str, float]) -> list[str]:
    """Return the times as text, all but g++'s with their ratio to it."""
    cells = []
    for name, value in ns.items():
        ratio = f"{value / ns['g++']:.2f} times"
        shown = f", **{ratio}**" if value > TOLERANCE * ns["g++"] else f", {ratio}"
        cells.append(f"{value:.2f} ns{'' if name == 'g++' else shown}")
    return cells


def _compilation_table(rows: Rows) -> list[str]:
    cells = [[row["compiler"], *(f"{row[n]:.0f} ms" for n in ("first", "others"))] for row in rows]
    return table(["compiler", "first kernel", "further kernels"], "lrr", cells)


def _contents(_: Results) -> Content:
    values = {"compilations": compilations(), "loops": loops()}
    lines = [
        *_loop_table(values["loops"]),
        "",
        "## Compilation",
        "",
        "From the declaration to a loaded loop of `float64`, with an empty cache. The first kernel",
        "includes the questions to the compiler and its check.",
        "",
        *_compilation_table(values["compilations"]),
    ]
    return Content(lines, values, {"compilers": _versions()})


def _versions() -> str:
    versions = []
    for name, command in compilers().items():
        with variables(NUMPY_PLUGIN_CXX=command):
            versions.append(f"{name}: {_core.host_compiler()['version']}")
    return "; ".join(versions)


PAGE = Page(
    "compilers",
    "Host compilers",
    _contents,
    f"Measured by `python benchmarks/compilers.py`: {SIZE:,} elements on one thread, with\n"
    "`out=`, the compilers' loops in turn. After a time is its ratio to g++'s; ratios above\n"
    f"{TOLERANCE} are bold.",
)

if __name__ == "__main__":
    Results(*map(Path, sys.argv[1:3])).add(PAGE, environment())
