"""NumPy's functions that return views, on device arrays.

NumPy computes the shape, strides and offset of a view from a host array of the same layout, whose
elements are zeros in no memory of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.numpys_errors import calls_numpys
from numpy_plugin._cuda.arrays.operands import required_on_device

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


def _as_view(found: Any, array: DeviceArray, stand_in: Any) -> Any:
    """Return the device view with the layout of NumPy's view, or a sequence of them."""
    if isinstance(found, (list, tuple)):
        return type(found)(_as_view(each, array, stand_in) for each in found)
    # NumPy indexes arrays without axes, which makes scalars of them.
    has_offset = array.ndim > 0 and found.size > 0
    offset = _address(found) - _address(stand_in) if has_offset else 0
    return _core.view_of(array, found.shape, found.strides, offset, array.dtype)


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def view_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return one of NumPy's functions that return views of their first argument, for device arrays.

    The views must not depend on the values of the array's elements.
    """

    @calls_numpys(function)
    def call(*args: Any, **named: Any) -> Any:
        if not args:
            args = (named.pop(next(iter(inspect.signature(function).parameters))),)
        array = required_on_device(args[0], function.__name__)
        stand_in = _core.strided_stand_in(array)
        others = map(_on_host, args[1:])
        named = {name: _on_host(item) for name, item in named.items()}
        return _as_view(function(stand_in, *others, **named), array, stand_in)

    return call


def _on_host(argument: Any) -> Any:
    """Return axes or sizes where NumPy can read them."""
    return argument.copy_to_host() if isinstance(argument, DeviceArray) else argument


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
    arrays = [required_on_device(each, "numpy.broadcast_arrays") for each in args]
    shape = np.broadcast_shapes(*(each.shape for each in arrays))
    return tuple(broadcast_to(each, shape) for each in arrays)


def at_least(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `numpy.atleast_1d` and the like for device arrays: a view, or a tuple of views."""
    one = view_function(function)

    def call(*arys: Any) -> Any:
        found = tuple(one(required_on_device(each, function.__name__)) for each in arys)
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
