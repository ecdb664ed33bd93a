"""How accurate functions in kernels are: the table of bounds, and how distances are measured.

A bound is a distance from the exact value in units in the last place, for float32 and float64 on
the CPU and on a device. Beside a zero that is no number of the format such a distance has no bound.
A function with such zeros has two: one where its value is at least `zero_below` in size, and
`absolute` where it is less, a distance in units in the last place of 1.
"""

from __future__ import annotations

import cmath
import functools
import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import special_bounds
from cuda_math_functions import Range, inverse_of_erfc, mp, root_of_squares
from kernel_source import function

import numpy_plugin as npp

Exact = Callable[..., Any]
Four = tuple[float, float, float, float]
TARGETS = ("cpu", "device")
DTYPES = ("float32", "float64")
# Arguments of a group's kernel, beside the function's number.
N_ARGUMENTS = 4


@dataclass(frozen=True)
class Function:
    """A call of a kernel, what it computes, where it is tried, and its bounds."""

    call: str
    exact: Exact
    ranges: Sequence[Sequence[Range]]  # each is a set of arguments to draw
    bounds: Four  # float32 and float64 on the CPU, then on a device
    zero_below: float = 0.0
    absolute: Four = (0, 0, 0, 0)

    @property
    def name(self) -> str:
        return self.call.partition("(")[0]

    def limits(self, target: str, dtype: str) -> tuple[float, float]:
        """The bounds of both distances."""
        at = 2 * TARGETS.index(target) + DTYPES.index(dtype)
        return self.bounds[at], self.absolute[at]

    def draw(self, dtype: str, count: int) -> list[np.ndarray]:
        """Random arguments of each of the function's ranges that the dtype holds."""
        generator = np.random.default_rng(zlib.crc32(self.call.encode()))
        parts = [np.stack([r.draw(generator, count) for r in ranges]) for ranges in self.ranges]
        with np.errstate(over="ignore", under="ignore"):
            columns = np.concatenate(parts, axis=1).astype(dtype)
        limits = np.finfo(dtype)
        sizes = np.abs(columns)
        fits = np.all(((sizes > limits.tiny) & (sizes < limits.max)) | (columns == 0), axis=0)
        return [np.ascontiguousarray(column) for column in columns[:, fits]]


def log_gamma(x: Any) -> Any:
    return mp.loggamma(x).real


def normal_below(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def power(exponent_first: Any) -> Exact:
    return lambda x: mp.power(exponent_first, x)


def cube_root(x: Any) -> Any:
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


def inverse_error(x: Any) -> Any:
    return mp.sign(x) * inverse_of_erfc(1 - abs(x)) if abs(x) > 0.9 else mp.erfinv(x)


def difference_from_sum(x: Any, y: Any) -> Any:
    return x * mp.log(x / y) - x + y


def huber(delta: Any, r: Any) -> Any:
    return r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)


ANY = Range(1e-20, 1e30, signed=True)
SMALL = Range(1e-20, 1e-3, signed=True)
NEAR = Range(-5.0, 5.0)
ANGLES = Range(-720, 720)
UNIT = Range(-1.0, 1.0)
POSITIVE = Range(1e-37, 1e37)
PART = Range(1e-30, 1.0)
EXPONENTS = Range(-86, 88)

FUNCTIONS = [
    Function("math.exp(x)", mp.exp, [[EXPONENTS], [SMALL]], (4, 4, 4, 4)),
    Function("math.exp2(x)", power(2), [[Range(-125, 127)], [SMALL]], (4, 4, 4, 4)),
    Function("math.expm1(x)", mp.expm1, [[EXPONENTS], [SMALL]], (4, 4, 4, 4)),
    Function("math.log(x)", mp.log, [[POSITIVE], [Range(0.5, 2)]], (4, 4, 4, 4)),
    Function("math.log2(x)", lambda x: mp.log(x, 2), [[POSITIVE]], (4, 4, 4, 4)),
    Function("math.log10(x)", mp.log10, [[POSITIVE], [Range(0.5, 2)]], (4, 4, 4, 4)),
    Function("math.log1p(x)", lambda x: mp.log(1 + x), [[Range(-0.99, 5)], [SMALL]], (4, 4, 4, 4)),
    Function("math.sin(x)", mp.sin, [[Range(-10, 10)], [ANY]], (4, 4, 4, 4)),
    Function("math.cos(x)", mp.cos, [[Range(-10, 10)], [ANY]], (4, 4, 4, 4)),
    Function("math.tan(x)", mp.tan, [[Range(-10, 10)], [ANY]], (4, 4, 4, 4)),
    Function("math.asin(x)", mp.asin, [[UNIT], [SMALL]], (4, 4, 4, 4)),
    Function("math.acos(x)", mp.acos, [[UNIT]], (4, 4, 4, 4)),
    Function("math.atan(x)", mp.atan, [[ANY], [NEAR]], (4, 4, 4, 4)),
    Function(
        "math.atan2(y, x)", lambda x, y: mp.atan2(y, x), [[NEAR, NEAR], [ANY, ANY]], (4, 4, 4, 4)
    ),
    Function("math.sinh(x)", mp.sinh, [[EXPONENTS], [SMALL]], (4, 4, 4, 4)),
    Function("math.cosh(x)", mp.cosh, [[EXPONENTS]], (4, 4, 4, 4)),
    Function("math.tanh(x)", mp.tanh, [[NEAR], [SMALL]], (4, 4, 4, 4)),
    Function("math.asinh(x)", mp.asinh, [[ANY], [NEAR]], (4, 4, 4, 4)),
    Function("math.acosh(x)", mp.acosh, [[Range(1.001, 1e30)], [Range(1.0, 2.0)]], (4, 4, 4, 4)),
    Function("math.atanh(x)", mp.atanh, [[UNIT], [SMALL]], (4, 4, 4, 4)),
    Function("math.cbrt(x)", cube_root, [[ANY]], (4, 4, 4, 4)),
    Function("math.hypot(x, y)", root_of_squares, [[NEAR, NEAR], [ANY, ANY]], (4, 4, 4, 4)),
    Function("math.pow(x, y)", mp.power, [[Range(0.01, 100), Range(-15, 15)]], (4, 4, 4, 4)),
    Function("math.erf(x)", mp.erf, [[NEAR], [SMALL]], (4, 4, 4, 4)),
    Function("math.erfc(x)", mp.erfc, [[Range(-5, 9)]], (4, 5, 5, 5)),
    Function("math.gamma(x)", mp.gamma, [[Range(1e-9, 33)], [Range(-10.9, 3)]], (4, 4, 5, 10)),
    Function(
        "math.lgamma(x)",
        log_gamma,
        [[Range(1e-9, 1e9)], [Range(-2.2, 3)]],
        (6, 6, 6, 6),
    ),
    Function(
        "math.lgamma(-x)",
        lambda x: log_gamma(-x),
        [[Range(2.2, 12)]],
        (1, 3, 1, 3),
        0.25,
        (1, 1, 1, 1),
    ),
    Function("math.degrees(x)", mp.degrees, [[ANY]], (2, 2, 2, 2)),
    Function("math.radians(x)", mp.radians, [[ANY]], (2, 2, 2, 2)),
    Function(
        "np.logaddexp(x, y)",
        lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
        [[NEAR, NEAR]],
        (4, 4, 4, 4),
        1.0,
        (2, 2, 2, 2),
    ),
    Function(
        "np.logaddexp2(x, y)",
        lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y), 2),
        [[NEAR, NEAR]],
        (4, 4, 4, 4),
        1.0,
        (2, 2, 2, 2),
    ),
    Function("np.sinc(x)", lambda x: mp.sinpi(x) / (mp.pi * x), [[NEAR], [SMALL]], (4, 4, 4, 4)),
    Function("special.erfinv(x)", inverse_error, [[UNIT], [SMALL]], (1, 4, 4, 4)),
    Function("special.erfcinv(x)", inverse_of_erfc, [[PART], [Range(1.0, 1.99)]], (1, 4, 5, 4)),
    Function(
        "special.erfcx(x)",
        lambda x: mp.exp(x * x) * mp.erfc(x),
        [[Range(-5, 50)], [SMALL]],
        (1, 5, 5, 5),
    ),
    Function("special.ndtr(x)", normal_below, [[Range(-9, 5)]], (1, 4, 6, 4)),
    Function(
        "special.ndtri(x)",
        lambda p: -mp.sqrt(2) * inverse_of_erfc(2 * p),
        [[PART], [Range(0.5, 0.99)]],
        (1, 5, 6, 5),
    ),
    Function(
        "special.log_ndtr(x)", lambda x: mp.log(normal_below(x)), [[Range(-40, 8)]], (1, 5, 1, 5)
    ),
    Function(
        "special.gammasgn(x)", lambda x: mp.sign(mp.gamma(x)), [[Range(-30, 30)]], (0, 0, 0, 0)
    ),
    Function("special.rgamma(x)", mp.rgamma, [[Range(-20, 30)]], (1, 4, 1, 12)),
    Function("special.psi(x)", mp.digamma, [[Range(1e-5, 1e9)], [Range(0.5, 12)]], (1, 4, 1, 4)),
    Function(
        "special.psi(-x)",
        lambda x: mp.digamma(-x),
        [[Range(1e-3, 12)]],
        (1, 16, 1, 16),
        0.25,
        (1, 8, 1, 8),
    ),
    Function("special.loggamma(x)", log_gamma, [[Range(1e-9, 1e9)]], (1, 5, 1, 6)),
    Function(
        "special.beta(x, y)",
        mp.beta,
        [
            [Range(0.1, 40), Range(0.1, 40)],
            [PART, PART],
            [Range(1e-3, 500), Range(100, 3000)],
            [Range(1e-3, 10), Range(1e3, 1e12)],
        ],
        (1, 12, 1, 12),
    ),
    Function(
        "special.betaln(x, y)",
        lambda x, y: log_gamma(x) + log_gamma(y) - log_gamma(x + y),
        [[Range(0.1, 1e6), Range(0.1, 1e6)]],
        (1, 32, 1, 32),
        0.25,
        (1, 4, 1, 4),
    ),
    # Libmvec's exp, and the sine of which cosm1 has the square, are off by up to 4 ulp.
    Function("special.expit(x)", lambda x: 1 / (1 + mp.exp(-x)), [[Range(-80, 80)]], (4, 6, 4, 4)),
    Function(
        "special.logit(x)",
        lambda p: mp.log(p / (1 - p)),
        [[PART], [Range(0.01, 0.99)]],
        (4, 4, 4, 4),
    ),
    Function(
        "special.log_expit(x)", lambda x: -mp.log(1 + mp.exp(-x)), [[Range(-80, 80)]], (4, 4, 4, 4)
    ),
    Function("special.xlogy(x, y)", lambda x, y: x * mp.log(y), [[NEAR, POSITIVE]], (4, 4, 4, 4)),
    Function(
        "special.xlog1py(x, y)",
        lambda x, y: x * mp.log(1 + y),
        [[NEAR, Range(-0.99, 5)]],
        (4, 4, 4, 4),
    ),
    Function("special.exprel(x)", lambda x: mp.expm1(x) / x, [[EXPONENTS], [SMALL]], (4, 4, 4, 4)),
    Function("special.entr(x)", lambda x: -x * mp.log(x), [[Range(0.0, 5.0)]], (4, 4, 4, 4)),
    Function(
        "special.rel_entr(x, y)",
        lambda x, y: x * mp.log(x / y),
        [[Range(1e-6, 5), Range(1e-6, 5)]],
        (4, 4, 4, 4),
    ),
    Function(
        "special.kl_div(x, y)",
        difference_from_sum,
        [[Range(1e-6, 5), Range(1e-6, 5)]],
        (1, 6, 1, 6),
    ),
    Function(
        "special.boxcox(x, y)",
        lambda x, y: (mp.power(x, y) - 1) / y,
        [[Range(0.01, 5), Range(-3, 3)]],
        (1, 6, 1, 6),
    ),
    Function(
        "special.boxcox1p(x, y)",
        lambda x, y: (mp.power(1 + x, y) - 1) / y,
        [[Range(-0.9, 5), Range(-3, 3)]],
        (1, 8, 1, 8),
    ),
    Function(
        "special.inv_boxcox(x, y)",
        lambda x, y: mp.power(1 + x * y, 1 / y),
        [[Range(0.01, 3), Range(0.1, 3)]],
        (1, 8, 1, 8),
    ),
    Function(
        "special.inv_boxcox1p(x, y)",
        lambda x, y: mp.power(1 + x * y, 1 / y) - 1,
        [[Range(0.01, 3), Range(0.1, 3)]],
        (1, 8, 1, 8),
    ),
    Function("special.huber(x, y)", huber, [[Range(0.1, 3), NEAR]], (2, 2, 2, 2)),
    Function(
        "special.pseudo_huber(x, y)",
        lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1),
        [[Range(0.1, 3), NEAR]],
        (4, 4, 4, 4),
    ),
    Function(
        "special.cosm1(x)",
        lambda x: -2 * mp.sin(x / 2) ** 2,
        [[Range(-3, 3)], [SMALL]],
        (5, 8, 5, 5),
    ),
    Function("special.sindg(x)", lambda x: mp.sinpi(x / 180), [[ANGLES]], (3, 3, 3, 3)),
    Function("special.cosdg(x)", lambda x: mp.cospi(x / 180), [[ANGLES]], (3, 3, 3, 3)),
    Function(
        "special.tandg(x)",
        lambda x: mp.sinpi(x / 180) / mp.cospi(x / 180),
        [[ANGLES]],
        (4, 4, 4, 4),
    ),
    Function("special.exp10(x)", power(10), [[Range(-37, 38)]], (2, 2, 3, 2)),
    Function(
        "special.j0(x)", mp.j0, [[Range(-8, 8)], [Range(8, 200)]], (1, 8, 1, 8), 0.03, (1, 2, 1, 2)
    ),
    Function(
        "special.j1(x)", mp.j1, [[Range(-8, 8)], [Range(8, 200)]], (1, 8, 1, 8), 0.03, (1, 2, 1, 2)
    ),
    Function(
        "special.jv(3, x)",
        lambda x: mp.besselj(3, x),
        [[Range(0.5, 100)]],
        (1, 16, 1, 16),
        0.03,
        (1, 2, 1, 2),
    ),
    Function(
        "special.y0(x)",
        lambda x: mp.bessely(0, x),
        [[Range(1e-3, 8)], [Range(8, 200)]],
        (1, 32, 1, 32),
        0.05,
        (1, 2, 1, 2),
    ),
    Function(
        "special.y1(x)",
        lambda x: mp.bessely(1, x),
        [[Range(1e-3, 8)], [Range(8, 200)]],
        (1, 32, 1, 32),
        0.05,
        (1, 2, 1, 2),
    ),
    Function(
        "special.yn(3, x)",
        lambda x: mp.bessely(3, x),
        [[Range(3.0, 100)]],
        (1, 32, 1, 32),
        0.05,
        (1, 2, 1, 2),
    ),
    Function("special.i0(x)", lambda x: mp.besseli(0, x), [[Range(-80, 80)], [NEAR]], (1, 5, 7, 5)),
    Function("special.i1(x)", lambda x: mp.besseli(1, x), [[Range(-80, 80)], [NEAR]], (1, 5, 7, 5)),
    Function(
        "special.i0e(x)",
        lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
        [[NEAR], [Range(1e-3, 1e6)]],
        (1, 5, 1, 5),
    ),
    Function(
        "special.i1e(x)",
        lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
        [[NEAR], [Range(1e-3, 1e6)]],
        (1, 5, 1, 5),
    ),
    Function(
        "special.k0(x)",
        lambda x: mp.besselk(0, x),
        [[Range(1e-6, 80)], [Range(1.0, 2.5)]],
        (1, 20, 1, 20),
    ),
    Function(
        "special.k1(x)",
        lambda x: mp.besselk(1, x),
        [[Range(1e-6, 80)], [Range(1.0, 2.5)]],
        (1, 8, 1, 8),
    ),
    Function(
        "special.k0e(x)",
        lambda x: mp.exp(x) * mp.besselk(0, x),
        [[Range(1e-6, 300)], [Range(1.0, 2.5)]],
        (1, 16, 1, 16),
    ),
    Function(
        "special.k1e(x)",
        lambda x: mp.exp(x) * mp.besselk(1, x),
        [[Range(1e-6, 300)], [Range(1.0, 2.5)]],
        (1, 8, 1, 8),
    ),
    *(Function(*row) for row in special_bounds.ROWS),
]

# Number of functions compiled together.
GROUP = 20


def groups() -> Iterator[list[Function]]:
    for start in range(0, len(FUNCTIONS), GROUP):
        yield FUNCTIONS[start : start + GROUP]


def group_kernel(group: list[Function], dtype: str, **options: Any) -> np.ufunc:
    """One kernel for all functions of a group: `which` chooses."""
    from scipy import special

    lines = ["def f(which, x, y, z, w):", "    result = x"]
    for i, row in enumerate(group):
        lines += [f"    if which == {i}:", f"        result = {row.call}"]
    source = "\n".join([*lines, "    return result", ""])
    kernel = function(source, special=special, cmath=cmath, math=math)
    return npp.vectorize([f"{dtype}(int64{f', {dtype}' * N_ARGUMENTS})"], **options)(kernel)


@functools.cache
def exact_values(call: str, dtype: str, count: int) -> list[Any]:
    """Those of a function's arguments, which are the same for every target."""
    row = next(row for row in FUNCTIONS if row.call == call)
    columns = (column.tolist() for column in row.draw(dtype, count))
    return [mp.re(row.exact(*map(mp.mpf, numbers))) for numbers in zip(*columns, strict=True)]


def distances(row: Function, found: np.ndarray, exact: list[Any]) -> tuple[float, float]:
    """The largest ones: in units in the last place, and beside zeros in those of 1."""
    limits = np.finfo(found.dtype)
    away, beside = [0.0], [0.0]
    for value, true_value in zip(found.tolist(), exact, strict=True):
        exponent = mp.frexp(true_value)[1] - 1 if true_value != 0 else limits.minexp
        if exponent > limits.maxexp - 1 or (true_value != 0 and exponent <= limits.minexp):
            continue  # overflows, or is subnormal
        if math.isnan(value):
            return math.inf, math.inf
        error = abs(mp.mpf(value) - true_value)
        if abs(true_value) < row.zero_below:
            beside.append(float(error / float(limits.eps)))
        else:
            away.append(float(error / mp.ldexp(1, exponent - limits.nmant)))
    return max(away), max(beside)


def found_values(columns: list[np.ndarray], call: Callable[..., np.ndarray]) -> np.ndarray:
    """What a group's kernel gives for a function's arguments."""
    with np.errstate(all="ignore"):
        return call(*columns, *[columns[-1]] * (N_ARGUMENTS - len(columns)))


def measure(
    row: Function, dtype: str, count: int, call: Callable[..., np.ndarray]
) -> tuple[float, float]:
    """The largest distances over random arguments."""
    found = found_values(row.draw(dtype, count), call)
    return distances(row, found, exact_values(row.call, dtype, count))


def measure_at(
    row: Function, columns: list[np.ndarray], call: Callable[..., np.ndarray]
) -> tuple[float, float]:
    """The largest distances at given arguments."""
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    exact = [mp.re(row.exact(*map(mp.mpf, each))) for each in numbers]
    return distances(row, found_values(columns, call), exact)
