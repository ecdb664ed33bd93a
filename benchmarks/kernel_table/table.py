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
from kernel_table.kernels import KERNELS
from numpy_plugin._commands import bench

__all__ = ["PAGE", "Comparison", "comparisons"]

N_THREADS = (1, 2)

Row = dict[str, Any]


class Comparison(NamedTuple):
    """This package beside the peers: one kernel, dtype, size and number of threads.

    Attributes:
        seconds: this package's median time.
        ratios: the peers' times over it; the fastest peer is `best`.
        target: the ratio to `best` that is asked.
    """

    kernel: str
    dtype: str
    threads: int
    size: int
    seconds: float
    ratios: dict[str, float]
    target: float

    @property
    def best(self) -> str:
        """The fastest peer."""
        return min(self.ratios, key=lambda name: self.ratios[name])

    def cells(self) -> list[str]:
        """Return the row of the table."""
        ratio = self.ratios[self.best]
        outcome = "met" if ratio >= self.target else "missed"
        others = ", ".join(f"{name} {value:.3g}" for name, value in self.ratios.items())
        nanoseconds = f"{self.seconds / self.size * 1e9:.3g}"
        size = f"{self.size:,}"
        words = [self.kernel, self.dtype, str(self.threads), size, nanoseconds]
        return [*words, f"**{ratio:.2f}**", f"{self.target:g}", outcome, others]


HEADERS = ["kernel", "dtype", "threads", "elements", "ns an element"]
HEADERS += ["over the best peer", "asked", "", "over each"]


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Yield the comparisons of measured rows, whose first function is this package's."""
    targets = {kernel.name.replace(" ", "_"): kernel for kernel in KERNELS}
    conditions = ("kernel", "dtype", "threads", "size")
    for key, group in groupby(rows, lambda row: tuple(row[name] for name in conditions)):
        first, *peers = group
        name, dtype, threads, size = key
        kernel = targets[first["function"]]
        pair = kernel.target if threads == 1 else kernel.parallel_target
        target = pair[dtype == "float64"]
        if size <= 1_000:
            target = min(target, 1.5)
        ratios = {row["function"]: row["ratio"] for row in peers if row["ratio"] is not None}
        if ratios:
            yield Comparison(name, dtype, threads, size, first["seconds"], ratios, target)


def _contents(results: Results) -> Content:
    """Measure; write the plots; return the table."""
    runs = [_in_process(measure.__name__, str(n)) for n in N_THREADS]
    rows = [row for run in runs for row in run["rows"]]
    roof = _in_process(roofline.__name__)
    lines = _document(rows, plots.write(results, rows, roof))
    return Content(lines, {"rows": rows, "roofline": roof}, runs[0]["versions"])


def _in_process(module: str, *arguments: str) -> Any:
    """Run a module in a process of its own, where Numba finds pip's TBB."""
    paths = {
        "LD_LIBRARY_PATH": str(Path(sysconfig.get_path("data"), "lib")),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    added = {
        name: os.pathsep.join(filter(None, [path, os.environ.get(name)]))
        for name, path in paths.items()
    }
    return bench.script(module, "-m", module, *arguments, **added)


def _document(rows: list[Row], named: dict[str, str]) -> list[str]:
    lines = ["Ratios are a peer's time over this package's: above 1, this package is faster."]
    lines += ["Results are preallocated, except JAX's.", ""]
    lines += [f"![{title}]({name})\n" for name, title in named.items()]
    shown = [each.cells() for each in comparisons(rows) if each.size in measure.SIZES]
    return lines + table(HEADERS, "llrrrrrll", shown)


PAGE = Page("cpu_kernels", "Kernels on the CPU", _contents)
