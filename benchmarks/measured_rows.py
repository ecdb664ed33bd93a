"""Tables of `make bench` with one measurement in each row."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from results import Results

from numpy_plugin._commands.bench import HEADERS, Measurement, as_record

__all__ = ["write_rows"]


def write_rows(
    file: tuple[Results, str],
    title: str,
    environment: dict[str, Any],
    measure: Callable[[], list[Measurement]],
) -> bool:
    """Write measurements to the results under a name; return that they are there."""
    load = f"{os.getloadavg()[0]:.1f} processes at the beginning"
    rows = measure()
    environment = {**environment, "load": load}
    record = {"environment": environment, "measurements": [as_record(row) for row in rows]}
    lines = [f"# {title}", "", "Measured by `make bench`.", ""]
    lines += [f"- {what}: {value}" for what, value in environment.items()]
    lines += ["", f"| {' | '.join(HEADERS)} |", "|---|---:|---|---|---|"]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows]
    results, name = file
    results.write(name, lines, record)
    return True
