"""The result of a benchmark: a table, JSON, a plot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy_plugin._commands.report import plain_table
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._html import html_table

__all__ = ["HEADERS", "Benchmark", "Row"]

HEADERS = ["function", "size", "dtype", "threads", "device", "time", "spread", "ratio", "ulp"]


class Row(NamedTuple):
    """One function at one size, dtype, number of threads and device.

    Attributes:
        function: its name.
        size: the number of elements of the largest operand.
        dtype: the dtypes of the operands, separated by commas.
        threads: of a call on the CPU, at most.
        device: "cpu", or the device's name.
        seconds: the median time of a call; None where it was not measured.
        low: the first quartile, in seconds.
        high: the third quartile, in seconds.
        ratio: its time over that of the ufunc in the same rounds.
        ulp: the largest difference of its results from the ufunc's, in units in the last place.
        relative: the largest relative difference.
        place: the indices of the element with the largest `ulp`.
        note: why it was not measured, or compared; "" if it was.
    """

    function: str
    size: int
    dtype: str
    threads: int
    device: str
    seconds: float | None = None
    low: float | None = None
    high: float | None = None
    ratio: float | None = None
    ulp: float | None = None
    relative: float | None = None
    place: tuple[int, ...] = ()
    note: str = ""

    def cells(self) -> list[str]:
        """Return the row of the table."""
        spread = ""
        if self.seconds is not None and self.low is not None and self.high is not None:
            spread = f"{100 * (self.high - self.low) / self.seconds:.0f} %"
        return [
            self.function,
            str(self.size),
            self.dtype,
            str(self.threads),
            self.device,
            self.note if self.seconds is None else _time_text(self.seconds),
            spread,
            "" if self.ratio is None else f"{self.ratio:.2f}",
            "" if self.ulp is None else f"{self.ulp:.3g}",
        ]


def _time_text(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


class Benchmark(Sequence[Row]):
    """Rows of a benchmark, in the order of measurement. Made by `numpy_plugin.benchmark`."""

    __module__ = "numpy_plugin"

    def __init__(self, ufunc: str, rows: Sequence[Row], environment: dict[str, Any]) -> None:
        """Keep the rows, and where they were measured."""
        self.ufunc = ufunc
        self.rows = tuple(rows)
        self.environment = environment

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        """Return a row, or several."""
        return self.rows[index]

    def __repr__(self) -> str:
        """Return the table as text."""
        return plain_table(self.title, HEADERS, [row.cells() for row in self.rows])

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return html_table(self.title, HEADERS, [row.cells() for row in self.rows])

    @property
    def title(self) -> str:
        """The ufunc, the processor and the date."""
        processor, date = self.environment["processor"], self.environment["date"]
        return f"{self.ufunc}, {processor}, {date}"

    @without_own_frames
    def to_json(self, path: str | Path | None = None) -> str:
        """Return the rows and the environment as JSON, and write them to a file if it is given.

        Raises:
            OSError: the file cannot be written.
        """
        data = {
            "ufunc": self.ufunc,
            "environment": self.environment,
            "rows": [row._asdict() for row in self.rows],
        }
        text = json.dumps(data, indent=2)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    @without_own_frames
    def plot(self, path: str | Path | None = None) -> Any:
        """Return a matplotlib figure of elements a second over size, a line for each function.

        Args:
            path: a file to save it to; None: none.

        Raises:
            ImportError: matplotlib is not installed.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            message = "plots need matplotlib, which cannot be imported"
            raise ImportError(f"{message}\n  hint: pip install matplotlib") from error
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for label, rows in self._lines():
            sizes = [row.size for row in rows]
            rates = [row.size / row.seconds for row in rows if row.seconds]
            axes.loglog(sizes, rates, marker="o", label=label)
        axes.set(title=self.title, xlabel="elements", ylabel="elements a second")
        axes.legend()
        axes.grid(visible=True, which="both", alpha=0.3)
        if path is not None:
            figure.savefig(path)
        return figure

    def _lines(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the measured rows of each function under the same conditions, by size."""
        lines: dict[tuple[str, str, int, str], list[Row]] = {}
        for row in self.rows:
            if row.seconds is not None:
                lines.setdefault((row.function, row.dtype, row.threads, row.device), []).append(row)
        for (function, dtype, threads, device), rows in lines.items():
            label = f"{function}, {dtype}, {device}"
            if threads > 1:
                label += f", {threads} threads"
            yield label, sorted(rows, key=lambda row: row.size)
