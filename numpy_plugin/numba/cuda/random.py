"""Random numbers in device kernels from states in device memory, as in `numba.cuda.random`.

`create_xoroshiro128p_states` makes a state for each thread; the other functions are for kernels,
and return Numba's numbers. The states are a device array of uint64 and shape (n, 2). The generator
is xoroshiro128+ of Blackman and Vigna (2016), seeded by their SplitMix64; each state is 2**64
numbers ahead of the one before. `numpy_plugin.random` needs no states.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import cuda as _cuda
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.streams import AnyStream
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.device import device
from numpy_plugin._frontend.types import ArrayType
from numpy_plugin._public_names import public_names

__all__ = [
    "create_xoroshiro128p_states",
    "init_xoroshiro128p_states",
    "uint64_to_unit_float32",
    "uint64_to_unit_float64",
    "xoroshiro128p_next",
    "xoroshiro128p_normal_float32",
    "xoroshiro128p_normal_float64",
    "xoroshiro128p_type",
    "xoroshiro128p_uniform_float32",
    "xoroshiro128p_uniform_float64",
]

__dir__ = public_names(globals())

States = npt.NDArray[np.uint64]


class _StateType:
    """The type of a state in signatures: `xoroshiro128p_type[:]` is that of states."""

    def __getitem__(self, dimensions: slice) -> ArrayType:
        return ArrayType("uint64", 2)

    def __repr__(self) -> str:
        return "xoroshiro128p_type"


xoroshiro128p_type = _StateType()

_TWO_PI = 2 * math.pi
_BELOW_ONE = np.float32(1 - 2.0**-24)  # the largest float32 below 1
_ABOVE_ZERO = np.float32(2.0**-54)  # whose logarithm is finite, for the number that is 0

# The polynomial in x that advances a state by 2**64 numbers, lowest coefficient first.
_JUMP = 0xD86B048B86AA9922BEAC0467EBA5FACB


@device
def xoroshiro128p_next(states: Any, index: Any) -> Any:
    """Return 64 random bits as uint64, and advance `states[index]`."""
    s0 = states[index, 0]
    s1 = states[index, 1]
    result = s0 + s1
    s1 ^= s0
    states[index, 0] = ((s0 << 55) | (s0 >> 9)) ^ s1 ^ (s1 << 14)
    states[index, 1] = (s1 << 36) | (s1 >> 28)
    return result


@device
def uint64_to_unit_float64(x: Any) -> Any:
    """Return the upper 53 bits of a uint64 as a float64 in [0, 1)."""
    return np.float64(np.uint64(x) >> 11) * 2.0**-53


@device
def uint64_to_unit_float32(x: Any) -> Any:
    """Return the number of `uint64_to_unit_float64` as a float32, also in [0, 1).

    Numba's is 1 where that is the nearest float32.
    """
    return min(np.float32(uint64_to_unit_float64(x)), _BELOW_ONE)


@device
def xoroshiro128p_uniform_float64(states: Any, index: Any) -> Any:
    """Return a float64 in [0, 1), and advance `states[index]`."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@device
def xoroshiro128p_uniform_float32(states: Any, index: Any) -> Any:
    """Return a float32 in [0, 1), and advance `states[index]`."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@device
def xoroshiro128p_normal_float32(states: Any, index: Any) -> Any:
    """Return a float32 of the standard normal distribution, and advance `states[index]` twice."""
    u1 = max(xoroshiro128p_uniform_float32(states, index), _ABOVE_ZERO)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2.0 * math.log(u1)) * math.cos(np.float32(_TWO_PI) * u2)


@device
def xoroshiro128p_normal_float64(states: Any, index: Any) -> Any:
    """Return a float64 of the standard normal distribution, and advance `states[index]` twice.

    As in Numba, the uniform numbers that it is made from are float32.
    """
    u1 = max(xoroshiro128p_uniform_float32(states, index), _ABOVE_ZERO)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2.0 * np.float64(math.log(u1))) * math.cos(_TWO_PI * np.float64(u2))


@without_own_frames
def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: AnyStream = None
) -> DeviceArray:
    """Return a new device array of states, one for each of n threads.

    Args:
        n: the number of states.
        seed: any int, modulo 2**64.
        subsequence_start: how many states of the seed to skip.
        stream: the stream of the copy; 0 and None: this thread's stream.
    """
    states = _cuda.device_array((n, 2), np.uint64, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


@without_own_frames
def init_xoroshiro128p_states(
    states: DeviceArray, seed: int, subsequence_start: int = 0, stream: AnyStream = None
) -> None:
    """Set states as `create_xoroshiro128p_states` does.

    Args:
        states: a device array of uint64 and shape (n, 2).
        seed: any int, modulo 2**64.
        subsequence_start: how many states of the seed to skip.
        stream: the stream of the copy; 0 and None: this thread's stream.

    Raises:
        TypeError: the array has another dtype or shape.
    """
    if states.dtype != np.uint64 or states.ndim != 2 or states.shape[1] != 2:
        raise TypeError(
            f"states must be uint64 of shape (n, 2), found {states.dtype} of shape {states.shape}"
        )
    if subsequence_start < 0:
        raise ValueError(f"subsequence_start must be at least 0, found {subsequence_start}")
    states.copy_to_device(_states_of(states.shape[0], seed, subsequence_start), stream=stream)


def _states_of(n: int, seed: int, start: int) -> States:
    """Return the states of a seed. Jumps are linear: k jumps are one matrix over GF(2)."""
    states = np.empty((n, 2), np.uint64)
    states[:1] = _mixed(seed)
    jumps = _one_jump()  # the images of the 128 states of one bit
    power = jumps
    while start:
        if start & 1:
            states[:1] = _image(power, states[:1])
        power = _image(power, power)
        start >>= 1
    n_made = 1
    while n_made < n:
        n_next = min(n_made, n - n_made)
        states[n_made : n_made + n_next] = _image(jumps, states[:n_next])
        jumps = _image(jumps, jumps)
        n_made += n_next
    return states


def _mixed(seed: int) -> int:
    """Return SplitMix64's first number for a seed."""
    z = (int(seed) + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def _one_jump() -> States:
    """Return what a jump makes of each state that has one bit."""
    bits = np.arange(128)
    states = np.zeros((128, 2), np.uint64)
    states[bits, bits // 64] = np.uint64(1) << (bits % 64).astype(np.uint64)
    total = np.zeros_like(states)
    for power in range(128):
        if _JUMP >> power & 1:
            total ^= states
        s0, s1 = states.T.copy()
        s1 ^= s0
        states[:, 0] = ((s0 << 55) | (s0 >> 9)) ^ s1 ^ (s1 << 14)
        states[:, 1] = (s1 << 36) | (s1 >> 28)
    return total


def _image(columns: States, states: States) -> States:
    """Return the images of states under the matrix with these 128 columns, a byte at a time."""
    bits = np.arange(256)[:, np.newaxis] >> np.arange(8) & 1
    parts = np.where(bits[:, :, np.newaxis] == 1, columns.reshape(16, 1, 8, 2), np.uint64(0))
    images = np.bitwise_xor.reduce(parts, axis=2)  # of each value of each byte
    bytes_of = np.ascontiguousarray(states, "<u8").view(np.uint8)
    result: States = images[0][bytes_of[:, 0]]
    for k in range(1, 16):
        result ^= images[k][bytes_of[:, k]]
    return result
