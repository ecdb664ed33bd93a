"""`print` in kernels: lines formatted as Python's `print` would, and written to `sys.stdout`.

A line arrives as a text with marks, which `src/numpy_plugin/kernel/printed_text.hpp` describes, and
the numbers in it.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable

import numpy as np

from numpy_plugin._frontend.types import KernelType

__all__ = ["show_line", "tell_lost_lines"]

_ARGUMENT, _PIECE, _FORMAT = "\x1f", "\x1e", "\x1d"
_CONVERSIONS: dict[str, Callable[[object], object]] = {"r": repr, "s": str, "a": ascii}


class _Numbers:
    """The numbers of one line, in order."""

    def __init__(self, bits: bytes) -> None:
        self.bits = bits
        self.n_used = 0

    def next(self, name: str) -> np.generic:
        """Return the next number, a scalar of the dtype of this name."""
        parts = 2 if name.startswith("complex") else 1
        stored = "f8" if parts == 2 or "float" in name else "u8" if name == "uint64" else "i8"
        found = np.frombuffer(self.bits, stored, parts, 8 * self.n_used)
        self.n_used += parts
        values = found.view("c16") if parts == 2 else found
        scalar: np.generic = values.astype(KernelType(name).dtype)[0]
        return scalar


def _piece(piece: str, numbers: _Numbers) -> str:
    if piece[0] == "=":
        return piece[1:]
    name, conversion, format_text = piece[1:].split(_FORMAT)
    number: object = numbers.next(name)
    if conversion:
        number = _CONVERSIONS[conversion](number)
    return format(number, format_text)


@functools.lru_cache(maxsize=64)
def _parts(text: bytes) -> tuple[str, str, list[list[str]]]:
    """Return the separator, the end, and the pieces of each argument."""
    separator, end, *arguments = text.decode().split(_ARGUMENT)
    pieces = [[piece for piece in argument.split(_PIECE) if piece] for argument in arguments]
    return separator[1:], end[1:], pieces


def show_line(text: bytes, bits: bytes) -> None:
    """Write a line to `sys.stdout`, at once: other threads' lines do not come between."""
    if sys.stdout is None:
        return
    separator, end, arguments = _parts(text)
    numbers = _Numbers(bits)
    shown = ["".join(_piece(piece, numbers) for piece in pieces) for pieces in arguments]
    sys.stdout.write(separator.join(shown) + end)


def tell_lost_lines(n_lines: int) -> None:
    """Warn that a device's kernels printed more lines than its buffer holds."""
    warnings.warn(
        f"{n_lines} lines printed on the device were lost: it holds 32768 until the next "
        "synchronization",
        RuntimeWarning,
        stacklevel=2,
    )
