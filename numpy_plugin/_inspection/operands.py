"""Operands of explained calls: copies for a simulated device, sizes, times."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray

__all__ = ["on_device", "own_array", "results_of", "same_layout", "span", "timed"]

# The alignment of device allocations in bytes.
_ALIGNMENT = 256


def own_array(operand: Any) -> Any:
    """Return another library's device array as a DeviceArray, anything else unchanged."""
    try:
        return _core.as_device_array(operand, None)
    except TypeError:
        return operand


class _View:
    """Device memory viewed as an array."""

    def __init__(self, memory: DeviceArray, interface: dict[str, Any]) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = interface


def span(operand: Any) -> int:
    """Return the number of bytes from an operand's first byte to its last."""
    if not isinstance(operand, DeviceArray):
        return np.asarray(operand).nbytes
    steps = zip(operand.shape, operand.strides, strict=True)
    return operand.itemsize + sum(abs(stride) * max(n - 1, 0) for n, stride in steps)


def same_layout(operand: Any) -> Any:
    """Copy a device array to the current device, with the same strides and alignment."""
    if not isinstance(operand, DeviceArray):
        return operand
    interface = dict(operand.__cuda_array_interface__)
    steps = zip(operand.shape, operand.strides, strict=True)
    before = sum(-stride * max(n - 1, 0) for n, stride in steps if stride < 0)
    memory = _core.to_device(np.zeros(span(operand) + _ALIGNMENT, np.uint8), None, True)
    address = memory.__cuda_array_interface__["data"][0] + before
    address += (interface["data"][0] - address) % _ALIGNMENT
    interface |= {"data": (address, False), "stream": None}
    view = _core.as_device_array(_View(memory, interface), None)
    view.copy_to_device(operand.copy_to_host())
    return view


def on_device(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the operands of a call for a device; scalars stay on the host."""
    arrays: list[npt.NDArray[Any] | Any] = [
        x if isinstance(x, DeviceArray) else np.asarray(x) for x in operands
    ]
    are_scalars = not any(x.ndim for x in arrays)
    return tuple(
        _to_device(array) if array.ndim or are_scalars else operand
        for array, operand in zip(arrays, operands, strict=True)
    )


def _to_device(array: npt.NDArray[Any] | DeviceArray) -> DeviceArray:
    return array if isinstance(array, DeviceArray) else _core.to_device(array, None, True)


def timed(call: Any) -> tuple[float, Any]:
    """Return how long a call takes, in seconds, and its result."""
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def results_of(result: Any) -> tuple[Any, ...]:
    """Return a call's results as a tuple."""
    return result if isinstance(result, tuple) else (result,)
