"""Indices of extreme elements, comparisons of whole arrays, and differences."""

from __future__ import annotations

import functools
from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.elementwise import copyto, isclose
from numpy_plugin._cuda.arrays.joining import concatenate
from numpy_plugin._cuda.arrays.operands import as_operand, required_on_device, to_device_of
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import broadcast_to, imag, real
from numpy_plugin._reduction.reduction import Reduction, reduction

__all__ = ["allclose", "argmax", "argmin", "array_equal", "array_equiv", "diff"]

_NOT_GIVEN: Any = np._NoValue


@functools.cache
def _index_of_largest() -> Reduction:
    """Return the reduction to the index of the first largest element, or of the first NaN."""

    def first(a: Any, b: Any) -> Any:
        x, y = a[0], b[0]
        is_larger = y > x or (y != y and x == x)
        is_equal = y == x or (y != y and x != x)
        return b if is_larger or (is_equal and b[1] < a[1]) else a

    return reduction(lambda x, i: (x, i), first, finish=lambda a: a[1], index=True, name="argmax")


@functools.cache
def _index_of_smallest() -> Reduction:
    """Return the reduction to the index of the first smallest element, or of the first NaN."""

    def first(a: Any, b: Any) -> Any:
        x, y = a[0], b[0]
        is_smaller = y < x or (y != y and x == x)
        is_equal = y == x or (y != y and x != x)
        return b if is_smaller or (is_equal and b[1] < a[1]) else a

    return reduction(lambda x, i: (x, i), first, finish=lambda a: a[1], index=True, name="argmin")


def _first_larger_pair(a: Any, b: Any) -> Any:
    """Return which of two real parts, imaginary parts and indices NumPy's argmax prefers."""
    is_nan = a[0] != a[0] or a[1] != a[1]
    other_is_nan = b[0] != b[0] or b[1] != b[1]
    is_larger = b[0] > a[0] or (b[0] == a[0] and b[1] > a[1])
    is_equal = (is_nan and other_is_nan) or (b[0] == a[0] and b[1] == a[1])
    takes_other = not is_nan and (other_is_nan or is_larger)
    return b if takes_other or (is_equal and b[2] < a[2]) else a


@functools.cache
def _index_of_complex(name: str) -> Reduction:
    """Return the reduction of real and imaginary parts; the smallest has the largest opposite."""
    start = (lambda x, y, i: (x, y, i)) if name == "argmax" else (lambda x, y, i: (-x, -y, i))
    return reduction(start, _first_larger_pair, finish=lambda a: a[2], index=True, name=name)


def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """`numpy.argmax`."""
    return _index(_index_of_largest(), a, axis, out, keepdims)


def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """`numpy.argmin`."""
    return _index(_index_of_smallest(), a, axis, out, keepdims)


def _index(reduce: Reduction, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    a = required_on_device(a, f"numpy.{reduce.name}")
    if axis is not None:
        axis = normalize_axis_index(axis, max(a.ndim, 1))
        axis = axis if a.ndim else None
    if (a.size if axis is None else a.shape[axis]) == 0:
        raise ValueError(f"attempt to get {reduce.name} of an empty sequence")
    operands: tuple[Any, ...] = (a,)
    if a.dtype.kind == "c":
        reduce, operands = _index_of_complex(reduce.name), (real(a), imag(a))
    found = reduce(*operands, axis=axis, keepdims=keepdims is not _NOT_GIVEN and bool(keepdims))
    if out is None:
        return found
    if not np.can_cast(out.dtype, found.dtype):
        raise TypeError(f"out of {reduce.name} is of integers, found {out.dtype}")
    if out.shape != found.shape:
        raise ValueError(f"out has the shape {out.shape}; the result has the shape {found.shape}")
    copyto(out, found, casting="unsafe")
    return out


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
    a = required_on_device(a, "numpy.diff")
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
