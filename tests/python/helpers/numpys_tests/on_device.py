"""A ufunc whose calls and methods on NumPy arrays run on a device.

The operands' memory is uploaded whole and viewed there with the same offsets and strides, so that
arrays which overlap do so on the device, too. What has no device kernel stays on the host.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from numpy_plugin import cuda

TYPES = "?bBhHiIlLqQefdFD"


class _View:
    """Device memory that looks like a NumPy array."""

    def __init__(self, array: np.ndarray, address: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (address, not array.flags.writeable),
            "strides": array.strides,
            "version": 3,
        }


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _memory(array: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the address of an array's memory, and all of it as bytes."""
    low, high = np.lib.array_utils.byte_bounds(array)
    buffer = (ctypes.c_uint8 * (high - low)).from_address(low)
    return low, np.frombuffer(buffer, np.uint8)


class Uploads:
    """The memory of one call's operands."""

    def __init__(self) -> None:
        self.owners: dict[int, tuple[np.ndarray, int, cuda.DeviceArray]] = {}

    def has_kernels_for(self, value: object) -> bool:
        return (
            type(value) is np.ndarray
            and value.dtype.char in TYPES
            and value.dtype.isnative
            and value.flags.aligned
        )

    def upload(self, array: np.ndarray) -> cuda.DeviceArray:
        owner = _owner(array)
        if id(owner) not in self.owners:
            low, memory = _memory(owner)
            # An array keeps its distance from multiples of the largest element.
            on_device = cuda.device_array(memory.size + low % 16 + 16, np.uint8)
            on_device[low % 16 : low % 16 + memory.size].copy_to_device(memory)
            self.owners[id(owner)] = owner, low, on_device
        _, low, on_device = self.owners[id(owner)]
        start = on_device.__cuda_array_interface__["data"][0] + low % 16
        view = _View(array, start + array.__array_interface__["data"][0] - low)
        return cuda.as_device_array(view)

    def download(self) -> None:
        for owner, low, on_device in self.owners.values():
            _, memory = _memory(owner)
            if owner.flags.writeable:
                part = on_device[low % 16 : low % 16 + memory.size]
                memory[...] = part.copy_to_host()


class OnDevice:
    """Looks like the ufunc, and calls it on device arrays in place of NumPy's."""

    n_calls = 0

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._run("__call__", args, named)

    def reduce(self, *args: Any, **named: Any) -> Any:
        return self._run("reduce", args, named)

    def accumulate(self, *args: Any, **named: Any) -> Any:
        return self._run("accumulate", args, named)

    def reduceat(self, *args: Any, **named: Any) -> Any:
        return self._run("reduceat", args, named)

    def outer(self, *args: Any, **named: Any) -> Any:
        return self._run("outer", args, named)

    def at(self, *args: Any, **named: Any) -> Any:
        return self._run("at", args, named)

    def _run(self, method: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        uploads = Uploads()
        originals: dict[int, np.ndarray] = {}

        def moved(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(moved, value))
            if not uploads.has_kernels_for(value):
                return value
            on_device = uploads.upload(value)
            originals[id(on_device)] = value
            kept.append(on_device)
            return on_device

        kept: list[cuda.DeviceArray] = []
        function = getattr(self._ufunc, method)
        arrays = [*args, *named.values()]
        arrays += [item for value in arrays if isinstance(value, tuple) for item in value]
        unfit = [v for v in arrays if isinstance(v, np.ndarray) and not uploads.has_kernels_for(v)]
        if unfit or not any(isinstance(value, np.ndarray) for value in args):
            return function(*args, **named)
        # Positions are the index arrays of `at` and `reduceat`.
        is_moved = [not (method in ("at", "reduceat") and i == 1) for i in range(len(args))]
        on_device = [moved(v) if m else v for v, m in zip(args, is_moved, strict=True)]
        type(self).n_calls += 1
        try:
            result = function(*on_device, **{name: moved(v) for name, v in named.items()})
        finally:
            uploads.download()

        def returned(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(returned, value))
            if id(value) in originals:
                return originals[id(value)]
            return value.copy_to_host()[()] if isinstance(value, cuda.DeviceArray) else value

        return returned(result)
