"""Tables of `make bench` with one measurement in each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from results import Heading, Results, with_load

from numpy_plugin._commands.bench import HEADERS, Measurement, as_record

__all__ = ["table", "write_rows"]


def table(rows: list[Measurement]) -> list[str]:
    """Return a Markdown table's lines."""
    lines = [f"| {' | '.join(HEADERS)} |", "|---|---:|---|---|---|"]
    return lines + [f"| {' | '.join(row.cells())} |" for row in rows]


def write_rows(
    file: tuple[Results, str],
    title: str,
    environment: dict[str, Any],
    measure: Callable[[], list[Measurement]],
) -> bool:
    """Write measurements to the results under a name; return that they are there."""
    environment = with_load(environment)
    rows = measure()
    results, name = file
    values = {"measurements": [as_record(row) for row in rows]}
    results.write(name, Heading(title), environment, table(rows), values)
    return True
