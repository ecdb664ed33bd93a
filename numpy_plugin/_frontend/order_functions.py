"""NumPy's sorts and order statistics in the kernel language, as those of `array_functions`.

Arrays are copies that the expressions of `array_calls` make; the functions order their elements.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numpy_plugin._frontend.array_functions import device

__all__ = ["n_dimensions", "sort_elements"]


def sort_elements(a: Any, *operands: Any) -> None:
    """Sort an array of 1 dimension, which a kernel may write to.

    With two numbers only the elements of the ranks from the first to the second are moved to their
    places in the sorted array: lesser ones are before them, greater ones behind, and the last
    element is nan if any is. With an array it receives the indices that sort that one, in a stable
    order.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


def n_dimensions(operand: Any) -> int:
    """Return an operand's number of dimensions, and do not evaluate it.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


@device
def sorted_in_place(a: Any) -> Any:
    """Sort."""
    assert a.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    sort_elements(a)
    return a


@device
def argsorted(indices: Any, a: Any) -> Any:
    """Write the indices that sort an array."""
    assert a.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    sort_elements(indices, a)
    return indices


@device
def sorted_for(a: Any, n_dimensions: Any) -> Any:
    """Sort where the elements of an array need other ranks each."""
    if n_dimensions > 0:
        sort_elements(a)
    return a


@device
def median_of(a: Any, n: Any) -> Any:
    """Return the mean of the two elements in the middle of the n least ones; nan if there is none.

    It orders the array, as do all of these functions.
    """
    if n == 0:
        return np.mean(a[:0])
    sort_elements(a, (n - 1) // 2, n // 2 + 1)
    return np.mean(a[(n - 1) // 2 : n // 2 + 1])


@device
def median(a: Any) -> Any:
    """Return the median; nan if there is one, or no element."""
    n = a.shape[0]
    middle = median_of(a, n)
    if n > 0 and a[n - 1] != a[n - 1]:
        return np.mean(a[n - 1 :])
    return middle


@device
def nanmedian(a: Any) -> Any:
    """Return the median without nan."""
    return median_of(a, n_numbers(a))


@device
def checked_element(element: Any, limit: Any) -> Any:
    """Return a quantile or, where the limit is 100, the quantile of a percentile."""
    if not 0 <= element <= limit:
        if limit == 1:
            raise ValueError("Quantiles must be in the range [0, 1]")
        raise ValueError("Percentiles must be in the range [0, 100]")
    return element / limit


@device
def interpolated_quantile(a: Any, n: Any, element: Any, is_sorted: Any) -> Any:
    """Interpolate linearly between neighbours among the n least elements.

    Next to infinity the result is nan, as in NumPy.
    """
    place = element * (n - 1)
    i = int(place)
    fraction = place - np.floor(place)
    if not is_sorted:
        sort_elements(a, i, min(i + 2, n))
    low = a[i]
    high = a[min(i + 1, n - 1)]
    step = high - low
    if fraction >= 0.5:
        return high - step * (1 - fraction)
    return low + step * fraction


@device
def quantile_or_nan(a: Any, element: Any, is_sorted: Any) -> Any:
    """Interpolate; nan if there is one."""
    n = a.shape[0]
    result = interpolated_quantile(a, n, element, is_sorted)
    return a[n - 1] + element if a[n - 1] != a[n - 1] else result


@device
def as_mean(a: Any, element: Any) -> Any:
    """Return a plain number in the dtype of the array's mean, other numbers in its or their own."""
    return element + np.mean(a[:0]).dtype.type(0)


@device
def end_element(a: Any, n: Any, element: Any, is_sorted: Any) -> Any:
    """Return the least or the greatest of the n least elements, the quantile of an integer.

    NumPy does not interpolate for these; it is nan if there is one.
    """
    i = n - 1 if element != 0 else 0
    if not is_sorted:
        sort_elements(a, i, i + 1)
    return a[i]


@device
def quantile(a: Any, element: Any, n_dimensions: Any) -> Any:
    """Return the quantile of an array, which is sorted where there are several."""
    n = a.shape[0]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    place = checked_element(as_mean(a, element), 1)
    if element.dtype.kind in "biu":
        end = end_element(a, n, element, n_dimensions > 0)
        return a[n - 1] if a[n - 1] != a[n - 1] else end
    return quantile_or_nan(a, place, n_dimensions > 0)


@device
def percentile(a: Any, element: Any, n_dimensions: Any) -> Any:
    """Return the percentile likewise."""
    if a.shape[0] == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    return quantile_or_nan(a, checked_element(as_mean(a, element), 100), n_dimensions > 0)


@device
def n_numbers(a: Any) -> Any:
    """Return the number of elements that are not nan."""
    return np.count_nonzero(a == a)


@device
def quantile_of_numbers(a: Any, place: Any, n_dimensions: Any) -> Any:
    """Return the quantile of the elements that are not nan; nan without any."""
    n = n_numbers(a)
    if n == 0:
        return place * math.nan
    return interpolated_quantile(a, n, place, n_dimensions > 0)


@device
def nanquantile(a: Any, element: Any, n_dimensions: Any) -> Any:
    """Return the quantile without nan, of integers as well in the dtype of the mean."""
    place = checked_element(as_mean(a, element), 1)
    if element.dtype.kind in "biu":
        n = n_numbers(a)
        one = np.mean(a[:0]).dtype.type(1)
        return end_element(a, n, element, n_dimensions > 0) * one if n > 0 else one * math.nan
    return quantile_of_numbers(a, place, n_dimensions)


@device
def nanpercentile(a: Any, element: Any, n_dimensions: Any) -> Any:
    """Return the percentile without nan."""
    return quantile_of_numbers(a, checked_element(as_mean(a, element), 100), n_dimensions)


@device
def partitioned(a: Any, kth: Any) -> Any:
    """Sort, which is one of the orders in which the k-th element is in its place."""
    if a.shape[0] > 0 and not -a.shape[0] <= kth < a.shape[0]:
        raise ValueError(f"kth(={kth}) out of bounds ({a.shape[0]})")
    return sorted_in_place(a)
