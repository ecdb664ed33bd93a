"""Files that `make bench` writes: tables, which git keeps, and records, which it does not."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Heading", "Results", "with_load"]


def with_load(environment: dict[str, Any]) -> dict[str, Any]:
    """Return the conditions of a measurement with the machine's load."""
    return {**environment, "load": f"{os.getloadavg()[0]:.1f} processes at the beginning"}


class Heading(NamedTuple):
    """What a table begins with.

    Attributes:
        title: of the page.
        how: a sentence about the measurement.
        facts: the conditions that matter; None: all.
    """

    title: str
    how: str = "Measured by `make bench`."
    facts: Sequence[str] | None = None

    def lines(self, environment: dict[str, Any]) -> list[str]:
        """Return the lines up to the table."""
        facts = environment if self.facts is None else self.facts
        listed = [f"- {what}: {environment[what]}" for what in facts]
        return [f"# {self.title}", "", self.how, "", *listed, ""]


class Results(NamedTuple):
    """The directories of the files.

    Attributes:
        tables: Markdown, and the pictures that it shows.
        records: JSON, which has every number, and large pictures.
    """

    tables: Path
    records: Path

    def write(
        self,
        name: str,
        heading: Heading,
        environment: dict[str, Any],
        lines: Sequence[str],
        values: dict[str, Any],
    ) -> None:
        """Write a table's lines below its heading, and the record of its values."""
        record = {"environment": environment, **values}
        lines = [*heading.lines(environment), *lines]
        text = json.dumps(record, indent=1)
        for path, content in (
            (self.records / f"{name}.json", text),
            (self.tables / f"{name}.md", "\n".join(lines)),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content + "\n", encoding="utf-8")
