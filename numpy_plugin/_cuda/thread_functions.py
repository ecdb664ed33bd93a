"""Functions of the threads of a device kernel written in Python.

These names have a meaning in functions given to `cuda.kernel` alone; Python itself can't run them.
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


def refuse(name: str) -> NoReturn:
    raise RuntimeError(f"cuda.{name} is for functions given to cuda.kernel; Python can't run it")


@without_own_frames
def grid(ndim: int) -> Any:
    """Return the thread's place in the grid: a number for `ndim` 1, a tuple for 2 and 3."""
    refuse("grid")


@without_own_frames
def gridsize(ndim: int) -> Any:
    """Return how many threads the grid has: a number for `ndim` 1, a tuple for 2 and 3."""
    refuse("gridsize")


@without_own_frames
def syncthreads() -> None:
    """Wait until every thread of the block is here; what they wrote before is seen by all."""
    refuse("syncthreads")


@without_own_frames
def syncthreads_count(predicate: Any) -> Any:
    """Wait as `syncthreads`; how many threads of the block gave a true value."""
    refuse("syncthreads_count")


@without_own_frames
def syncthreads_and(predicate: Any) -> Any:
    """Wait as `syncthreads`; whether all threads of the block gave a true value."""
    refuse("syncthreads_and")


@without_own_frames
def syncthreads_or(predicate: Any) -> Any:
    """Wait as `syncthreads`; whether some thread of the block gave a true value."""
    refuse("syncthreads_or")


@without_own_frames
def syncwarp(mask: Any = 0xFFFFFFFF) -> None:
    """Wait until every thread of the warp whose bit is in the mask is here."""
    refuse("syncwarp")


@without_own_frames
def nanosleep(ns: Any) -> None:
    """Wait about so many nanoseconds."""
    refuse("nanosleep")


@without_own_frames
def shfl_sync(mask: Any, value: Any, src_lane: Any) -> Any:
    """Return the value that one thread of the warp gives: of the lane with this number.

    Each thread whose bit is in the mask has to call it; this holds for all functions of a warp.
    """
    refuse("shfl_sync")


@without_own_frames
def shfl_up_sync(mask: Any, value: Any, delta: Any) -> Any:
    """Return the value of the lane `delta` below, and one's own where there is none."""
    refuse("shfl_up_sync")


@without_own_frames
def shfl_down_sync(mask: Any, value: Any, delta: Any) -> Any:
    """Return the value of the lane `delta` above, and one's own where there is none."""
    refuse("shfl_down_sync")


@without_own_frames
def shfl_xor_sync(mask: Any, value: Any, lane_mask: Any) -> Any:
    """Return the value of the lane whose number is one's own `^ lane_mask`."""
    refuse("shfl_xor_sync")


@without_own_frames
def all_sync(mask: Any, predicate: Any) -> Any:
    """Return whether all lanes of the mask give a true value."""
    refuse("all_sync")


@without_own_frames
def any_sync(mask: Any, predicate: Any) -> Any:
    """Return whether some lane of the mask gives a true value."""
    refuse("any_sync")


@without_own_frames
def eq_sync(mask: Any, predicate: Any) -> Any:
    """Return whether all lanes of the mask give a true value, or all a false one."""
    refuse("eq_sync")


@without_own_frames
def ballot_sync(mask: Any, predicate: Any) -> Any:
    """Return the lanes of the mask that give a true value, a bit of a uint32 each."""
    refuse("ballot_sync")


@without_own_frames
def match_any_sync(mask: Any, value: Any) -> Any:
    """Return the lanes of the mask whose value has the same bits, a bit of a uint32 each."""
    refuse("match_any_sync")


@without_own_frames
def match_all_sync(mask: Any, value: Any) -> Any:
    """Return the mask and True where the values of all its lanes have the same bits, else 0, False.

    The two are a tuple.
    """
    refuse("match_all_sync")


@without_own_frames
def activemask() -> Any:
    """Return the lanes that are at this place now, a bit of a uint32 each."""
    refuse("activemask")


@without_own_frames
def lanemask_lt() -> Any:
    """Return the lanes with a lower number, a bit of a uint32 each."""
    refuse("lanemask_lt")


@without_own_frames
def popc(x: Any) -> Any:
    """Return how many bits of an integer are set, in its own width."""
    refuse("popc")


@without_own_frames
def clz(x: Any) -> Any:
    """Return how many bits before the highest that is set an integer has, in its own width."""
    refuse("clz")


@without_own_frames
def ffs(x: Any) -> Any:
    """Return the place of the lowest bit that is set, counted from 1; 0 where there is none."""
    refuse("ffs")


@without_own_frames
def brev(x: Any) -> Any:
    """Return the integer of the same type with its bits in opposite order."""
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
    """Return `b` where `a` is true, else `c`, as `b if a else c`."""
    refuse("selp")


@without_own_frames
def threadfence() -> None:
    """Let all threads of the device see what this one wrote before what it writes after."""
    refuse("threadfence")


@without_own_frames
def threadfence_block() -> None:
    """Let the block's threads see what this one wrote before what it writes after."""
    refuse("threadfence_block")


@without_own_frames
def threadfence_system() -> None:
    """Let the host and other devices see what this thread wrote before what it writes after."""
    refuse("threadfence_system")
