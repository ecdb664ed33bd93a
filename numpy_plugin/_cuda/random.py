"""Arrays of random numbers on a device: element i in C order has the index i of `npp.random`.

The numbers depend only on the seed and the shape, and are the same on every device.

>>> from numpy_plugin import cuda
>>> with cuda.simulator():
...     print(cuda.random.integers(2024, 0, 10, shape=6).copy_to_host())
[9 9 6 6 9 8]
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin import random as _random
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.kernel import kernel
from numpy_plugin._cuda.streams import AnyStream
from numpy_plugin._cuda.thread_functions import grid
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = ["integers", "normal", "random", "uniform"]

Shape = int | Sequence[int]

_THREADS = 256


def _uniform(out: Any, seed: int, low: float, width: float) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = low + width * _random.uniform(seed, i)


def _uniform_of_24_bits(out: Any, seed: int, low: Any, width: Any) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = low + width * (np.float32(_random.bits(seed, i) >> 40) * np.float32(2.0**-24))


def _normal(out: Any, seed: int, loc: float, scale: float) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = loc + scale * _random.normal(seed, i)


def _integers(out: Any, seed: int, low: Any, n: Any) -> None:
    i = grid(1)
    if i < out.shape[0]:
        out[i] = low + (_random.bits(seed, i) % n)


@functools.cache
def _kernel(body: Callable[..., None]) -> Any:
    """Return the kernel of a body, made on first use."""
    return kernel(body)


def _seed(seed: int) -> np.uint64:
    return np.uint64(int(seed) % 2**64)


def _filled(
    name: str, fill: Any, shape: Shape, dtype: Any, stream: AnyStream, *parameters: Any
) -> DeviceArray:
    """Return a new array that a kernel fills."""
    made = _core.make_device_array(shape, dtype, "C", stream, name)
    if made.size:
        _kernel(fill).forall(made.size, tpb=_THREADS, stream=stream)(made.ravel(), *parameters)
    return made


def _float_dtype(dtype: npt.DTypeLike, name: str) -> np.dtype[Any]:
    found = np.dtype(dtype)
    if found in (np.float32, np.float64):
        return found
    raise TypeError(f"{name}: dtype must be float32 or float64, found {found}")


@without_own_frames
def random(
    seed: int, shape: Shape = (), dtype: npt.DTypeLike = np.float64, stream: AnyStream = None
) -> DeviceArray:
    """Return uniform numbers in [0, 1).

    Args:
        seed: any int, modulo 2**64.
        shape: of the array.
        dtype: float64: `npp.random.uniform(seed, i)`; float32: the upper 24 bits of
            `npp.random.bits(seed, i)`, divided by 2**24.
        stream: the stream of the work; None: this thread's stream.
    """
    return uniform(seed, 0.0, 1.0, shape, dtype, stream)


@without_own_frames
def uniform(
    seed: int,
    low: float = 0.0,
    high: float = 1.0,
    shape: Shape = (),
    dtype: npt.DTypeLike = np.float64,
    stream: AnyStream = None,
) -> DeviceArray:
    """Return uniform numbers, `low + (high - low) * random(seed, shape, dtype)`."""
    of = _float_dtype(dtype, "uniform")
    fill = _uniform if of == np.float64 else _uniform_of_24_bits
    bounds = of.type(low), of.type(high - low)
    return _filled("uniform", fill, shape, of, stream, _seed(seed), *bounds)


@without_own_frames
def normal(
    seed: int,
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Shape = (),
    dtype: npt.DTypeLike = np.float64,
    stream: AnyStream = None,
) -> DeviceArray:
    """Return normally distributed numbers, `loc + scale * npp.random.normal(seed, i)`.

    Args:
        seed: any int, modulo 2**64.
        loc: the mean.
        scale: the standard deviation.
        shape: of the array.
        dtype: float64, or float32: the same numbers, rounded.
        stream: the stream of the work; None: this thread's stream.
    """
    of = _float_dtype(dtype, "normal")
    parameters = _seed(seed), np.float64(loc), np.float64(scale)
    return _filled("normal", _normal, shape, of, stream, *parameters)


@without_own_frames
def integers(
    seed: int,
    low: int,
    high: int | None = None,
    shape: Shape = (),
    dtype: npt.DTypeLike = np.int64,
    stream: AnyStream = None,
) -> DeviceArray:
    """Return integers in [low, high), or in [0, low): `low + bits(seed, i) % (high - low)`.

    For intervals of n integers all are equally likely to within n / 2**64.

    Raises:
        ValueError: the interval is empty, or the dtype can't hold it.
    """
    first, end = (0, low) if high is None else (low, high)
    of: np.dtype[Any] = np.dtype(dtype)
    if of.kind not in "iu":
        raise TypeError(f"integers: dtype must be one of integers, found {of}")
    limits = np.iinfo(of.type)
    if not limits.min <= first < end <= limits.max + 1:
        raise ValueError(
            f"integers: the interval [{first}, {end}) is empty, or not within the limits of {of}"
        )
    # Of all 2**64 integers the largest never comes.
    n = np.uint64(min(end - first, 2**64 - 1))
    first_bits = np.uint64(first % 2**64)
    return _filled("integers", _integers, shape, of, stream, _seed(seed), first_bits, n)


__dir__ = public_names(globals())
