"""More kernels whose compilation `make bench` times: loops, core arrays, random numbers, C++."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import device, guvectorize, local_array, random, vectorize

__all__ = ["DECLARATIONS"]

Array = npt.NDArray[Any]
_MOST = 12


def saxpy_trig(a: Any, x: Any, y: Any) -> Any:
    """Whole-array code."""
    return np.exp(a * np.sin(x) + np.cos(y))


def integer_power(x: float, n: int) -> float:
    """A loop whose length is an operand."""
    result = 1.0
    for _ in range(n):
        result *= x
    return result


def count_inside(seed: int, block: int) -> int:
    """Count random points of a block inside the unit circle."""
    count = 0
    for k in range(64):
        point = block * 64 + k
        x = random.uniform(seed, 2 * point)
        y = random.uniform(seed, 2 * point + 1)
        if x * x + y * y < 1:
            count += 1
    return count


def matmul(a: Array, b: Array, out: Array) -> None:
    """Matrix product."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def moving_average(a: Array, window: int, out: Array) -> None:
    """The mean of the last elements."""
    total = 0.0
    for i in range(len(a)):
        total += a[i]
        if i >= window:
            total -= a[i - window]
        out[i] = total / min(i + 1, window)


def norm(x: Array, out: Array) -> None:
    """Euclidean length."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    out[0] = total**0.5


def deviation(x: Array, out: Array) -> None:
    """The standard deviation."""
    out[0] = np.std(x)


def k_largest(x: Array, like: Array, out: Array) -> None:
    """The largest entries in descending order; `like` only determines their number."""
    for j in range(len(like)):
        out[j] = -np.inf
    for i in range(len(x)):
        value = x[i]
        for j in range(len(out)):
            if value > out[j]:
                value, out[j] = out[j], value


@device
def factorial(n: Any) -> Any:
    """1 * 2 * ... * n."""
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


def permutation(number: Any, items: Array, out: Array) -> None:
    """The items in the order of a permutation, given by its factorial number."""
    left = local_array(_MOST, np.int64)
    n = len(items)
    for i in range(n):
        left[i] = items[i]
    for taken in range(n):
        digit = number // factorial(n - taken - 1) % (n - taken)
        out[taken] = left[digit]
        for i in range(digit, n - taken - 1):
            left[i] = left[i + 1]


_POWER = "out = 1; for (int i = 0; i < n; i++) out *= x;"


def _elementwise(function: Callable[..., Any], signature: str) -> Callable[[], object]:
    return partial(vectorize([signature], cache=False), function)


def _generalized(function: Callable[..., Any], types: str, layout: str) -> Callable[[], object]:
    return partial(guvectorize([f"void({types})"], layout, cache=False), function)


def _cpp_power() -> object:
    signatures = ["float64(float64, int64)"]
    return vectorize(signatures, name="power", args="x, n", outs="out", body=_POWER, cache=False)


# Each compiles its kernel when called.
DECLARATIONS: dict[str, Callable[[], object]] = {
    "saxpy_trig": _elementwise(saxpy_trig, "float32(float32, float32, float32)"),
    "integer_power": _elementwise(integer_power, "float64(float64, int64)"),
    "integer_power in C++": _cpp_power,
    "count_inside": _elementwise(count_inside, "int64(int64, int64)"),
    "matmul": _generalized(
        matmul, "float64[:,:], float64[:,:], float64[:,:]", "(m,k),(k,n)->(m,n)"
    ),
    "moving_average": _generalized(moving_average, "float64[:], int64, float64[:]", "(n),()->(n)"),
    "norm": _generalized(norm, "float64[:], float64[:]", "(n)->()"),
    "k_largest": _generalized(k_largest, "float64[:], float64[:], float64[:]", "(n),(k)->(k)"),
    "permutation": _generalized(permutation, "int64, int64[:], int64[:]", "(),(n)->(n)"),
}
