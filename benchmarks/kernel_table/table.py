"""`make bench`: kernels on the CPU beside the peers, as a table, JSON and plots."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from results import Content, Page, Results, table

from kernel_table import measure, plots, roofline
from kernel_table.ceilings import vector_bytes
from kernel_table.kernels import KERNELS
from numpy_plugin._commands import bench

__all__ = ["PAGE", "Comparison", "comparisons", "in_process", "levels"]

N_THREADS = (1, 2)

# AVX2, for the peers as for this package: by their own settings.
_AVX2 = {
    "NUMPY_PLUGIN_CPU": "x86-64-v3",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "NUMBA_CPU_NAME": "haswell",
    "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
}
#: What Numba's time with fastmath has to be over this package's, at least.
FASTMATH_TARGET = 1.0

Row = dict[str, Any]


class Comparison(NamedTuple):
    """This package beside the peers: one kernel under one set of conditions.

    Attributes:
        seconds: this package's median time.
        ratios: the peers' times over it; the fastest peer is `best`.
        target: the ratio to `best` that is asked.
        is_fastmath: all have been declared with `fastmath`.
    """

    kernel: str
    dtype: str
    level: str
    threads: int
    size: int
    seconds: float
    ratios: dict[str, float]
    target: float
    is_fastmath: bool

    @property
    def best(self) -> str:
        """The fastest peer."""
        return min(self.ratios, key=lambda name: self.ratios[name])

    def conditions(self) -> list[str]:
        """Return the first cells of the table, which also hold for the fastmath form."""
        return [self.kernel, self.dtype, self.level, str(self.threads), f"{self.size:,}"]

    def cells(self) -> list[str]:
        """Return the cells of this form."""
        ratio = self.ratios[self.best]
        outcome = "met" if ratio >= self.target else "missed"
        cells = [f"{self.seconds / self.size * 1e9:.3g}", f"**{ratio:.2f}**"]
        if self.is_fastmath:
            return [*cells, outcome]
        others = ", ".join(f"{name} {value:.3g}" for name, value in self.ratios.items())
        return [*cells, f"{self.target:g}", outcome, others]


HEADERS = ["kernel", "dtype", "level", "threads", "elements", "ns an element"]
HEADERS += ["over the best peer", "asked", "", "over each"]
HEADERS += ["fastmath: ns an element", "over Numba's", ""]


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Yield the comparisons of measured rows, whose first function is this package's."""
    targets = {kernel.name.replace(" ", "_"): kernel for kernel in KERNELS}
    conditions = ("kernel", "dtype", "level", "threads", "size", "fastmath")
    for key, group in groupby(rows, lambda row: tuple(row[name] for name in conditions)):
        first, *peers = group
        name, dtype, level, threads, size, is_fastmath = key
        kernel = targets[first["function"]]
        pair = kernel.target if threads == 1 else kernel.parallel_target
        target = FASTMATH_TARGET if is_fastmath else pair[dtype == "float64"]
        if size <= 1_000:
            target = min(target, 1.5)
        ratios = {row["function"]: row["ratio"] for row in peers if row["ratio"] is not None}
        if ratios:
            conditions_of_row = name, dtype, level, threads, size
            yield Comparison(*conditions_of_row, first["seconds"], ratios, target, is_fastmath)


def _contents(results: Results) -> Content:
    """Measure; write the plots; return the table."""
    runs = {
        (level, n): in_process(measure.__name__, str(n), **settings)
        for level, settings in levels().items()
        for n in N_THREADS
    }
    rows = [{**row, "level": level} for (level, _), run in runs.items() for row in run["rows"]]
    roof = in_process(roofline.__name__)
    lines = _document(rows, plots.write(results, rows, roof))
    versions = next(iter(runs.values()))["versions"]
    return Content(lines, {"rows": rows, "roofline": roof}, versions)


def levels() -> dict[str, dict[str, str]]:
    """Return the variables of each level of instructions that this machine has, from AVX2 up."""
    if vector_bytes() < 64:
        return {"x86-64-v3": {}}
    return {"x86-64-v4": {}, "x86-64-v3": _AVX2}


def in_process(module: str, *arguments: str, **variables: str) -> Any:
    """Run a module in a process of its own, where Numba finds pip's TBB."""
    paths = {
        "LD_LIBRARY_PATH": str(Path(sysconfig.get_path("data"), "lib")),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    added = {
        name: os.pathsep.join(filter(None, [path, os.environ.get(name)]))
        for name, path in paths.items()
    }
    return bench.script(module, "-m", module, *arguments, **added, **variables)


def _document(rows: list[Row], named: dict[str, str]) -> list[str]:
    lines = ["Ratios are a peer's time over this package's: above 1, this package is faster."]
    lines += [
        "With fastmath, both are declared with it; all other columns are of forms without it."
    ]
    lines += ["Results are preallocated, except JAX's.", ""]
    lines += [f"![{title}]({name})\n" for name, title in named.items()]
    shown: dict[tuple[str, ...], list[str]] = {}
    for each in comparisons(rows):
        if each.size in measure.SIZES:
            shown.setdefault(tuple(each.conditions()), []).extend(each.cells())
    return lines + table(HEADERS, "lllrrrrrllrrl", [[*key, *cells] for key, cells in shown.items()])


PAGE = Page("cpu_kernels", "Kernels on the CPU", _contents)
