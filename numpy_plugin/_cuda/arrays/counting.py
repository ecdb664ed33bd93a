"""Arrays of the indices 0, 1, 2, ..., computed on the device."""

from __future__ import annotations

from typing import Any

from numpy_plugin._core import DeviceArray, make_array_beside
from numpy_plugin._cuda.kernel import kernel
from numpy_plugin._cuda.thread_functions import grid

__all__ = ["count", "count_beside"]


@kernel
def _write_indices(out: Any) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = i


def count(out: DeviceArray, stream: Any = None) -> DeviceArray:
    """Write the index of each element of an array with one axis, and return the array."""
    if out.size:
        _write_indices.forall(out.size, tpb=256, stream=stream)(out)
    return out


def count_beside(array: DeviceArray, n: int, name: str) -> DeviceArray:
    """Return the indices below n on the device of an array."""
    return count(make_array_beside(array, (n,), "int64", "C", name))
