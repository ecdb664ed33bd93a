"""Counts of the values of device arrays, with NumPy's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin._core import (
    DeviceArray,
    borrow_array,
    count_bins,
    find_limits,
    make_device_array,
    search_sorted,
)
from numpy_plugin._cuda.arrays.operands import moved_to_device, result_like
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["bincount", "histogram"]


@without_own_frames
def bincount(x: object, weights: object = None, minlength: int = 0) -> Any:
    """Return how often each integer from 0 on is in a device array, like `np.bincount`.

    Waits for the largest one.

    Args:
        x: integers, at least 0: a device array of one axis, of this package or another library.
        weights: a number for each of them, in an array; the result has their float64 sums, added in
            the order of the elements.
        minlength: the least number of counts.

    Raises:
        TypeError: it is no device array, or its elements are not integers.
        ValueError: it does not have one axis, has negative elements, or the weights another length.
    """
    array = borrow_array(x)
    summed = None if weights is None else moved_to_device(weights)
    of_weights = None if summed is None else _single(summed)
    np.bincount(_single(array), of_weights, minlength)
    if summed is not None and summed.shape != array.shape:
        raise ValueError("The weights and list don't have the same length.")
    array = array.astype(np.int64, copy=False)
    least, largest = find_limits(array) if array.size else (0, -1)
    if least < 0:
        raise ValueError("'list' argument must have no negative elements")
    return result_like(_sums(array, summed, max(largest + 1, minlength)), x)


def _single(array: DeviceArray) -> Any:
    """Return a host array of the same dtype and number of axes with one element.

    NumPy does not look at the dtypes of arrays without elements.
    """
    return np.zeros((1,) * array.ndim, array.dtype)


def _sums(array: DeviceArray, weights: DeviceArray | None, n_bins: int) -> DeviceArray:
    """Return the counts of 0 to n_bins - 1, or the sums of their weights."""
    if weights is None or array.size == 0:  # as NumPy, counts of no elements
        return count_bins(array, n_bins)
    sums = make_device_array((n_bins,), np.float64, "C", None, "bincount")
    sums.fill(0)
    np.add.at(sums, array, weights)
    return sums


@without_own_frames
def histogram(
    a: object,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = False,
    weights: object = None,
) -> tuple[Any, Any]:
    """Return the counts of a device array's elements in bins, and the edges, like `np.histogram`.

    Args:
        a: real numbers: a device array, of this package or another library.
        bins: the number of bins of one width, or their edges.
        range: the outer edges; None: the least and the largest element, which are waited for.
        density: return the probability density instead of the counts.
        weights: a number for each element, in an array of its shape; the counts are their sums.

    Raises:
        TypeError: it is no device array, or its elements are not real numbers.
        ValueError: the bins or the range do not exist, or the weights have another shape.
    """
    array = borrow_array(a)
    summed = None if weights is None else moved_to_device(weights)
    if summed is not None and summed.shape != array.shape:
        raise ValueError("weights should have the same shape as a.")
    array = array.ravel()
    if array.dtype.kind == "c":
        raise TypeError(f"a histogram is of real numbers, found {array.dtype}")
    edges = _edges(array, bins, range)
    counts = _counts(array, edges, None if summed is None else summed.ravel())
    if density:
        host = counts.copy_to_host()
        counts = moved_to_device(host / np.diff(edges) / host.sum())
    return result_like(counts, a), result_like(moved_to_device(edges), a)


def _edges(array: DeviceArray, bins: Any, range: tuple[float, float] | None) -> npt.NDArray[Any]:
    if isinstance(bins, str):
        raise TypeError(
            f"bins must be an int or the edges, found {bins!r}: numpy.histogram_bin_edges finds "
            "them on the host"
        )
    if hasattr(bins, "__cuda_array_interface__"):
        bins = borrow_array(bins).copy_to_host()
    needs_limits = range is None and np.ndim(bins) == 0 and array.size > 0
    limits = [np.minimum.reduce(array), np.maximum.reduce(array)] if needs_limits else []
    known = np.array([limit.item() for limit in limits], array.dtype)
    return np.histogram_bin_edges(known, bins, range)


def _counts(
    array: DeviceArray, edges: npt.NDArray[Any], weights: DeviceArray | None
) -> DeviceArray:
    """Return the counts of the elements in each bin; the last bin has its upper edge too."""
    n_bins = len(edges) - 1
    dtype = np.promote_types(np.promote_types(array.dtype, edges.dtype), np.float16)
    limits = edges.astype(dtype)
    limits[-1:] = np.nextafter(limits[-1:], np.array(np.inf, dtype))
    bins = search_sorted(moved_to_device(limits), array.astype(dtype, copy=False), True)
    counts = _sums(bins, weights, n_bins + 2)[1:-1]
    return counts.astype(counts.dtype if weights is None else weights.dtype)
