"""The rows of bench.json in as few characters as can be read, for report.txt."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

__all__ = ["columns_of", "lines", "shown"]

#: Of a row that are no columns.
ABOUT = ("section", "what", "unit")


def columns_of(rows: list[dict[str, Any]]) -> list[str]:
    """Return the names of all columns of rows, in order."""
    return list(dict.fromkeys(name for row in rows for name in row if name not in ABOUT))


def shown(value: Any) -> str:
    """Return a value as tables show it; a peer's exception is not one."""
    if isinstance(value, str):
        return "error"
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:g}"


def lines(path: Path) -> list[str]:
    """Return a line for each row, below a heading for each section."""
    if not path.exists():
        return []
    content = json.loads(path.read_text(encoding="utf-8"))
    found = [f"no {name}: {' '.join(why.split())[:90]}" for name, why in content["missing"].items()]
    for (section, unit), group in groupby(
        content["rows"], lambda row: (row["section"], row["unit"])
    ):
        rows = list(group)
        columns = columns_of(rows)
        found.append(f"# {section} [{unit}]: {' / '.join(columns)}")
        for row in rows:
            found.append(f"{row['what']}: {' / '.join(shown(row.get(name)) for name in columns)}")
            errors = [str(row[name]) for name in columns if isinstance(row.get(name), str)]
            found += [f"  {error[:80]}" for error in errors]
    return found
