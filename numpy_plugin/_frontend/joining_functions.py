"""NumPy's functions that join, repeat, count and reshape, as those of `array_functions`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import float64, int64

from numpy_plugin._frontend.array_functions import device, is_less, middle, of_one_axis

__all__: list[str] = []


@device
def distinct(a: Any) -> Any:
    """Move the different elements of a sorted array to its beginning."""
    count = 0
    for x in a:
        if count == 0 or is_less(a[count - 1], x):
            a[count] = x
            count += 1
    return a[:count]


@device
def common(a: Any, b: Any) -> Any:
    """Return 0 in the dtype that has the elements of both."""
    return np.where(True, a.dtype.type(0), b.dtype.type(0))


@device
def joined(result: Any, a: Any, start: Any) -> Any:
    """Copy all elements to a place, in C order, or a number."""
    if a.ndim == 0:
        result[start] = a
    else:
        for i, x in enumerate(a.flat):
            result[start + i] = x
    return result


@device
def with_row(result: Any, a: Any, i: Any) -> Any:
    """Copy an array to a row."""
    if a.shape[0] != result.shape[1]:
        raise ValueError("all input arrays must have the same shape")
    for j, x in enumerate(a):
        result[i, j] = x
    return result


@device
def repeated(result: Any, a: Any, repeats: Any) -> Any:
    """Write each element several times."""
    i = 0
    for x in a.flat:
        for _ in range(repeats):
            result[i] = x
            i += 1
    return result


@device
def convolved(result: Any, a: Any, v: Any) -> Any:
    """Write the sums in the middle of the whole convolution."""
    n = a.shape[0]
    m = v.shape[0]
    if n == 0:
        raise ValueError("a cannot be empty")
    if m == 0:
        raise ValueError("v cannot be empty")
    reverse = v[::-1]
    first = (n + m - 1 - result.shape[0]) // 2
    for i in range(result.shape[0]):
        place = first + i
        low = max(0, place - m + 1)
        high = min(place, n - 1) + 1
        result[i] = np.dot(a[low:high], reverse[low + m - 1 - place : high + m - 1 - place])
    return result


@device
def edge(a: Any, limits: Any) -> Any:
    """Return 0 in the dtype of the edges of bins."""
    one = np.mean(a[:0]).dtype.type(1)
    if limits is None:
        return one * 0
    else:
        return (limits[0] + limits[1] + one).dtype.type(0)


@device
def bin_edges(edges: Any, a: Any, limits: Any) -> Any:
    """Write the edges of bins of equal widths."""
    n = edges.shape[0] - 1
    if n < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low = edges.dtype.type(0)
    high = edges.dtype.type(1)
    if limits is None:
        if a.size > 0:
            low = edges.dtype.type(np.min(a))
            high = edges.dtype.type(np.max(a))
        if not np.isfinite(low) or not np.isfinite(high):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    else:
        # In the type of the limits, as NumPy's linspace.
        low = middle(limits[0], limits[1]).dtype.type(limits[0])
        high = middle(limits[0], limits[1]).dtype.type(limits[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not np.isfinite(low) or not np.isfinite(high):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    if low == high:
        low = low - 0.5
        high = high + 0.5
    step = (high - low) / n
    for i in range(n):
        edges[i] = edges.dtype.type(i * step + low)
    edges[n] = edges.dtype.type(high)
    for i in range(n):
        if edges[i] >= edges[i + 1]:
            raise ValueError(f"Too many bins for data range. Cannot create {n} finite-sized bins.")
    return edges


@device
def counted(counts: Any, a: Any, edges: Any) -> Any:
    """Count the elements in each bin as NumPy does: the last one has its upper edge.

    There may be no edges if these have raised.
    """
    n = counts.shape[0]
    if n < 1 or not edges[0] < edges[n]:
        return counts
    low = edges[0]
    high = edges[n]
    for x in a.flat:
        if low <= x <= high:
            i = max(min(int((x - low) / (high - low) * n), n - 1), 0)
            if x < edges[i]:
                i = max(i - 1, 0)
            elif x >= edges[i + 1] and i != n - 1:
                i += 1
            counts[i] += 1
    return counts


@device
def bin_total(weights: Any) -> Any:
    """Return 0 in the dtype of what `bincount` adds up."""
    return int64(0) if weights is None else float64(0)


@device
def n_bins(x: Any, minlength: Any) -> Any:
    """Return the number of bins for integers that are not negative."""
    n = int64(minlength)
    if n < 0:
        raise ValueError("'minlength' must not be negative")
    for i in x:
        if i < 0:
            raise ValueError("'list' argument must have no negative elements")
        n = max(n, int64(i) + 1)
    return n


@device
def bin_totals(totals: Any, x: Any, weights: Any) -> Any:
    """Count each integer, or add up its weights."""
    if weights is None:
        for i in x:
            totals[i] += 1
    else:
        if x.shape[0] > 0 and weights.shape[0] != x.shape[0]:
            raise ValueError("The weights and list don't have the same length.")
        for i, weight in zip(x, of_one_axis(weights), strict=False):
            totals[i] += weight
    return totals


@device
def are_equal(a: Any, b: Any, equal_nan: Any) -> Any:
    """Return whether shapes and elements are equal."""
    if a.ndim != b.ndim:
        return False
    else:
        for n, m in zip(a.shape, b.shape, strict=False):
            if n != m:
                return False
        for x, y in zip(a.flat, b.flat, strict=False):
            if x != y and not (equal_nan and x != x and y != y):
                return False
        return True
