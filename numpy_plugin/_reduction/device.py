"""Reductions of device arrays: one launch on the calling thread's stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.operands import moved_to_device, result_like
from numpy_plugin._reduction.call import Call

__all__ = ["DeviceSpace", "is_device_array"]

#: Types of DLPack's devices: CUDA, and managed memory.
_CUDA_DEVICES = (2, 13)


def is_device_array(value: object) -> bool:
    """Whether a value is an array on a device, of this package or another library."""
    if isinstance(value, (np.ndarray, np.generic)):
        return False
    if isinstance(value, DeviceArray) or hasattr(value, "__cuda_array_interface__"):
        return True
    place = getattr(value, "__dlpack_device__", None)
    return place is not None and place()[0] in _CUDA_DEVICES


class DeviceSpace:
    """Operands and results on a device; the results belong to the first array's library."""

    def __init__(self, operands: tuple[object, ...]) -> None:
        """Find the first array."""
        self.first = next(operand for operand in operands if is_device_array(operand))

    def array(self, value: object) -> DeviceArray:
        """Return an operand; values of the host are copied."""
        return moved_to_device(value)

    def output(self, out: Any) -> DeviceArray:
        """Return a given output.

        Raises:
            TypeError: it is not on a device.
        """
        if isinstance(out, DeviceArray):
            return out
        if is_device_array(out):
            return _core.borrow_array(out)
        raise TypeError(
            f"return arrays must be device arrays, found {type(out).__name__}; "
            "numpy_plugin.cuda.device_array() makes one"
        )

    def reduce(self, reduction: _core.MapReduction, call: Call) -> list[DeviceArray]:
        """Return the results of a call."""
        results = [
            _core.make_device_array(call.result_shape, dtype, "C", None, call.name)
            for dtype in call.result_dtypes
        ]
        if 0 in call.result_shape:
            return results
        if 0 not in call.shape:
            arguments = (call.operands, call.shape, call.axes, call.mask)
            reduction.on_device(*arguments, call.initial, results)
            return results
        # Results of the initial accumulator alone.
        values = [np.empty((), dtype) for dtype in call.result_dtypes]
        nothing = [np.empty(0, operand.dtype) for operand in call.operands]
        reduction.on_host(nothing, (0,), [0], None, call.initial, values, False)
        for result, value in zip(results, values, strict=True):
            result.fill(value[()])
        return results

    def delivered(self, result: DeviceArray, out: Any) -> Any:
        """Return a result as the caller asked for it."""
        if out is None:
            return result_like(result, self.first)
        self.output(out)[...] = result
        return out
