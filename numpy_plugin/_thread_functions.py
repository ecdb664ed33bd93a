"""What a device kernel written in Python can ask of its thread and do with the others.

These names have a meaning in functions given to `cuda.kernel` alone; Python itself can't run them.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "blockDim",
    "blockIdx",
    "grid",
    "gridDim",
    "gridsize",
    "laneid",
    "syncthreads",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "warpsize",
]


class ThreadValue:
    """A number that each thread has: `laneid`, `warpsize`."""

    def __init__(self, name: str) -> None:
        """Keep the name below `numpy_plugin.cuda`."""
        self.kernel_name = name

    def __repr__(self) -> str:
        """Return the name as a kernel writes it."""
        return f"<cuda.{self.kernel_name}, in kernels>"


class ThreadTriple(ThreadValue):
    """Three numbers that each thread has, along x, y and z."""

    def __init__(self, name: str) -> None:
        """Keep the name below `numpy_plugin.cuda`."""
        super().__init__(name)
        self.x: Any = ThreadValue(f"{name}.x")
        self.y: Any = ThreadValue(f"{name}.y")
        self.z: Any = ThreadValue(f"{name}.z")


#: The thread's place in its block.
threadIdx = ThreadTriple("threadIdx")
#: The block's place in the grid.
blockIdx = ThreadTriple("blockIdx")
#: Threads in a block.
blockDim = ThreadTriple("blockDim")
#: Blocks in the grid.
gridDim = ThreadTriple("gridDim")
#: The thread's place in its warp.
laneid: Any = ThreadValue("laneid")
#: Threads in a warp: 32.
warpsize: Any = ThreadValue("warpsize")


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(f"cuda.{name} is for functions given to cuda.kernel; Python can't run it")


def grid(ndim: int) -> Any:
    """Return the thread's place in the grid: a number for `ndim` 1, a tuple for 2 and 3."""
    _refuse("grid")


def gridsize(ndim: int) -> Any:
    """Return how many threads the grid has: a number for `ndim` 1, a tuple for 2 and 3."""
    _refuse("gridsize")


def syncthreads() -> None:
    """Wait until every thread of the block is here; what they wrote before is seen by all."""
    _refuse("syncthreads")


def syncwarp() -> None:
    """Wait until every thread of the warp is here."""
    _refuse("syncwarp")


def threadfence() -> None:
    """Let all threads of the device see what this one wrote before what it writes after."""
    _refuse("threadfence")


def threadfence_block() -> None:
    """Let the block's threads see what this one wrote before what it writes after."""
    _refuse("threadfence_block")


def threadfence_system() -> None:
    """Let the host and other devices see what this thread wrote before what it writes after."""
    _refuse("threadfence_system")
