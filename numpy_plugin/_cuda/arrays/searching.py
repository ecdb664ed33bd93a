"""Indices of extreme elements, comparisons of whole arrays, and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.counting import count_beside
from numpy_plugin._cuda.arrays.elementwise import copyto, isclose
from numpy_plugin._cuda.arrays.joining import concatenate
from numpy_plugin._cuda.arrays.operands import as_operand, on_device, to_device_of
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import broadcast_to
from numpy_plugin._frontend.declare import vectorize

__all__ = ["allclose", "array_equal", "array_equiv", "diff", "index_of"]

_NOT_GIVEN: Any = np._NoValue


def _first_extreme(x: Any, extreme: Any, index: Any) -> Any:
    return index if x == extreme or x != x else 9223372036854775807


_index_of_extreme = vectorize(name="index_of_extreme", target="cpu")(_first_extreme)


def index_of(ufunc: numpy.ufunc, name: str) -> Callable[..., Any]:
    """Return `numpy.argmax` or `numpy.argmin`: the index of the first extreme, or of NaN."""

    def call(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        a = on_device(a, f"numpy.{name}")
        keepdims = keepdims is not _NOT_GIVEN and bool(keepdims)
        flat = a.ravel() if axis is None else a
        along = 0 if axis is None else normalize_axis_index(axis, max(a.ndim, 1))
        flat = flat.reshape(1) if flat.ndim == 0 else flat
        if flat.shape[along] == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        extreme = ufunc.reduce(flat, axis=along, keepdims=True)
        rows = (-1,) + (1,) * (flat.ndim - along - 1)
        index = count_beside(flat, flat.shape[along], name).reshape(rows)
        candidates = _index_of_extreme(flat, extreme, index)
        found = np.minimum.reduce(candidates, axis=along, keepdims=keepdims and axis is not None)
        if axis is None and keepdims:
            found = found.reshape((1,) * a.ndim)
        if out is None:
            return found
        copyto(out, found, casting="no")
        return out

    return call


def _are_all_true(values: Any) -> bool:
    return bool(np.logical_and.reduce(values, axis=None))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """`numpy.array_equal`: compared on the device, one bool is copied to the host."""
    if np.shape(a1) != np.shape(a2):
        return False
    same = np.equal(a1, a2)
    if equal_nan:
        same = same | (np.not_equal(a1, a1) & np.not_equal(a2, a2))
    return _are_all_true(same)


def array_equiv(a1: Any, a2: Any) -> bool:
    """`numpy.array_equiv`: the same of arrays that are broadcast."""
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return _are_all_true(np.equal(a1, a2))


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    """`numpy.allclose`."""
    return _are_all_true(isclose(a, b, rtol, atol, equal_nan))


def diff(
    a: Any, n: int = 1, axis: int = -1, prepend: Any = _NOT_GIVEN, append: Any = _NOT_GIVEN
) -> Any:
    """`numpy.diff`."""
    a = on_device(a, "numpy.diff")
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    ends = [_as_end(end, a, axis) for end in (prepend, append)]
    if any(end is not None for end in ends):
        a = concatenate([x for x in (ends[0], a, ends[1]) if x is not None], axis)
    ahead = (slice(None),) * axis + (slice(1, None),)
    behind = (slice(None),) * axis + (slice(None, -1),)
    ufunc: Any = np.not_equal if a.dtype == np.bool_ else np.subtract
    for _ in range(n):
        a = ufunc(a[ahead], a[behind])
    return a


def _as_end(end: Any, a: DeviceArray, axis: int) -> Any:
    if end is _NOT_GIVEN:
        return None
    end = as_operand(end, "numpy.diff")
    if not isinstance(end, DeviceArray):
        end = to_device_of(a, np.asarray(end), "numpy.diff")
    return broadcast_to(end, (*a.shape[:axis], 1, *a.shape[axis + 1 :])) if end.ndim == 0 else end
