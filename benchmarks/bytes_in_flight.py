"""Bytes of loads that a multiprocessor of sm_90 has in flight, by form and dtype, without a GPU.

A kernel reaches the bandwidth of memory only if the loads that are under way at any time cover its
latency: 48 KiB per multiprocessor on sm_90. Registers limit the threads of a multiprocessor, and
a load in flight occupies its register. Loads return in order: the use of one waits for all before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from instruction_count import Instruction, counted_path
from instructions import Case, can_count, tile_bytes
from results import Content, Page, Results, table

from numpy_plugin import inspect, vectorize

__all__ = ["PAGE", "Row", "bytes_in_flight", "rows", "threads_per_multiprocessor"]

ARCHITECTURE = "sm_90"
FORMS = (
    "contiguous",
    "masked contiguous",
    "rows",
    "short_rows",
    "transposed",
    "1D strided",
    "masked 1D strided",
    "strided",
)

# Of a multiprocessor of sm_90; registers are allocated to warps in units.
REGISTERS, REGISTER_UNIT, WARP_THREADS = 65536, 256, 32
THREADS, BLOCKS, BLOCK_THREADS = 2048, 32, 128


class Row(NamedTuple):
    """Loads of one thread of a device kernel.

    Attributes:
        kernel: name and types.
        form: of the device kernel.
        n_elements: of a thread of a full tile.
        n_registers: per thread.
        n_threads: of a multiprocessor.
        n_bytes: of a thread's loads in flight at most.
        per_element: instructions.
    """

    kernel: str
    form: str
    n_elements: int
    n_registers: int
    n_threads: int
    n_bytes: int
    per_element: float

    @property
    def kibibytes(self) -> float:
        """In flight on a multiprocessor."""
        return self.n_threads * self.n_bytes / 1024


@vectorize(["int8(int8)", "float32(float32)"])
def negative(x: float) -> float:
    """Minus x."""
    return -x


@vectorize([f"{t}({t}, {t})" for t in ("int8", "int16", "float16", "float32", "float64")])
def add(x: float, y: float) -> float:
    """x plus y."""
    return x + y


@vectorize(["float32(float32, float32, float32)"])
def saxpy(a: float, x: float, y: float) -> float:
    """A times x plus y."""
    return a * x + y


CASES = [Case(f, text) for f in (negative, add, saxpy) for text in inspect(f).signatures]


def threads_per_multiprocessor(n_registers: int, block_threads: int = BLOCK_THREADS) -> int:
    """Return how many threads fit, in whole blocks."""
    warp = -(-n_registers * WARP_THREADS // REGISTER_UNIT) * REGISTER_UNIT
    block = warp * (block_threads // WARP_THREADS)
    return min(REGISTERS // block, BLOCKS, THREADS // block_threads) * block_threads


def bytes_in_flight(path: Iterable[Instruction]) -> int:
    """Return the largest number of bytes of a thread's loads that are under way on a path."""
    flying: list[tuple[range, int]] = []  # registers and bytes of loads, in order
    most = 0
    for instruction in path:
        numbers = [int(n) for n in re.findall(r"\bR(\d+)\b", instruction.operands)]
        n_bytes = instruction.loaded_bytes
        used = numbers[1:] if n_bytes else numbers
        last = max((i for i, (into, _) in enumerate(flying) if {*into} & {*used}), default=-1)
        flying = flying[last + 1 :]
        if n_bytes:
            flying.append((range(numbers[0], numbers[0] + max(1, n_bytes // 4)), n_bytes))
            most = max(most, sum(n for _, n in flying))
    return most


def row(case: Case, form: str) -> Row:
    """Return the row of a kernel in a form."""
    listing = inspect(case.ufunc).sass(case.signature, ARCHITECTURE, form)
    path = counted_path(listing, most_loaded=tile_bytes(case, form, listing))
    n_registers = inspect(case.ufunc).resources(case.signature, ARCHITECTURE, form)[0].n_registers
    item_bytes = np.dtype(case.signature.partition("(")[0]).itemsize
    n_elements = sum(instruction.stored_bytes for instruction in path) // item_bytes
    return Row(
        case.label,
        form,
        n_elements,
        n_registers,
        threads_per_multiprocessor(n_registers),
        bytes_in_flight(path),
        len(path) / n_elements,
    )


def rows() -> list[Row]:
    """Return a row for every kernel and form, if they can be counted."""
    if not can_count():
        return []
    return [row(case, form) for case in CASES for form in FORMS]


def table_of(found: Sequence[Row]) -> list[str]:
    """Return the lines of a Markdown table."""
    heads = ["kernel", "form", "elements", "registers", "threads", "bytes", "KiB", "instructions"]
    rows = [[*each[:6], f"{each.kibibytes:.0f}", f"{each.per_element:.2f}"] for each in found]
    return table(heads, "ll" + "r" * 6, rows)


def _contents(_: Results) -> Content | None:
    """Return the table, if it can be counted."""
    found = rows()
    if not found:
        return None
    lines = [
        "Of a thread of a full tile: its elements, registers, and the bytes of its loads in flight",
        "at most. Of a multiprocessor: the threads that fit, and the KiB that they have in flight;",
        "48 cover the latency of memory. Instructions are per element.",
        "",
        *table_of(found),
    ]
    return Content(lines, {"rows": [each._asdict() for each in found]})


PAGE = Page(
    "bytes_in_flight",
    "Bytes in flight",
    _contents,
    "Counted by `make bench` for sm_90.",
    ("date", "NVRTC"),
)
