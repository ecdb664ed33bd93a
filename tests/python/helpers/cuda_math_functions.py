"""CUDA's mathematical functions: what they compute, CUDA's documented bounds, where to try them.

The bounds are those of the CUDA C++ Programming Guide's appendix of mathematical functions: the
distance, in units of the last place, from the correctly rounded result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

mp = mpmath.mp.clone()
mp.dps = 60

Exact = Callable[..., Any]


@dataclass(frozen=True)
class Range:
    """Where an argument is drawn from: its logarithm uniformly where both ends are positive."""

    low: float
    high: float
    signed: bool = False  # either sign

    def draw(self, generator: np.random.Generator, count: int) -> np.ndarray:
        if self.low > 0:
            values = np.exp(generator.uniform(np.log(self.low), np.log(self.high), count))
        else:
            values = generator.uniform(self.low, self.high, count)
        return values * generator.choice([-1.0, 1.0], count) if self.signed else values


@dataclass(frozen=True)
class MathFunction:
    """A function of CUDA's library; `suffix` and dtype choose its spelling."""

    name: str  # of the double function; the float one appends f
    exact: Exact
    bounds: tuple[float, float]  # ulp: float, double
    ranges: Sequence[Sequence[Range]]  # each is a set of arguments to draw
    n_integers: int = 0  # leading int arguments, equal in all calls
    absolute: tuple[float, float] = (0.0, 0.0)  # allowed instead, where the guide says so
    hard: Sequence[tuple[float, ...]] = ()

    def spelling(self, dtype: np.dtype) -> str:
        return self.name + ("f" if dtype == np.float32 else "")

    @property
    def n_arguments(self) -> int:
        return len(self.ranges[0])


def root_of_squares(*values: Any) -> Any:
    return mp.sqrt(sum(value * value for value in values))


def log_of_gamma(x: Any) -> Any:
    return mp.log(abs(mp.gamma(x)))


def inverse_of_erfc(x: Any) -> Any:
    # erfc keeps digits that 1 - erf loses for small x.
    if x < 0.1:
        guess = mp.sqrt(-mp.log(x * mp.sqrt(mp.pi)))
        return mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(x), guess)
    if x > 1.9:
        return -inverse_of_erfc(2 - x)
    return mp.erfinv(1 - x)


ANY = Range(1e-30, 1e30, signed=True)
MODERATE = Range(1e-6, 1e6, signed=True)
UNIT = Range(1e-9, 1.0, signed=True)
SMALL = Range(-5.0, 5.0)
TINY_TO_HUGE = Range(1e-37, 1e37)

FUNCTIONS = [
    MathFunction("rsqrt", lambda x: 1 / mp.sqrt(x), (2, 1), [[TINY_TO_HUGE]]),
    MathFunction("cbrt", mp.cbrt, (1, 1), [[TINY_TO_HUGE]]),
    MathFunction("rcbrt", lambda x: 1 / mp.cbrt(x), (1, 1), [[TINY_TO_HUGE]]),
    MathFunction("hypot", root_of_squares, (3, 2), [[ANY, ANY], [MODERATE, MODERATE]]),
    MathFunction("rhypot", lambda *v: 1 / root_of_squares(*v), (2, 1), [[MODERATE, MODERATE]]),
    MathFunction("norm3d", root_of_squares, (3, 2), [[MODERATE] * 3]),
    MathFunction("rnorm3d", lambda *v: 1 / root_of_squares(*v), (2, 1), [[MODERATE] * 3]),
    MathFunction("norm4d", root_of_squares, (3, 2), [[MODERATE] * 4]),
    MathFunction("rnorm4d", lambda *v: 1 / root_of_squares(*v), (2, 1), [[MODERATE] * 4]),
    MathFunction("exp", mp.exp, (2, 1), [[Range(-87, 88)], [UNIT]]),
    MathFunction("exp2", lambda x: mp.power(2, x), (2, 1), [[Range(-125, 127)], [UNIT]]),
    MathFunction("exp10", lambda x: mp.power(10, x), (2, 1), [[Range(-37, 38)], [UNIT]]),
    MathFunction("expm1", mp.expm1, (1, 1), [[Range(-10, 80)], [UNIT]]),
    MathFunction("log", mp.log, (1, 1), [[TINY_TO_HUGE], [Range(0.5, 2.0)]]),
    MathFunction("log2", lambda x: mp.log(x, 2), (1, 1), [[TINY_TO_HUGE], [Range(0.5, 2.0)]]),
    MathFunction("log10", mp.log10, (2, 1), [[TINY_TO_HUGE], [Range(0.5, 2.0)]]),
    MathFunction(
        "log1p", lambda x: mp.log(1 + x), (1, 1), [[Range(1e-9, 1e30)], [Range(-0.999, 1)]]
    ),
    MathFunction("sin", mp.sin, (2, 2), [[Range(-10, 10)], [ANY]], hard=[(22.0,), (105615.0,)]),
    MathFunction("cos", mp.cos, (2, 2), [[Range(-10, 10)], [ANY]], hard=[(11.0,), (105616.0,)]),
    MathFunction("tan", mp.tan, (4, 2), [[Range(-10, 10)], [ANY]], hard=[(11.0,), (22.0,)]),
    MathFunction("sinpi", mp.sinpi, (1, 2), [[Range(-10, 10)], [Range(1e-6, 1e4, signed=True)]]),
    MathFunction("cospi", mp.cospi, (1, 2), [[Range(-10, 10)], [Range(1e-6, 1e4, signed=True)]]),
    MathFunction("asin", mp.asin, (2, 2), [[UNIT], [Range(-1, 1)]], hard=[(1.0,), (-1.0,)]),
    MathFunction("acos", mp.acos, (2, 2), [[UNIT], [Range(-1, 1)]], hard=[(-1.0,), (0.0,)]),
    MathFunction("atan", mp.atan, (2, 2), [[ANY], [SMALL]]),
    MathFunction("atan2", mp.atan2, (3, 2), [[MODERATE, MODERATE], [SMALL, SMALL]]),
    MathFunction("sinh", mp.sinh, (3, 2), [[Range(-80, 80)], [UNIT]]),
    MathFunction("cosh", mp.cosh, (2, 1), [[Range(-80, 80)], [UNIT]]),
    MathFunction("tanh", mp.tanh, (2, 1), [[SMALL], [UNIT]]),
    MathFunction("asinh", mp.asinh, (3, 3), [[ANY], [SMALL]]),
    MathFunction("acosh", mp.acosh, (4, 3), [[Range(1, 1e30)], [Range(1, 2)]]),
    MathFunction("atanh", mp.atanh, (3, 2), [[UNIT], [Range(-0.999, 0.999)]]),
    MathFunction(
        "pow",
        mp.power,
        (4, 2),
        [[Range(0.01, 100), Range(-15, 15)], [Range(0.9, 1.1), Range(-300, 300)]],
    ),
    MathFunction("erf", mp.erf, (2, 2), [[SMALL], [UNIT]]),
    MathFunction("erfc", mp.erfc, (4, 5), [[Range(-5, 9)]]),
    MathFunction("erfinv", mp.erfinv, (2, 5), [[Range(-0.999, 0.999)], [UNIT]]),
    MathFunction("erfcinv", inverse_of_erfc, (4, 6), [[Range(1e-30, 1.0)], [Range(1.0, 1.99)]]),
    MathFunction("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), (4, 4), [[Range(-3, 50)]]),
    MathFunction("normcdf", mp.ncdf, (5, 5), [[Range(-9, 5)]]),
    MathFunction(
        "normcdfinv",
        lambda x: -mp.sqrt(2) * inverse_of_erfc(2 * x),
        (5, 8),
        [[Range(1e-30, 0.5)], [Range(0.5, 0.99)]],
    ),
    # Between -23.0001 and -2.2637 (double) are the zeros, where the guide gives no bound.
    MathFunction("lgamma", log_of_gamma, (6, 4), [[Range(1e-9, 1e9)], [Range(-2.2, 3)]]),
    MathFunction("tgamma", mp.gamma, (5, 10), [[Range(1e-9, 33)], [Range(-10.9, 3)]]),
    MathFunction("j0", mp.j0, (9, 7), [[Range(-8, 8)], [Range(8, 200)]], absolute=(2.2e-6, 5e-12)),
    MathFunction("j1", mp.j1, (9, 7), [[Range(-8, 8)], [Range(8, 200)]], absolute=(2.2e-6, 5e-12)),
    MathFunction(
        "y0",
        lambda x: mp.bessely(0, x),
        (9, 7),
        [[Range(1e-3, 8)], [Range(8, 200)]],
        absolute=(2.2e-6, 5e-12),
    ),
    MathFunction(
        "y1",
        lambda x: mp.bessely(1, x),
        (9, 7),
        [[Range(1e-3, 8)], [Range(8, 200)]],
        absolute=(2.2e-6, 5e-12),
    ),
    MathFunction(
        "jn",
        mp.besselj,
        (9, 7),
        [[Range(3, 3), Range(0.5, 100)]],
        n_integers=1,
        absolute=(2.2e-6, 5e-12),
    ),
    MathFunction(
        "yn",
        mp.bessely,
        (10, 10),
        [[Range(3, 3), Range(3, 100)]],
        n_integers=1,
        absolute=(2.2e-6, 5e-12),
    ),
    MathFunction("cyl_bessel_i0", lambda x: mp.besseli(0, x), (6, 6), [[Range(-80, 80)]]),
    MathFunction("cyl_bessel_i1", lambda x: mp.besseli(1, x), (6, 6), [[Range(-80, 80)]]),
]

# Exact in IEEE arithmetic: compared bit for bit with NumPy's.
EXACT_FUNCTIONS: list[tuple[str, int, Callable[..., np.ndarray]]] = [
    ("sqrt", 1, np.sqrt),
    ("fabs", 1, np.abs),
    ("ceil", 1, np.ceil),
    ("floor", 1, np.floor),
    ("trunc", 1, np.trunc),
    ("rint", 1, np.rint),
    ("nearbyint", 1, np.rint),
    ("fmin", 2, np.fmin),
    ("fmax", 2, np.fmax),
    ("copysign", 2, np.copysign),
    ("fmod", 2, np.fmod),
    ("nextafter", 2, np.nextafter),
    (
        "fdim",
        2,
        lambda x, y: np.where(x > y, x - y, np.where(np.isnan(x) | np.isnan(y), np.nan, 0)),
    ),
]
