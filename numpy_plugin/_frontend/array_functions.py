"""NumPy's functions of whole arrays that are not built in, written in the kernel language itself.

Kernels call them in the expressions of `array_calls`. Functions that return an array change their
first argument, an array that the expression makes. For an array as `element` a function is called
with each of its elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import empty, float64, int64

from numpy_plugin._frontend.device import DeviceFunction

__all__ = ["empty", "float64", "int64", "item_type", "matrix", "reshaped", "trips", "vector"]

# Errors are reported at the call, not in a file of this name.
_FILE = "<numpy_plugin>"


def device(function: Callable[..., Any]) -> DeviceFunction[..., Any]:
    """Return a function that kernels can call."""
    made = DeviceFunction(function)
    assert made.source is not None, function
    made.source = made.source._replace(file=_FILE)
    return made


def vector(array: Any, *operands: Any) -> Any:
    """Return an array of 1 dimension, in whose expression names stand for the operands.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


def trips(iterable: Any) -> Any:
    """Return how many items there are, at most.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


def item_type(value: Any) -> Any:
    """Return a number of a value's type, without the value.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


def matrix(array: Any, *operands: Any) -> Any:
    """Return an array of 2 dimensions likewise.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


def reshaped(array: Any, shape: Any) -> Any:
    """Return a view of an array with another shape, or of its copy.

    Raises:
        NotImplementedError: it is called outside of a kernel.
    """
    raise NotImplementedError


@device
def of_one_axis(a: Any) -> Any:
    """Return the array, which has 1 dimension."""
    assert a.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    return a


@device
def is_less(x: Any, y: Any) -> Any:
    """Compare as NumPy's sorts do: nan comes last."""
    return x < y or (x == x and y != y)


@device
def zero_of_sums(a: Any) -> Any:
    """Return 0 in the dtype of a's sum."""
    return np.sum(a[:0])


@device
def one_of_products(a: Any) -> Any:
    """Return 1 in the dtype of a's product."""
    return np.prod(a[:0])


@device
def product(a: Any, b: Any) -> Any:
    """Return 0 in the dtype of products of a's and b's elements."""
    return a.dtype.type(0) * b.dtype.type(0)


@device
def outer_product(result: Any, a: Any, b: Any) -> Any:
    """Multiply each element of a by each of b."""
    for i, x in enumerate(a.flat):
        for j, y in enumerate(b.flat):
            result[i, j] = x * y
    return result


@device
def flattened(result: Any, a: Any) -> Any:
    """Copy the elements of all dimensions, in C order."""
    for i, x in enumerate(a.flat):
        result[i] = x
    return result


@device
def unit_matrix(zeros: Any, k: Any) -> Any:
    """Write ones on a diagonal, k places above the main one."""
    for i in range(zeros.shape[0]):
        j = i + int64(k)
        if 0 <= j < zeros.shape[1]:
            zeros[i, j] = 1
    return zeros


@device
def cumulated_sum(a: Any) -> Any:
    """Add to each element those before it."""
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1]
    return a


@device
def cumulated_product(a: Any) -> Any:
    """Multiply each element by those before it."""
    for i in range(1, a.shape[0]):
        a[i] *= a[i - 1]
    return a


@device
def rolled(result: Any, a: Any, shift: Any) -> Any:
    """Move elements by a number of places; those beyond the end come first."""
    assert a.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    n = a.shape[0]
    for i in range(n):
        # In two steps, because no integer type has all shifts and sizes.
        result[(i + 2 * (int(shift >> 1) % n) + int(shift & 1)) % n] = a[i]
    return result


@device
def average(a: Any, weights: Any) -> Any:
    """Return the mean, weighted if there are weights."""
    if weights is None:
        return np.mean(a)
    else:
        assert a.ndim == weights.ndim, "the weights must have the array's dimensions in a kernel"
        for axis in range(a.ndim):
            if a.shape[axis] != weights.shape[axis]:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
        total = np.sum(a * 1.0 * weights)
        scale = np.sum(weights, dtype=total.dtype)
        if scale == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        return total / scale


@device
def norm(x: Any) -> Any:
    """Return the square root of the sum of squares."""
    return np.sqrt(np.sum(abs(x * 1.0) * abs(x * 1.0)))


@device
def nansum(a: Any) -> Any:
    """Return the sum without nan; NumPy's counts NaT."""
    if a.dtype.kind in "biumM":
        return np.sum(a)
    return np.sum(np.where(np.isnan(a), 0, a))


@device
def nanprod(a: Any) -> Any:
    """Return the product without nan."""
    return np.prod(np.where(np.isnan(a), 1, a))


@device
def nanmean(a: Any) -> Any:
    """Return the mean without nan, in the dtype of the mean; NumPy's counts NaT."""
    if a.dtype.kind in "mM":
        return np.mean(a)
    total = np.sum(np.where(np.isnan(a), 0, a * 1.0))
    return (total / np.count_nonzero(~np.isnan(a))).astype(total.dtype)


@device
def nanvar(a: Any, ddof: Any) -> Any:
    """Return the variance without nan, in the dtype of the mean."""
    if a.dtype.kind in "biu":
        return np.var(a, ddof=ddof)  # as NumPy does, also where ddof is too large
    mean = nanmean(a)
    # One expression: devices can't make an array of any size.
    total = np.sum(
        np.where(
            np.isnan(a),
            0,
            np.real(a - mean) * np.real(a - mean) + np.imag(a - mean) * np.imag(a - mean),
        )
    )
    count = np.count_nonzero(~np.isnan(a)) - ddof
    if count <= 0:
        return total * math.nan
    return (total / count).astype(total.dtype)


@device
def nanmax(a: Any) -> Any:
    """Return the largest element, nan if there is nothing else."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    if a.dtype.kind in "biu":
        return np.max(a)
    largest = np.max(np.where(np.isnan(a), -math.inf, a))
    return math.nan if largest == -math.inf and np.all(np.isnan(a)) else largest


@device
def nanmin(a: Any) -> Any:
    """Return the smallest element, nan if there is nothing else."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    if a.dtype.kind in "biu":
        return np.min(a)
    smallest = np.min(np.where(np.isnan(a), math.inf, a))
    return math.nan if smallest == math.inf and np.all(np.isnan(a)) else smallest


@device
def nanargmax(a: Any) -> Any:
    """Return the index of the largest element, in C order."""
    if a.size == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    if a.dtype.kind in "biu":
        return np.argmax(a)
    if np.all(np.isnan(a)):
        raise ValueError("All-NaN slice encountered")
    # It may be that of nan, if there are no numbers but -inf, as NumPy's.
    return np.argmax(np.where(np.isnan(a), -math.inf, a))


@device
def nanargmin(a: Any) -> Any:
    """Return the index of the smallest element, in C order."""
    if a.size == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    if a.dtype.kind in "biu":
        return np.argmin(a)
    if np.all(np.isnan(a)):
        raise ValueError("All-NaN slice encountered")
    # It may be that of nan, if there are no numbers but inf, as NumPy's.
    return np.argmin(np.where(np.isnan(a), math.inf, a))


@device
def crossed(result: Any, a: Any, b: Any) -> Any:
    """Write the vector product of two arrays of size 3."""
    assert a.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    assert b.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    if a.shape[0] != 3 or b.shape[0] != 3:
        raise ValueError("cross takes arrays of 3 elements in kernels")
    result[0] = a[1] * b[2] - a[2] * b[1]
    result[1] = a[2] * b[0] - a[0] * b[2]
    result[2] = a[0] * b[1] - a[1] * b[0]
    return result


@device
def left_position(a: Any, element: Any) -> Any:
    """Return the number of elements of the sorted array a that come before element."""
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if is_less(a[middle], element):
            low = middle + 1
        else:
            high = middle
    return low


@device
def right_position(a: Any, element: Any) -> Any:
    """Return the number of elements of the sorted array a that do not come after element."""
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if is_less(element, a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


@device
def first_other(bins: Any) -> Any:
    """Return the index of the first element that differs from those before; the size if none."""
    i = 1
    while i < bins.shape[0] and float64(bins[i]) == float64(bins[0]):
        i += 1
    return i


@device
def monotonic(bins: Any) -> Any:
    """Check the bins of `digitize`, which are compared as float64."""
    assert bins.ndim == 1, "the bins must have 1 dimension"
    first = first_other(bins)
    for i in range(first + 1, bins.shape[0]):
        is_rising = float64(bins[first - 1]) < float64(bins[first])
        before = float64(bins[i - 1])
        if before > float64(bins[i]) if is_rising else before < float64(bins[i]):
            raise ValueError("bins must be monotonically increasing or decreasing")
    return bins


@device
def digitized(element: Any, bins: Any, right: Any) -> Any:
    """Return the index of an element's bin; the bins may fall."""
    n = bins.shape[0]
    i = first_other(bins)
    if i >= n or float64(bins[i - 1]) < float64(bins[i]):
        return left_position(bins, element) if right else right_position(bins, element)
    falling = bins[::-1]
    return n - (left_position(falling, element) if right else right_position(falling, element))


@device
def sample_points(xp: Any, fp: Any) -> Any:
    """Check the points of `interp`; return the first of their coordinates."""
    assert xp.ndim == 1, "the points must have 1 dimension"
    assert fp.ndim == 1, "the values must have 1 dimension"
    if xp.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    return xp


@device
def interpolated(element: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """Interpolate linearly at one element, and as NumPy does where values are not finite."""
    n = xp.shape[0]
    x = float64(element)
    if x < float64(xp[0]):
        if left is None:
            return float64(fp[0])
        else:
            return float64(left)
    if x > float64(xp[n - 1]):
        if right is None:
            return float64(fp[n - 1])
        else:
            return float64(right)
    if n == 1:
        return float64(fp[0])
    if x != x:
        return x
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if x >= float64(xp[middle]):
            low = middle + 1
        else:
            high = middle
    i = low - 1
    if i == n - 1 or x == float64(xp[i]):
        return float64(fp[i])
    slope = (float64(fp[i + 1]) - float64(fp[i])) / (float64(xp[i + 1]) - float64(xp[i]))
    result = slope * (x - float64(xp[i])) + float64(fp[i])
    if result != result:
        result = slope * (x - float64(xp[i + 1])) + float64(fp[i + 1])
        if result != result and fp[i] == fp[i + 1]:
            result = float64(fp[i])
    return result


@device
def polynomial(p: Any, element: Any) -> Any:
    """Evaluate by Horner's rule; the first coefficient is that of the highest power."""
    x = np.maximum(element, element)  # a plain number gets NumPy's dtype
    value = np.zeros_like(x) * p.dtype.type(0)
    for coefficient in p:
        value = value * x + coefficient
    return value


@device
def middle(start: Any, stop: Any) -> Any:
    """Return a number of the dtype of `linspace`."""
    return np.add(start * 1.0, stop * 1.0)


@device
def spaced(result: Any, start: Any, stop: Any, endpoint: Any) -> Any:
    """Write numbers of equal distances with NumPy's rounding; the last one may be exact."""
    n = result.shape[0]
    n_steps = n - 1 if endpoint else n
    first = result.dtype.type(start)
    distance = result.dtype.type(stop) - first
    step = distance / max(n_steps, 1)
    for i in range(n):
        place = result.dtype.type(i)
        is_tiny = n_steps > 0 and step == 0
        place = place / n_steps * distance if is_tiny else place * step
        result[i] = place + first
    if endpoint and n > 1:
        result[n - 1] = stop
    return result


@device
def trapezoid(y: Any, x: Any, dx: Any) -> Any:
    """Integrate along the points x, or along points at distances dx."""
    assert y.ndim == 1, "it takes arrays of 1 dimension in a kernel"
    if x is None:
        return np.sum(dx * (y[1:] + y[:-1]) / 2.0)
    else:
        assert x.ndim == 1, "it takes arrays of 1 dimension in a kernel"
        return np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0)


@device
def peak_to_peak(a: Any) -> Any:
    """Return the distance of the largest and the smallest element."""
    return np.max(a) - np.min(a)


@device
def without_nan(a: Any, neutral: Any) -> Any:
    """Replace nan."""
    for i in range(a.shape[0]):
        if a[i] != a[i]:
            a[i] = neutral
    return a


@device
def is_among(element: Any, elements: Any, invert: Any) -> Any:
    """Return whether an element is one of others, or none of them."""
    for x in elements.flat:
        if x == element:
            return not invert
    return bool(invert)
