"""The plots of the demonstration: bars on the terminal, and a PNG drawn by matplotlib."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["bars", "save"]

#: Median seconds of each implementation, for each dtype.
Times = dict[str, dict[str, float]]

_WIDTH = 50
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bars(times: Times) -> list[str]:
    """Return lines with a bar for each time; the longest time fills the width."""
    longest = max(seconds for of_dtype in times.values() for seconds in of_dtype.values())
    names = max(len(way) for of_dtype in times.values() for way in of_dtype)
    lines = []
    for dtype, of_dtype in times.items():
        lines.append(f"{dtype}, shorter is faster")
        for way, seconds in of_dtype.items():
            bar = _bar(seconds / longest)
            lines.append(f"  {way.ljust(names)} {bar.ljust(_WIDTH)} {seconds * 1e3:.2f} ms")
    return lines


def _bar(share: float) -> str:
    whole, eighths = divmod(max(1, round(8 * _WIDTH * share)), 8)
    return _EIGHTHS[8] * whole + _EIGHTHS[eighths].strip()


def save(times: Times, x: Any, function: Callable[..., Any], path: Path | None) -> Path:
    """Draw the function at sorted points `x`, and the times, into a PNG; return its path.

    Args:
        times: the times to draw.
        x: the points.
        function: the ufunc, with a mean and a standard deviation as its other operands.
        path: the file; None for one in a new temporary directory.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure

    if path is None:
        path = Path(tempfile.mkdtemp(prefix="numpy_plugin_demo_")) / "demo.png"
    figure = Figure(figsize=(11, 4), layout="constrained")
    curve, speed = figure.subplots(1, 2)
    for mean, sigma in ((0.0, 1.0), (1.0, 0.5), (-1.0, 1.5)):
        curve.plot(x, function(x, mean, sigma), label=f"mean {mean:g}, sigma {sigma:g}")
    curve.set(title="gaussian_pdf(x, mean, sigma)", xlabel="x")
    curve.legend()
    for number, (dtype, of_dtype) in enumerate(times.items()):
        places = np.arange(len(of_dtype)) + 0.4 * number
        speed.barh(places, [1e3 * seconds for seconds in of_dtype.values()], 0.4, label=dtype)
    ways = list(times["float64"])
    speed.set_yticks(np.arange(len(ways)) + 0.2, ways)
    speed.invert_yaxis()
    speed.set(title="time of a call", xlabel="milliseconds")
    speed.legend()
    figure.savefig(path, dpi=120)
    return path
