"""The kernels: one Python function each, from which every library makes its own version.

Constants are globals of the operands' dtype (`half`, `one`, ...), so that no library computes
float32 in double precision.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["KERNELS", "Kernel", "function_of", "operands_of"]

# Stand for globals of the operands' dtype, which `function_of` gives a copy of each function.
half: Any = 0.5
one: Any = 1.0
two: Any = 2.0
four: Any = 4.0
normal: Any = 0.3989422804014327  # 1 / sqrt(2 pi)

_CONSTANTS = {"half": half, "one": one, "two": two, "four": four, "normal": normal}


class Kernel(NamedTuple):
    """A kernel, its operands, and the ratios to the best peer that are asked of it.

    Attributes:
        function: a Python function of numbers.
        ranges: the bounds of each operand's random values.
        target: with one thread, for float32 and float64.
        parallel_target: with two threads.
        is_expression: it has no control flow, and takes arrays as it is.
    """

    function: Callable[..., Any]
    ranges: tuple[tuple[float, float], ...]
    target: tuple[float, float]
    parallel_target: tuple[float, float]
    is_expression: bool = True

    @property
    def name(self) -> str:
        """The function's name, with spaces."""
        return self.function.__name__.replace("_", " ")


def gaussian(x: Any, mean: Any, sigma: Any) -> Any:
    return np.exp(-half * ((x - mean) / sigma) ** 2) * normal / sigma


def exp_cos(x: Any, y: Any) -> Any:
    return np.exp(-x) * np.cos(y)


def log_odds(p: Any) -> Any:
    return np.log(p / (one - p))


def hyperbolic_tangent(x: Any, y: Any) -> Any:
    return np.tanh(x * y)


def sines_and_cosines(x: Any, y: Any) -> Any:
    return np.sin(x) * np.cos(y) + np.cos(x) * np.sin(y) + np.sin(x) * np.sin(y)


def planck(x: Any, t: Any) -> Any:
    return x * x * x / (np.exp(x / t) - one)


def power(x: Any, k: Any) -> Any:
    return x**k


def quadratic_root(a: Any, b: Any, c: Any) -> Any:
    return (np.sqrt(b * b - four * a * c) - b) / (two * a)


def norm(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + y * y)


def scaled_sum(x: Any, y: Any) -> Any:
    return two * x + half * y


def softsign(x: Any) -> Any:
    return x / (one + abs(x))


def escape_time(cr: Any, ci: Any) -> Any:
    zr, zi, n = cr, ci, cr * 0
    while n < 64 and zr * zr + zi * zi < four:
        zr, zi = zr * zr - zi * zi + cr, two * zr * zi + ci
        n += one
    return n


def eccentric_anomaly(m: Any, e: Any) -> Any:
    x = m + e * np.sin(m)
    for _ in range(20):
        step = (x - e * np.sin(x) - m) / (one - e * np.cos(x))
        x -= step
        if abs(step) < 0.00001:
            break
    return x


_ANGLES = (-30.0, 30.0)
_UNIT = (0.01, 0.99)
_EXP, _EXP_2 = (3.0, 1.5), (5.2, 2.3)
_MEMORY = (1.0, 1.0)

KERNELS = (
    Kernel(gaussian, ((-3, 3), (-0.1, 0.1), (0.9, 1.1)), _EXP, _EXP_2),
    Kernel(exp_cos, ((-5, 5), _ANGLES), (2.0, 8.0), (3.2, 10.0)),
    Kernel(log_odds, (_UNIT,), (1.5, 1.1), (2.7, 1.8)),
    Kernel(hyperbolic_tangent, ((-3, 3), (0.5, 1.5)), (2.2, 1.4), (3.9, 2.5)),
    Kernel(sines_and_cosines, (_ANGLES, _ANGLES), (2.4, 10.0), (4.3, 10.0)),
    Kernel(planck, ((0.1, 10), (0.5, 2)), _EXP, _EXP_2),
    Kernel(power, ((0.01, 20), (-5, 5)), (1.5, 1.5), (2.6, 2.6)),
    Kernel(quadratic_root, ((1, 2), (4, 5), (0.1, 1)), _MEMORY, _MEMORY),
    Kernel(norm, ((-5, 5), (-5, 5)), _MEMORY, _MEMORY),
    Kernel(scaled_sum, ((-5, 5), (-5, 5)), _MEMORY, _MEMORY),
    Kernel(softsign, ((-5, 5),), _MEMORY, _MEMORY),
    Kernel(escape_time, ((-2, 0.5), (-1.2, 1.2)), (5.0, 3.5), (5.0, 3.5), False),
    Kernel(eccentric_anomaly, ((0, 6.3), (0, 0.9)), (2.4, 7.0), (4.3, 7.0), False),
)


def function_of(kernel: Kernel, dtype: npt.DTypeLike, module: Any = np) -> Callable[..., Any]:
    """Return the kernel with constants of a dtype, and `np` a library of the same functions."""
    scalar = np.dtype(dtype).type
    names = {name: scalar(value) for name, value in _CONSTANTS.items()}
    function = kernel.function
    return types.FunctionType(
        function.__code__, {"np": module, "abs": abs, "range": range, **names}, function.__name__
    )


def operands_of(kernel: Kernel, dtype: npt.DTypeLike, size: int) -> list[npt.NDArray[Any]]:
    """Return the same random operands each time."""
    random = np.random.default_rng(0)
    return [random.uniform(low, high, size).astype(dtype) for low, high in kernel.ranges]
