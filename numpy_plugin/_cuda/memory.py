"""The memory of devices, and allocators of other libraries."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from numpy_plugin import _core

__all__ = ["Allocate", "MemoryInfo", "find_allocator"]

#: Allocates bytes for work on a stream of a device: returns an object with the address as `ptr`,
#: which gives the memory back, in the order of that stream, when nothing refers to it.
Allocate = Callable[[int, int, int], Any]


class MemoryInfo(NamedTuple):
    """Bytes of a device's memory."""

    free: int
    """Free on the device, for all processes."""
    total: int
    """All of the device."""
    used: int
    """Used by arrays, from this package's pool."""
    reserved: int
    """Reserved by the pool: used, or kept for later arrays."""


class _Stream:
    """A handle with the protocol that libraries make their streams from."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle


def _from_cupy() -> Allocate:
    cupy = importlib.import_module("cupy")

    def allocate(n_bytes: int, stream: int, device: int) -> object:
        with cupy.cuda.Device(device), cupy.cuda.ExternalStream(stream, device):
            return cupy.cuda.alloc(n_bytes)

    return allocate


def _from_torch() -> Allocate:
    torch = importlib.import_module("torch")

    def allocate(n_bytes: int, stream: int, device: int) -> object:
        external = torch.cuda.ExternalStream(stream, device=f"cuda:{device}")
        with torch.cuda.stream(external):
            tensor = torch.empty(n_bytes, dtype=torch.uint8, device=f"cuda:{device}")
        return SimpleNamespace(ptr=tensor.data_ptr(), tensor=tensor)

    return allocate


def _from_rmm() -> Allocate:
    rmm = importlib.import_module("rmm")
    stream_type = importlib.import_module("rmm.pylibrmm.stream").Stream

    def allocate(n_bytes: int, stream: int, device: int) -> object:
        return rmm.DeviceBuffer(size=n_bytes, stream=stream_type(_Stream(stream)))

    return allocate


_LIBRARIES: dict[str, Callable[[], Allocate]] = {
    "cupy": _from_cupy,
    "rmm": _from_rmm,
    "torch": _from_torch,
}


def find_allocator(allocator: str | Allocate | None) -> Allocate | None:
    """Return the function that allocates: the one given, or that of a library."""
    if allocator is None or callable(allocator):
        return allocator
    if not isinstance(allocator, str):
        raise TypeError(
            f"allocator must be a function, a library's name or None, found {allocator!r}"
        )
    if allocator not in _LIBRARIES:
        names = ", ".join(map(repr, _LIBRARIES))
        raise ValueError(f"allocator is {allocator!r}; expected one of {names}, or a function")
    return _LIBRARIES[allocator]()


def memory_info(device: _core.Device | None) -> MemoryInfo:
    """Return the state of a device's memory."""
    return MemoryInfo(*_core.memory_info(device))
