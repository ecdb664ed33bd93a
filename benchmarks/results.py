"""Files that `make bench` writes: tables, which git keeps, and records, which it does not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Results"]


class Results(NamedTuple):
    """The directories of the files.

    Attributes:
        tables: Markdown, and the pictures that it shows.
        records: JSON, which has every number, and large pictures.
    """

    tables: Path
    records: Path

    def write(self, name: str, lines: Sequence[str], record: dict[str, Any]) -> None:
        """Write a table's lines and its record."""
        text = json.dumps(record, indent=1)
        for path, content in (
            (self.records / f"{name}.json", text),
            (self.tables / f"{name}.md", "\n".join(lines)),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content + "\n", encoding="utf-8")
