"""NumPy's functions that sort, search and choose, by those of `numpy_plugin.cuda`."""

from __future__ import annotations

from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from numpy_plugin._core import DeviceArray
from numpy_plugin._core import nonzero as positions_of
from numpy_plugin._cuda.arrays import choosing, histograms, sorting
from numpy_plugin._cuda.arrays.indices import count_beside
from numpy_plugin._cuda.arrays.operands import refuse_keyword, required_on_device
from numpy_plugin._cuda.arrays.untyped import np

__all__ = [
    "argsort",
    "argwhere",
    "bincount",
    "compress",
    "compress_method",
    "extract",
    "flatnonzero",
    "histogram",
    "nonzero",
    "partition",
    "put_along_axis",
    "searchsorted",
    "sort",
    "sort_in_place",
    "take",
    "take_along_axis",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def _check_order(name: str, order: Any, kind: Any, stable: Any) -> None:
    refuse_keyword(name, "order", order)
    if kind is not None and stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time.")


def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> DeviceArray:
    """`numpy.sort`, always stable."""
    _check_order("numpy.sort", order, kind, stable)
    found: DeviceArray = sorting.sort(required_on_device(a, "numpy.sort"), axis, kind)
    return found


def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> DeviceArray:
    """`numpy.argsort`, always stable."""
    _check_order("numpy.argsort", order, kind, stable)
    found: DeviceArray = sorting.argsort(required_on_device(a, "numpy.argsort"), axis, kind)
    return found


def sort_in_place(
    a: DeviceArray, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> None:
    """`numpy.ndarray.sort`."""
    a[...] = sort(a, axis, kind, order, stable=stable)


def partition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> DeviceArray:
    """`numpy.partition`."""
    refuse_keyword("numpy.partition", "order", order)
    found: DeviceArray = sorting.partition(
        required_on_device(a, "numpy.partition"), kth, axis, kind
    )
    return found


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> DeviceArray:
    """`numpy.searchsorted`."""
    a = required_on_device(a, "numpy.searchsorted")
    found: DeviceArray = sorting.searchsorted(a, v, side, sorter)
    return found


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


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """`numpy.take`; host indices are copied to the device."""
    return choosing.take(required_on_device(a, "numpy.take"), indices, axis, out, mode)


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


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """`numpy.compress`."""
    return choosing.compress(condition, required_on_device(a, "numpy.compress"), axis, out)


def extract(condition: Any, arr: Any) -> Any:
    """`numpy.extract`."""
    condition = required_on_device(condition, "numpy.extract").ravel()
    return take(required_on_device(arr, "numpy.extract").ravel(), nonzero(condition)[0])


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """`numpy.unique`, always sorted."""
    returned = (return_index, return_inverse, return_counts)
    return sorting.unique(
        required_on_device(ar, "numpy.unique"), *returned, axis, equal_nan=bool(equal_nan)
    )


def unique_all(x: Any) -> Any:
    """`numpy.unique_all`."""
    found = unique(x, True, True, True, equal_nan=False)
    return type(np.unique_all(np.empty(0)))(*found)


def unique_counts(x: Any) -> Any:
    """`numpy.unique_counts`."""
    found = unique(x, return_counts=True, equal_nan=False)
    return type(np.unique_counts(np.empty(0)))(*found)


def unique_inverse(x: Any) -> Any:
    """`numpy.unique_inverse`."""
    found = unique(x, return_inverse=True, equal_nan=False)
    return type(np.unique_inverse(np.empty(0)))(*found)


def unique_values(x: Any) -> Any:
    """`numpy.unique_values`."""
    return unique(x, equal_nan=False)


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """`numpy.bincount`."""
    return histograms.bincount(required_on_device(x, "numpy.bincount"), weights, minlength)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """`numpy.histogram`."""
    return histograms.histogram(
        required_on_device(a, "numpy.histogram"), bins, range, bool(density), weights
    )
