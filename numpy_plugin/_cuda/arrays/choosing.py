"""Elements of device arrays chosen by indices and masks, with NumPy's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray, borrow_array, nonzero
from numpy_plugin._cuda.arrays.operands import moved_to_device, result_like
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["compress", "take"]

_MODES = ("raise", "wrap", "clip")


@without_own_frames
def take(
    a: object,
    indices: Any,
    axis: int | None = None,
    out: DeviceArray | None = None,
    mode: str = "raise",
) -> Any:
    """Return elements of a device array along an axis, like `np.take`.

    Args:
        a: a device array, of this package or another library.
        indices: integers: a number, a list, a host array or a device array.
        axis: None: of the elements in C order.
        out: the array for the result.
        mode: of indices out of bounds: "raise", "wrap" or "clip".

    Raises:
        IndexError: an index is out of bounds.
        TypeError: it is no device array.
        ValueError: the axis or the mode does not exist, or `out` has another shape.
    """
    array = borrow_array(a)
    if mode not in _MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    np.take(np.empty((1,) * array.ndim), 0, axis)
    if axis is None or array.ndim == 0:
        array, axis = array.ravel(), 0
    axis %= array.ndim
    chosen = _in_bounds(indices, array.shape[axis], mode)
    taken = array[(slice(None),) * axis + (chosen,)]
    if isinstance(chosen, np.ndarray) and chosen.ndim == 0:
        taken = taken.copy()  # not a view
    return _returned(taken, out, a)


@without_own_frames
def compress(condition: Any, a: object, axis: int | None = None, out: Any = None) -> Any:
    """Return the slices of a device array along an axis where a mask is true, like `np.compress`.

    Waits for their number.

    Args:
        condition: a mask of one axis: a list, a host array or a device array.
        a: a device array, of this package or another library.
        axis: None: of the elements in C order.
        out: the array for the result.

    Raises:
        IndexError: the mask is true beyond the axis.
        TypeError: it is no device array.
        ValueError: the mask does not have one axis, the axis does not exist, or `out` has another
            shape.
    """
    mask = moved_to_device(condition)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return take(a, nonzero(mask)[0], axis, out)


def _in_bounds(indices: Any, n: int, mode: str) -> Any:
    if not hasattr(indices, "__cuda_array_interface__"):
        indices = np.asarray(indices) if np.size(indices) else np.zeros(np.shape(indices), np.int64)
    if mode == "raise":
        return indices
    if n == 0 and np.size(indices) > 0:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return indices % n if mode == "wrap" else np.minimum(np.maximum(indices, 0), n - 1)


def _returned(result: DeviceArray, out: Any, operand: object) -> Any:
    if out is None:
        return result_like(result, operand)
    to = borrow_array(out)
    if to.shape != result.shape:
        raise ValueError(f"out has the shape {to.shape}; the result has the shape {result.shape}")
    if not np.can_cast(to.dtype, result.dtype):
        raise TypeError(f"out is of {to.dtype}, which can't be cast to {result.dtype}")
    to.copy_to_device(result.astype(to.dtype, copy=False))
    return out
