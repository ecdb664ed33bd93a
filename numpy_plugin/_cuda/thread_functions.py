"""Thread functions of device kernels written in Python.

Use these names only in functions passed to `cuda.kernel`; Python itself can't run them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numpy_plugin._errors.traceback import without_own_frames

__all__ = [
    "activemask",
    "all_sync",
    "any_sync",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "clz",
    "eq_sync",
    "ffs",
    "fma",
    "grid",
    "gridDim",
    "gridsize",
    "laneid",
    "lanemask_lt",
    "match_all_sync",
    "match_any_sync",
    "nanosleep",
    "popc",
    "selp",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "warpsize",
]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class ThreadValue:
    """An integer that each thread has: `laneid`, `warpsize`."""

    def __init__(self, name: str) -> None:
        """Keep the name below `numpy_plugin.cuda`."""
        self.kernel_name = name

    def __repr__(self) -> str:
        """Return the name as a kernel writes it."""
        return f"<cuda.{self.kernel_name}, in kernels>"


class ThreadTriple(ThreadValue):
    """Three integers that each thread has, along x, y and z."""

    def __init__(self, name: str) -> None:
        """Keep the name below `numpy_plugin.cuda`."""
        super().__init__(name)
        self.x: Any = ThreadValue(f"{name}.x")
        self.y: Any = ThreadValue(f"{name}.y")
        self.z: Any = ThreadValue(f"{name}.z")


def kernel_function(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function of `cuda`, or of a module below it, that Python can't run."""
    home = "" if function.__module__ == __name__ else function.__module__.rpartition(".")[2] + "."

    @without_own_frames
    @functools.wraps(function)
    def refuse(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        function(*args, **kwargs)  # raises TypeError for wrong arguments
        raise RuntimeError(
            f"cuda.{home}{function.__name__} is for functions passed to cuda.kernel; "
            "Python can't run it"
        )

    return refuse


#: The thread's index in its block.
threadIdx = ThreadTriple("threadIdx")
#: The block's index in the grid.
blockIdx = ThreadTriple("blockIdx")
#: The number of threads in a block.
blockDim = ThreadTriple("blockDim")
#: The number of blocks in the grid.
gridDim = ThreadTriple("gridDim")
#: The thread's index in its warp.
laneid: Any = ThreadValue("laneid")
#: The number of threads in a warp: 32.
warpsize: Any = ThreadValue("warpsize")


@kernel_function
def grid(ndim: int) -> Any:
    """Return the thread's index in the grid: an integer for `ndim` 1, a tuple for 2 and 3."""


@kernel_function
def gridsize(ndim: int) -> Any:
    """Return the number of threads in the grid: an integer for `ndim` 1, a tuple for 2 and 3."""


@kernel_function
def syncthreads() -> None:
    """Wait for all threads of the block; their earlier writes become visible to all of them."""


@kernel_function
def syncthreads_count(predicate: Any) -> Any:
    """Wait like `syncthreads`; return the number of threads with a true value."""


@kernel_function
def syncthreads_and(predicate: Any) -> Any:
    """Wait like `syncthreads`; return whether the value is true for all threads."""


@kernel_function
def syncthreads_or(predicate: Any) -> Any:
    """Wait like `syncthreads`; return whether the value is true for any thread."""


@kernel_function
def syncwarp(mask: Any = 0xFFFFFFFF) -> None:
    """Wait for all threads of the warp whose bits are in the mask."""


@kernel_function
def nanosleep(ns: Any) -> None:
    """Suspend the thread for about this many nanoseconds."""


@kernel_function
def shfl_sync(mask: Any, value: Any, src_lane: Any) -> Any:
    """Return the value passed by the given lane of the warp.

    Every thread whose bit is in the mask must call it, as for all warp functions.
    """


@kernel_function
def shfl_up_sync(mask: Any, value: Any, delta: Any) -> Any:
    """Return the value of the lane `delta` below, or the thread's own if there is none."""


@kernel_function
def shfl_down_sync(mask: Any, value: Any, delta: Any) -> Any:
    """Return the value of the lane `delta` above, or the thread's own if there is none."""


@kernel_function
def shfl_xor_sync(mask: Any, value: Any, lane_mask: Any) -> Any:
    """Return the value of the lane `laneid ^ lane_mask`."""


@kernel_function
def all_sync(mask: Any, predicate: Any) -> Any:
    """Return whether the value is true for all lanes in the mask."""


@kernel_function
def any_sync(mask: Any, predicate: Any) -> Any:
    """Return whether the value is true for any lane in the mask."""


@kernel_function
def eq_sync(mask: Any, predicate: Any) -> Any:
    """Return whether the value is true for all lanes in the mask or for none."""


@kernel_function
def ballot_sync(mask: Any, predicate: Any) -> Any:
    """Return the lanes in the mask with a true value, as bits of a uint32."""


@kernel_function
def match_any_sync(mask: Any, value: Any) -> Any:
    """Return the lanes in the mask whose values have the same bits, as bits of a uint32."""


@kernel_function
def match_all_sync(mask: Any, value: Any) -> Any:
    """Return the mask and True if all its lanes' values have the same bits, else 0 and False."""


@kernel_function
def activemask() -> Any:
    """Return the active lanes, as bits of a uint32."""


@kernel_function
def lanemask_lt() -> Any:
    """Return the lanes with a lower index, as bits of a uint32."""


@kernel_function
def popc(x: Any) -> Any:
    """Return the number of set bits of an integer, in its own width."""


@kernel_function
def clz(x: Any) -> Any:
    """Return the number of leading zero bits of an integer, in its own width."""


@kernel_function
def ffs(x: Any) -> Any:
    """Return the position of the lowest set bit, counted from 1; 0 if there is none."""


@kernel_function
def brev(x: Any) -> Any:
    """Return the integer with its bits reversed, in the same type."""


@kernel_function
def fma(a: Any, b: Any, c: Any) -> Any:
    """Return `a * b + c`, rounded once."""


@kernel_function
def cbrt(x: Any) -> Any:
    """Return the cube root."""


@kernel_function
def selp(a: Any, b: Any, c: Any) -> Any:
    """Return `b` if `a` is true, else `c`."""


@kernel_function
def threadfence() -> None:
    """Order this thread's earlier writes before its later ones, for all threads of the device."""


@kernel_function
def threadfence_block() -> None:
    """Order this thread's earlier writes before its later ones, for the threads of its block."""


@kernel_function
def threadfence_system() -> None:
    """Order this thread's earlier writes before its later ones, for the host and other devices."""
