"""The plots of the kernels: a summary, speed over size, and the roofline, as SVG.

The table shows the summary and the roofline, so they are small: text as text, without minor ticks.
"""

from __future__ import annotations

import io
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from results import Results

from kernel_table.measure import SWEEP, SWEEP_SIZES

__all__ = ["write"]


def write(results: Results, rows: list[dict[str, Any]], roof: dict[str, Any]) -> dict[str, str]:
    """Plot the rows of the highest level without fastmath.

    Returns:
        The titles of the table's plots by file name; none without matplotlib.
    """
    rows = [row for row in rows if row["level"] == rows[0]["level"] and not row["fastmath"]]
    try:
        from matplotlib import rc_context
    except ImportError:
        return {}
    # The same identifiers in each run.
    with rc_context({"svg.hashsalt": "numpy_plugin", "svg.fonttype": "none"}):
        for threads in sorted({row["threads"] for row in rows}):
            _speed_over_size(results.records, rows, threads)
        return {
            _summary(results.tables, rows): "Times over this package's, one thread",
            _roofline(results.tables, roof): "Polynomials of growing degree, one thread",
        }


def _figure(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _save(figure: Any, path: Path) -> str:
    """Write a figure with coordinates of a hundredth of a point."""
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Creator": None, "Date": None})
    text = re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}", written.getvalue())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path.name


# The peers of the summary, in the order of its points.
SUMMARY_PEERS = ("NumPy", "numexpr", "Numba", "JAX")


def summary_ratios(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the peers' times over this package's, by kernel: 100,000 float64, one thread."""
    ratios: dict[str, dict[str, float]] = {}
    for row in rows:
        is_shown = (row["size"], row["dtype"], row["threads"]) == (100_000, "float64", 1)
        if is_shown and row["function"] in SUMMARY_PEERS and row["ratio"]:
            ratios.setdefault(row["kernel"], {})[row["function"]] = row["ratio"]
    return ratios


def _summary(directory: Path, rows: list[dict[str, Any]]) -> str:
    """Plot the ratios of each kernel as points above 1, the line of equal times."""
    ratios = summary_ratios(rows)
    figure, ((axis,),) = _figure(1, 1, (10, 4.6))
    for i, peer in enumerate(SUMMARY_PEERS):
        found = [(k, peers[peer]) for k, peers in enumerate(ratios.values()) if peer in peers]
        if found:
            places, values = zip(*found, strict=True)
            left = np.array(places) + 0.18 * (i - 1.5)
            axis.vlines(left, 1, values, color=f"C{i}", linewidth=3, alpha=0.35)
            axis.plot(left, values, "o", color=f"C{i}", label=peer)
    axis.axhline(1, color="black", linewidth=1)
    axis.set_yscale("log")
    axis.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axis.minorticks_off()
    axis.set_xticks(range(len(ratios)), ratios, rotation=30, ha="right", rotation_mode="anchor")
    axis.set(ylabel="time over numpy_plugin's")
    axis.set_title("float64, 100,000 elements, one thread: above 1, numpy_plugin is faster")
    axis.grid(visible=True, axis="y", alpha=0.3)
    axis.legend(ncols=len(SUMMARY_PEERS))
    return _save(figure, directory / "speed.svg")


def _speed_over_size(directory: Path, rows: list[dict[str, Any]], threads: int) -> None:
    """Plot elements a second for each kernel of the sweep, float32 above float64."""
    figure, axes = _figure(2, len(SWEEP), (4 * len(SWEEP), 7))
    for row_of_axes, dtype in zip(axes, ("float32", "float64"), strict=True):
        for axis, name in zip(row_of_axes, SWEEP, strict=True):
            kernel = name.replace("_", " ")
            chosen = [
                row
                for row in rows
                if (row["kernel"], row["dtype"], row["threads"]) == (kernel, dtype, threads)
                and row["size"] in SWEEP_SIZES
            ]
            axis.set_title(f"{kernel}, {dtype}")
            if chosen:
                _lines(axis, chosen, ours=name)
    _save(figure, directory / f"cpu_kernels_{threads}.svg")


def _lines(axis: Any, rows: list[dict[str, Any]], ours: str) -> None:
    axis.set(xlabel="elements", ylabel="elements a second")
    ordered = sorted(rows, key=lambda row: (row["function"] != ours, row["function"], row["size"]))
    for function, group in groupby(ordered, lambda row: row["function"]):
        points = [(row["size"], row["size"] / row["seconds"]) for row in group if row["seconds"]]
        if not points:
            continue
        is_ours = function == ours
        label = "numpy_plugin" if is_ours else function
        axis.loglog(*zip(*points, strict=True), marker=".", lw=3 if is_ours else 1, label=label)
    axis.grid(visible=True, alpha=0.3)
    axis.legend(fontsize="small")


def _roofline(directory: Path, roof: dict[str, Any]) -> str:
    figure, ((axis,),) = _figure(1, 1, (7, 5))
    ceilings, rows = roof["ceilings"], roof["rows"]
    intensity = np.geomspace(0.05, 20, 50)
    limit = np.minimum(intensity * ceilings["bytes"], ceilings["operations"])
    axis.loglog(intensity, limit, "k--", label="measured ceilings")
    for function, group in groupby(
        sorted(rows, key=lambda row: row["function"]), lambda row: row["function"]
    ):
        points = [(row["operations a byte"], row["operations a second"]) for row in group]
        axis.loglog(*zip(*points, strict=True), marker="o", label=function)
    axis.set(title="polynomials, float64", xlabel="operations a byte", ylabel="operations a second")
    axis.minorticks_off()
    axis.grid(visible=True, alpha=0.3)
    axis.legend()
    return _save(figure, directory / "roofline.svg")
