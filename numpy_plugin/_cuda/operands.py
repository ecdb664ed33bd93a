"""Operands and results of functions on device arrays, and NumPy's checks of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray, borrow_array, to_device
from numpy_plugin._cuda.interop import to_library

__all__ = ["moved_to_device", "result_like", "without_values"]


def moved_to_device(values: object) -> DeviceArray:
    """Return values that may also be on the host: they are copied to this thread's device."""
    if isinstance(values, DeviceArray):
        return values
    is_foreign = hasattr(values, "__cuda_array_interface__") or hasattr(values, "__dlpack_device__")
    if is_foreign and not isinstance(values, (np.ndarray, np.generic)):
        return borrow_array(values)
    return to_device(np.asarray(values), None, True)


def result_like(result: DeviceArray, operand: object) -> Any:
    """Return a result as an array of the operand's library."""
    return result if isinstance(operand, DeviceArray) else to_library(result, operand)


def without_values(array: DeviceArray) -> Any:
    """Return a host array of the same dtype and number of axes without elements.

    NumPy's functions, called with it, raise what they raise for wrong arguments.
    """
    return np.empty((0,) * array.ndim, array.dtype)
