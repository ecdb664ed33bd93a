"""CUDA devices, real and simulated: device arrays, streams, and custom kernels.

>>> from numpy_plugin import cuda
>>> increment = cuda.kernel('''
... extern "C" __global__ void increment(int* x, int n) {
...   int i = blockIdx.x * blockDim.x + threadIdx.x;
...   if (i < n) x[i] += 1;
... }''', "increment")
>>> with cuda.simulator():
...     x = cuda.to_device(np.arange(4, dtype=np.int32))
...     increment[1, 32](x, 4)
...     print(x.copy_to_host())
[1 2 3 4]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin._core import (
    Device,
    DeviceArray,
    Event,
    SimulatedDevice,
    SimulatorCounters,
    Stream,
    current_device,
    current_stream,
)
from numpy_plugin._cuda import atomic, cg, const, random, shared, thread_functions, toolkit
from numpy_plugin._cuda.arrays.choosing import compress, take
from numpy_plugin._cuda.arrays.histograms import bincount, histogram
from numpy_plugin._cuda.arrays.operands import order_of
from numpy_plugin._cuda.arrays.sorting import argsort, partition, searchsorted, sort, unique
from numpy_plugin._cuda.errors import ErrorMode
from numpy_plugin._cuda.faults import Faults
from numpy_plugin._cuda.function_kernel import FunctionKernel
from numpy_plugin._cuda.graph import Graph
from numpy_plugin._cuda.kernel import kernel
from numpy_plugin._cuda.memory import Allocate, MemoryInfo, find_allocator
from numpy_plugin._cuda.memory import memory_info as _memory_info
from numpy_plugin._cuda.raw_kernel import Kernel, Launch
from numpy_plugin._cuda.simulated import simulator
from numpy_plugin._cuda.streams import AnyStream, DefaultStream, HasStream
from numpy_plugin._cuda.thread_functions import *  # noqa: F403
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend import local
from numpy_plugin._public_names import public_names

__all__ = [
    "DefaultStream",
    "Device",
    "DeviceArray",
    "ErrorMode",
    "Event",
    "Faults",
    "FunctionKernel",
    "Graph",
    "HasStream",
    "Kernel",
    "Launch",
    "MemoryInfo",
    "SimulatedDevice",
    "SimulatorCounters",
    "Stream",
    "arange",
    "argsort",
    "as_device_array",
    "atomic",
    "bincount",
    "cg",
    "compress",
    "const",
    "current_device",
    "current_stream",
    "device_array",
    "device_array_like",
    "empty",
    "errors",
    "event",
    "event_elapsed_time",
    "external_stream",
    "eye",
    "full",
    "gpus",
    "graph",
    "histogram",
    "is_available",
    "kernel",
    "legacy_default",
    "linspace",
    "local",
    "memory_info",
    "ones",
    "partition",
    "per_thread_default",
    "pinned_array",
    "random",
    "searchsorted",
    "set_allocator",
    "shared",
    "simulator",
    "sort",
    "stream",
    "synchronize",
    "take",
    "to_device",
    "trim",
    "unique",
    "zeros",
]
__all__ += thread_functions.__all__

__dir__ = public_names(globals())

#: The library of the simulated driver: only this path is tried, on first use.
SIMULATOR_PATH = toolkit.SIMULATOR_PATH

Shape = int | Sequence[int]


class _Devices(Sequence[Device]):
    """The devices of this process, enumerated on first access."""

    @overload
    def __getitem__(self, index: int) -> Device: ...
    @overload
    def __getitem__(self, index: slice) -> list[Device]: ...
    @without_own_frames
    def __getitem__(self, index: int | slice) -> Device | list[Device]:
        return _core.visible_devices()[index]

    def __len__(self) -> int:
        return len(_core.visible_devices())

    def __iter__(self) -> Iterator[Device]:
        return iter(_core.visible_devices())

    def __repr__(self) -> str:
        return repr(_core.visible_devices())


#: The GPUs, or the simulated device that NUMPY_PLUGIN_CUDA=simulator selects. In the block of a
#: simulated device, the devices that were created with it.
gpus: Sequence[Device] = _Devices()


@without_own_frames
def is_available() -> bool:
    """Whether this thread has a device: a GPU, or a selected simulated device."""
    return _core.find_current_device() is not None


@without_own_frames
def synchronize() -> None:
    """Block until all work on this thread's device completes."""
    _core.current_device().synchronize()


@without_own_frames
def to_device(a: object, stream: AnyStream = None, copy: bool = True) -> DeviceArray:
    """Copy a host array to a new array on this thread's device.

    Args:
        a: an array, or anything that `np.asarray` accepts. A device array is returned unchanged.
        stream: the stream of the copy; None: this thread's stream.
        copy: False leaves the new array uninitialized.
    """
    return a if isinstance(a, DeviceArray) else _core.to_device(a, stream, copy)


@without_own_frames
def arange(
    *limits: float, dtype: npt.DTypeLike | None = None, stream: AnyStream = None
) -> DeviceArray:
    """Return a new array of evenly spaced values on this thread's device, like `np.arange`."""
    from numpy_plugin._cuda.arrays import creation

    return creation.arange(limits, dtype, stream)


@without_own_frames
def as_device_array(obj: object, stream: AnyStream = None) -> DeviceArray:
    """Return a view of an array of another library, over the same memory.

    The array is kept alive as long as the view exists. The view is ordered after the library's work
    so far; from then on you order the work yourself, as between two streams.

    Args:
        obj: an array with `__cuda_array_interface__` or DLPack; a device array is returned
            unchanged.
        stream: the stream that waits for the array; None: this thread's stream.

    Raises:
        TypeError: it is not an array on a CUDA device, or its dtype is not supported there.
        ValueError: its description of its memory is invalid.
    """
    return _core.as_device_array(obj, stream)


@without_own_frames
def device_array(
    shape: Shape, dtype: npt.DTypeLike = np.float64, order: str = "C", stream: AnyStream = None
) -> DeviceArray:
    """Return an uninitialized array on this thread's device."""
    return _core.make_device_array(shape, dtype, order, stream, "device_array")


@without_own_frames
def device_array_like(a: Any, stream: AnyStream = None) -> DeviceArray:
    """Return an uninitialized array with the shape, dtype and order of another."""
    a = a if isinstance(a, DeviceArray) else np.asarray(a)
    return _core.make_device_array(a.shape, a.dtype, order_of(a), stream, "device_array_like")


@without_own_frames
def empty(
    shape: Shape, dtype: npt.DTypeLike = np.float64, order: str = "C", stream: AnyStream = None
) -> DeviceArray:
    """Return an uninitialized array on this thread's device, like `device_array`."""
    return _core.make_device_array(shape, dtype, order, stream, "empty")


@without_own_frames
def full(
    shape: Shape,
    fill_value: object,
    dtype: npt.DTypeLike | None = None,
    order: str = "C",
    stream: AnyStream = None,
) -> DeviceArray:
    """Return an array filled with one value, with that value's dtype by default."""
    if dtype is None:
        dtype = np.asarray(fill_value).dtype
    made = _core.make_device_array(shape, dtype, order, stream, "full")
    made.fill(fill_value, stream)
    return made


@without_own_frames
def zeros(
    shape: Shape, dtype: npt.DTypeLike = np.float64, order: str = "C", stream: AnyStream = None
) -> DeviceArray:
    """Return an array of zeros on this thread's device."""
    made = _core.make_device_array(shape, dtype, order, stream, "zeros")
    made.fill(0, stream)
    return made


@without_own_frames
def ones(
    shape: Shape, dtype: npt.DTypeLike = np.float64, order: str = "C", stream: AnyStream = None
) -> DeviceArray:
    """Return an array of ones on this thread's device."""
    made = _core.make_device_array(shape, dtype, order, stream, "ones")
    made.fill(1, stream)
    return made


@without_own_frames
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: npt.DTypeLike = np.float64,
    stream: AnyStream = None,
) -> DeviceArray:
    """Return an array with ones on the k-th diagonal and zeros elsewhere, like `np.eye`."""
    from numpy_plugin._cuda.arrays import creation

    return creation.eye(N, M, k, dtype, stream)


@without_own_frames
def linspace(
    start: complex,
    stop: complex,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: npt.DTypeLike | None = None,
    stream: AnyStream = None,
) -> Any:
    """Return evenly spaced numbers over an interval, like `np.linspace`.

    Args:
        start: the first number.
        stop: the last number, or with `endpoint=False` the end of the interval.
        num: how many.
        endpoint: whether `stop` is the last number.
        retstep: return a tuple of the array and the distance between its numbers.
        dtype: None: float64, or complex128 for complex limits.
        stream: the stream of the work; None: this thread's stream.
    """
    from numpy_plugin._cuda.arrays import creation

    made, step = creation.linspace(start, stop, num, endpoint, dtype, stream)
    return (made, step) if retstep else made


@without_own_frames
def memory_info(device: Device | None = None) -> MemoryInfo:
    """Return the free, total, used and reserved bytes of a device; by default of this thread's."""
    return _memory_info(device)


@without_own_frames
def trim(device: Device | None = None, keep: int = 0) -> None:
    """Give memory that the pool of a device keeps unused back to the device.

    Waits for all work on the device.

    Args:
        device: None: this thread's.
        keep: bytes that stay reserved.
    """
    _core.trim(device, keep)


@without_own_frames
def set_allocator(allocator: str | Allocate | None) -> None:
    """Set what allocates the memory of new device arrays, in all threads.

    Args:
        allocator: "cupy", "rmm" or "torch": the allocator of that library, so that both share one
            pool. A function `allocate(n_bytes, stream, device)`, which gets the handle of a stream
            and the number of a device: it returns an object with the address as `ptr`, which gives
            the memory back when nothing refers to it; work that this package submitted comes
            before later work on the stream. None: the pool of this package, the default.

    Raises:
        ImportError: the library is not installed.
        TypeError, ValueError: there is no such allocator.
    """
    _core.set_allocator(find_allocator(allocator))


@without_own_frames
def pinned_array(
    shape: Shape, dtype: npt.DTypeLike = np.float64, order: str = "C"
) -> npt.NDArray[Any]:
    """Return a NumPy array in pinned memory.

    Copies between it and a device are asynchronous on streams that you create.
    """
    return _core.pinned_array(shape, dtype, order)


@without_own_frames
def stream() -> Stream:
    """Return a new stream of this thread's device."""
    return Stream()


@without_own_frames
def external_stream(stream: HasStream | int) -> Stream:
    """Return a stream of another library, for `with` and `stream=`.

    Keep the library's own object alive as long as this one is in use.

    Args:
        stream: its object, such as CuPy's and torch's, or its handle.

    Raises:
        TypeError: it is no stream.
        ValueError: it belongs to another CUDA context than the device's primary one.
    """
    return _core.external_stream(stream)


#: CUDA's default stream, with which all blocking streams of the process synchronize.
legacy_default = DefaultStream(1, "legacy_default")

#: CUDA's default stream of each thread.
per_thread_default = DefaultStream(2, "per_thread_default")


def graph(device: Device | None = None) -> Graph:
    """Return a graph that records the calls of a `with` block.

    The calls are not run: `launch()` runs all of them by one driver call, as often as wanted, on
    the arrays that they were recorded with. Arrays that the block creates live as long as the
    graph. Copies from and to host arrays can't be recorded.

    Args:
        device: whose work is recorded; None: that of this thread.

    >>> with cuda.simulator():
    ...     x, y = cuda.ones(4), cuda.zeros(4)
    ...     with cuda.graph() as g:
    ...         y += x
    ...     g.launch()
    ...     g.launch()
    ...     print(y.copy_to_host())
    [2. 2. 2. 2.]
    """
    return Graph(device)


@without_own_frames
def errors(mode: str) -> ErrorMode:
    """Set when this thread's calls raise what their kernels raise.

    Args:
        mode: "deferred", the default: when the work is waited for, as by `copy_to_host` and
            `synchronize`, with a note that names the call; the call itself does not wait.
            "immediate": the call waits for the kernel and raises the exception of the first
            element, with its index. On simulated devices every call does, except on streams that
            you create.

    Returns:
        A context manager that restores the mode that was set before.

    Raises:
        ValueError: there is no such mode.
    """
    return ErrorMode(mode)


@without_own_frames
def event(timing: bool = True) -> Event:
    """Return a new event of this thread's device."""
    return Event(timing)


@without_own_frames
def event_elapsed_time(start: Event, end: Event) -> float:
    """Return the milliseconds between two events."""
    return start.elapsed_time(end)


@without_own_frames
def __getattr__(name: str) -> Any:
    """Suggest the names of other packages' decorators in this package."""
    hint = "; cuda.kernel makes kernels, npp.device device functions" if name == "jit" else ""
    raise AttributeError(f"module 'numpy_plugin.cuda' has no attribute {name!r}{hint}")
