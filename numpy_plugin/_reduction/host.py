"""Reductions of host arrays: NumPy broadcasts, C++ computes, NumPy's error state reports."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core

__all__ = ["HostCall", "reduce_on_host"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class HostCall:
    """A reduction whose operands have the loops' dtypes, and are broadcast to one shape."""

    name: str
    map: np.ufunc
    combine: np.ufunc
    finish: np.ufunc | None
    operands: list[Array]
    shape: tuple[int, ...]
    axes: list[int]
    mask: Array | None
    initial: list[Array]
    results: list[Array]
    has_index: bool
    is_parallel: bool


def reduce_on_host(call: HostCall) -> None:
    """Write the results; floating-point errors are handled as `np.errstate` says."""
    flags = _core.map_reduce(
        call.map,
        call.combine,
        call.finish,
        call.operands,
        call.shape,
        call.axes,
        call.mask,
        call.initial,
        call.results,
        call.has_index,
        call.is_parallel,
    )
    for bit, kind, text in _ERRORS:
        if flags & bit:
            _report(kind, f"{text} encountered in {call.name}", bit)


# NumPy's bits, in the order in which it reports them.
_ERRORS = (
    (1, "divide", "divide by zero"),
    (2, "over", "overflow"),
    (4, "under", "underflow"),
    (8, "invalid", "invalid value"),
)


def _report(kind: str, message: str, bit: int) -> None:
    """Do what NumPy's error state asks for one kind of floating-point error."""
    states: Any = np.geterr()
    handler: Any = np.geterrcall()
    wanted = states[kind]
    if wanted == "warn":
        warnings.warn(message, RuntimeWarning, stacklevel=5)
    elif wanted == "raise":
        raise FloatingPointError(message)
    elif wanted == "call" and handler is not None:
        handler(message.partition(" encountered")[0], bit)
    elif wanted == "log" and handler is not None:
        handler.write(f"Warning: {message}\n")
    elif wanted == "print":
        sys.stdout.write(f"Warning: {message}\n")
