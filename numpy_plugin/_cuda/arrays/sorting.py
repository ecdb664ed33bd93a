"""Sorts and searches of device arrays, with NumPy's signatures and order of values: those of
`numpy_plugin.cuda`, and NumPy's own on device arrays.

All of them are stable, and their results depend on the values alone, not on the device.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin._core import (
    DeviceArray,
    argsort_rows,
    borrow_array,
    find_run_heads,
    nonzero,
    number_runs,
    search_sorted,
    sort_rows,
    take_in_rows,
)
from numpy_plugin._cuda.arrays.operands import (
    moved_to_device,
    refuse_keyword,
    result_like,
    without_values,
)
from numpy_plugin._errors.traceback import without_own_frames

__all__ = [
    "argsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_in_place",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class _Rows(NamedTuple):
    """An array whose rows are along one of its axes."""

    values: DeviceArray  # of two axes
    shape: tuple[int, ...]  # with the rows' axis last
    axis: int

    def restored(self, values: DeviceArray) -> DeviceArray:
        """Return values of the rows in the array's own shape."""
        return _with_last_axis_at(values.reshape(self.shape), self.axis)


def _with_last_axis_at(array: DeviceArray, axis: int) -> DeviceArray:
    order = list(range(array.ndim - 1))
    order.insert(axis, array.ndim - 1)
    return array.transpose(order)


def _as_rows(array: DeviceArray, axis: int | None) -> _Rows:
    if axis is None:
        array, axis = array.ravel(), 0
    axis %= array.ndim
    order = [i for i in range(array.ndim) if i != axis] + [axis]
    moved = array.transpose(order)
    n_rows = math.prod(moved.shape[:-1])
    return _Rows(moved.reshape(n_rows, moved.shape[-1]), moved.shape, axis)


def _checked(name: str, a: object, axis: Any, kind: Any, order: Any, stable: Any) -> DeviceArray:
    """Return the array of a call of `sort` or `argsort`, whose arguments NumPy checks."""
    refuse_keyword(name, "order", order)
    if kind is not None and stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time.")
    array = borrow_array(a)
    getattr(np, name)(without_values(array), axis=axis, kind=kind)
    return array


@without_own_frames
def sort(
    a: object,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> Any:
    """Return a sorted copy of a device array, like `np.sort`.

    Args:
        a: a device array, of this package or another library.
        axis: along which it is sorted; None: of all elements in C order.
        kind: one of NumPy's kinds of sorts, all of which are the same stable sort.
        order: None: fields of records are not sorted by.
        stable: a bool in the place of `kind`.

    Raises:
        TypeError: it is no device array, or its dtype has no kernels.
        ValueError: the axis or the kind does not exist.
    """
    rows = _as_rows(_checked("sort", a, axis, kind, order, stable), axis)
    return result_like(rows.restored(sort_rows(rows.values)), a)


def sort_in_place(
    a: DeviceArray, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> None:
    """`numpy.ndarray.sort`."""
    a[...] = sort(a, axis, kind, order, stable=stable)


@without_own_frames
def argsort(
    a: object,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
) -> Any:
    """Return the indices that sort a device array, like `np.argsort`: int64 and stable.

    Args:
        a: a device array, of this package or another library.
        axis: along which it is sorted; None: of all elements in C order.
        kind: one of NumPy's kinds of sorts, all of which are the same stable sort.
        order: None: fields of records are not sorted by.
        stable: a bool in the place of `kind`.

    Raises:
        TypeError: it is no device array, or its dtype has no kernels.
        ValueError: the axis or the kind does not exist.
    """
    array = _checked("argsort", a, axis, kind, order, stable)
    if array.ndim == 0:
        array = array.reshape(1)
    rows = _as_rows(array, axis)
    return result_like(rows.restored(argsort_rows(rows.values)), a)


@without_own_frames
def partition(
    a: object,
    kth: object,
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Any:
    """Return a copy with the `kth` elements in their sorted places, like `np.partition`.

    All elements are sorted.

    Raises:
        TypeError: it is no device array, or its dtype has no kernels.
        ValueError: the axis, the kind or an element `kth` does not exist.
    """
    refuse_keyword("partition", "order", order)
    array = borrow_array(a)
    np.sort(without_values(array), axis=axis)
    size = array.size if axis is None else array.shape[axis]
    np.partition(np.empty(size, np.int8), kth, kind=kind)  # type: ignore[call-overload]
    return sort(a, axis)


@without_own_frames
def searchsorted(a: object, v: object, side: str = "left", sorter: object = None) -> Any:
    """Return the indices where values keep a sorted device array sorted, like `np.searchsorted`.

    Args:
        a: a device array of one axis, sorted, or with `sorter`.
        v: the values; numbers, lists and NumPy arrays are copied to the device.
        side: "left": before equal elements; "right": behind them.
        sorter: indices that sort `a`.

    Raises:
        TypeError: it is no device array, or the dtypes have no kernels.
        ValueError: it does not have one axis, or there is no such side.
    """
    array = borrow_array(a)
    np.searchsorted(without_values(array), 0, side=side)  # type: ignore[call-overload]
    if sorter is not None:
        if np.ndim(sorter) != 1:  # type: ignore[arg-type]
            raise TypeError(f"sorter is not an array of one axis: {sorter!r}")
        array = array[sorter]
    values = moved_to_device(v)
    dtype = np.promote_types(array.dtype, values.dtype)
    array, values = (x.astype(dtype, copy=False) for x in (array, values))
    return result_like(search_sorted(array, values, side in ("right", "r", "R")), a)


@without_own_frames
def unique(
    ar: object,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the sorted distinct elements of a device array, like `np.unique`.

    Waits for their number.

    Args:
        ar: a device array, of this package or another library.
        return_index: also return the index of the first of each.
        return_inverse: also return, for each element, the index of its value in the result.
        return_counts: also return the number of each.
        axis: None: of all elements; others are not supported.
        equal_nan: whether all NaN are one value.
        sorted: has no effect: the result is always sorted.

    Raises:
        TypeError: it is no device array, or its dtype has no kernels.
        ValueError: an axis is given.
    """
    if axis is not None:
        raise ValueError(f"axis must be None, found {axis!r}: call copy_to_host() for unique rows")
    array = borrow_array(ar)
    rows = array.reshape(1, array.size)
    positions = argsort_rows(rows) if return_index or return_inverse else None
    in_order = (sort_rows(rows) if positions is None else take_in_rows(rows, positions))[0]
    (starts,) = nonzero(find_run_heads(in_order, bool(equal_nan)))
    results = [in_order[starts]]
    if positions is not None and return_index:
        results.append(positions[0][starts])
    if positions is not None and return_inverse:
        results.append(number_runs(starts, positions[0]).reshape(array.shape))
    if return_counts:
        results.append(_run_lengths(starts, array.size))
    found = tuple(result_like(result, ar) for result in results)
    return found[0] if len(found) == 1 else found


def _run_lengths(starts: DeviceArray, n: int) -> DeviceArray:
    """Return the lengths of runs from their starts up to the next one."""
    lengths = starts.copy()
    if starts.size == 0:
        return lengths
    lengths[:-1] = starts[1:]
    lengths[-1] = n
    lengths -= starts
    return lengths


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
