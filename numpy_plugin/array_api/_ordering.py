"""Sorting functions of the array API standard, which can also sort in descending order."""

from __future__ import annotations

from typing import Any

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.untyped import np

__all__ = ["argsort", "sort"]


def sort(
    x: DeviceArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> DeviceArray:
    """Return a sorted copy; the sort is always stable."""
    ordered: DeviceArray = np.sort(x, axis=axis)
    return np.flip(ordered, axis=axis) if descending else ordered


def argsort(
    x: DeviceArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Any:
    """Return the indices that sort an array; equal elements keep their order."""
    if not descending:
        ordered: DeviceArray = np.argsort(x, axis=axis, stable=True)
        return ordered
    # Sorting the reversed array, and reversing again, keeps the order of equal elements.
    backwards = np.argsort(np.flip(x, axis=axis), axis=axis, stable=True)
    return (x.shape[axis] - 1) - np.flip(backwards, axis=axis)
