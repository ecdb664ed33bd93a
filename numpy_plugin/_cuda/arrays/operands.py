"""Operands of the functions on device arrays: conversion, new arrays, and stand-ins for NumPy.

`required_on_device` refuses host arrays, `moved_to_device` copies them: indices, masks and others
that functions of `numpy_plugin.cuda` take from the host.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.interop import to_library

__all__ = [
    "as_bool_mask",
    "as_operand",
    "as_scalar",
    "empty_beside",
    "empty_stand_in",
    "is_plain",
    "moved_to_device",
    "order_of",
    "refuse_host_array",
    "refuse_keyword",
    "required_on_device",
    "result_like",
    "to_device_of",
    "without_values",
]


def refuse_host_array(name: str) -> NoReturn:
    """Raise the TypeError for a host array among device arrays."""
    raise TypeError(
        f"'{name}': a host array among device arrays; call numpy_plugin.cuda.to_device(a) first"
    )


def _borrowed(operand: Any) -> DeviceArray | None:
    """Return an array of this package or of another library; None for NumPy's and all else."""
    if isinstance(operand, DeviceArray):
        return operand
    is_foreign = not isinstance(operand, (np.ndarray, np.generic)) and (
        hasattr(operand, "__cuda_array_interface__") or hasattr(operand, "__dlpack_device__")
    )
    return _core.borrow_array(operand) if is_foreign else None


def required_on_device(operand: Any, name: str) -> DeviceArray:
    """Return an operand as a device array.

    Raises:
        TypeError: it is a host array, or no array.
    """
    borrowed = _borrowed(operand)
    if borrowed is None:
        refuse_host_array(name)
    return borrowed


def moved_to_device(values: object) -> DeviceArray:
    """Return values that may also be on the host: they are copied to this thread's device."""
    borrowed = _borrowed(values)
    return _core.to_device(np.asarray(values), None, True) if borrowed is None else borrowed


def result_like(result: DeviceArray, operand: object) -> Any:
    """Return a result as an array of the operand's library."""
    return result if isinstance(operand, DeviceArray) else to_library(result, operand)


def is_plain(operand: Any) -> bool:
    """Whether an operand is a number, not an array."""
    return isinstance(operand, (bool, int, float, complex, np.generic)) or (
        isinstance(operand, np.ndarray) and operand.ndim == 0
    )


def as_operand(operand: Any, name: str) -> Any:
    """Return a number as it is, everything else as a device array."""
    return operand if is_plain(operand) else required_on_device(operand, name)


def as_scalar(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return a number as a NumPy scalar; raises as NumPy does if the dtype can't hold it."""
    return np.asarray(value, dtype)[()]


def as_bool_mask(condition: Any, name: str) -> Any:
    """Return a condition as a device array of bool, or as a bool."""
    condition = as_operand(condition, name)
    if not isinstance(condition, DeviceArray):
        return bool(condition)
    return condition if condition.dtype == np.bool_ else condition != 0


def empty_beside(
    array: DeviceArray, shape: Any, dtype: Any, name: str, order: str = "C"
) -> DeviceArray:
    """Return an uninitialized array on the device of another."""
    return _core.make_array_beside(array, shape, dtype, order, name)


def order_of(array: Any) -> str:
    """Return "F" for an array whose elements follow each other in that order only, else "C"."""
    steps = [step for step, n in zip(array.strides, array.shape, strict=True) if n > 1]
    return "F" if len(steps) > 1 and steps == sorted(steps) else "C"


def to_device_of(array: DeviceArray, values: Any, name: str) -> DeviceArray:
    """Copy a host array to the device of another array."""
    made = empty_beside(array, np.shape(values), np.asarray(values).dtype, name)
    made.copy_to_device(values)
    return made


def empty_stand_in(operand: Any) -> Any:
    """Return a host array without elements, of which NumPy can be asked the dtype of a result."""
    return np.empty(0, operand.dtype) if isinstance(operand, DeviceArray) else operand


def without_values(array: DeviceArray) -> Any:
    """Return a host array of the same dtype and number of axes without elements.

    NumPy's functions, called with it, raise what they raise for wrong arguments.
    """
    return np.empty((0,) * array.ndim, array.dtype)


def refuse_keyword(name: str, keyword: str, value: object) -> None:
    """Raise a TypeError for a keyword that functions on device arrays do not have."""
    if value is not None:
        raise TypeError(
            f"'{name}' of device arrays has no {keyword}=; call copy_to_host() on the device "
            "arrays, and numpy_plugin.cuda.to_device() on the result"
        )
