"""Elementwise functions of the array API standard whose parameters are not NumPy's."""

from __future__ import annotations

from typing import Any

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.untyped import np

__all__ = ["clip"]


def clip(x: DeviceArray, /, min: Any = None, max: Any = None) -> DeviceArray:
    """Return the elements limited to an interval, with the dtype of the array."""
    limited: DeviceArray = np.clip(x, min, max)
    return limited.astype(x.dtype, copy=False)
