"""Thread functions of device kernels written in Python.

Use these names only in functions passed to `cuda.kernel`; Python itself can't run them.
"""

from __future__ import annotations

from typing import Any, NoReturn

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


def refuse(name: str) -> NoReturn:
    raise RuntimeError(f"cuda.{name} is for functions passed to cuda.kernel; Python can't run it")


@without_own_frames
def grid(ndim: int) -> Any:
    """Return the thread's index in the grid: an integer for `ndim` 1, a tuple for 2 and 3."""
    refuse("grid")


@without_own_frames
def gridsize(ndim: int) -> Any:
    """Return the number of threads in the grid: an integer for `ndim` 1, a tuple for 2 and 3."""
    refuse("gridsize")


@without_own_frames
def syncthreads() -> None:
    """Wait for all threads of the block; their earlier writes become visible to all of them."""
    refuse("syncthreads")


@without_own_frames
def syncthreads_count(predicate: Any) -> Any:
    """Wait like `syncthreads`; return the number of threads with a true value."""
    refuse("syncthreads_count")


@without_own_frames
def syncthreads_and(predicate: Any) -> Any:
    """Wait like `syncthreads`; return whether the value is true for all threads."""
    refuse("syncthreads_and")


@without_own_frames
def syncthreads_or(predicate: Any) -> Any:
    """Wait like `syncthreads`; return whether the value is true for any thread."""
    refuse("syncthreads_or")


@without_own_frames
def syncwarp(mask: Any = 0xFFFFFFFF) -> None:
    """Wait for all threads of the warp whose bits are in the mask."""
    refuse("syncwarp")


@without_own_frames
def nanosleep(ns: Any) -> None:
    """Suspend the thread for about this many nanoseconds."""
    refuse("nanosleep")


@without_own_frames
def shfl_sync(mask: Any, value: Any, src_lane: Any) -> Any:
    """Return the value passed by the given lane of the warp.

    Every thread whose bit is in the mask must call it, as for all warp functions.
    """
    refuse("shfl_sync")


@without_own_frames
def shfl_up_sync(mask: Any, value: Any, delta: Any) -> Any:
    """Return the value of the lane `delta` below, or the thread's own if there is none."""
    refuse("shfl_up_sync")


@without_own_frames
def shfl_down_sync(mask: Any, value: Any, delta: Any) -> Any:
    """Return the value of the lane `delta` above, or the thread's own if there is none."""
    refuse("shfl_down_sync")


@without_own_frames
def shfl_xor_sync(mask: Any, value: Any, lane_mask: Any) -> Any:
    """Return the value of the lane `laneid ^ lane_mask`."""
    refuse("shfl_xor_sync")


@without_own_frames
def all_sync(mask: Any, predicate: Any) -> Any:
    """Return whether the value is true for all lanes in the mask."""
    refuse("all_sync")


@without_own_frames
def any_sync(mask: Any, predicate: Any) -> Any:
    """Return whether the value is true for any lane in the mask."""
    refuse("any_sync")


@without_own_frames
def eq_sync(mask: Any, predicate: Any) -> Any:
    """Return whether the value is true for all lanes in the mask or for none."""
    refuse("eq_sync")


@without_own_frames
def ballot_sync(mask: Any, predicate: Any) -> Any:
    """Return the lanes in the mask with a true value, as bits of a uint32."""
    refuse("ballot_sync")


@without_own_frames
def match_any_sync(mask: Any, value: Any) -> Any:
    """Return the lanes in the mask whose values have the same bits, as bits of a uint32."""
    refuse("match_any_sync")


@without_own_frames
def match_all_sync(mask: Any, value: Any) -> Any:
    """Return the mask and True if all its lanes' values have the same bits, else 0 and False."""
    refuse("match_all_sync")


@without_own_frames
def activemask() -> Any:
    """Return the active lanes, as bits of a uint32."""
    refuse("activemask")


@without_own_frames
def lanemask_lt() -> Any:
    """Return the lanes with a lower index, as bits of a uint32."""
    refuse("lanemask_lt")


@without_own_frames
def popc(x: Any) -> Any:
    """Return the number of set bits of an integer, in its own width."""
    refuse("popc")


@without_own_frames
def clz(x: Any) -> Any:
    """Return the number of leading zero bits of an integer, in its own width."""
    refuse("clz")


@without_own_frames
def ffs(x: Any) -> Any:
    """Return the position of the lowest set bit, counted from 1; 0 if there is none."""
    refuse("ffs")


@without_own_frames
def brev(x: Any) -> Any:
    """Return the integer with its bits reversed, in the same type."""
    refuse("brev")


@without_own_frames
def fma(a: Any, b: Any, c: Any) -> Any:
    """Return `a * b + c`, rounded once."""
    refuse("fma")


@without_own_frames
def cbrt(x: Any) -> Any:
    """Return the cube root."""
    refuse("cbrt")


@without_own_frames
def selp(a: Any, b: Any, c: Any) -> Any:
    """Return `b` if `a` is true, else `c`."""
    refuse("selp")


@without_own_frames
def threadfence() -> None:
    """Order this thread's earlier writes before its later ones, for all threads of the device."""
    refuse("threadfence")


@without_own_frames
def threadfence_block() -> None:
    """Order this thread's earlier writes before its later ones, for the threads of its block."""
    refuse("threadfence_block")


@without_own_frames
def threadfence_system() -> None:
    """Order this thread's earlier writes before its later ones, for the host and other devices."""
    refuse("threadfence_system")
