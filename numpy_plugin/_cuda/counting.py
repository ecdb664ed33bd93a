"""Counts of the values of device arrays, with NumPy's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin._core import DeviceArray, borrow_array, count_bins, find_limits, search_sorted
from numpy_plugin._cuda.operands import on_device, result_like, without_values
from numpy_plugin._cuda.sorting import sort
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["bincount", "histogram"]


@without_own_frames
def bincount(x: object, minlength: int = 0) -> Any:
    """Return how often each integer from 0 on is in a device array, like `np.bincount`.

    Waits for the largest one.

    Args:
        x: integers, at least 0: a device array of one axis, of this package or another library.
        minlength: the least number of counts.

    Raises:
        TypeError: it is no device array, or its elements are not integers.
        ValueError: it does not have one axis, or has negative elements.
    """
    array = borrow_array(x)
    np.bincount(without_values(array), minlength=minlength)
    array = array.astype(np.int64, copy=False)
    least, largest = find_limits(array) if array.size else (0, -1)
    if least < 0:
        raise ValueError("'list' argument must have no negative elements")
    return result_like(count_bins(array, max(largest + 1, minlength)), x)


@without_own_frames
def histogram(
    a: object,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
) -> tuple[Any, Any]:
    """Return the counts of a device array's elements in bins, and the edges, like `np.histogram`.

    Args:
        a: real numbers: a device array, of this package or another library.
        bins: the number of bins of one width, or their edges.
        range: the outer edges; None: the least and the largest element, which are waited for.
        density: return the probability density instead of the counts.

    Raises:
        TypeError: it is no device array, or its elements are not real numbers.
        ValueError: the bins or the range do not exist.
    """
    array = borrow_array(a).ravel()
    if array.dtype.kind == "c":
        raise TypeError(f"a histogram is of real numbers, found {array.dtype}")
    edges = _edges(array, bins, range)
    counts = _counts(array, edges)
    if density:
        host = counts.copy_to_host()
        counts = on_device(host / np.diff(edges) / host.sum())
    return result_like(counts, a), result_like(on_device(edges), a)


def _edges(array: DeviceArray, bins: Any, range: tuple[float, float] | None) -> npt.NDArray[Any]:
    if isinstance(bins, str):
        raise TypeError(
            f"bins must be an int or the edges, found {bins!r}: numpy.histogram_bin_edges finds "
            "them on the host"
        )
    if hasattr(bins, "__cuda_array_interface__"):
        bins = borrow_array(bins).copy_to_host()
    needs_limits = range is None and np.ndim(bins) == 0 and array.size > 0
    known = sort(array)[[0, -1]].copy_to_host() if needs_limits else np.empty(0, array.dtype)
    return np.histogram_bin_edges(known, bins, range)


def _counts(array: DeviceArray, edges: npt.NDArray[Any]) -> DeviceArray:
    """Return the counts of the elements in each bin; the last bin has its upper edge too."""
    n_bins = len(edges) - 1
    dtype = np.promote_types(np.promote_types(array.dtype, edges.dtype), np.float16)
    limits = edges.astype(dtype)
    limits[-1:] = np.nextafter(limits[-1:], np.array(np.inf, dtype))
    bins = search_sorted(on_device(limits), array.astype(dtype, copy=False), True)
    return count_bins(bins, n_bins + 2)[1:-1].copy()
