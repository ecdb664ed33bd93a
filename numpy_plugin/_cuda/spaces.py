"""The memory that a call works in, which takes its operands and makes its results."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.operands import moved_to_device, result_like

__all__ = ["DeviceSpace", "HostSpace", "Space", "space_of"]

_LARGEST_GRID = 2**31 - 1
#: Types of DLPack's devices: CUDA, and managed memory.
_CUDA_DEVICES = (2, 13)


def _is_device_array(value: object) -> bool:
    """Whether a value is an array on a device, of this package or another library."""
    if isinstance(value, (np.ndarray, np.generic)):
        return False
    if isinstance(value, DeviceArray) or hasattr(value, "__cuda_array_interface__"):
        return True
    place = getattr(value, "__dlpack_device__", None)
    return place is not None and place()[0] in _CUDA_DEVICES


class HostSpace:
    """NumPy's arrays; one thread runs the indices in order."""

    def array(self, value: Any) -> Any:
        """Return an input."""
        return np.asarray(value)

    def output(self, value: Any) -> Any:
        """Return a given output.

        Raises:
            TypeError: it is no array.
            ValueError: it is read-only.
        """
        if not isinstance(value, np.ndarray):
            raise TypeError(f"return arrays must be of ArrayType, found {type(value).__name__}")
        if not value.flags.writeable:
            raise ValueError("output array is read-only")
        return value

    def new(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Return an array of zeros."""
        return np.zeros(shape, dtype)

    def is_contiguous(self, array: Any) -> bool:
        """Whether the elements follow each other in C order."""
        return bool(array.flags.c_contiguous)

    def compile(self, operation: _core.IndexedOperation, options: list[str]) -> Any:
        """Return the operation's kernel; NVRTC's options have no meaning here."""
        return operation.host_kernel()

    def run(self, kernel: Any, arguments: list[Any], n: int, block: int, stream: Any) -> None:
        """Run a kernel for n indices."""
        kernel(*arguments)

    def delivered(self, result: Any, out: Any = None) -> Any:
        """Return a result as the caller asked for it."""
        if out is None:
            return result
        np.copyto(out, result, casting="same_kind")
        return out


class DeviceSpace:
    """Arrays of a device; new ones belong to the library of the first array."""

    def __init__(self, first: Any) -> None:
        """Keep the first array."""
        self.first = first

    def array(self, value: Any) -> DeviceArray:
        """Return an input; values of the host are copied."""
        return moved_to_device(value)

    def output(self, value: Any) -> DeviceArray:
        """Return a given output.

        Raises:
            TypeError: it is not on a device.
        """
        if not _is_device_array(value):
            raise TypeError(
                f"return arrays must be device arrays, found {type(value).__name__}; "
                "numpy_plugin.cuda.device_array() makes one"
            )
        return moved_to_device(value)

    def new(self, shape: tuple[int, ...], dtype: str) -> DeviceArray:
        """Return an array of zeros."""
        array = _core.make_device_array(shape, np.dtype(dtype), "C", None, "a kernel's output")
        array.fill(0)
        return array

    def is_contiguous(self, array: Any) -> bool:
        """Whether the elements follow each other in C order."""
        expected = array.dtype.itemsize
        for size, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
            if size > 1 and stride != expected:
                return bool(array.size == 0)
            expected *= size
        return True

    def compile(self, operation: _core.IndexedOperation, options: list[str]) -> Any:
        """Return the operation's kernel."""
        return operation.device_kernel(options)

    def run(self, kernel: Any, arguments: list[Any], n: int, block: int, stream: Any) -> None:
        """Launch a kernel for n indices."""
        if n > 0:
            blocks = min(-(-n // block), _LARGEST_GRID)
            kernel.launch((blocks, 1, 1), (block, 1, 1), stream, 0, tuple(arguments))

    def delivered(self, result: DeviceArray, out: Any = None) -> Any:
        """Return a result as the caller asked for it."""
        if out is None:
            return result_like(result, self.first)
        self.output(out)[...] = result
        return out


Space: TypeAlias = HostSpace | DeviceSpace


def space_of(arguments: tuple[Any, ...]) -> Space:
    """Return the memory of a call's arguments: a device's where one is on a device."""
    first = next((each for each in arguments if _is_device_array(each)), None)
    return HostSpace() if first is None else DeviceSpace(first)
