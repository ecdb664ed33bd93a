"""The tests of NumPy's that are expected to fail, from the table beside this file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

KINDS = ("missing:", "different:")
TABLE = Path(__file__).with_name("exclusions.txt")


@dataclass(frozen=True)
class Exclusion:
    """A row of the table, and the reason above it."""

    forms: str
    pattern: str
    reason: str

    def applies(self, form: str, nodeid: str) -> bool:
        parts = map(re.escape, self.pattern.split("*"))
        # The ufuncs of "device" are the lazy ones, without loops that NumPy's tests add.
        is_lazy = form == "device" and self.forms == "lazy"
        is_meant = self.forms == "all" or is_lazy or form in self.forms.split(",")
        return is_meant and re.fullmatch(".*/" + ".*".join(parts), nodeid) is not None


def read_exclusions() -> list[Exclusion]:
    rows, reason = [], ""
    for line in TABLE.read_text().splitlines():
        if line.startswith("    "):
            forms, pattern = line.split(maxsplit=1)
            rows.append(Exclusion(forms, pattern, reason))
        elif line.startswith(KINDS):
            reason = line
        elif line and not line.startswith("#"):
            raise ValueError(f"a row is indented, a reason begins with one of {KINDS}: {line}")
    return rows


def find_exclusion(rows: list[Exclusion], form: str, nodeid: str) -> Exclusion | None:
    return next((row for row in rows if row.applies(form, nodeid)), None)
