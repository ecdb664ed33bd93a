"""Devices and contexts under Numba's names and with the attributes that programs read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from numpy_plugin import _core
from numpy_plugin import cuda as _cuda
from numpy_plugin._errors.traceback import without_own_frames

__all__ = [
    "Context",
    "Device",
    "close",
    "cuda_error",
    "current_context",
    "detect",
    "get_current_device",
    "gpus",
    "list_devices",
    "require_context",
    "select_device",
]

# The driver's numbers of attributes, CU_DEVICE_ATTRIBUTE_... in cuda.h.
_ATTRIBUTES = {
    "MAX_THREADS_PER_BLOCK": 1,
    "MAX_BLOCK_DIM_X": 2,
    "MAX_BLOCK_DIM_Y": 3,
    "MAX_BLOCK_DIM_Z": 4,
    "MAX_GRID_DIM_X": 5,
    "MAX_GRID_DIM_Y": 6,
    "MAX_GRID_DIM_Z": 7,
    "MAX_SHARED_MEMORY_PER_BLOCK": 8,
    "TOTAL_CONSTANT_MEMORY": 9,
    "WARP_SIZE": 10,
    "MAX_REGISTERS_PER_BLOCK": 12,
    "CLOCK_RATE": 13,
    "MULTIPROCESSOR_COUNT": 16,
    "INTEGRATED": 18,
    "CAN_MAP_HOST_MEMORY": 19,
    "CONCURRENT_KERNELS": 31,
    "PCI_BUS_ID": 33,
    "PCI_DEVICE_ID": 34,
    "MEMORY_CLOCK_RATE": 36,
    "GLOBAL_MEMORY_BUS_WIDTH": 37,
    "L2_CACHE_SIZE": 38,
    "MAX_THREADS_PER_MULTI_PROCESSOR": 39,
    "ASYNC_ENGINE_COUNT": 40,
    "UNIFIED_ADDRESSING": 41,
    "COMPUTE_CAPABILITY_MAJOR": 75,
    "COMPUTE_CAPABILITY_MINOR": 76,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 81,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 82,
    "MANAGED_MEMORY": 83,
    "COOPERATIVE_LAUNCH": 95,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 97,
}


class Device:
    """A device as Numba shows it: `with device:` selects it, as `numpy_plugin.cuda.Device`.

    Attributes of the driver have its names: `device.MULTIPROCESSOR_COUNT`.
    """

    def __init__(self, native: _core.Device) -> None:
        """Keep this package's device."""
        self.native = native

    @property
    def id(self) -> int:
        """Its index in `gpus`."""
        return _core.visible_devices().index(self.native)

    @property
    def name(self) -> str:
        """The driver's name of the device."""
        return self.native.name

    @property
    def uuid(self) -> str:
        """Its UUID, as CUDA_VISIBLE_DEVICES has it."""
        return self.native.uuid

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Its major and minor number."""
        return self.COMPUTE_CAPABILITY_MAJOR, self.COMPUTE_CAPABILITY_MINOR

    @property
    def supports_float16(self) -> bool:
        """True: all supported devices compute in float16."""
        return True

    def __getattr__(self, name: str) -> int:
        """Return an attribute of the driver.

        Raises:
            AttributeError: there is none of this name.
        """
        if name not in _ATTRIBUTES:
            near = _core.nearest(name, list(_ATTRIBUTES))
            hint = f"\n  hint: did you mean '{near}'?" if near else ""
            raise AttributeError(f"a device has no attribute '{name}'{hint}")
        return self.native.attribute(_ATTRIBUTES[name])

    def get_primary_context(self) -> Context:
        """Return the context that all libraries of the process share."""
        return Context(self)

    def reset(self) -> None:
        """Wait for the device; its context is shared with other libraries and stays."""
        self.native.synchronize()

    def __enter__(self) -> Device:
        """Select the device for this thread."""
        self.native.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """Select the device that was selected before."""
        self.native.__exit__(*exception)

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same device."""
        return isinstance(other, Device) and self.native is other.native

    def __hash__(self) -> int:
        """Return a hash of the device."""
        return hash(self.native)

    def __repr__(self) -> str:
        """Return the number and the name."""
        return f"<CUDA device {self.id} '{self.name}'>"


class ContextMemory(NamedTuple):
    """Bytes of a device's memory: free and total."""

    free: int
    total: int


@dataclass(frozen=True)
class Context:
    """The context of a device: the primary one, which libraries share."""

    device: Device

    @without_own_frames
    def get_memory_info(self) -> ContextMemory:
        """Return the free and the total bytes of the device."""
        return ContextMemory(*_core.memory_info(self.device.native)[:2])

    @without_own_frames
    def synchronize(self) -> None:
        """Wait for all work on the device."""
        self.device.native.synchronize()

    def reset(self) -> None:
        """Wait for the device, and give unused memory back to it."""
        _cuda.trim(self.device.native)


class _Devices(Sequence[Device]):
    """The devices of this process, enumerated at each access."""

    @property
    def lst(self) -> list[Device]:
        """All devices."""
        return list(self)

    @property
    def current(self) -> Device:
        """This thread's device."""
        return get_current_device()

    @overload
    def __getitem__(self, index: int) -> Device: ...
    @overload
    def __getitem__(self, index: slice) -> list[Device]: ...
    @without_own_frames
    def __getitem__(self, index: int | slice) -> Device | list[Device]:
        found = _core.visible_devices()[index]
        return [Device(item) for item in found] if isinstance(found, list) else Device(found)

    def __len__(self) -> int:
        return len(_core.visible_devices())

    def __iter__(self) -> Iterator[Device]:
        return map(Device, _core.visible_devices())

    def __repr__(self) -> str:
        return repr(list(self))


#: The devices: GPUs, or simulated ones.
gpus = _Devices()


def list_devices() -> Sequence[Device]:
    """Return the devices; `gpus[0]` is the first."""
    return gpus


@without_own_frames
def get_current_device() -> Device:
    """Return this thread's device.

    Raises:
        CudaError: there is none.
    """
    return Device(_core.current_device())


@without_own_frames
def select_device(device_id: int) -> Context:
    """Make a device this thread's until `close`; return its context.

    Raises:
        IndexError: there is no such device.
    """
    device = gpus[device_id]
    _leave_selected()
    _selected.device = device.__enter__()
    return Context(device)


# The device that a thread has selected.
_selected = threading.local()


def _leave_selected() -> None:
    device = _selected.__dict__.pop("device", None)
    if device is not None:
        device.__exit__(None, None, None)


@without_own_frames
def current_context(devnum: int | None = None) -> Context:
    """Return the context of a device; None: of this thread's."""
    return Context(get_current_device() if devnum is None else gpus[devnum])


def require_context(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function itself: contexts are made when they are needed."""
    return function


def close() -> None:
    """Wait for this thread's device, and select none; contexts belong to the process and stay."""
    if _cuda.is_available():
        _cuda.synchronize()
    _leave_selected()


def cuda_error() -> str | None:
    """Return why there is no device; None if there is one."""
    return _core.why_no_device() or None


def detect() -> bool:
    """Print the devices; return whether there are any."""
    sys.stdout.write(f"Found {len(gpus)} CUDA devices\n")
    for device in gpus:
        major, minor = device.compute_capability
        sys.stdout.write(f"id {device.id}    {device.name:>20}    [SUPPORTED]\n")
        sys.stdout.write(f"{'compute capability':>40}: {major}.{minor}\n")
    return len(gpus) > 0
