"""Numba's names for device kernels, device arrays and streams.

`from numba import cuda` becomes `from numpy_plugin.numba import cuda`. The names are those of
`numpy_plugin.cuda`, whose documentation applies; this module adds what is spelled differently.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin import cuda as _cuda
from numpy_plugin._core import Device, DeviceArray
from numpy_plugin._cuda.streams import AnyStream, DefaultStream
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.external import declare_device
from numpy_plugin._public_names import public_names
from numpy_plugin.cuda import (
    activemask,
    all_sync,
    any_sync,
    as_device_array,
    atomic,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    clz,
    const,
    device_array_like,
    eq_sync,
    event,
    event_elapsed_time,
    external_stream,
    ffs,
    fma,
    gpus,
    grid,
    gridDim,
    gridsize,
    is_available,
    laneid,
    local,
    match_all_sync,
    match_any_sync,
    nanosleep,
    pinned_array,
    popc,
    selp,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    simulator,
    stream,
    synchronize,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    syncwarp,
    threadfence,
    threadfence_block,
    threadfence_system,
    threadIdx,
    to_device,
    warpsize,
)
from numpy_plugin.numba.cuda.jit import jit
from numpy_plugin.numba.cuda.reduce import Reduce

__all__ = [
    "Reduce",
    "activemask",
    "all_sync",
    "any_sync",
    "as_cuda_array",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "close",
    "clz",
    "const",
    "current_context",
    "declare_device",
    "default_stream",
    "defer_cleanup",
    "detect",
    "device_array",
    "device_array_like",
    "eq_sync",
    "event",
    "event_elapsed_time",
    "external_stream",
    "ffs",
    "fma",
    "get_current_device",
    "gpus",
    "grid",
    "gridDim",
    "gridsize",
    "is_available",
    "is_cuda_array",
    "jit",
    "laneid",
    "legacy_default_stream",
    "list_devices",
    "local",
    "match_all_sync",
    "match_any_sync",
    "nanosleep",
    "per_thread_default_stream",
    "pinned_array",
    "pinned_array_like",
    "popc",
    "reduce",
    "select_device",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "simulator",
    "stream",
    "synchronize",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "to_device",
    "warpsize",
]

__dir__ = public_names(globals())

reduce = Reduce


@without_own_frames
def as_cuda_array(obj: Any, sync: bool = True) -> DeviceArray:
    """Return another library's array as a device array, without a copy.

    Args:
        obj: an object with `__cuda_array_interface__` or DLPack's methods.
        sync: accepted for Numba's sake; calls always wait for the array's stream.
    """
    return as_device_array(obj)


def is_cuda_array(obj: object) -> bool:
    """Return whether an object has `__cuda_array_interface__`."""
    return hasattr(obj, "__cuda_array_interface__")


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
    if strides is not None:
        raise NotImplementedError("strides of a new array: use order=, or index a larger array")
    return _cuda.device_array(shape, dtype, order, stream)


@without_own_frames
def pinned_array_like(ary: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an uninitialized host array in page-locked memory, of another's shape and dtype."""
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    return pinned_array(ary.shape, ary.dtype, order)


def list_devices() -> Any:
    """Return the devices; `gpus[0]` is the first."""
    return gpus


@without_own_frames
def get_current_device() -> Device:
    """Return this thread's device.

    Raises:
        CudaError: there is none.
    """
    return _core.current_device()


@without_own_frames
def select_device(device_id: int) -> Device:
    """Make a device this thread's; return it.

    Raises:
        IndexError: there is no such device.
    """
    device = gpus[device_id]
    device.__enter__()
    return device


def current_context(devnum: int | None = None) -> Device:
    """Return the device, whose `synchronize` and memory Numba has in its context."""
    return get_current_device() if devnum is None else gpus[devnum]


def close() -> None:
    """Wait for this thread's device; contexts belong to the process and stay."""
    if is_available():
        synchronize()


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Do nothing: freed memory goes back to a pool, without a wait."""
    yield


def detect() -> bool:
    """Print the devices; return whether there are any."""
    found = list(gpus)
    sys.stdout.write(f"Found {len(found)} CUDA devices\n")
    for number, device in enumerate(found):
        sys.stdout.write(f"id {number}    {device.name}    {device.arch}\n")
    return bool(found)


def default_stream() -> DefaultStream:
    """Return the stream that CUDA calls the default stream."""
    return _cuda.legacy_default


def legacy_default_stream() -> DefaultStream:
    """Return CUDA's legacy default stream."""
    return _cuda.legacy_default


def per_thread_default_stream() -> DefaultStream:
    """Return CUDA's default stream of each thread."""
    return _cuda.per_thread_default
