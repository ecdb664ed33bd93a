"""Arithmetic of float16 in kernels under the names of `numba.cuda.fp16`.

Operators and NumPy's functions do the same. Results are rounded to float16 once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numpy_plugin._frontend.device import device
from numpy_plugin._public_names import public_names

__all__ = [
    "habs",
    "hadd",
    "hceil",
    "hcos",
    "hdiv",
    "heq",
    "hexp",
    "hexp2",
    "hexp10",
    "hfloor",
    "hfma",
    "hge",
    "hgt",
    "hle",
    "hlog",
    "hlog2",
    "hlog10",
    "hlt",
    "hmax",
    "hmin",
    "hmul",
    "hne",
    "hneg",
    "hrcp",
    "hrint",
    "hrsqrt",
    "hsin",
    "hsqrt",
    "hsub",
    "htrunc",
]

__dir__ = public_names(globals())


@device
def hadd(a: Any, b: Any) -> Any:
    """Return `a + b`."""
    return np.float16(a) + np.float16(b)


@device
def hsub(a: Any, b: Any) -> Any:
    """Return `a - b`."""
    return np.float16(a) - np.float16(b)


@device
def hmul(a: Any, b: Any) -> Any:
    """Return `a * b`."""
    return np.float16(a) * np.float16(b)


@device
def hdiv(a: Any, b: Any) -> Any:
    """Return `a / b`."""
    return np.float16(a) / np.float16(b)


@device
def hfma(a: Any, b: Any, c: Any) -> Any:
    """Return `a * b + c`, rounded once: float64 holds all that decides the rounding."""
    product = np.float64(np.float16(a)) * np.float64(np.float16(b))
    return np.float16(product + np.float64(np.float16(c)))


@device
def hneg(a: Any) -> Any:
    """Return `-a`."""
    return -np.float16(a)


@device
def habs(a: Any) -> Any:
    """Return the absolute value."""
    return np.absolute(np.float16(a))


@device
def hsin(a: Any) -> Any:
    """Return the sine."""
    return np.sin(np.float16(a))


@device
def hcos(a: Any) -> Any:
    """Return the cosine."""
    return np.cos(np.float16(a))


@device
def hlog(a: Any) -> Any:
    """Return the natural logarithm."""
    return np.log(np.float16(a))


@device
def hlog2(a: Any) -> Any:
    """Return the logarithm to base 2."""
    return np.log2(np.float16(a))


@device
def hlog10(a: Any) -> Any:
    """Return the logarithm to base 10."""
    return np.log10(np.float16(a))


@device
def hexp(a: Any) -> Any:
    """Return e to the power of `a`."""
    return np.exp(np.float16(a))


@device
def hexp2(a: Any) -> Any:
    """Return 2 to the power of `a`."""
    return np.exp2(np.float16(a))


@device
def hexp10(a: Any) -> Any:
    """Return 10 to the power of `a`."""
    return np.float16(10.0 ** np.float32(np.float16(a)))


@device
def hfloor(a: Any) -> Any:
    """Return the largest integer that is at most `a`."""
    return np.floor(np.float16(a))


@device
def hceil(a: Any) -> Any:
    """Return the smallest integer that is at least `a`."""
    return np.ceil(np.float16(a))


@device
def htrunc(a: Any) -> Any:
    """Return `a` without its fraction."""
    return np.trunc(np.float16(a))


@device
def hrint(a: Any) -> Any:
    """Return the nearest integer; of two, the even one."""
    return np.rint(np.float16(a))


@device
def hsqrt(a: Any) -> Any:
    """Return the square root."""
    return np.sqrt(np.float16(a))


@device
def hrsqrt(a: Any) -> Any:
    """Return the reciprocal of the square root."""
    return np.float16(1.0 / np.sqrt(np.float32(np.float16(a))))


@device
def hrcp(a: Any) -> Any:
    """Return the reciprocal."""
    return np.float16(1.0) / np.float16(a)


@device
def heq(a: Any, b: Any) -> Any:
    """Return whether `a == b`."""
    return np.float16(a) == np.float16(b)


@device
def hne(a: Any, b: Any) -> Any:
    """Return whether `a != b`."""
    return np.float16(a) != np.float16(b)


@device
def hge(a: Any, b: Any) -> Any:
    """Return whether `a >= b`."""
    return np.float16(a) >= np.float16(b)


@device
def hgt(a: Any, b: Any) -> Any:
    """Return whether `a > b`."""
    return np.float16(a) > np.float16(b)


@device
def hle(a: Any, b: Any) -> Any:
    """Return whether `a <= b`."""
    return np.float16(a) <= np.float16(b)


@device
def hlt(a: Any, b: Any) -> Any:
    """Return whether `a < b`."""
    return np.float16(a) < np.float16(b)


@device
def hmax(a: Any, b: Any) -> Any:
    """Return the larger number; of nan and a number, the number."""
    return np.fmax(np.float16(a), np.float16(b))


@device
def hmin(a: Any, b: Any) -> Any:
    """Return the smaller number; of nan and a number, the number."""
    return np.fmin(np.float16(a), np.float16(b))
