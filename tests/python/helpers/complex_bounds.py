"""How accurate functions of complex numbers are: their bounds, and how distances are measured.

Two distances from the exact value: that of the numbers, in units in the last place of the exact
value's size, and that of the parts, each in units in the last place of its own. A function whose
parts are differences keeps no bound of the second kind.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cuda_math_functions import mp
from kernel_source import expressions
from scipy import special

Exact = Callable[..., Any]
Four = tuple[float, float, float, float]
TARGETS = ("cpu", "device")
DTYPES = ("complex64", "complex128")
# Replaces a zero: smaller than every number, with the zero's sign.
TINY = mp.ldexp(1, -2200)


@dataclass(frozen=True)
class ComplexFunction:
    """A call of a kernel of z and w, what it computes, where it is tried, and its bounds."""

    call: str
    exact: Exact
    regions: Sequence[str]
    whole: Four  # complex64 and complex128 on the CPU, then on a device
    parts: Four | None = None

    def bounds(self, target: str, dtype: str) -> tuple[float, float]:
        at = 2 * TARGETS.index(target) + DTYPES.index(dtype)
        return self.whole[at], self.parts[at] if self.parts else math.inf


# ---- arguments -----------------------------------------------------------------------------------


def spread(generator: np.random.Generator, low: float, high: float, count: int) -> np.ndarray:
    """Numbers of either sign whose logarithms are uniform."""
    return np.exp(generator.uniform(low, high, count)) * generator.choice([-1.0, 1.0], count)


def near(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    return generator.uniform(-5, 5, (2, count))


def small(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    return np.stack([spread(generator, -80, -1, count) for _ in range(2)])


def wide(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    """Any size, half of them with parts of about one size."""
    most = np.log(np.finfo(dtype).max) - 1
    parts = np.stack([spread(generator, -most, most, count) for _ in range(2)])
    half = count // 2
    parts[1, :half] = parts[0, :half] * spread(generator, -1, 1, half)
    return parts


def beside(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    """Beside the unit circle, half of them beside 1, -1, i and -i."""
    angles = generator.uniform(0, 2 * np.pi, count)
    angles[::2] = generator.choice([0, 0.5, 1, 1.5], len(angles[::2])) * np.pi
    return np.stack([np.cos(angles), np.sin(angles)]) + [
        spread(generator, -30, -1, count) for _ in range(2)
    ]


def huge(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    return generator.uniform(-1, 1, (2, count)) * float(np.finfo(dtype).max)


def denormal(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    return generator.uniform(-4, 4, (2, count)) * float(np.finfo(dtype).tiny)


def overflowing(generator: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    """Where exp(x) or exp(y) overflows, or its products with a sine do."""
    most = np.log(np.finfo(dtype).max)
    parts = np.stack(
        [
            generator.uniform(most - 1, most + 3, count) * generator.choice([-1, 1], count),
            generator.choice([0, 1, 2, 4], count) * np.pi / 4 + generator.uniform(-0.1, 0.1, count),
        ]
    )
    parts[:, ::2] = parts[::-1, ::2].copy()
    return parts


REGIONS = {
    region.__name__: region for region in (near, small, wide, beside, huge, denormal, overflowing)
}
EVERYWHERE = list(REGIONS)
# Both signs of zero on the axes: the sides of every cut.
ON_AXES = [0.0, 0.25, 1.0, 3.0, 1e30, 1e-30]


def arguments(region: str, dtype: str, count: int) -> list[np.ndarray]:
    """Two columns of complex numbers."""
    generator = np.random.default_rng(zlib.crc32(region.encode()))
    columns = []
    for _ in range(2):
        column = np.empty(count, dtype)
        with np.errstate(under="ignore"):
            column.real, column.imag = REGIONS[region](generator, dtype, count)
        columns.append(column)
    return columns


@functools.cache
def axes(dtype: str) -> np.ndarray:
    """Numbers on both axes, with both signs of both zeros."""
    signs = [1.0, -1.0]
    points = [complex(s * x, t * 0.0) for x in ON_AXES for s in signs for t in signs]
    points += [complex(t * 0.0, s * x) for x in ON_AXES for s in signs for t in signs]
    return np.array(points, dtype)


# ---- exact values --------------------------------------------------------------------------------


def part(x: float) -> Any:
    return mp.mpf(x) if x != 0 else TINY * int(math.copysign(1, x))


def exact_value(row: ComplexFunction, z: complex, w: complex) -> Any:
    """With digits enough for y / x**2 beside 1, to which the formulas of mpmath add it."""
    exponents = [abs(mp.frexp(part(x))[1]) for x in (z.real, z.imag)]
    with mp.workprec(240 + sum(exponents) + max(exponents)):
        return mp.mpc(row.exact(*(mp.mpc(part(x.real), part(x.imag)) for x in (z, w))))


@functools.cache
def exact_values(call: str, dtype: str, region: str, count: int) -> list[Any]:
    row = next(row for row in FUNCTIONS if row.call == call)
    columns = arguments(region, dtype, count)
    pairs = zip(*(column.tolist() for column in columns), strict=True)
    return [exact_value(row, z, w) for z, w in pairs]


@functools.cache
def exact_on_axes(call: str, dtype: str) -> list[Any]:
    row = next(row for row in FUNCTIONS if row.call == call)
    return [exact_value(row, z, z) for z in axes(dtype).tolist()]


def phase(z: Any) -> Any:
    return mp.atan2(z.imag, z.real)


def rect(z: Any) -> Any:
    return mp.mpc(z.real * mp.cos(z.imag), z.real * mp.sin(z.imag))


def sign(z: Any) -> Any:
    return z / abs(z)


def scaled_by(factor: Any, f: Exact) -> Exact:
    return lambda z, w: f(z) / mp.log(factor)


def of_first(f: Exact) -> Exact:
    return lambda z, w: f(z)


# ---- distances -----------------------------------------------------------------------------------


def unit(value: Any, limits: Any) -> Any:
    """One unit in the last place of a number."""
    exponent = mp.frexp(value)[1] - 1 if value != 0 else limits.minexp
    return mp.ldexp(1, max(exponent, limits.minexp) - limits.nmant)


def difference(found: float, exact: Any) -> Any:
    return abs(mp.mpf(found) - exact) if math.isfinite(found) else mp.inf


def distances(found: np.ndarray, exact: list[Any]) -> tuple[float, float]:
    """The largest of the numbers and of their parts; results that overflow are left out."""
    limits = np.finfo(found.dtype)
    whole, parts = [0.0], [0.0]
    for value, true_value in zip(found.astype(complex).tolist(), exact, strict=True):
        if max(abs(true_value.real), abs(true_value.imag)) > float(limits.max):
            continue
        real = difference(value.real, true_value.real)
        imag = difference(value.imag, true_value.imag)
        whole.append(float(mp.hypot(real, imag) / unit(abs(true_value), limits)))
        parts.append(
            float(max(real / unit(true_value.real, limits), imag / unit(true_value.imag, limits)))
        )
    return max(whole), max(parts)


def kernel() -> np.ufunc:
    """All functions as results of one kernel, compiled for the types of each call."""
    return expressions("z, w", [row.call for row in FUNCTIONS], special=special)


def measure(
    row: ComplexFunction, dtype: str, count: int, call: Callable[[str, str, int], list[np.ndarray]]
) -> tuple[float, float]:
    """The largest distances over the function's regions."""
    at = FUNCTIONS.index(row)
    pairs = [
        distances(call(region, dtype, count)[at], exact_values(row.call, dtype, region, count))
        for region in row.regions
    ]
    return max(whole for whole, _ in pairs), max(parts for _, parts in pairs)


FUNCTIONS = [
    ComplexFunction("np.exp(z)", of_first(mp.exp), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.log(z)", of_first(mp.log), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.sqrt(z)", of_first(mp.sqrt), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.sin(z)", of_first(mp.sin), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.cos(z)", of_first(mp.cos), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.tan(z)", of_first(mp.tan), EVERYWHERE, (5, 5, 5, 5), (8, 8, 8, 8)),
    ComplexFunction("np.sinh(z)", of_first(mp.sinh), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.cosh(z)", of_first(mp.cosh), EVERYWHERE, (3, 3, 3, 3), (4, 4, 4, 4)),
    ComplexFunction("np.tanh(z)", of_first(mp.tanh), EVERYWHERE, (5, 5, 5, 5), (8, 8, 8, 8)),
    ComplexFunction("np.arcsin(z)", of_first(mp.asin), EVERYWHERE, (4, 4, 4, 4), (6, 6, 6, 6)),
    ComplexFunction("np.arccos(z)", of_first(mp.acos), EVERYWHERE, (4, 4, 4, 4), (6, 6, 6, 6)),
    ComplexFunction("np.arctan(z)", of_first(mp.atan), EVERYWHERE, (4, 4, 4, 4), (6, 6, 6, 6)),
    ComplexFunction("np.arcsinh(z)", of_first(mp.asinh), EVERYWHERE, (4, 4, 4, 4), (6, 6, 6, 6)),
    ComplexFunction("np.arccosh(z)", of_first(mp.acosh), EVERYWHERE, (4, 4, 4, 4), (6, 6, 6, 6)),
    ComplexFunction("np.arctanh(z)", of_first(mp.atanh), EVERYWHERE, (4, 4, 4, 4), (6, 6, 6, 6)),
    ComplexFunction("np.expm1(z)", of_first(lambda z: mp.exp(z) - 1), EVERYWHERE, (5, 5, 5, 5)),
    ComplexFunction(
        "np.log1p(z)", of_first(lambda z: mp.log(1 + z)), EVERYWHERE, (3, 3, 3, 3), (6, 6, 6, 6)
    ),
    ComplexFunction(
        "np.exp2(z)",
        of_first(lambda z: mp.exp(z * mp.log(2))),
        ["near", "small", "beside", "overflowing"],
        (4, 4, 4, 4),
        (6, 6, 6, 6),
    ),
    ComplexFunction("np.log2(z)", scaled_by(2, mp.log), EVERYWHERE, (4, 4, 4, 4), (4, 4, 4, 4)),
    ComplexFunction("np.log10(z)", scaled_by(10, mp.log), EVERYWHERE, (4, 4, 4, 4), (4, 4, 4, 4)),
    ComplexFunction(
        "np.power(z, w)", lambda z, w: mp.exp(w * mp.log(z)), ["near", "small"], (40, 40, 40, 40)
    ),
    ComplexFunction("np.absolute(z)", of_first(abs), EVERYWHERE, (2, 2, 2, 2), (2, 2, 2, 2)),
    ComplexFunction("cmath.phase(z)", of_first(phase), EVERYWHERE, (2, 2, 2, 2), (2, 2, 2, 2)),
    ComplexFunction("cmath.rect(z.real, z.imag)", of_first(rect), ["near", "small"], (3, 3, 3, 3)),
    ComplexFunction("z * w", lambda z, w: z * w, ["near", "beside"], (3, 3, 3, 3)),
    ComplexFunction("z / w", lambda z, w: z / w, ["near", "beside"], (5, 5, 5, 5)),
    ComplexFunction(
        "np.reciprocal(z)", of_first(lambda z: 1 / z), ["near", "beside"], (5, 5, 5, 5)
    ),
    ComplexFunction("np.sign(z)", of_first(sign), ["near", "beside"], (3, 3, 3, 3)),
    ComplexFunction(
        "np.sinc(z)",
        of_first(lambda z: mp.sinpi(z) / (mp.pi * z)),
        ["near", "small"],
        (24, 24, 24, 24),
    ),
    ComplexFunction("special.lambertw(z)", of_first(mp.lambertw), EVERYWHERE, (2, 5, 2, 5)),
]
