"""How accurate derivatives of functions in kernels are: the table of bounds, and exact values.

A bound is a distance from the exact derivative in units in the last place. A derivative with zeros,
or one that a rounded operand changes by much, is `conditioned`: the unit is then that of the larger
of f' and x * f'', by which a change of the operand's last place changes it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cuda_math_functions import mp
from function_bounds import FUNCTIONS, Function
from kernel_source import function

import numpy_plugin as npp


@dataclass(frozen=True)
class Bound:
    """Of float32 and float64."""

    float32: float = 4
    float64: float = 4
    conditioned: bool = False


def names(row: Function) -> str:
    return "xyzw"[: len(row.ranges[0])]


def row_of(call: str) -> Function:
    return next(row for row in FUNCTIONS if row.call == call)


# ---- exact values --------------------------------------------------------------------------------

Slope = tuple[Any, Any]  # f' and x * f''


def differences(f: Callable[..., Any], x: Any, bits: int) -> Slope:
    """Quotients of differences, whose error is the square of the step."""
    size = mp.ldexp(1, mp.frexp(x)[1] if x else 0)
    step = mp.ldexp(size, -bits)
    below, here, above = (mp.re(f(each)) for each in (x - step, x, x + step))
    return (above - below) / (2 * step), x * (above - 2 * here + below) / step**2


def beta_density(a: Any, b: Any, x: Any) -> Any:
    return mp.power(x, a - 1) * mp.power(1 - x, b - 1) / mp.beta(a, b)


def gamma_density(a: Any, x: Any) -> Any:
    return mp.power(x, a - 1) * mp.exp(-x) / mp.gamma(a)


def owens_t_slopes(at: int) -> Callable[..., Any]:
    by_h = lambda h, a: -mp.npdf(h) * mp.erf(a * h / mp.sqrt(2)) / 2  # noqa: E731
    by_a = lambda h, a: mp.exp(-h * h * (1 + a * a) / 2) / (2 * mp.pi * (1 + a * a))  # noqa: E731
    return [by_h, by_a][at]


def scaled_k(order: int, x: Any) -> Any:
    return mp.exp(x) * mp.besselk(order, x)


# Of functions that take too long, or have too few digits, for differences.
CLOSED: dict[tuple[str, str], Callable[..., Any]] = {
    ("special.owens_t(x, y)", "x"): owens_t_slopes(0),
    ("special.owens_t(x, y)", "y"): owens_t_slopes(1),
    ("special.gammainc(x, y)", "y"): gamma_density,
    ("special.gammaincc(x, y)", "y"): lambda a, x: -gamma_density(a, x),
    ("special.betainc(x, y, z)", "z"): beta_density,
    ("special.y0(x)", "x"): lambda x: -mp.bessely(1, x),
    ("special.y1(x)", "x"): lambda x: (mp.bessely(0, x) - mp.bessely(2, x)) / 2,
    ("special.yn(3, x)", "x"): lambda x: (mp.bessely(2, x) - mp.bessely(4, x)) / 2,
    ("special.k0(x)", "x"): lambda x: -mp.besselk(1, x),
    ("special.k1(x)", "x"): lambda x: -(mp.besselk(0, x) + mp.besselk(2, x)) / 2,
    ("special.k0e(x)", "x"): lambda x: scaled_k(0, x) - scaled_k(1, x),
    ("special.k1e(x)", "x"): lambda x: scaled_k(1, x) - (scaled_k(0, x) + scaled_k(2, x)) / 2,
}


def exact_slope(row: Function, operand: str, numbers: tuple[float, ...], both: bool) -> Slope:
    """The derivative by one operand, with at least 30 digits; 0 for f'' unless it is asked for."""
    at = names(row).index(operand)
    arguments = list(map(mp.mpf, numbers))
    closed = CLOSED.get((row.call, operand))
    if closed and not both:
        return closed(*arguments), 0
    with mp.workdps(100 if closed else 180):

        def value(x: Any) -> Any:
            return (closed or row.exact)(*arguments[:at], x, *arguments[at + 1 :])

        if closed:
            change, _ = differences(value, arguments[at], 60)
            return value(arguments[at]), arguments[at] * change
        return differences(value, arguments[at], 150)


@functools.cache
def exact_slopes(call: str, operand: str, dtype: str, count: int) -> list[Slope]:
    row = row_of(call)
    both = bound_of(call, operand).conditioned
    numbers = zip(*(column.tolist() for column in row.draw(dtype, count)), strict=True)
    return [exact_slope(row, operand, each, both) for each in numbers]


# ---- distances -----------------------------------------------------------------------------------


def derivative_of(call: str, operand: str, dtype: str, **options: Any) -> np.ufunc:
    from scipy import special

    parameters = names(row_of(call))
    source = f"def f({', '.join(parameters)}):\n    return {call}\n"
    types = [f"{dtype}({', '.join([dtype] * len(parameters))})"]
    value = npp.vectorize(types, **options)(function(source, special=special))
    return npp.derivative(value, operand)


def distance(found: float, slope: Slope, limits: np.finfo, bound: Bound) -> float:
    size = max(map(abs, slope)) if bound.conditioned else abs(slope[0])
    exponent = mp.frexp(size)[1] - 1 if size != 0 else limits.minexp
    if abs(slope[0]) > float(limits.max) or (size != 0 and exponent <= limits.minexp):
        return 0.0  # overflows, or is subnormal
    if not math.isfinite(found):
        return math.inf
    return float(abs(mp.mpf(found) - slope[0]) / mp.ldexp(1, exponent - limits.nmant))


def distances(
    call: str, operand: str, dtype: str, count: int, derivative: Callable[..., np.ndarray]
) -> list[float]:
    """Of all of a function's arguments of its ranges."""
    with np.errstate(all="ignore"):
        found = derivative(*row_of(call).draw(dtype, count))
    exact = exact_slopes(call, operand, dtype, count)
    bound = bound_of(call, operand)
    limits = np.finfo(dtype)
    return [distance(v, e, limits, bound) for v, e in zip(found.tolist(), exact, strict=True)]


# ---- bounds --------------------------------------------------------------------------------------

ZEROS = Bound(conditioned=True)
# Functions of large parameters, computed from one of shifted parameters: these are rounded.
SHIFTED = Bound(8, 8, conditioned=True)

BOUNDS: dict[tuple[str, str], Bound] = {
    ("math.gamma(x)", "x"): ZEROS,
    ("math.lgamma(x)", "x"): ZEROS,
    ("math.lgamma(-x)", "x"): ZEROS,
    # Of a difference of the operands, which is rounded.
    ("np.logaddexp(x, y)", "x"): Bound(8, 8),
    ("np.logaddexp(x, y)", "y"): Bound(8, 8),
    ("np.logaddexp2(x, y)", "x"): Bound(8, 8),
    ("np.logaddexp2(x, y)", "y"): Bound(8, 8),
    ("np.sinc(x)", "x"): ZEROS,
    ("special.erfcx(x)", "x"): Bound(4, 8),  # of erfcx, which is off by up to 5 ulp
    ("special.rgamma(x)", "x"): ZEROS,
    ("special.psi(-x)", "x"): Bound(6, 6),
    ("special.beta(x, y)", "x"): Bound(6, 8),
    ("special.beta(x, y)", "y"): Bound(6, 8),
    ("special.entr(x)", "x"): ZEROS,
    ("special.rel_entr(x, y)", "x"): ZEROS,
    # Of a product in the exponent, which is rounded.
    ("special.boxcox(x, y)", "x"): Bound(6, 6),
    ("special.boxcox(x, y)", "y"): Bound(8, 8),
    ("special.boxcox1p(x, y)", "x"): Bound(6, 6),
    ("special.boxcox1p(x, y)", "y"): Bound(8, 8),
    ("special.pseudo_huber(x, y)", "x"): Bound(8, 6),  # of a fourth power
    ("special.j0(x)", "x"): ZEROS,
    ("special.j1(x)", "x"): ZEROS,
    ("special.jv(3, x)", "x"): ZEROS,
    ("special.y0(x)", "x"): ZEROS,
    ("special.y1(x)", "x"): ZEROS,
    ("special.yn(3, x)", "x"): ZEROS,
    # Differences that cancel between 1 and 18, of functions that are off by up to 5, or 20, ulp.
    ("special.i0e(x)", "x"): Bound(24, 48, conditioned=True),
    ("special.i1e(x)", "x"): Bound(48, 96, conditioned=True),
    ("special.k0e(x)", "x"): Bound(24, 128),
    ("special.k1e(x)", "x"): Bound(24, 128),
    # Of exponents of large parameters.
    ("special.gammainc(x, y)", "y"): Bound(12, 16, conditioned=True),
    ("special.gammaincc(x, y)", "y"): Bound(12, 16, conditioned=True),
    ("special.betainc(x, y, z)", "z"): Bound(24, 24, conditioned=True),
    ("special.zeta(x, y)", "y"): Bound(16, 32),
    ("special.binom(x, y)", "x"): Bound(64, 64, conditioned=True),
    ("special.binom(x, y)", "y"): Bound(16, 24, conditioned=True),
    ("special.poch(x, y)", "x"): Bound(12, 16, conditioned=True),
    ("special.poch(x, y)", "y"): ZEROS,
    ("special.owens_t(x, y)", "y"): Bound(6, 6),
    ("special.lambertw(x, -1).real", "x"): ZEROS,
    ("special.iv(-x, y)", "y"): SHIFTED,
    ("special.kv(x, y)", "y"): Bound(16, 16),
    ("special.jv(x, y)", "y"): SHIFTED,
    ("special.jv(int(x), y)", "y"): SHIFTED,
    ("special.jv(x, y) * math.sqrt(y)", "y"): SHIFTED,
    ("special.yv(x, y)", "y"): SHIFTED,
    ("special.yv(int(x), y)", "y"): SHIFTED,
    ("special.yv(x, y) * math.sqrt(y)", "y"): SHIFTED,
    ("special.struve(x, y)", "y"): SHIFTED,
    ("special.modstruve(x, y)", "y"): SHIFTED,
    ("special.hyp2f1(x, y, z, w)", "w"): SHIFTED,
}

ORDER = "'{}' has no derivative by its order"
PARAMETER = "'{}' has no derivative by its parameter m"
VOIGT = "'voigt_profile' has no derivative here"
# The derivatives that there are not, with what the error says.
REFUSED: dict[tuple[str, str], str] = {
    ("special.inv_boxcox(x, y)", "y"): "'inv_boxcox' has no derivative by its exponent",
    ("special.inv_boxcox1p(x, y)", "y"): "'inv_boxcox1p' has no derivative by its exponent",
    ("special.gammainc(x, y)", "x"): "'gammainc' has no derivative by its first operand",
    ("special.gammaincc(x, y)", "x"): "'gammaincc' has no derivative by its first operand",
    ("special.betainc(x, y, z)", "x"): "'betainc' has no derivative by its first operand",
    ("special.betainc(x, y, z)", "y"): "'betainc' has no derivative by its second operand",
    ("special.ellipkinc(x, y)", "y"): PARAMETER.format("ellipkinc"),
    ("special.ellipeinc(x, y)", "y"): PARAMETER.format("ellipeinc"),
    ("special.zeta(x)", "x"): "'riemann_zeta' has no derivative here",
    ("special.zeta(x, y)", "x"): "'hurwitz_zeta' has no derivative by its first operand",
    **{("special.voigt_profile(x, y, z)", each): VOIGT for each in "xyz"},
    ("special.iv(x, y)", "x"): ORDER.format("iv"),
    ("special.iv(-x, y)", "x"): ORDER.format("iv"),
    ("special.kv(x, y)", "x"): ORDER.format("kv"),
    ("special.jv(x, y)", "x"): ORDER.format("jv"),
    ("special.jv(x, y) * math.sqrt(y)", "x"): ORDER.format("jv"),
    ("special.yv(x, y)", "x"): ORDER.format("yv"),
    ("special.yv(x, y) * math.sqrt(y)", "x"): ORDER.format("yv"),
    ("special.struve(x, y)", "x"): ORDER.format("struve"),
    ("special.modstruve(x, y)", "x"): ORDER.format("modstruve"),
    ("special.hyp2f1(x, y, z, w)", "x"): "'hyp2f1' has no derivative by its first operand",
    ("special.hyp2f1(x, y, z, w)", "y"): "'hyp2f1' has no derivative by its second operand",
    ("special.hyp2f1(x, y, z, w)", "z"): "'hyp2f1' has no derivative by its third operand",
}
# Those that there are.
DERIVATIVES = [
    (row.call, operand)
    for row in FUNCTIONS
    for operand in names(row)
    if (row.call, operand) not in REFUSED
]


def bound_of(call: str, operand: str) -> Bound:
    return BOUNDS.get((call, operand), Bound())
