"""Means and variances of device arrays: one launch, which reads every element once."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.operands import required_on_device, to_device_of
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import imag, real
from numpy_plugin._cuda.numpy_ufuncs import host_only_error
from numpy_plugin._reduction.reduction import Reduction, reduction

__all__ = ["reduce_to_mean", "reduce_to_variance"]

#: Combinations of dtypes and degrees of freedom whose kernels are kept.
_MOST_KEPT = 128


@functools.lru_cache(_MOST_KEPT)
def _mean(kind: Any, result: Any) -> Reduction:
    """Return the mean of elements that are summed as numbers of a kind."""
    quotient = np.float64 if np.dtype(kind).kind in "iub" else kind

    def start(x: Any) -> Any:
        return kind(x), np.int64(1)

    def add(a: Any, b: Any) -> Any:
        return a[0] + b[0], a[1] + b[1]

    def finish(a: Any) -> Any:
        return result(quotient(a[0]) / quotient(a[1]))

    return reduction(start, add, finish=finish, name="mean")


def _merged(kind: Any) -> Any:
    """Return the function that merges counts, means and sums of squared deviations (Chan's)."""

    def merge(a: Any, b: Any) -> Any:
        count = a[0] + b[0]
        weight = kind(b[0]) / kind(max(count, 1))
        difference = b[1] - a[1]
        between = difference * (difference * (kind(a[0]) * weight))
        return count, a[1] + difference * weight, a[2] + b[2] + between

    return merge


def _merged_pairs(kind: Any) -> Any:
    """Likewise of pairs of numbers, whose squared distances are summed."""

    def merge(a: Any, b: Any) -> Any:
        count = a[0] + b[0]
        weight = kind(b[0]) / kind(max(count, 1))
        factor = kind(a[0]) * weight
        x = b[1] - a[1]
        y = b[2] - a[2]
        between = x * (x * factor) + y * (y * factor)
        return count, a[1] + x * weight, a[2] + y * weight, a[3] + b[3] + between

    return merge


@functools.lru_cache(_MOST_KEPT)
def _variance(kind: Any, result: Any, ddof: float, has_root: bool) -> Reduction:
    # A mean that is not finite makes the variance NaN.
    def finish(a: Any) -> Any:
        found = (a[2] + (a[1] - a[1])) / kind(max(a[0] - ddof, 0))
        return result(math.sqrt(found) if has_root else found)

    return reduction(
        lambda x: (np.int64(1), kind(x), kind(0)), _merged(kind), finish=finish, name="var"
    )


@functools.lru_cache(_MOST_KEPT)
def _complex_variance(kind: Any, result: Any, ddof: float, has_root: bool) -> Reduction:
    def start(x: Any, y: Any) -> Any:
        return np.int64(1), kind(x), kind(y), kind(0)

    def finish(a: Any) -> Any:
        rest = (a[1] - a[1]) + (a[2] - a[2])
        found = (a[3] + rest) / kind(max(a[0] - ddof, 0))
        return result(math.sqrt(found) if has_root else found)

    return reduction(start, _merged_pairs(kind), finish=finish, name="var")


@functools.lru_cache(_MOST_KEPT)
def _mean_square(kind: Any, result: Any, ddof: float, has_root: bool) -> Reduction:
    """Return the mean squared absolute value of real and imaginary parts."""

    def start(x: Any, y: Any) -> Any:
        return np.int64(1), kind(x) * kind(x) + kind(y) * kind(y)

    def finish(a: Any) -> Any:
        found = a[1] / kind(max(a[0] - ddof, 0))
        return result(math.sqrt(found) if has_root else found)

    return reduction(start, lambda a, b: (a[0] + b[0], a[1] + b[1]), finish=finish, name="var")


def _call(
    reduce: Reduction, operands: tuple[DeviceArray, ...], n_items: int, named: dict[str, Any]
) -> Any:
    """Reduce; what has no elements is the result of as many zeros."""
    where = named.get("where")
    if isinstance(where, (bool, numpy.bool_)):
        where = to_device_of(operands[0], where, "where")
    if where is not None:
        named["where"] = required_on_device(where, "where")
    initial = (0,) * n_items if where is not None or 0 in operands[0].shape else None
    return reduce(*operands, initial=initial, **named)


def reduce_to_mean(a: DeviceArray, dtype: Any, **named: Any) -> Any:
    """Return the mean along axes.

    Args:
        a: the elements.
        dtype: of the sum and the result; None for NumPy's.
        **named: `axis`, `out`, `keepdims`, and `where` unless it selects everything.
    """
    given = _number_dtype(dtype, "numpy.mean")
    kind: Any = given or _sum_dtype(a.dtype)
    result: Any = given or (a.dtype if a.dtype == np.float16 else kind)
    return _call(_mean(kind.type, result.type), (a,), 2, named)


def _number_dtype(dtype: Any, name: str) -> Any:
    given = None if dtype is None else np.dtype(dtype)
    if given is not None and given.kind not in "biufc":
        raise host_only_error(name, f" in {given}")
    return given


def _sum_dtype(dtype: numpy.dtype[Any]) -> Any:
    """Return the dtype of sums: float64 for integers, float32 for float16."""
    if dtype.kind in "iub":
        return np.dtype(np.float64)
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def reduce_to_variance(
    a: DeviceArray, dtype: Any, ddof: float, has_root: bool, mean: Any, **named: Any
) -> Any:
    """Return the variance along axes, or its root; arguments as for `reduce_to_mean`.

    Args:
        a: the elements.
        dtype: of the sums and the result; None for NumPy's.
        ddof: subtracted from the number of elements.
        has_root: return the standard deviation.
        mean: the mean, if it is known.
        **named: as for `reduce_to_mean`.
    """
    given = _number_dtype(dtype, "numpy.var")
    result = np.empty(0, given or a.dtype).real.dtype
    if dtype is None and result.kind in "iub":
        result = np.dtype(np.float64)
    parameters: Any = (_sum_dtype(result).type, result.type, ddof, has_root)
    if mean is not None:
        difference = np.subtract(a, mean)
        parts = (real(difference), imag(difference))
        return _call(_mean_square(*parameters), parts, 2, named)
    if a.dtype.kind == "c":
        return _call(_complex_variance(*parameters), (real(a), imag(a)), 4, named)
    return _call(_variance(*parameters), (a,), 3, named)
