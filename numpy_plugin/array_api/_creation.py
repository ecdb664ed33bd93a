"""Creation functions of the array API standard: arrays on the current or a given device."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import numpy

from numpy_plugin import cuda
from numpy_plugin._core import Device, DeviceArray
from numpy_plugin._cuda.arrays.untyped import np

__all__ = [
    "arange",
    "asarray",
    "empty",
    "eye",
    "from_dlpack",
    "full",
    "linspace",
    "meshgrid",
    "ones",
    "zeros",
]

#: DLPack's numbers of the host and of pinned memory.
_HOST_DEVICES = (1, 3)

Shape = int | tuple[int, ...]


def _on(device: Device | None) -> AbstractContextManager[object]:
    return nullcontext() if device is None else device


def _is_on_device(obj: Any) -> bool:
    return isinstance(obj, DeviceArray) or hasattr(obj, "__cuda_array_interface__")


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Device | None = None, copy: bool | None = None
) -> DeviceArray:
    """Return a device array: of a device array itself, unless it is copied or cast.

    Args:
        obj: a device array, also of another library; a NumPy array, a number, or nested sequences
            of numbers, which are copied to the device.
        dtype: None: that of the object.
        device: None: that of the object, or the current device.
        copy: True: always; None: only if needed; False: never.

    Raises:
        ValueError: `copy` is false, and a copy is needed.
    """
    if not _is_on_device(obj):
        if copy is False:
            raise ValueError("values on the host can't be used on a device without a copy")
        with _on(device):
            return cuda.to_device(np.asarray(obj, dtype))
    found = obj if isinstance(obj, DeviceArray) else cuda.as_device_array(obj)
    needs_cast = dtype is not None and found.dtype != numpy.dtype(dtype)
    is_elsewhere = device is not None and device is not found.device
    if copy is False and (needs_cast or is_elsewhere):
        raise ValueError("another dtype or device needs a copy, and copy is False")
    if device is not None and is_elsewhere:
        found, copy = found.to_device(device), None
    if needs_cast:
        return found.astype(dtype)
    return found.copy() if copy else found


def from_dlpack(
    x: Any, /, *, device: Device | None = None, copy: bool | None = None
) -> DeviceArray:
    """Return a device array over the memory of another library's array, or a copy.

    Arrays on the host are copied to the device.

    Raises:
        BufferError: `copy` is false, and a copy is needed.
    """
    is_on_host = x.__dlpack_device__()[0] in _HOST_DEVICES
    if is_on_host and copy is False:
        raise BufferError("an array on the host can't be used on a device without a copy")
    values = np.from_dlpack(x) if is_on_host else cuda.as_device_array(x)
    try:
        return asarray(values, device=device, copy=None if is_on_host else copy)
    except ValueError as error:
        raise BufferError(str(error)) from None


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: Device | None = None,
) -> DeviceArray:
    """Return evenly spaced numbers, like `numpy.arange`."""
    limits = (0, start, step) if stop is None else (start, stop, step)
    with _on(device):
        return cuda.arange(*limits, dtype=dtype)


def empty(shape: Shape, *, dtype: Any = None, device: Device | None = None) -> DeviceArray:
    """Return an uninitialized array."""
    with _on(device):
        return cuda.empty(shape, np.float64 if dtype is None else dtype)


def zeros(shape: Shape, *, dtype: Any = None, device: Device | None = None) -> DeviceArray:
    """Return an array of zeros."""
    with _on(device):
        return cuda.zeros(shape, np.float64 if dtype is None else dtype)


def ones(shape: Shape, *, dtype: Any = None, device: Device | None = None) -> DeviceArray:
    """Return an array of ones."""
    with _on(device):
        return cuda.ones(shape, np.float64 if dtype is None else dtype)


def full(
    shape: Shape, fill_value: complex, *, dtype: Any = None, device: Device | None = None
) -> DeviceArray:
    """Return an array filled with one value, with that value's dtype by default."""
    with _on(device):
        return cuda.full(shape, fill_value, dtype)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Device | None = None,
) -> DeviceArray:
    """Return an array with ones on the k-th diagonal and zeros elsewhere."""
    with _on(device):
        return cuda.eye(n_rows, n_cols, k, np.float64 if dtype is None else dtype)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Device | None = None,
    endpoint: bool = True,
) -> Any:
    """Return evenly spaced numbers over an interval."""
    with _on(device):
        return cuda.linspace(start, stop, num, endpoint, dtype=dtype)


def meshgrid(*arrays: DeviceArray, indexing: Literal["xy", "ij"] = "xy") -> list[DeviceArray]:
    """Return the coordinates of a grid, one array for each vector."""
    return list(np.meshgrid(*arrays, indexing=indexing))
