"""Profile of a call on a simulated device: counts beside the source lines they come from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from textwrap import dedent
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import SimulatedDevice
from numpy_plugin._cuda.simulated import simulator
from numpy_plugin._html import html_table
from numpy_plugin._inspection.operands import own_array, same_layout, span

__all__ = ["LineCounts", "Profile", "ProfiledLine", "device_for", "profile_launch", "profiled"]

# The place of instructions that come from no line of the user.
_LIBRARY = "(library)"

# NumPy's ufuncs have kernels in this package.
_PACKAGE = os.path.dirname(_core.__file__) + os.sep

_HEADERS = (
    "line",
    "instructions",
    "of warps",
    "divergent",
    "sectors/request",
    "bank conflicts",
    "source",
)


@dataclass(frozen=True, kw_only=True)
class LineCounts:
    """Counts of executed instructions.

    Attributes:
        instructions: of threads: an instruction of a warp counts once for each active thread.
        warp_instructions: of warps.
        divergent_branches: branches where the threads of a warp diverged.
        requests: loads, stores and atomic updates of global memory by a warp.
        sectors: 32-byte sectors of global memory that the requests accessed.
        bytes: bytes of global memory that threads requested.
        shared_requests: loads, stores and atomic updates of shared memory by a warp.
        shared_passes: passes in which the banks of shared memory served these requests.
        bank_conflicts: passes beyond those of the same requests without conflicts.
    """

    instructions: int
    warp_instructions: int
    divergent_branches: int
    requests: int
    sectors: int
    bytes: int
    shared_requests: int
    shared_passes: int
    bank_conflicts: int

    @property
    def sectors_per_request(self) -> float:
        """Sectors of global memory that a request accessed on average; 0.0 without requests."""
        return self.sectors / self.requests if self.requests else 0.0


_COUNTS = [field.name for field in fields(LineCounts)]


@dataclass(frozen=True, kw_only=True)
class ProfiledLine(LineCounts):
    """Counts of a kernel's instructions that come from one line.

    Attributes:
        kernel: the kernel's name.
        file: the file of the line, or "<source of 'f'>" and the like for C++; "(library)" for all
            instructions of the kernel that come from no line of the user.
        line: its number in the file; 0 for "(library)".
        text: the line; empty for "(library)".
    """

    kernel: str
    file: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Profile:
    """Result of `inspect(f).profile(...)` and of a launch's `profile`; shown as a table.

    Attributes:
        device: the simulated device.
        launches: the number of launches.
        lines: the executed lines, in the order of kernels, files and lines; a kernel's "(library)"
            is its last.
    """

    device: str
    launches: int
    lines: list[ProfiledLine]

    @property
    def total(self) -> LineCounts:
        """The sums of all lines."""
        return LineCounts(**_sums(self.lines))

    def __repr__(self) -> str:
        """Return a table for each kernel and file, and the sums."""
        rows: list[Sequence[str]] = [_HEADERS]
        last_kernel = None
        for (kernel, file), lines in self._parts():
            if file != _LIBRARY:
                rows.append(("",) * 6 + (f"{kernel!r}, {os.path.basename(file)}",))
            elif kernel != last_kernel:
                rows.append(("",) * 6 + (repr(kernel),))
            rows += lines
            last_kernel = kernel
        rows.append(("total", *_cells(self.total), ""))
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADERS) - 1)]
        shown = ["  ".join([*map(str.rjust, row[:-1], widths), row[-1]]).rstrip() for row in rows]
        return "\n".join([self._title(), *shown])

    def _repr_html_(self) -> str:
        """Return a table for each kernel and file, for notebooks."""
        tables = [
            html_table(f"{kernel!r}, {file}", _HEADERS, rows)
            for (kernel, file), rows in self._parts()
        ]
        total = html_table("total", _HEADERS[1:-1], [_cells(self.total)])
        return "".join([f"<p>{self._title()}</p>", *tables, total])

    def _title(self) -> str:
        number = "1 launch" if self.launches == 1 else f"{self.launches} launches"
        return f"{number} on {self.device}"

    def _parts(self) -> Iterable[tuple[tuple[str, str], list[Sequence[str]]]]:
        """Return the rows of each kernel and file."""
        for place, group in groupby(self.lines, lambda line: (line.kernel, line.file)):
            lines = list(group)
            texts = dedent("\n".join(line.text for line in lines)).split("\n")
            yield place, list(map(_row, lines, texts))


def _row(line: ProfiledLine, text: str) -> Sequence[str]:
    is_library = line.file == _LIBRARY
    return ("" if is_library else str(line.line), *_cells(line), _LIBRARY if is_library else text)


def _cells(counts: LineCounts) -> Sequence[str]:
    """Return the numbers of a row; events that did not happen are left out."""
    return (
        f"{counts.instructions:,}",
        f"{counts.warp_instructions:,}",
        f"{counts.divergent_branches:,}" if counts.divergent_branches else "",
        f"{counts.sectors_per_request:.3g}" if counts.requests else "",
        f"{counts.bank_conflicts:,}" if counts.bank_conflicts else "",
    )


def profile_launch(
    launch: Callable[..., None], arguments: tuple[object, ...], arch: str
) -> Profile:
    """Make a launch on a new simulated device with copies of its arrays, and profile it."""
    own = tuple(map(own_array, arguments))
    with device_for(arch, own) as device:
        copies = [_read_only(same_layout(argument)) for argument in own]
        return profiled(device, lambda: launch(*copies))


def _read_only(argument: Any) -> Any:
    """Return a NumPy array as one that a launch does not write back; anything else unchanged."""
    if not isinstance(argument, np.ndarray):
        return argument
    view = argument.view()
    view.flags.writeable = False
    return view


def device_for(arch: str, operands: Iterable[Any]) -> SimulatedDevice:
    """Return a device with memory for copies of the arrays among the operands, and for results."""
    n_bytes = sum(span(x) for x in operands if hasattr(x, "dtype"))
    return simulator(arch, memory=8 * n_bytes + (1 << 30))


def profiled(device: SimulatedDevice, run: Callable[[], object]) -> Profile:
    """Run a function that launches kernels on a simulated device, and profile these."""
    device.synchronize()
    before = device.counters.launches
    _core.begin_profile(device)
    try:
        run()
        device.synchronize()
    finally:
        lines = _core.end_profile(device)
    launches = device.counters.launches - before
    return Profile(device=device.name, launches=launches, lines=_folded(lines))


def _folded(lines: Iterable[_core.ProfiledLine]) -> list[ProfiledLine]:
    """Return lines of the user as they are, and the others of each kernel as one."""
    folded = []
    for kernel, group in groupby(lines, lambda line: line.kernel):
        found = list(group)
        for line in filter(_is_of_user, found):
            folded.append(_line(kernel, line.file, line.line, line.text, [line]))
        others = [line for line in found if not _is_of_user(line)]
        if others:
            folded.append(_line(kernel, _LIBRARY, 0, "", others))
    return folded


def _is_of_user(line: _core.ProfiledLine) -> bool:
    return line.text != "" and not line.file.startswith(_PACKAGE)


def _line(
    kernel: str, file: str, line: int, text: str, parts: Sequence[_core.ProfiledLine]
) -> ProfiledLine:
    return ProfiledLine(kernel=kernel, file=file, line=line, text=text, **_sums(parts))


def _sums(lines: Sequence[LineCounts] | Sequence[_core.ProfiledLine]) -> dict[str, int]:
    return {name: sum(getattr(line, name) for line in lines) for name in _COUNTS}
