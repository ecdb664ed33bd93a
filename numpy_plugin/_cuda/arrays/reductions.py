"""Reductions of device arrays with NumPy's dtypes, keywords and empty-slice rules."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.elementwise import select
from numpy_plugin._cuda.arrays.moments import reduce_to_mean, reduce_to_variance
from numpy_plugin._cuda.arrays.operands import as_operand, required_on_device, to_device_of
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import broadcast_to
from numpy_plugin._cuda.numpy_ufuncs import host_only_error

__all__ = [
    "all_",
    "any_",
    "average",
    "count_nonzero",
    "mean",
    "nan_ignoring",
    "nanmean",
    "ptp",
    "reduction",
    "std",
    "var",
]

_NOT_GIVEN: Any = np._NoValue


def reduction(ufunc: numpy.ufunc, name: str) -> Callable[..., Any]:
    """Return a function that reduces by a ufunc, such as `numpy.sum`."""
    has_dtype = name in ("sum", "prod")

    def call(
        a: Any,
        axis: Any = None,
        *rest: Any,
        **named: Any,
    ) -> Any:
        keywords = ("dtype", "out", "keepdims", "initial", "where")
        named |= dict(zip(keywords if has_dtype else keywords[1:], rest, strict=False))
        named = {key: value for key, value in named.items() if value is not _NOT_GIVEN}
        return ufunc.reduce(required_on_device(a, f"numpy.{name}"), axis=axis, **named)

    return call


def _of_truth(ufunc: numpy.ufunc, name: str) -> Callable[..., Any]:
    def call(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
    ) -> Any:
        return ufunc.reduce(
            required_on_device(a, f"numpy.{name}"),
            axis=axis,
            dtype=np.dtype(bool),
            out=out,
            keepdims=keepdims is not _NOT_GIVEN and keepdims,
            **_where(where),
        )

    return call


def _where(where: Any) -> dict[str, Any]:
    """Return the keyword for a mask; none for one that selects everything."""
    return {} if where is True or where is _NOT_GIVEN else {"where": where}


any_ = _of_truth(np.logical_or, "any")
all_ = _of_truth(np.logical_and, "all")


def _count(a: DeviceArray, axis: Any, where: Any) -> int | None:
    """Return the number of elements of each result; None for a mask."""
    if where is not True and where is not _NOT_GIVEN:
        return None
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    return math.prod(a.shape[each] for each in axes)


@functools.cache
def _text_for_nothing() -> str:
    """Return NumPy's warning of a mean of no elements, which differs between versions."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.mean(np.empty(0))
    return str(caught[0].message)


def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """`numpy.mean`."""
    a = required_on_device(a, "numpy.mean")
    count = _count(a, axis, where)
    keepdims = keepdims is not _NOT_GIVEN and bool(keepdims)
    if a.dtype.kind in "mM":
        if a.dtype.kind == "M" or not count or dtype is not None:
            raise host_only_error("mean", f" of {a.dtype}")
        return np.divide(np.add.reduce(a, axis=axis, keepdims=keepdims), count, out=out)
    if count == 0:
        warnings.warn(_text_for_nothing(), RuntimeWarning, stacklevel=5)
    return reduce_to_mean(a, dtype, axis=axis, out=out, keepdims=keepdims, **_where(where))


def _spread(name: str, has_root: bool) -> Callable[..., Any]:
    """Return `numpy.var` or `numpy.std`."""

    def call(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
        *,
        where: Any = True,
        mean: Any = _NOT_GIVEN,
        correction: Any = _NOT_GIVEN,
    ) -> Any:
        if correction is not _NOT_GIVEN:
            if ddof != 0:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        a = required_on_device(a, f"numpy.{name}")
        if a.dtype.kind in "mM":
            raise host_only_error(name, f" of {a.dtype}")
        count = _count(a, axis, where)
        if count is not None and ddof >= count:
            warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=5)
        keepdims = keepdims is not _NOT_GIVEN and bool(keepdims)
        known = None if mean is _NOT_GIVEN else mean
        named = {"axis": axis, "out": out, "keepdims": keepdims, **_where(where)}
        return reduce_to_variance(a, dtype, ddof, has_root, known, **named)

    return call


var = _spread("var", has_root=False)
std = _spread("std", has_root=True)


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """`numpy.ptp`."""
    a = required_on_device(a, "numpy.ptp")
    keepdims = keepdims is not _NOT_GIVEN and bool(keepdims)
    high = np.maximum.reduce(a, axis=axis, out=out, keepdims=keepdims)
    low = np.minimum.reduce(a, axis=axis, keepdims=keepdims)
    return np.subtract(high, low, out=out)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`numpy.count_nonzero`, as a device array."""
    a = required_on_device(a, "numpy.count_nonzero")
    is_true = a if a.dtype == np.bool_ else a != 0
    return np.add.reduce(is_true, axis=axis, dtype=np.intp, keepdims=keepdims)


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    """`numpy.average`."""
    a = required_on_device(a, "numpy.average")
    keepdims = keepdims is not _NOT_GIVEN and bool(keepdims)
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        scale: Any = a.size / found.size
    else:
        w = _weights(a, axis, required_on_device(weights, "numpy.average"))
        dtype = np.result_type(a.dtype, w.dtype, *(["f8"] if a.dtype.kind in "iub" else []))
        scale = np.add.reduce(w, axis=axis, dtype=dtype, keepdims=keepdims)
        if bool(np.logical_or.reduce(scale == 0, axis=None)):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        found = np.multiply(a, w, dtype=dtype)
        found = np.add.reduce(found, axis=axis, keepdims=keepdims) / scale
    if not returned:
        return found
    if not isinstance(scale, DeviceArray):
        scale = to_device_of(found, found.dtype.type(scale), "numpy.average")
    return found, broadcast_to(scale, found.shape).copy()


def _weights(a: DeviceArray, axis: Any, weights: DeviceArray) -> Any:
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights.ndim == 1 and not isinstance(axis, tuple):
        axis = normalize_axis_index(axis, a.ndim)
        if weights.shape[0] == a.shape[axis]:
            return broadcast_to(weights.reshape((-1,) + (1,) * (a.ndim - axis - 1)), a.shape)
    raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")


def nan_ignoring(function: Callable[..., Any], neutral: Any) -> Callable[..., Any]:
    """Return a reduction that replaces NaN by a neutral element first, such as `numpy.nansum`."""

    def call(a: Any, *args: Any, **named: Any) -> Any:
        a = required_on_device(a, "numpy.nansum")
        if a.dtype.kind in "fc":
            a = select(np.isnan(a), a.dtype.type(neutral), a)
        return function(a, *args, **named)

    return call


def _dtype_of(out: Any) -> Any:
    return None if out is None else out.dtype


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """`numpy.nanmean`."""
    a = required_on_device(a, "numpy.nanmean")
    if a.dtype.kind not in "fc":
        return mean(a, axis, dtype, out, keepdims, where=where)
    if not all(each is None or np.dtype(each).kind in "fc" for each in (dtype, _dtype_of(out))):
        raise TypeError("If a is inexact, then dtype and out must be inexact")
    is_number = np.logical_not(np.isnan(a))
    if where is not True and where is not _NOT_GIVEN:
        is_number = np.logical_and(is_number, as_operand(where, "numpy.nanmean"))
    return mean(a, axis, dtype, out, keepdims, where=is_number)
