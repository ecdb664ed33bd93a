"""Writes docs/benchmarks/gpu.md from what a run has measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from gpu_check.bench.lines import columns_of, shown

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from results import table  # noqa: E402

__all__ = ["page", "write"]

TITLES = {
    "calls": "Short calls",
    "forms": "Launch forms",
    "reductions": "Reductions",
    "scans": "Scans",
    "selection": "Sorts, masks, indices, counts",
    "products": "Products of matrices, kernels with core dimensions",
    "bus": "Copies, and calls on host arrays",
    "functions": "Functions of float32",
    "starts": "First steps of a process",
}
NAMES = {"ours": "numpy_plugin", "cupy": "CuPy", "torch": "PyTorch"}
UNITS = {"us": "microseconds a call", "G/s": "10^9 elements a second", "s": "seconds"}
HOW = """Written by `python tools/gpu_check report` from a run of `tools/gpu_check` on the GPU.
Rates are those of the shortest time of a call, in rounds of many; GB/s count each operand read and
each result written once. Copies within the device show what its memory attains."""


def write(results: Path, to: Path) -> None:
    """Write the page of a run's results."""
    content = json.loads((results / "bench.json").read_text(encoding="utf-8"))
    to.write_text("\n".join(page(content)).rstrip() + "\n", encoding="utf-8")
    print(f"written: {to}")


def page(content: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from (f"# On {content['GPU']}", "", HOW, "")
    versions = content["versions"]
    for what in ("date", "GPU"):
        yield f"- {what}: {content[what]}"
    yield f"- CUDA driver: {content['driver']}"
    for name in ("numpy", "cupy-cuda13x", "cupy-cuda12x", "torch", "nvidia-cuda-nvrtc"):
        if name in versions:
            yield f"- {name}: {versions[name]}"
    for name, reason in content["missing"].items():
        yield f"- not measured: {NAMES[name]} ({reason.splitlines()[0]})"
    yield ""
    for section, rows in groupby(content["rows"], lambda row: row["section"]):
        yield from (f"## {TITLES[section]}", "")
        yield from tables(list(rows))


def tables(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table for each unit of a section."""
    for unit, group in groupby(rows, lambda row: row["unit"]):
        same = list(group)
        columns = columns_of(same)
        headers = [UNITS.get(unit, unit), *(NAMES.get(name, name) for name in columns)]
        cells = [[row["what"], *(shown(row.get(name)) for name in columns)] for row in same]
        yield from table(headers, "l" + "r" * len(columns), cells)
        yield ""
