"""Functions that build an array of copies of others: joined, repeated, shifted, padded."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.elementwise import copyto
from numpy_plugin._cuda.arrays.indices import count_beside
from numpy_plugin._cuda.arrays.operands import (
    as_operand,
    empty_beside,
    required_on_device,
    to_device_of,
)
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import broadcast_to
from numpy_plugin._cuda.numpy_ufuncs import host_only_error

__all__ = [
    "append",
    "column_stack",
    "concatenate",
    "pad",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "stack",
    "tile",
]


def reshape(
    a: DeviceArray, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> DeviceArray:
    """`numpy.reshape`: a view if possible, unless `copy` is true."""
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if order not in ("C", "F", "A"):
        raise ValueError(f"order must be one of 'C', 'F' or 'A' (got {order!r})")
    is_fortran = order == "F" or (order == "A" and _is_fortran(a))
    found = a.T.reshape(shape[::-1]).T if is_fortran else a.reshape(shape)
    if copy is None:
        return found
    is_copy = _address(found) != _address(a)
    if is_copy == copy:
        return found
    if is_copy:
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return found.copy()


def _is_fortran(a: DeviceArray) -> bool:
    """Whether an array is contiguous in Fortran's order and not in C's."""
    steps = itertools.accumulate(a.shape[:-1], operator.mul, initial=a.itemsize)
    pairs = zip(a.shape, a.strides, steps, strict=True)
    return sum(n > 1 for n in a.shape) > 1 and all(n == 1 or has == is_ for n, has, is_ in pairs)


def _address(a: DeviceArray) -> int:
    address: int = a.__cuda_array_interface__["data"][0]
    return address


def ravel(a: DeviceArray, order: str = "C") -> DeviceArray:
    """`numpy.ravel`."""
    return reshape(a, -1, "C" if order == "K" else order)


def _joined(arrays: Sequence[DeviceArray], axis: int) -> tuple[int, ...]:
    """Return the shape of the joined arrays."""
    shapes = [array.shape for array in arrays]
    rest = {shape[:axis] + shape[axis + 1 :] for shape in shapes}
    if len(rest) > 1 or len({len(shape) for shape in shapes}) > 1:
        raise ValueError(
            "all the input arrays have the same number of dimensions and the same sizes of all "
            f"axes but {axis}; found shapes {', '.join(map(str, shapes))}"
        )
    n = sum(shape[axis] for shape in shapes)
    return (*shapes[0][:axis], n, *shapes[0][axis + 1 :])


def concatenate(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:
    """`numpy.concatenate`."""
    name = "numpy.concatenate"
    parts = [required_on_device(each, name) for each in arrays]
    if axis is None:
        parts, axis = [part.ravel() for part in parts], 0
    if parts[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis_index(axis, parts[0].ndim)
    shape = _joined(parts, axis)
    # NumPy chooses the dtype and checks the casts.
    stand_in = None if out is None else np.empty(0, out.dtype)
    found = np.concatenate(
        [np.empty(0, part.dtype) for part in parts], out=stand_in, dtype=dtype, casting=casting
    )
    if out is None:
        out = empty_beside(parts[0], shape, found.dtype, name)
    elif out.shape != shape:
        raise ValueError("Output array is the wrong shape")
    ends = list(itertools.accumulate(part.shape[axis] for part in parts))
    for part, end in zip(parts, ends, strict=True):
        place = (slice(None),) * axis + (slice(end - part.shape[axis], end),)
        copyto(out[place], part, casting=casting)
    return out


def stack(
    arrays: Sequence[Any],
    axis: int = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:
    """`numpy.stack`."""
    parts = [required_on_device(each, "numpy.stack") for each in arrays]
    if len({part.shape for part in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    place = (slice(None),) * axis + (None,)
    parts = [part[place] for part in parts]
    return concatenate(parts, axis, out, dtype=dtype, casting=casting)


def column_stack(tup: Sequence[Any]) -> Any:
    """`numpy.column_stack`."""
    parts = [required_on_device(each, "numpy.column_stack") for each in tup]
    return concatenate([part if part.ndim >= 2 else part.reshape(-1, 1) for part in parts], 1)


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """`numpy.append`; numbers are copied to the device."""
    arr = required_on_device(arr, "numpy.append")
    values = as_operand(values, "numpy.append")
    if not isinstance(values, DeviceArray):
        values = to_device_of(arr, values, "numpy.append")
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), 0
    return concatenate((arr, values), axis)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """`numpy.repeat`; from a device array of repeats, their sum is copied to the host."""
    a = required_on_device(a, "numpy.repeat")
    axis = None if axis is None else normalize_axis_index(axis, max(a.ndim, 1))
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0
    if isinstance(repeats, DeviceArray):
        return _repeat_by_array(a, repeats, axis)
    repeats = np.asarray(repeats)
    # NumPy checks the repeats, and finds the indices of several ones.
    if repeats.size != 1:
        indices = np.repeat(np.arange(a.shape[axis]), repeats)
        return np.take(a, to_device_of(a, indices, "numpy.repeat"), axis)
    n = np.repeat(np.zeros(1), repeats).size
    wide = broadcast_to(
        a[(slice(None),) * (axis + 1) + (None,)],
        (*a.shape[: axis + 1], n, *a.shape[axis + 1 :]),
    )
    shape = (*a.shape[:axis], a.shape[axis] * n, *a.shape[axis + 1 :])
    return wide.copy().reshape(shape)


def _repeat_by_array(a: DeviceArray, repeats: DeviceArray, axis: int) -> Any:
    n = a.shape[axis]
    if repeats.ndim > 1 or repeats.size not in (1, n):
        np.repeat(np.empty(n, np.int8), np.zeros(repeats.shape, np.intp))  # raises NumPy's error
    repeats = broadcast_to(repeats, (n,))
    if repeats.dtype.kind not in "iub":
        np.repeat(np.zeros(1), np.zeros(1, repeats.dtype))  # raises NumPy's error
    if n == 0:
        return a.copy()
    if bool(np.logical_or.reduce(repeats < 0)):
        raise ValueError("repeats may not contain negative values.")
    ends = np.add.accumulate(repeats, dtype=np.int64)
    places = count_beside(a, ends[-1].item(), "numpy.repeat")
    indices = np.searchsorted(ends, places, side="right")
    return np.take(a, indices, axis)


def tile(A: Any, reps: Any) -> Any:
    """`numpy.tile`: one copy."""
    a = required_on_device(A, "numpy.tile")
    counts = (reps,) if isinstance(reps, (int, np.integer)) else tuple(int(n) for n in reps)
    if any(n < 0 for n in counts):
        raise ValueError("negative dimensions are not allowed")
    n_axes = max(len(counts), a.ndim)
    counts = (1,) * (n_axes - len(counts)) + counts
    shape = (1,) * (n_axes - a.ndim) + a.shape
    pairs = [size for pair in zip(counts, shape, strict=True) for size in pair]
    ones = [size for n in shape for size in (1, n)]
    result = [n * count for n, count in zip(shape, counts, strict=True)]
    return broadcast_to(a.reshape(ones), pairs).copy().reshape(result)


def roll(a: Any, shift: Any, axis: Any = None) -> DeviceArray:
    """`numpy.roll`."""
    a = required_on_device(a, "numpy.roll")
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    shifts, axes_of = np.broadcast_arrays(shift, axes)
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    offsets: dict[int, int] = {}
    for one_axis, by in zip(axes_of.ravel().tolist(), shifts.ravel().tolist(), strict=True):
        offsets[one_axis] = offsets.get(one_axis, 0) + int(by)
    pieces = [_pieces(offsets.get(each, 0), a.shape[each]) for each in range(a.ndim)]
    out = empty_beside(a, a.shape, a.dtype, "numpy.roll")
    for piece in itertools.product(*pieces):
        out[tuple(to for _, to in piece)] = a[tuple(of for of, _ in piece)]
    return out


def _pieces(offset: int, n: int) -> list[tuple[slice, slice]]:
    """Return the slices of an axis and where they go."""
    offset = offset % n if n else 0
    if offset == 0:
        return [(slice(None), slice(None))]
    return [
        (slice(None, n - offset), slice(offset, None)),
        (slice(n - offset, None), slice(None, offset)),
    ]


#: Modes of `numpy.pad` that take other elements of the same axis.
_MODES_BY_INDEX = ("edge", "reflect", "symmetric", "wrap")


def pad(array: Any, pad_width: Any, mode: Any = "constant", **named: Any) -> DeviceArray:
    """`numpy.pad` in the modes that copy elements or write constants."""
    a = required_on_device(array, "numpy.pad")
    if mode != "constant" and (mode not in _MODES_BY_INDEX or named):
        raise host_only_error("numpy.pad", f" of mode {mode!r}")
    widths = np.broadcast_to(np.asarray(pad_width), (a.ndim, 2)).tolist()
    if mode == "constant":
        np.pad(np.empty((1,) * a.ndim), pad_width, mode, **named)  # for NumPy's errors
        return _pad_by_constants(a, widths, named.get("constant_values", 0))
    for axis, width in enumerate(widths):
        indices = np.pad(np.arange(a.shape[axis]), width, mode)
        a = np.take(a, to_device_of(a, indices, "numpy.pad"), axis)
    return a


def _pad_by_constants(a: DeviceArray, widths: list[list[int]], values: Any) -> DeviceArray:
    shape = [n + before + after for n, (before, after) in zip(a.shape, widths, strict=True)]
    out = empty_beside(a, shape, a.dtype, "numpy.pad")
    inner = [slice(before, before + n) for n, (before, _) in zip(a.shape, widths, strict=True)]
    out[tuple(inner)] = a
    sides = np.broadcast_to(np.asarray(values, a.dtype), (a.ndim, 2))
    for axis, (before, after) in enumerate(widths):
        # Later axes cover the corners, as in NumPy.
        place = [slice(None)] * axis + [slice(None)] + inner[axis + 1 :]
        for at, value in (
            (slice(None, before), sides[axis, 0]),
            (slice(shape[axis] - after, None), sides[axis, 1]),
        ):
            place[axis] = at
            part = out[tuple(place)]
            if math.prod(part.shape):
                part.fill(value)
    return out
