"""Arrays in device memory and in page-locked host memory under Numba's names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin import cuda as _cuda
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.operands import order_of
from numpy_plugin._cuda.streams import AnyStream
from numpy_plugin._errors.traceback import without_own_frames

__all__ = [
    "In",
    "InOut",
    "Out",
    "as_cuda_array",
    "defer_cleanup",
    "device_array",
    "from_cuda_array_interface",
    "is_cuda_array",
    "is_float16_supported",
    "mapped_array",
    "mapped_array_like",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "to_device",
]

Array = TypeVar("Array")
HostArray = npt.NDArray[Any]


@without_own_frames
def as_cuda_array(obj: Any, sync: bool = True) -> DeviceArray:
    """Return another library's array as a device array, without a copy.

    Args:
        obj: an object with `__cuda_array_interface__` or DLPack's methods.
        sync: accepted for Numba's sake; calls always wait for the array's stream.
    """
    return _cuda.as_device_array(obj)


class _Described:
    """An array that has only a description."""

    def __init__(self, description: dict[str, Any], owner: object) -> None:
        self.__cuda_array_interface__ = description
        self.owner = owner


@without_own_frames
def from_cuda_array_interface(
    desc: dict[str, Any], owner: object = None, sync: bool = True
) -> DeviceArray:
    """Return a device array over the memory that a `__cuda_array_interface__` describes.

    Args:
        desc: the description.
        owner: kept alive as long as the array.
        sync: as for `as_cuda_array`.
    """
    return _cuda.as_device_array(_Described(desc, owner))


def is_cuda_array(obj: object) -> bool:
    """Return whether an object has `__cuda_array_interface__`."""
    return hasattr(obj, "__cuda_array_interface__")


def is_float16_supported() -> bool:
    """Return True: all supported devices compute in float16."""
    return True


def _refuse_strides(strides: tuple[int, ...] | None) -> None:
    if strides is not None:
        raise NotImplementedError("strides of a new array: use order=, or index a larger array")


@without_own_frames
def to_device(
    obj: object, stream: AnyStream = None, copy: bool = True, to: DeviceArray | None = None
) -> DeviceArray:
    """Copy a host array to the device, as `numpy_plugin.cuda.to_device` does.

    Args:
        obj: an array, or anything that `np.asarray` accepts.
        stream: the stream of the copy; None: this thread's stream.
        copy: False leaves a new array uninitialized.
        to: the device array to copy to, which is returned; None: a new one.
    """
    if to is None:
        return _cuda.to_device(obj, stream, copy)
    to.copy_to_device(obj, stream=stream)
    return to


@without_own_frames
def device_array(
    shape: int | tuple[int, ...],
    dtype: npt.DTypeLike = np.float64,
    strides: tuple[int, ...] | None = None,
    order: str = "C",
    stream: AnyStream = None,
) -> DeviceArray:
    """Return an uninitialized array on this thread's device.

    Raises:
        NotImplementedError: `strides` are given.
    """
    _refuse_strides(strides)
    return _cuda.device_array(shape, dtype, order, stream)


@without_own_frames
def pinned_array(
    shape: int | tuple[int, ...],
    dtype: npt.DTypeLike = np.float64,
    strides: tuple[int, ...] | None = None,
    order: str = "C",
) -> HostArray:
    """Return an uninitialized host array in page-locked memory.

    Raises:
        NotImplementedError: `strides` are given.
    """
    _refuse_strides(strides)
    return _cuda.pinned_array(shape, dtype, order)


@without_own_frames
def pinned_array_like(ary: HostArray | DeviceArray) -> HostArray:
    """Return an uninitialized host array in page-locked memory, of another's shape and dtype."""
    return _cuda.pinned_array(ary.shape, ary.dtype, order_of(ary))


@without_own_frames
def mapped_array(
    shape: int | tuple[int, ...],
    dtype: npt.DTypeLike = np.float64,
    strides: tuple[int, ...] | None = None,
    order: str = "C",
    stream: AnyStream = None,
    portable: bool = False,
    wc: bool = False,
) -> HostArray:
    """Return a host array in page-locked memory that kernels can be passed.

    A launch works on a copy on the device, which is copied back when the kernel is done: the values
    are those of mapped memory after the launch.

    Args:
        shape: of the array.
        dtype: of the array.
        strides: None.
        order: "C" or "F".
        stream: no effect.
        portable: no effect; the memory is page-locked for all devices.
        wc: no effect.

    Raises:
        NotImplementedError: `strides` are given.
    """
    _refuse_strides(strides)
    return _cuda.pinned_array(shape, dtype, order)


@without_own_frames
def mapped_array_like(
    ary: HostArray | DeviceArray, stream: AnyStream = None, portable: bool = False, wc: bool = False
) -> HostArray:
    """Return what `mapped_array` does, of another array's shape and dtype."""
    return _cuda.pinned_array(ary.shape, ary.dtype, order_of(ary))


@contextmanager
def pinned(*arylist: HostArray) -> Iterator[None]:
    """Page-lock the memory of host arrays: in the block, copies of them are asynchronous.

    Raises:
        CudaError: the memory is page-locked already.
    """
    with ExitStack() as stack:
        for array in arylist:
            _core.lock_pages(array)
            stack.callback(_core.unlock_pages, array)
        yield


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Do nothing: freed memory goes back to a pool, without a wait."""
    yield


def In(value: HostArray) -> HostArray:
    """Return a view of a host array that launches copy to the device only."""
    view = value.view()
    view.flags.writeable = False
    return view


def Out(value: Array) -> Array:
    """Return the array: launches copy it to the device, and back."""
    return value


def InOut(value: Array) -> Array:
    """Return the array: launches copy it to the device, and back."""
    return value
