"""`cuda.simulator`: devices that run on the CPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from numpy_plugin import _core
from numpy_plugin._core import SimulatedDevice
from numpy_plugin._cuda.faults import Faults, check_bits, memory_bytes, native_faults
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["simulator"]


@without_own_frames
def simulator(
    arch: str = "sm_90",
    memory: int | str = "1 GiB",
    checks: bool | str | Iterable[str] = True,
    faults: Faults | Mapping[str, int | float | None] | None = None,
    max_steps: int | None = None,
    devices: int = 1,
    multiprocessors: int | None = None,
) -> SimulatedDevice:
    """Return a device that runs PTX on the CPU; `with cuda.simulator():` selects it.

    Inside the block, `cuda.gpus` are this device and those created with it. It is freed when
    nothing refers to it: no `with` block, array or stream.

    Args:
        arch: the architecture that kernels are compiled for, "sm_75" to "sm_120".
        memory: bytes, or a str such as "512 MiB".
        checks: True or "all", False, or some of "bounds", "alignment", "uninitialized", "races",
            "barriers".
        faults: injected faults.
        max_steps: instructions that a warp may execute before its block is reported as making no
            progress.
        devices: how many equal devices to create. The first is returned, and keeps the others.
        multiprocessors: how many the device reports; launches depend on it. None: as many as a
            usual device of the architecture.

    Raises:
        ValueError: an argument is out of range.
        CudaError: the simulator can't be loaded.
    """
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, found {max_steps}")
    if devices < 1:
        raise ValueError(f"devices must be at least 1, found {devices}")
    if multiprocessors is not None and not 1 <= multiprocessors <= 1024:
        raise ValueError(f"multiprocessors must be 1 to 1024, found {multiprocessors}")
    return _core.add_simulated_devices(
        arch,
        memory_bytes(memory),
        check_bits(checks),
        max_steps or 0,
        native_faults(faults),
        devices,
        multiprocessors or 0,
    )
