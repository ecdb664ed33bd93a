"""A ufunc whose calls and methods on NumPy arrays run on a device.

The operands' memory is uploaded whole and viewed there with the same offsets and strides, so that
arrays which overlap do so on the device, too. What has no device kernel stays on the host.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from numpy_plugin import cuda

TYPES = "?bBhHiIlLqQefdFDMm"
# Lists of these are no operands.
NUMBERS = {"axis", "axes"}


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
        function = getattr(self._ufunc, method)
        # Positions are the index arrays of `at` and `reduceat`.
        first_host = 1 if method in ("at", "reduceat") else len(args)
        call = _DeviceCall()
        if not call.can_move([*args[:first_host], *args[2:], *named.values()], args):
            return function(*args, **named)
        type(self).n_calls += 1
        on_device = [v if i == first_host else call.moved(v) for i, v in enumerate(args)]
        if isinstance(named.get("where"), list):
            named["where"] = np.array(named["where"], bool)
        try:
            named |= {name: call.moved(v) for name, v in named.items() if name not in NUMBERS}
            result = function(*on_device, **named)
        finally:
            call.uploads.download()
        return call.returned(result, as_array=named.get("out") is Ellipsis)


class _DeviceCall:
    """The device arrays of one call, and the host arrays that they stand for."""

    def __init__(self) -> None:
        self.uploads = Uploads()
        self.originals: list[tuple[cuda.DeviceArray, np.ndarray]] = []

    def can_move(self, values: list[Any], args: tuple[Any, ...]) -> bool:
        """Whether there are kernels for all arrays, one of which is an operand."""
        values += [item for value in values if isinstance(value, tuple) for item in value]
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        has_operand = any(isinstance(value, np.ndarray) for value in args)
        return has_operand and all(map(self.uploads.has_kernels_for, arrays))

    def moved(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([self.moved(item) for item in value])
        if isinstance(value, list):
            value = np.asarray(value)
        if not self.uploads.has_kernels_for(value):
            return value
        on_device = self.uploads.upload(value)
        self.originals.append((on_device, value))
        return on_device

    def returned(self, result: Any, *, as_array: bool) -> Any:
        if isinstance(result, tuple):
            return tuple([self.returned(item, as_array=as_array) for item in result])
        for on_device, original in self.originals:
            if result is on_device:
                return original
        if not isinstance(result, cuda.DeviceArray):
            return result
        return result.copy_to_host() if as_array else result.copy_to_host()[()]
