"""Machine instructions of device kernels, counted for five architectures without a GPU.

`instruction_count` describes the rule. The number of elements on the counted path is the bytes it
stores divided by the size of an element's results; strided kernels are counted for one dimension,
loops in the body for one trip.
"""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from device_kernels import UFUNCS
from instruction_count import PathCount, count_path
from results import Content, Page, Results, table

from numpy_plugin import inspect
from numpy_plugin._commands import info
from numpy_plugin._commands.bench import Measurement
from numpy_plugin._inspection.disassembly import find_nvdisasm

__all__ = ["CASES", "PAGE", "Case", "Counts", "count", "counts_of_cases"]

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
FORMS = (
    "contiguous",
    "wide contiguous",
    "masked contiguous",
    "rows",
    "masked rows",
    "short_rows",
    "1D strided",
    "strided",
    "masked 1D strided",
)
INSTRUCTION_BYTES = 16
PER_ELEMENT = "instructions an element"


class Case(NamedTuple):
    """A kernel to count.

    Attributes:
        ufunc: made by `vectorize`.
        signature: one of its signatures.
    """

    ufunc: np.ufunc
    signature: str

    @property
    def label(self) -> str:
        """Name and types."""
        return f"{self.ufunc.__name__} {self.signature}"


class Counts(NamedTuple):
    """Instructions of one device kernel.

    Attributes:
        kernel: the case's label.
        form: of the device kernel.
        arch: the architecture.
        n_instructions: of the counted path.
        n_elements: that the path computes.
        n_vector_accesses: of 16 bytes or more, on the path.
        n_registers: per thread.
        stack_bytes: per thread.
        code_bytes: of the whole kernel.
    """

    kernel: str
    form: str
    arch: str
    n_instructions: int
    n_elements: int
    n_vector_accesses: int
    n_registers: int
    stack_bytes: int
    code_bytes: int

    @property
    def per_element(self) -> float:
        """Instructions per element on the path."""
        return self.n_instructions / self.n_elements


CASES = [Case(ufunc, text) for ufunc in UFUNCS for text in inspect(ufunc).signatures]


def can_count() -> bool:
    """Whether NVRTC and `nvdisasm` are installed."""
    return find_nvdisasm() is not None and "error" not in info.nvrtc()


def path(case: Case, form: str, arch: str, steps_back: int = 0) -> PathCount:
    """Count the path of one device kernel; RuntimeError without `nvdisasm`."""
    listing = inspect(case.ufunc).sass(case.signature, arch, form)
    return count_path(listing, steps_back, tile_bytes(case, form, listing, steps_back))


def tile_bytes(case: Case, form: str, listing: str, steps_back: int = 0) -> int:
    """Return the bytes that a thread of a full tile loads, with as many elements as it stores."""
    outputs, inputs = (bytes_of(names) for names in case.signature[:-1].split("("))
    n_elements = count_path(listing, steps_back).stored_bytes // outputs
    return n_elements * (inputs + ("masked" in form))


def bytes_of(names: str) -> int:
    """Return the size of an element of each of the dtypes, in all."""
    return sum(np.dtype(name).itemsize for name in names.split(", "))


def count(case: Case, form: str = "contiguous", arch: str = "sm_90", steps_back: int = 0) -> Counts:
    """Return the counts of one device kernel; RuntimeError without `nvdisasm`.

    Args:
        case: the kernel.
        form: of the device kernel, as for `inspect(f).ptx`.
        arch: the architecture.
        steps_back: as for `count_path`.
    """
    on_path = path(case, form, arch, steps_back)
    resources = inspect(case.ufunc).resources(case.signature, arch, form)[0]
    return Counts(
        case.label,
        form,
        arch,
        on_path.n_instructions,
        on_path.stored_bytes // bytes_of(case.signature.partition("(")[0]),
        on_path.n_vector_accesses,
        resources.n_registers,
        resources.stack_bytes,
        on_path.total * INSTRUCTION_BYTES,
    )


# For full tiles on sm_90, and for strides in three dimensions, whose loop has one back edge.
TARGETS = (
    ("saxpy float32", "contiguous", 0, 5.5),
    ("multiply float64", "contiguous", 0, 6.5),
    ("add int8", "contiguous", 0, 2.5),
    ("hypot float32", "contiguous", 0, 36.0),
    ("saxpy float32", "strided", 1, 60.0),
)


def against_targets() -> list[Measurement]:
    """Return the instructions per element of each target, if they can be counted."""
    if not can_count():
        return []
    rows = []
    for label, form, steps_back, limit in TARGETS:
        case = next(each for each in CASES if each.label.startswith(label))
        counts = count(case, form, steps_back=steps_back)
        name = f"{label}, {form}{' in 3 dimensions' * steps_back}"
        rows.append(Measurement(name, counts.per_element, PER_ELEMENT, limit))
    return rows


def counts_of_cases() -> list[Counts]:
    """Count every case in every form for every architecture, if they can be counted."""
    if not can_count():
        return []
    jobs = [(case, form, arch) for case in CASES for form in FORMS for arch in ARCHITECTURES]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda job: count(*job), jobs))


def table_of(counts: Sequence[Counts]) -> list[str]:
    """Return the lines of a Markdown table: one row per kernel and form."""
    rows = []
    for first in range(0, len(counts), len(ARCHITECTURES)):
        row = counts[first : first + len(ARCHITECTURES)]
        shown = row[ARCHITECTURES.index("sm_90")]
        cells = [shown.kernel, shown.form, str(shown.n_elements)]
        cells += [f"{each.per_element:.2f} ({each.n_registers})" for each in row]
        cells += [str(max(each.stack_bytes for each in row)), str(shown.code_bytes)]
        rows.append(cells)
    heads = ["kernel", "form", "elements", *ARCHITECTURES, "stack", "code bytes"]
    return table(heads, "ll" + "r" * (len(heads) - 2), rows)


def _contents(_: Results) -> Content | None:
    """Return the counts, if they could be counted."""
    counts = counts_of_cases()
    if not counts:
        return None
    lines = [
        "Instructions per element on the path of a full tile, registers per thread in parentheses;",
        "elements per thread and code bytes are those of sm_90, the stack is the largest of all.",
        "",
        *table_of(counts),
    ]
    rows = [{**each._asdict(), "per_element": each.per_element} for each in counts]
    return Content(lines, {"counts": rows})


PAGE = Page(
    "instructions",
    "Machine instructions of device kernels",
    _contents,
    "Counted by `make bench`.",
    ("date", "NVRTC", "processor"),
)
