"""NumPy's functions that return views, on device arrays.

NumPy computes the shape, strides and offset of a view from a host array of the same layout whose
memory is never accessed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.operands import on_device

__all__ = [
    "at_least",
    "bits_of",
    "broadcast_arrays",
    "broadcast_to",
    "diagonal",
    "imag",
    "real",
    "unstack",
    "view_as",
    "view_function",
]

#: The address of arrays that have only a layout. Nothing accesses it.
_ADDRESS = 1 << 46


class _Layout:
    """The layout of a device array with axes, for NumPy."""

    def __init__(self, array: DeviceArray) -> None:
        self.__array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "strides": array.strides,
            "typestr": f"|V{array.itemsize}",
            "data": (_ADDRESS, False),
        }


def _layout_of(array: DeviceArray) -> Any:
    """Return a host array of the same layout; one without axes has memory, as NumPy reads it."""
    return np.asarray(_Layout(array)) if array.ndim else np.zeros((), f"V{array.itemsize}")


def _as_view(found: Any, array: DeviceArray) -> Any:
    """Return the device view with the layout of NumPy's view, or a sequence of them."""
    if isinstance(found, (list, tuple)):
        return type(found)(_as_view(each, array) for each in found)
    if array.ndim == 0:
        return _core.view_of(array, found.shape, found.strides, 0, array.dtype)
    offset = found.__array_interface__["data"][0] - _ADDRESS if found.size else 0
    return _core.view_of(array, found.shape, found.strides, offset, array.dtype)


def view_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return one of NumPy's functions of one array that return views, for device arrays.

    The function must not access an element of an array with axes.
    """

    def call(*args: Any, **named: Any) -> Any:
        arrays = [each for each in (*args, *named.values()) if isinstance(each, DeviceArray)]
        array = arrays[0]
        layout = _layout_of(array)
        args = tuple(layout if each is array else each for each in args)
        named = {key: layout if each is array else each for key, each in named.items()}
        return _as_view(function(*args, **named), array)

    return call


broadcast_to = view_function(np.broadcast_to)
diagonal = view_function(np.diagonal)


def unstack(x: DeviceArray, /, *, axis: int = 0) -> tuple[DeviceArray, ...]:
    """`numpy.unstack`."""
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    rows = view_function(np.moveaxis)(x, axis, 0)
    return tuple(rows[i] for i in range(rows.shape[0]))


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[DeviceArray, ...]:
    """Return views of one shape."""
    arrays = [on_device(each, "numpy.broadcast_arrays") for each in args]
    shape = np.broadcast_shapes(*(each.shape for each in arrays))
    return tuple(broadcast_to(each, shape) for each in arrays)


def at_least(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `numpy.atleast_1d` and the like for device arrays: a view, or a tuple of views."""
    one = view_function(function)

    def call(*arys: Any) -> Any:
        found = tuple(one(on_device(each, function.__name__)) for each in arys)
        return found[0] if len(found) == 1 else found

    return call


def view_as(array: DeviceArray, dtype: Any, offset: int = 0) -> DeviceArray:
    """Return the elements, or a part of each at an offset in bytes, as another dtype."""
    return _core.view_of(array, array.shape, array.strides, offset, np.dtype(dtype))


#: A dtype of each size, for functions that move elements whatever their type.
_BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}


def bits_of(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype of kernels that move elements of this size; None if there is none."""
    name = _BITS.get(dtype.itemsize)
    return None if name is None else np.dtype(name)


def real(val: DeviceArray) -> DeviceArray:
    """Return a view of the real parts; the array itself if it is real."""
    if val.dtype.kind != "c":
        return val
    return view_as(val, f"f{val.itemsize // 2}")


def imag(val: DeviceArray) -> DeviceArray:
    """Return a view of the imaginary parts; zeros for a real array."""
    if val.dtype.kind != "c":
        zeros = _core.make_array_beside(val, val.shape, val.dtype, "C", "imag")
        zeros.fill(0)
        return zeros
    half = val.itemsize // 2
    return view_as(val, f"f{half}", half)
