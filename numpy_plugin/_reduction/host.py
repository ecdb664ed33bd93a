"""Reductions of host arrays; NumPy's error state decides about floating-point errors."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._reduction.arguments import Call

__all__ = ["reduce_on_host"]


def reduce_on_host(reduction: _core.MapReduction, call: Call, is_parallel: bool) -> list[Any]:
    """Return the results of a call, and report floating-point errors."""
    results: list[Any] = [np.empty(call.result_shape, dtype) for dtype in call.result_dtypes]
    arguments = (call.operands, call.shape, call.axes, call.mask, call.initial)
    flags = reduction.on_host(*arguments, results, is_parallel)
    for bit, kind, text in _ERRORS:
        if flags & bit:
            _report(kind, f"{text} encountered in {call.name}", bit)
    return [result[()] for result in results]


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
