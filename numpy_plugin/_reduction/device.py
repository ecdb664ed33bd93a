"""Reductions of device arrays: one launch on the calling thread's stream."""

from __future__ import annotations

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._reduction.arguments import Call

__all__ = ["reduce_on_device"]


def reduce_on_device(reduction: _core.MapReduction, call: Call) -> list[DeviceArray]:
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
