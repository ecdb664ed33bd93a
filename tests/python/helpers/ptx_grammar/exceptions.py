"""Known disagreements between the table and ptxas: rows of exceptions.txt, each with its reason."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

from ptx_grammar.operands import Statement

PATH = pathlib.Path(__file__).with_name("exceptions.txt")


@dataclass(frozen=True)
class Disagreement:
    """A statement that only one of the two takes, with the other's message."""

    taken_by: str  # "ptxas" or "simulator"
    target: str
    statement: Statement
    message: str

    def __str__(self) -> str:
        return f"{self.target}: {self.taken_by} takes '{self.statement.text}': {self.message}"


@dataclass(frozen=True)
class KnownDisagreement:
    """A group of statements that only one of the two takes, by their text."""

    taken_by: str
    targets: re.Pattern[str]
    statements: re.Pattern[str]
    reason: str

    def covers(self, found: Disagreement) -> bool:
        return (
            found.taken_by == self.taken_by
            and self.targets.fullmatch(found.target) is not None
            and self.statements.fullmatch(found.statement.text.rstrip(";")) is not None
        )


def known() -> list[KnownDisagreement]:
    rows = []
    for line in PATH.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        taken_by, targets, statements, reason = re.split(r"\s{2,}", line.strip(), maxsplit=3)
        assert taken_by in ("ptxas", "simulator"), line
        rows.append(
            KnownDisagreement(taken_by, re.compile(targets), re.compile(statements), reason)
        )
    return rows
