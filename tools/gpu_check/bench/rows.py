"""Rows of the results: one operation each, with a column for each library."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gpu_check.bench.libraries import Library
from numpy_plugin._benchmark.timing import repeated, seconds_of

__all__ = ["Call", "Rows", "shortest"]

Call = Callable[[], object]
#: Makes a library's call; None: it has no such operation.
Make = Callable[[Library], Call | None]

ROUNDS = 4
#: Of the calls of a round, in seconds.
ROUND_SECONDS = 0.015
MOST_CALLS = 2000


def shortest(call: Call, wait: Call, rounds: int = ROUNDS) -> float:
    """Return the shortest time of one call in seconds, from rounds of many after a first one."""
    times = [seconds_of(repeated(call, 1, wait))]
    n_calls = 1
    for _ in range(rounds):
        times.append(seconds_of(repeated(call, n_calls, wait)) / n_calls)
        n_calls = max(1, min(MOST_CALLS, int(ROUND_SECONDS / times[-1])))
    return min(times[1:])


class Rows:
    """What was measured so far; the file always has it."""

    def __init__(
        self, path: Path, conditions: dict[str, Any], libraries: Sequence[Library], end: float
    ) -> None:
        """Begin with no rows; none is measured after `end`, of the monotonic clock."""
        self.path, self.conditions, self.libraries, self.end = path, conditions, libraries, end
        self.rows: list[dict[str, Any]] = []
        self.section = ""

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() > self.end

    def rate(self, what: str, n_bytes: float, make: Make) -> None:
        """Add a row of gigabytes a second."""
        self.compare(what, "GB/s", make, lambda seconds: round(n_bytes / seconds / 1e9, 1))

    def elements(self, what: str, n: int, make: Make) -> None:
        """Add a row of a thousand million elements a second."""
        self.compare(what, "G/s", make, lambda seconds: round(n / seconds / 1e9, 2))

    def time(self, what: str, make: Make) -> None:
        """Add a row of microseconds a call."""
        self.compare(what, "us", make, lambda seconds: round(seconds * 1e6, 2))

    def compare(self, what: str, unit: str, make: Make, value: Callable[[float], float]) -> None:
        """Measure each library's call, and add a row of them."""
        found: dict[str, Any] = {}
        for library in self.libraries:
            if self.is_over:
                break
            try:
                call = make(library)
                if call is not None:
                    found[library.name] = value(shortest(call, library.wait))
                    del call
            except Exception as error:  # the other columns are wanted all the same
                found[library.name] = f"{type(error).__name__}: {error}"[:150]
            library.trim()
        if found:
            self.add(what, unit, **found)

    def add(self, what: str, unit: str, **values: Any) -> None:
        """Add a row of these values, print it, and write the file."""
        self.rows.append({"section": self.section, "what": what, "unit": unit, **values})
        shown = " ".join(f"{name} {value}" for name, value in values.items())
        print(f"{self.section}: {what} [{unit}] {shown}", flush=True)
        self.write()

    def write(self) -> None:
        """Write all rows and conditions."""
        content = {**self.conditions, "rows": self.rows}
        self.path.write_text(json.dumps(content, indent=1), encoding="utf-8")
