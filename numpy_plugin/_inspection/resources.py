"""Resources that device kernels need of a GPU."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KernelResources"]


class KernelResources(NamedTuple):
    """Resources that one device kernel needs of a GPU.

    Attributes:
        name: the device kernel.
        n_registers: registers a thread.
        spill_store_bytes: bytes a thread writes because registers ran out.
        spill_load_bytes: bytes a thread reads back.
        stack_bytes: local memory a thread.
        shared_bytes: static shared memory a block.
        constant_bytes: constant memory, parameters included.
    """

    name: str
    n_registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int
    constant_bytes: int
