"""`python -m numpy_plugin cache`: show or clear the disk cache of compiled code."""

from __future__ import annotations

import time
from typing import Any

from numpy_plugin import _core
from numpy_plugin._commands import report

__all__ = ["age", "run", "size"]


def run(*, clear: bool = False) -> int:
    """Show the cache or remove all its entries, and return the exit status."""
    cache = _core.cache_info()
    if not cache["directory"]:
        report.line(f"no cache: {cache['reason']}")
        return 1 if clear else 0
    if clear:
        n_entries = _core.clear_cache()
        report.line(f"removed {_counted(n_entries)} from {cache['directory']}")
        return 0
    _show(cache)
    return 0


def _show(cache: dict[str, Any]) -> None:
    entries = sorted(cache["entries"], key=lambda entry: -entry["used"])
    n_bytes = sum(entry["n_bytes"] for entry in entries)
    room = f"{size(n_bytes)} of {size(cache['size_limit'])}"
    report.line(f"{cache['directory']}: {_counted(len(entries))}, {room}")
    if not entries:
        return
    now = time.time()
    rows = [
        [
            entry["name"],
            size(entry["n_bytes"]),
            age(now - entry["used"]),
            "whole" if entry["is_whole"] else "damaged",
        ]
        for entry in entries
    ]
    report.table("entries, last used first", ["name", "size", "used", "state"], rows)


def size(n_bytes: float) -> str:
    """Return a number of bytes with its unit: "17.2 kB"."""
    for unit in ("B", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def age(seconds: float) -> str:
    """Return a duration in its largest unit: "3 h"."""
    seconds = max(seconds, 0)
    for limit, unit, length in ((60, "s", 1), (3600, "min", 60), (86400, "h", 3600)):
        if seconds < limit:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds // 86400:.0f} d"


def _counted(n_entries: int) -> str:
    return "1 entry" if n_entries == 1 else f"{n_entries} entries"
