"""Resources that device kernels use on a GPU."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KernelResources"]


class KernelResources(NamedTuple):
    """Resources that one device kernel uses on a GPU.

    Attributes:
        name: the device kernel.
        n_registers: registers per thread.
        spill_store_bytes: bytes per thread stored because registers ran out.
        spill_load_bytes: bytes per thread loaded back.
        stack_bytes: local memory per thread.
        shared_bytes: static shared memory per block.
        constant_bytes: constant memory, including parameters.
    """

    name: str
    n_registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int
    constant_bytes: int
