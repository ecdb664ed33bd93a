"""Files that `make bench` writes: tables, which git keeps, and records, which it does not."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from numpy_plugin._commands.bench import HEADERS, Measurement, as_record

__all__ = ["Content", "Page", "Results", "measured", "table"]


def table(headers: Sequence[str], align: str, rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table; `align` has "l" or "r" for each column."""
    marks = ["---:" if side == "r" else "---" for side in align]
    lines = [f"| {' | '.join(headers)} |", f"|{'|'.join(marks)}|"]
    return lines + [f"| {' | '.join(map(str, row))} |" for row in rows]


class Content(NamedTuple):
    """What was measured.

    Attributes:
        lines: of the table, and of what stands around it.
        values: of the record.
        conditions: those that only this measurement has.
    """

    lines: Sequence[str]
    values: Mapping[str, Any]
    conditions: Mapping[str, Any] = MappingProxyType({})

    @classmethod
    def of(cls, rows: Sequence[Measurement]) -> Content:
        """Return the table of measurements."""
        values = {"measurements": [as_record(row) for row in rows]}
        return cls(table(HEADERS, "lrlll", [row.cells() for row in rows]), values)


class Page(NamedTuple):
    """A table of its own.

    Attributes:
        name: of its files.
        title: of the table.
        measure: measures it; None: this machine lacks what that needs.
        how: a sentence about the measurement.
        facts: the conditions that matter; None: all.
    """

    name: str
    title: str
    measure: Callable[[Results], Content | None]
    how: str = "Measured by `make bench`."
    facts: Sequence[str] | None = None

    def heading(self, conditions: Mapping[str, Any]) -> list[str]:
        """Return the lines up to the table."""
        facts = conditions if self.facts is None else self.facts
        listed = [f"- {what}: {conditions[what]}" for what in facts]
        return [f"# {self.title}", "", self.how, "", *listed, ""]


def measured(measure: Callable[[], list[Measurement]]) -> Callable[[Results], Content]:
    """Return what a page of measurements needs."""
    return lambda results: Content.of(measure())


class Results(NamedTuple):
    """The directories of the files.

    Attributes:
        tables: Markdown, and the pictures that it shows.
        records: JSON, which has every number, and large pictures.
    """

    tables: Path
    records: Path

    def add(self, page: Page, environment: Mapping[str, Any]) -> bool:
        """Measure a page and write it, if this machine can; return whether it can."""
        load = f"{os.getloadavg()[0]:.1f} processes at the beginning"
        content = page.measure(self)
        if content is not None:
            self.write(page, {**environment, "load": load}, content)
        return content is not None

    def write(self, page: Page, environment: Mapping[str, Any], content: Content) -> None:
        """Write a table below its heading, and the record of its values."""
        conditions = {**environment, **content.conditions}
        record = json.dumps({"environment": conditions, **content.values}, indent=1)
        lines = [*page.heading(conditions), *content.lines]
        for path, text in (
            (self.records / f"{page.name}.json", record),
            (self.tables / f"{page.name}.md", "\n".join(lines)),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        print(f"written: {page.name}.md and {page.name}.json", file=sys.stderr)
