"""The conditions of a benchmark's rows: sizes, dtypes, threads and devices of the operands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core, cuda

__all__ = ["Case", "cases", "operands_of"]


class Case(NamedTuple):
    """One combination; None: that of the operands as they were given."""

    size: int | None
    dtype: np.dtype[Any] | None
    threads: int
    device: str  # "cpu" or "cuda"


def cases(
    sizes: Sequence[int] | None,
    dtypes: Sequence[npt.DTypeLike] | None,
    threads: Sequence[int] | None,
    devices: Sequence[str],
) -> Iterator[Case]:
    """Yield all combinations, the sizes of each one after the other.

    Raises:
        ValueError: a size, a number of threads or a device that there is not.
    """
    for device in devices:
        if device not in ("cpu", "cuda"):
            raise ValueError(f"devices are 'cpu' and 'cuda', found {device!r}")
    for what, numbers in (("sizes", sizes), ("threads", threads)):
        if any(number < 1 for number in numbers or ()):
            raise ValueError(f"{what} must be at least 1, found {numbers!r}")
    known = [None] if dtypes is None else [np.dtype(dtype) for dtype in dtypes]
    counts = [_core.n_threads()] if threads is None else list(threads)
    lengths: Sequence[int | None] = sizes or [None]
    for device, dtype, count, size in product(devices, known, counts, lengths):
        yield Case(size, dtype, count, device)


def operands_of(case: Case, given: Sequence[Any]) -> list[Any]:
    """Return the operands of a case: repeated or cut to its size, cast, on its device.

    Numbers, and arrays of one element, keep their size.
    """
    made = [_resized(_cast(operand, case.dtype), case.size) for operand in given]
    if case.device == "cpu":
        return made
    return [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in made]


def _cast(operand: Any, dtype: np.dtype[Any] | None) -> Any:
    if isinstance(operand, (bool, int, float, complex)):
        return operand
    array = np.asarray(operand)
    return array if dtype is None else array.astype(dtype, copy=False)


def _resized(operand: Any, size: int | None) -> Any:
    """Return an operand with `size` elements, along its first axis if it has several."""
    if size is None or not isinstance(operand, np.ndarray) or operand.size <= 1:
        return operand
    row = math.prod(operand.shape[1:])
    n = max(1, round(size / max(row, 1)))
    positions = np.arange(n) % max(len(operand), 1)
    return operand[positions]
