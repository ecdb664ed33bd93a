"""Reductions of host arrays; NumPy's error state decides about floating-point errors."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin._reduction.call import Call

__all__ = ["HostSpace"]

Array = npt.NDArray[Any]


class HostSpace:
    """Operands and results as NumPy arrays."""

    def __init__(self, is_parallel: bool) -> None:
        """Keep whether all threads may be used."""
        self.is_parallel = is_parallel

    def array(self, value: object) -> Array:
        """Return an operand."""
        return np.asarray(value)

    def output(self, out: object) -> Array:
        """Return a given output.

        Raises:
            TypeError: it is no array.
            ValueError: it is read-only.
        """
        if not isinstance(out, np.ndarray):
            raise TypeError(f"return arrays must be of ArrayType, found {type(out).__name__}")
        if not out.flags.writeable:
            raise ValueError("output array is read-only")
        return out

    def reduce(self, reduction: _core.MapReduction, call: Call) -> list[Array]:
        """Return the results of a call, and report floating-point errors."""
        results: list[Array] = [np.empty(call.result_shape, dtype) for dtype in call.result_dtypes]
        arguments = (call.operands, call.shape, call.axes, call.mask, call.initial)
        flags = reduction.on_host(*arguments, results, self.is_parallel)
        for bit, kind, text in _ERRORS:
            if flags & bit:
                _report(kind, f"{text} encountered in {call.name}", bit)
        return results

    def delivered(self, result: Array, out: Any) -> Any:
        """Return a result as the caller asked for it."""
        if out is None:
            return result[()]
        np.copyto(out, result, casting="same_kind")
        return out


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
