"""NumPy's functions that find and choose elements, by `take` and `compress`."""

from __future__ import annotations

from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from numpy_plugin._core import DeviceArray
from numpy_plugin._core import nonzero as positions_of
from numpy_plugin._cuda.arrays.choosing import compress, take
from numpy_plugin._cuda.arrays.indices import count_beside
from numpy_plugin._cuda.arrays.operands import required_on_device
from numpy_plugin._cuda.arrays.untyped import np

__all__ = [
    "argwhere",
    "compress_method",
    "extract",
    "flatnonzero",
    "nonzero",
    "put_along_axis",
    "take_along_axis",
]


def nonzero(a: Any) -> tuple[DeviceArray, ...]:
    """`numpy.nonzero`."""
    a = required_on_device(a, "numpy.nonzero")
    if a.ndim == 0:
        np.nonzero(np.empty((), a.dtype))  # raises
    return tuple(positions_of(a if a.dtype == np.bool_ else a != 0))


def flatnonzero(a: Any) -> DeviceArray:
    """`numpy.flatnonzero`."""
    return nonzero(required_on_device(a, "numpy.flatnonzero").ravel())[0]


def argwhere(a: Any) -> Any:
    """`numpy.argwhere`."""
    if np.ndim(a) == 0:
        return argwhere(np.atleast_1d(a))[:, :0]
    return np.stack(nonzero(a), axis=-1)


def _along_axis(arr: DeviceArray, indices: Any, axis: int | None) -> tuple[DeviceArray, Any]:
    """Return an array and the key of elements at other indices along one axis."""
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return arr.ravel(), (indices,)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    axis = normalize_axis_index(axis, arr.ndim)
    key = [
        indices
        if each == axis
        else count_beside(arr, n, "take_along_axis").reshape((-1,) + (1,) * (arr.ndim - each - 1))
        for each, n in enumerate(arr.shape)
    ]
    return arr, tuple(key)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> DeviceArray:
    """`numpy.take_along_axis`."""
    name = "numpy.take_along_axis"
    array, key = _along_axis(required_on_device(arr, name), required_on_device(indices, name), axis)
    return array[key]


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """`numpy.put_along_axis`."""
    name = "numpy.put_along_axis"
    array, key = _along_axis(required_on_device(arr, name), required_on_device(indices, name), axis)
    array[key] = values


def compress_method(a: DeviceArray, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """`numpy.ndarray.compress`."""
    return compress(condition, a, axis, out)


def extract(condition: Any, arr: Any) -> Any:
    """`numpy.extract`."""
    condition = required_on_device(condition, "numpy.extract").ravel()
    return take(required_on_device(arr, "numpy.extract").ravel(), nonzero(condition)[0])
