"""Arrays of the indices 0, 1, 2, ..., computed on the device."""

from __future__ import annotations

from typing import Any

from numpy_plugin._core import DeviceArray, make_array_beside
from numpy_plugin._cuda.kernel import kernel
from numpy_plugin._cuda.thread_functions import grid

__all__ = ["count", "count_beside", "write_steps"]


@kernel
def _write_indices(out: Any) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = i


@kernel
def _write_steps(out: Any, first: Any, step: Any) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = i
        out[i] = first + out[i] * step


def count(out: DeviceArray, stream: Any = None) -> DeviceArray:
    """Write the index of each element of an array with one axis, and return the array."""
    if out.size:
        _write_indices.forall(out.size, tpb=256, stream=stream)(out)
    return out


def write_steps(out: DeviceArray, first: Any, step: Any, stream: Any = None) -> DeviceArray:
    """Write `first + i * step` to an array with one axis, in its dtype, and return the array."""
    if out.size:
        _write_steps.forall(out.size, tpb=256, stream=stream)(out, first, step)
    return out


def count_beside(array: DeviceArray, n: int, name: str) -> DeviceArray:
    """Return the indices below n on the device of an array."""
    return count(make_array_beside(array, (n,), "int64", "C", name))
