"""Search for the arguments at which functions in kernels are least accurate.

All numbers of float32, or millions of random arguments, are compared with what NumPy's or SciPy's
function has in a wider format. Those that are farthest from it are then compared with mpmath's.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from cuda_math_functions import mp
from function_bounds import FUNCTIONS, Function, distances
from kernel_source import function
from scipy import special

import numpy_plugin as npp
from numpy_plugin import cuda

Vector = npt.NDArray[Any]

BLOCK = {"cpu": 1 << 15, "device": 1 << 20}
N_EXACT = 500
# Ulp from which on results are wrong, or nan.
FAR = 1e6
# Ends of a range from which on it stands for all larger, or all smaller, numbers.
LARGE, SMALL = 1e30, 1e-30

# What calls name: NumPy has the functions of math, but for these.
_MATH = {name: getattr(special, name) for name in ("erf", "erfc", "gamma")}
# Of SciPy's, which have float64 only, or whose formula is the one that is to be judged.
_ELEMENTARY = {
    "xlogy": lambda x, y: x * np.log(y),
    "xlog1py": lambda x, y: x * np.log1p(y),
    "exprel": lambda x: np.expm1(x) / x,
    "entr": lambda x: -x * np.log(x),
    "rel_entr": lambda x, y: x * np.log(x / y),
    "kl_div": lambda x, y: x * np.log(x / y) - x + y,
    "boxcox": lambda x, y: np.expm1(y * np.log(x)) / y,
    "boxcox1p": lambda x, y: np.expm1(y * np.log1p(x)) / y,
    "inv_boxcox": lambda x, y: np.exp(np.log1p(x * y) / y),
    "inv_boxcox1p": lambda x, y: np.expm1(np.log1p(x * y) / y),
    "huber": lambda d, r: np.where(abs(r) <= d, r * r / 2, d * (abs(r) - d / 2)),
    "pseudo_huber": lambda d, r: r * r / (np.sqrt(1 + (r / d) ** 2) + 1),
    "cosm1": lambda x: -2 * np.sin(x / 2) ** 2,
}
_WIDE = {
    "np": np,
    "special": SimpleNamespace(**vars(special) | _ELEMENTARY),
    "math": SimpleNamespace(**vars(np) | _MATH, lgamma=special.gammaln),
    "int": np.trunc,
}


def names(row: Function) -> str:
    """Return the names of a call's arguments."""
    return "xyzw"[: len(row.ranges[0])]


def kernels(row: Function, dtype: str, target: str) -> list[np.ufunc]:
    """Make ufuncs of all functions that the default mode calls, as a processor has them.

    It calls the vector library's, the C library's where that has none or the kernel has no vectors,
    and this package's with mask registers or an older vector library.
    """
    made = [kernel(row, dtype, "vector")]
    if target == "cpu":
        made.append(kernel(row, dtype, "libm"))
        with contextlib.suppress(npp.KernelError):  # this package has no vectors of all
            made.append(kernel(row, dtype, "reproducible"))
    return made


def kernel(row: Function, dtype: str, mode: str) -> np.ufunc:
    """Make a ufunc of the call alone, which has vectors where it can."""
    arguments = ", ".join(names(row))
    body = function(
        f"def f({arguments}):\n    return {row.call}\n", special=special, math=math, np=np
    )
    return npp.vectorize([f"{dtype}({', '.join([dtype] * len(names(row)))})"], math=mode)(body)


def values(compute: np.ufunc, columns: list[Vector], target: str) -> Vector:
    """Return a ufunc's results on a target."""
    if target == "cpu":
        return np.asarray(compute(*columns))
    return np.asarray(compute(*map(cuda.to_device, columns)).copy_to_host())


def wide_values(row: Function, columns: list[Vector]) -> Vector:
    """Return the call's values in float64 for float32, otherwise in longdouble where it has it."""
    of_float32 = columns[0].dtype == np.float32
    formats = [np.float64] if of_float32 else [np.longdouble, np.float64]
    for format_ in formats:
        operands = {n: c.astype(format_) for n, c in zip(names(row), columns, strict=True)}
        try:
            return np.asarray(eval(row.call, dict(_WIDE), operands))  # calls of our own table
        except TypeError:  # SciPy has no function of longdouble
            continue
    raise AssertionError(f"no wider function for {row.call}")


# ---- arguments -----------------------------------------------------------------------------------


def interval(row: Function) -> tuple[float, float]:
    """Return the limits of the arguments for which a function of one operand has a bound."""
    ranges = [ranges[0] for ranges in row.ranges]
    high = max(each.high for each in ranges)
    low = min(-each.high if each.signed else each.low for each in ranges)
    high = math.inf if high >= LARGE else high
    low = -math.inf if low <= -LARGE else low
    return (0.0 if 0 < low <= SMALL else low), high


def every_float32(low: float, high: float) -> Iterator[list[Vector]]:
    """Yield all numbers of float32 in an interval."""
    bits = np.arange(BLOCK["cpu"], dtype=np.uint32)
    for first in range(0, 1 << 32, len(bits)):
        numbers = (bits + np.uint32(first)).view(np.float32)
        inside = (numbers >= low) & (numbers <= high)
        if inside.all():
            yield [numbers]
        elif inside.any():
            yield [numbers[inside]]


def arguments(row: Function, target: str, dtype: str, n_random: int) -> Iterator[list[Vector]]:
    """Yield blocks of columns: all numbers where that is feasible, otherwise random ones."""
    is_rounded = row.bounds[::2] == (1, 1)  # float32 is the rounded float64, which is measured
    if (target, dtype, len(names(row))) == ("cpu", "float32", 1) and not is_rounded:
        yield from every_float32(*interval(row))
        return
    columns = row.draw(dtype, max(n_random // len(row.ranges), 1))
    for first in range(0, len(columns[0]), BLOCK[target]):
        yield [column[first : first + BLOCK[target]] for column in columns]


# ---- distances -----------------------------------------------------------------------------------


class Wide:
    """The wide values of a block of columns, and the same rounded."""

    def __init__(self, row: Function, columns: list[Vector]):
        """Compute them."""
        self.zero_below = row.zero_below
        self.columns = columns
        self.values = wide_values(row, columns)
        self.rounded = self.values.astype(columns[0].dtype)

    def far_from(self, found: Vector, least: float) -> Vector:
        """Return where results may be farther than so many ulp.

        Bits of neighbors differ by 1, and a neighbor beyond a power of 2 may be 2 ulp away.
        """
        bits = np.dtype(f"u{found.itemsize}")
        apart = max(math.ceil(min(least, FAR) / 2 - 0.25), 1)
        between = found.view(bits) - self.rounded.view(bits)
        between += bits.type(apart - 1)
        may_be_farther = between > bits.type(2 * apart - 2)
        if least < 0.25:  # some that are rounded correctly, up to 0.5 ulp away
            may_be_farther[::64] = True
        return np.flatnonzero(may_be_farther)

    def sizes(self, found: Vector, at: Vector, is_beside: bool) -> Vector:
        """Return distances in ulp: 0 where another side of the function counts."""
        limits = np.finfo(found.dtype)
        rounded = np.abs(self.rounded[at])
        counts = (rounded > limits.tiny) & (rounded < np.inf)
        if self.zero_below:
            counts &= (rounded < self.zero_below) == is_beside
        away = np.abs(found[at] - self.values[at])
        away /= limits.eps if is_beside else np.spacing(rounded)
        return np.where(counts, np.where(np.isnan(away), np.inf, away), 0).astype(np.float64)


class Farthest:
    """The arguments whose values are farthest from the wide ones."""

    def __init__(self, is_beside: bool) -> None:
        """Keep none so far: those beside the function's zeros, or the others."""
        self.is_beside = is_beside
        self.columns: list[Vector] = []
        self.sizes = np.zeros(0)
        self.least = 0.0

    def add(self, found: Vector, wide: Wide) -> None:
        """Keep those that are farther than the ones kept."""
        at = wide.far_from(found, self.least)
        sizes = wide.sizes(found, at, self.is_beside)
        farther = sizes > self.least
        if not farther.any():
            return
        at = at[farther]
        added = [*(column[at] for column in wide.columns), found[at]]
        self.columns = [*map(np.concatenate, zip(self.columns or added, added, strict=True))]
        self.sizes = np.concatenate([self.sizes, sizes[farther]])
        if len(self.sizes) > 4 * N_EXACT:
            self.shorten()

    def shorten(self) -> None:
        """Keep no more than `N_EXACT`."""
        if len(self.sizes) > N_EXACT:
            at = np.argpartition(self.sizes, -N_EXACT)[-N_EXACT:]
            self.sizes = self.sizes[at]
            self.columns = [column[at] for column in self.columns]
            self.least = float(self.sizes.min())

    def distances(self, row: Function) -> tuple[float, float]:
        """Return the largest ones from exact values."""
        if len(self.sizes) == 0:
            return 0.0, 0.0
        self.shorten()
        *columns, found = self.columns
        numbers = zip(*(column.tolist() for column in columns), strict=True)
        exact = [mp.re(row.exact(*map(mp.mpf, each))) for each in numbers]
        return distances(row, found, exact)


def largest_distances(
    call: str, target: str, dtype: str, n_random: int = 1 << 24
) -> tuple[float, float]:
    """Return the largest distances of a call: in ulp, and beside its zeros in ulp of 1."""
    row = next(row for row in FUNCTIONS if row.call == call)
    computing = kernels(row, dtype, target)
    sides = [False, True] if row.zero_below else [False]
    farthest = {compute: [Farthest(side) for side in sides] for compute in computing}
    with np.errstate(all="ignore"), cuda.simulator(memory="256 MiB"):
        for columns in arguments(row, target, dtype, n_random):
            wide = Wide(row, columns)
            for compute, each_side in farthest.items():
                found = values(compute, columns, target)
                for each in each_side:
                    each.add(found, wide)
    pairs = [each.distances(row) for each in itertools.chain(*farthest.values())]
    return max(away for away, _ in pairs), max(beside for _, beside in pairs)
