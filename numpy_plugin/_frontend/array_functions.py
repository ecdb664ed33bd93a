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

__all__ = ["empty", "float64", "int64"]

# Errors are reported at the call, not in a file of this name.
_FILE = "<numpy_plugin>"


def device(function: Callable[..., Any]) -> DeviceFunction[..., Any]:
    """Return a function that kernels can call."""
    made = DeviceFunction(function)
    assert made.source is not None, function
    made.source = made.source._replace(file=_FILE)
    return made


@device
def is_less(x: Any, y: Any) -> Any:
    """Compare as NumPy's sorts do: nan comes last."""
    return x < y or (x == x and y != y)


@device
def sink(a: Any, root: Any, end: Any) -> None:
    """Move a[root] down to its place in the heap a[:end]."""
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and is_less(a[child], a[child + 1]):
            child += 1
        if not is_less(a[root], a[child]):
            break
        a[root], a[child] = a[child], a[root]
        root = child


@device
def sorted_in_place(a: Any) -> Any:
    """Sort by heapsort, which needs neither memory nor recursion."""
    n = a.shape[0]
    for root in range(n // 2 - 1, -1, -1):
        sink(a, root, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sink(a, 0, end)
    return a


@device
def comes_before(a: Any, i: Any, j: Any) -> Any:
    """Compare two elements by value, then by index: a stable order."""
    return is_less(a[i], a[j]) or (i < j and not is_less(a[j], a[i]))


@device
def sink_index(indices: Any, a: Any, root: Any, end: Any) -> None:
    """Move indices[root] down to its place in the heap indices[:end], ordered by a."""
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and comes_before(a, indices[child], indices[child + 1]):
            child += 1
        if not comes_before(a, indices[root], indices[child]):
            break
        indices[root], indices[child] = indices[child], indices[root]
        root = child


@device
def argsorted(indices: Any, a: Any) -> Any:
    """Sort the indices of a by heapsort."""
    n = a.shape[0]
    for i in range(n):
        indices[i] = i
    for root in range(n // 2 - 1, -1, -1):
        sink_index(indices, a, root, n)
    for end in range(n - 1, 0, -1):
        indices[0], indices[end] = indices[end], indices[0]
        sink_index(indices, a, 0, end)
    return indices


@device
def zero_of_sums(a: Any) -> Any:
    """Return 0 in the dtype of a's sum."""
    return np.sum(a[:0])


@device
def one_of_products(a: Any) -> Any:
    """Return 1 in the dtype of a's product."""
    return np.prod(a[:0])


@device
def zero_of_dots(a: Any, b: Any) -> Any:
    """Return 0 in the dtype of products of a's and b's elements."""
    return np.dot(a[:0], b[:0])


@device
def outer_product(result: Any, a: Any, b: Any) -> Any:
    """Multiply each element of a by each of b."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            result[i, j] = a[i] * b[j]
    return result


@device
def flattened(result: Any, a: Any) -> Any:
    """Copy the elements of all dimensions, in C order."""
    for i, x in enumerate(a.flat):
        result[i] = x
    return result


@device
def unit_matrix(zeros: Any) -> Any:
    """Write ones on the diagonal."""
    for i in range(zeros.shape[0]):
        zeros[i, i] = 1
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
    n = a.shape[0]
    for i in range(n):
        result[(i + shift) % n] = a[i]
    return result


@device
def average(a: Any, weights: Any) -> Any:
    """Return the weighted mean."""
    return np.sum(a * weights) / np.sum(weights)


@device
def norm(x: Any) -> Any:
    """Return the square root of the sum of squares."""
    return np.sqrt(np.sum(abs(x * 1.0) * abs(x * 1.0)))


@device
def median(ordered: Any) -> Any:
    """Return the mean of the two elements in the middle; nan if there is one, or no element."""
    n = ordered.shape[0]
    if n == 0 or ordered[n - 1] != ordered[n - 1]:
        return np.mean(ordered)
    return np.mean(ordered[(n - 1) // 2 : n // 2 + 1])


@device
def nanmedian(ordered: Any) -> Any:
    """Return the median without nan."""
    n = ordered.shape[0]
    while n > 0 and ordered[n - 1] != ordered[n - 1]:
        n -= 1
    if n == 0:
        return np.mean(ordered)
    return np.mean(ordered[(n - 1) // 2 : n // 2 + 1])


@device
def quantile(ordered: Any, element: Any) -> Any:
    """Interpolate linearly between neighbours, as NumPy does by default."""
    if not 0 <= element <= 1:
        raise ValueError("Quantiles must be in the range [0, 1]")
    n = ordered.shape[0]
    if n == 0 or ordered[n - 1] != ordered[n - 1]:
        return np.mean(ordered)
    place = element * (n - 1)
    i = math.floor(place)
    fraction = np.mean(ordered[:0]).dtype.type(place - i)
    low = ordered[i]
    high = ordered[min(i + 1, n - 1)]
    step = high - low
    if fraction >= 0.5:
        return high - step * (1 - fraction)
    return low + step * fraction


@device
def nanmean(a: Any) -> Any:
    """Return the mean without nan, in the dtype of the mean."""
    total = np.sum(np.where(np.isnan(a), 0, a)) * 1.0
    return (total / np.count_nonzero(~np.isnan(a))).astype(total.dtype)


@device
def nanvar(a: Any, ddof: Any) -> Any:
    """Return the variance without nan, in the dtype of the mean."""
    mean = nanmean(a)
    total = np.sum(np.where(np.isnan(a), 0, (a - mean) * (a - mean)))
    return (total / (np.count_nonzero(~np.isnan(a)) - ddof)).astype(total.dtype)


@device
def nanmax(a: Any) -> Any:
    """Return the largest element, nan if there is nothing else."""
    if a.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    largest = a[0]
    for value in a:
        if value > largest or largest != largest:
            largest = value
    return largest


@device
def nanmin(a: Any) -> Any:
    """Return the smallest element, nan if there is nothing else."""
    if a.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    smallest = a[0]
    for value in a:
        if value < smallest or smallest != smallest:
            smallest = value
    return smallest


@device
def nanargmax(a: Any) -> Any:
    """Return the index of the largest element."""
    found = -1
    for i in range(a.shape[0]):
        if a[i] == a[i] and (found < 0 or a[i] > a[found]):
            found = i
    if found < 0:
        raise ValueError("All-NaN slice encountered")
    return found


@device
def nanargmin(a: Any) -> Any:
    """Return the index of the smallest element."""
    found = -1
    for i in range(a.shape[0]):
        if a[i] == a[i] and (found < 0 or a[i] < a[found]):
            found = i
    if found < 0:
        raise ValueError("All-NaN slice encountered")
    return found


@device
def nanquantile(ordered: Any, element: Any) -> Any:
    """Return the quantile without nan."""
    n = ordered.shape[0]
    while n > 0 and ordered[n - 1] != ordered[n - 1]:
        n -= 1
    return quantile(ordered[:n], element)


@device
def crossed(result: Any, a: Any, b: Any) -> Any:
    """Write the vector product of two arrays of size 3."""
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
def interpolated(element: Any, xp: Any, fp: Any) -> Any:
    """Interpolate linearly at one element, and as NumPy does where values are not finite."""
    n = xp.shape[0]
    if n == 0:
        raise ValueError("array of sample points is empty")
    if element != element:
        return float64(element)
    if element < xp[0]:
        return float64(fp[0])
    if element >= xp[n - 1]:
        return float64(fp[n - 1])
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if element >= xp[middle]:
            low = middle + 1
        else:
            high = middle
    i = low - 1
    slope = (float64(fp[i + 1]) - fp[i]) / (float64(xp[i + 1]) - xp[i])
    result = slope * (element - float64(xp[i])) + fp[i]
    if result != result:
        result = slope * (element - float64(xp[i + 1])) + fp[i + 1]
        if result != result and fp[i] == fp[i + 1]:
            result = float64(fp[i])
    return result


@device
def polynomial(p: Any, element: Any) -> Any:
    """Evaluate by Horner's rule; the first coefficient is that of the highest power."""
    value = element * p.dtype.type(0)
    for coefficient in p:
        value = value * element + coefficient
    return value


@device
def spaced(result: Any, start: Any, stop: Any) -> Any:
    """Write numbers of equal distances, of which the last one is exact."""
    n = result.shape[0]
    if n > 0:
        result[0] = start
    for i in range(1, n):
        result[i] = i * ((stop - start) / (n - 1)) + start
    if n > 1:
        result[n - 1] = stop
    return result
