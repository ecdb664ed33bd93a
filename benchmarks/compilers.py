"""Loops of this machine's C++ compilers, compared with g++'s, and the times of a compilation.

`python benchmarks/compilers.py docs/benchmarks build/benchmarks` writes compilers.md to the first
directory and compilers.json to the second; run it with `pip install "numpy_plugin[compiler]"`.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kernel_table.kernels import KERNELS, Kernel, function_of, operands_of
from results import Heading, Results, with_load

from numpy_plugin import _core, vectorize
from numpy_plugin._benchmark.timing import median_times, seconds_of
from numpy_plugin._commands.environment import environment

__all__ = ["compilations", "compilers", "loops", "write"]

FILE_NAME = "compilers"
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


@contextmanager
def _variables(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


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
            _variables(NUMPY_PLUGIN_CXX=command, NUMPY_PLUGIN_CACHE_DIR=cache),
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
                with _variables(NUMPY_PLUGIN_CXX=command):
                    calls[name] = partial(_compile(kernel, dtype), *operands, out=out)
            times = median_times(calls, rounds)
            ns = {name: seconds / size * 1e9 for name, seconds in times.items()}
            rows.append({"kernel": kernel.name, "dtype": dtype, "ns": ns})
    return rows


def _loop_table(rows: Rows) -> list[str]:
    names = list(rows[0]["ns"])
    lines = [
        f"| kernel | dtype | {' | '.join(names)} |",
        f"|---|---|{'---:|' * len(names)}",
    ]
    for row in rows:
        base = row["ns"]["g++"]
        cells = [f"{row['ns'][name]:.2f} ns" for name in names]
        for place, name in enumerate(names[1:], 1):
            ratio = row["ns"][name] / base
            text = f"{ratio:.2f} times"
            cells[place] += f", **{text}**" if ratio > TOLERANCE else f", {text}"
        lines.append(f"| {row['kernel']} | {row['dtype']} | {' | '.join(cells)} |")
    return lines


def _compilation_table(rows: Rows) -> list[str]:
    return [
        "| compiler | first kernel | further kernels |",
        "|---|---:|---:|",
        *(
            f"| {row['compiler']} | {row['first']:.0f} ms | {row['others']:.0f} ms |"
            for row in rows
        ),
    ]


def write(results: Results) -> None:
    """Measure, and write the tables and the record."""
    conditions = {**with_load(environment()), "compilers": _versions()}
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
    how = (
        f"Measured by `python benchmarks/compilers.py`: {SIZE:,} elements on one thread, with\n"
        "`out=`, the compilers' loops in turn. After a time is its ratio to g++'s; ratios above\n"
        f"{TOLERANCE} are bold."
    )
    results.write(FILE_NAME, Heading("Host compilers", how), conditions, lines, values)


def _versions() -> str:
    versions = []
    for name, command in compilers().items():
        with _variables(NUMPY_PLUGIN_CXX=command):
            versions.append(f"{name}: {_core.host_compiler()['version']}")
    return "; ".join(versions)


if __name__ == "__main__":
    write(Results(*map(Path, sys.argv[1:3])))
