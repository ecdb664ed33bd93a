"""Tables of `make bench` with one measurement in each row."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy_plugin._commands.bench import HEADERS, Measurement, as_record

__all__ = ["write_rows"]


def write_rows(
    path: Path, title: str, environment: dict[str, Any], measure: Callable[[], list[Measurement]]
) -> bool:
    """Write measurements to `path` with .md and .json; return that they are there."""
    load = f"{os.getloadavg()[0]:.1f} processes at the beginning"
    rows = measure()
    environment = {**environment, "load": load}
    record = {"environment": environment, "measurements": [as_record(row) for row in rows]}
    path.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    lines = [f"# {title}", "", "Measured by `make bench`.", ""]
    lines += [f"- {what}: {value}" for what, value in environment.items()]
    lines += ["", f"| {' | '.join(HEADERS)} |", "|---|---:|---|---|---|"]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows]
    path.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return True
