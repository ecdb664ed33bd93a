"""Functions whose value is a number of the format give that number, on the CPU and on a device."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from kernel_source import expressions
from long_runs import in_long_runs
from machines.own_levels import OWN_LEVELS
from scipy import special

import numpy_plugin as npp
from numpy_plugin import cuda

INF = math.inf
TENS = [(n, 10.0**n) for n in range(11)]
TWOS = [(n, 2.0**n) for n in range(-30, 31)]
FACTORIALS = [(n, float(math.factorial(n - 1))) for n in range(1, 24)]
RIGHT_ANGLES = [(0, 0), (90, 1), (180, 0), (270, -1), (360, 0)]
HALVES = [(30, 0.5), (150, 0.5), (210, -0.5), (330, -0.5), (-30, -0.5)]
POINTS = {
    **{f"math.{name}(x)": [(0, 0)] for name in ("sin", "tan", "asin", "atan", "sinh", "asinh")},
    **{f"math.{name}(x)": [(0, 1), (-0.0, 1)] for name in ("exp", "cos", "cosh")},
    **{f"math.{name}(x)": [(1, 0)] for name in ("log", "log10", "acos", "acosh")},
    "math.atanh(x)": [(0, 0), (1, INF), (-1, -INF)],
    "math.exp2(x)": TWOS,
    "math.log2(x)": [(power, n) for n, power in TWOS],
    "math.expm1(x)": [(0, 0)],
    "math.log1p(x)": [(0, 0)],
    "math.tanh(x)": [(0, 0), (100, 1), (-100, -1)],
    "math.hypot(x, 4.0)": [(3, 5), (-3, 5)],
    "math.erf(x)": [(0, 0), (30, 1), (-30, -1)],
    "math.erfc(x)": [(0, 1), (-30, 2)],
    "math.gamma(x)": FACTORIALS,
    "math.lgamma(x)": [(1, 0), (2, 0)],
    "np.sinc(x)": [(0, 1), (1, 0), (-2, 0)],
    "np.logaddexp2(x, 1.0)": [(1, 2)],
    "special.exp10(x)": TENS,
    "special.erfinv(x)": [(0, 0), (1, INF), (-1, -INF)],
    "special.erfcinv(x)": [(1, 0), (0, INF), (2, -INF)],
    "special.erfcx(x)": [(0, 1)],
    "special.ndtr(x)": [(0, 0.5), (-0.0, 0.5), (-INF, 0), (INF, 1)],
    "special.ndtri(x)": [(0.5, 0), (0, -INF), (1, INF)],
    "special.log_ndtr(x)": [(INF, 0)],
    "special.rgamma(x)": [(1, 1), (2, 1), (3, 0.5), (0, 0), (-1, 0)],
    "special.loggamma(x)": [(1, 0), (2, 0)],
    "special.beta(x, 1.0)": [(1, 1), (2, 0.5), (4, 0.25), (8, 0.125)],
    "special.betaln(x, 1.0)": [(1, 0)],
    "special.expit(x)": [(0, 0.5), (-INF, 0), (INF, 1)],
    "special.logit(x)": [(0.5, 0), (0, -INF), (1, INF)],
    "special.exprel(x)": [(0, 1)],
    "special.entr(x)": [(0, 0), (1, 0)],
    "special.xlogy(x, 1.0)": [(5, 0)],
    "special.kl_div(x, x)": [(0.75, 0), (0, 0)],
    "special.rel_entr(x, x)": [(0.75, 0), (0, 0)],
    "special.boxcox(x, 2.0)": [(1, 0)],
    "special.inv_boxcox(x, 2.0)": [(0, 1)],
    "special.huber(1.0, x)": [(0, 0), (1, 0.5), (3, 2.5)],
    "special.cosm1(x)": [(0, 0)],
    "special.sindg(x)": RIGHT_ANGLES + HALVES,
    "special.cosdg(x)": [(angle - 90, value) for angle, value in RIGHT_ANGLES + HALVES[:4]],
    "special.tandg(x)": [(0, 0), (45, 1), (135, -1), (225, 1), (-45, -1), (180, 0)],
    "special.j0(x)": [(0, 1), (-0.0, 1), (INF, 0), (-INF, 0)],
    "special.j1(x)": [(0, 0), (INF, 0)],
    "special.jv(0, x)": [(0, 1)],
    "special.jv(3, x)": [(0, 0), (INF, 0)],
    "special.y0(x)": [(0, -INF), (INF, 0)],
    "special.y1(x)": [(0, -INF), (INF, 0)],
    "special.yn(2, x)": [(0, -INF), (INF, 0)],
    "special.i0(x)": [(0, 1), (-0.0, 1), (INF, INF)],
    "special.i1(x)": [(0, 0), (-INF, -INF)],
    "special.i0e(x)": [(0, 1), (INF, 0)],
    "special.i1e(x)": [(0, 0), (INF, 0)],
    "special.k0(x)": [(0, INF), (INF, 0)],
    "special.k1(x)": [(0, INF), (INF, 0)],
}
ARGUMENTS = sorted({float(x) for points in POINTS.values() for x, _ in points if x != 0})
ARGUMENTS += [0.0, -0.0]
# NumPy takes at most 64 operands.
HALF = len(POINTS) // 2
PARTS = [list(POINTS)[:HALF], list(POINTS)[HALF:]]


@pytest.mark.parametrize(
    ("dtype", "target"),
    [("f4", "cpu"), ("f8", "cpu"), ("f8", "device"), *in_long_runs(("f4", "device"))],
)
def test_exact_values_are_found_exactly(target, dtype):
    x = np.array(ARGUMENTS, dtype)
    results: dict[str, np.ndarray] = {}
    with cuda.simulator(memory="64 MiB"), np.errstate(all="ignore"):
        for calls in PARTS:
            ufunc = expressions("x", calls, special=special)
            found = ufunc(x) if target == "cpu" else ufunc(cuda.to_device(x))
            columns = found if target == "cpu" else [column.copy_to_host() for column in found]
            results |= zip(calls, columns, strict=True)
    for call, points in POINTS.items():
        for argument, value in points:
            zero = -1 if math.copysign(1, argument) < 0 else -2
            at = zero if argument == 0 else ARGUMENTS.index(argument)
            if x[at] == argument:  # 10**10 and similar values are no float32
                assert results[call][at] == x.dtype.type(value), (call, argument)


def exact_powers(dtype):
    """Return integers, exponents and the powers that the dtype has."""
    digits = np.finfo(dtype).nmant + 1
    rows = [
        (base, exponent, base**exponent)
        for base in [*range(2, 200), *range(-15, 0)]
        for exponent in range(1, 40)
        if (abs(base) ** exponent).bit_length() <= digits
    ]
    rows += [(2, -n, 0.5**n) for n in range(1, 60)]
    rows += [(n * n, 0.5, n) for n in range(1, 300)]
    return [np.array(column, dtype) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("math_mode", ["vector", "libm", "reproducible"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_integers_are_exact(dtype, math_mode):
    base, exponent, expected = exact_powers(dtype)
    f = npp.vectorize([f"{dtype}({dtype}, {dtype})"], math=math_mode)(lambda x, y: np.power(x, y))
    np.testing.assert_array_equal(f(base, exponent), expected)
    one_by_one = [f(*row) for row in zip(base[:40], exponent[:40], strict=True)]
    np.testing.assert_array_equal(one_by_one, expected[:40])
    with cuda.simulator(memory="64 MiB"):
        on_device = f(cuda.to_device(base), cuda.to_device(exponent)).copy_to_host()
    np.testing.assert_array_equal(on_device, expected)


def test_truncated_results_of_integers_on_a_device():
    @npp.vectorize(["int64(int64, int64)"])
    def truncated(x, y):
        return int(math.pow(x, y)) * 1000 + int(math.hypot(3 * x, 4 * x))

    x = np.arange(1, 200)
    with cuda.simulator(memory="64 MiB"):
        found = truncated(cuda.to_device(x), 3).copy_to_host()
    np.testing.assert_array_equal(found, x**3 * 1000 + 5 * x)


# Without fused multiply-add, the C library's functions are called.
LEVEL = os.environ.get("NUMPY_PLUGIN_CPU", "native")
IS_FUSED = "x86-64-v3" in OWN_LEVELS and LEVEL not in ("x86-64", "x86-64-v2")
VECTOR = pytest.param("vector", marks=pytest.mark.skipif(not IS_FUSED, reason="needs AVX2"))


@pytest.mark.parametrize("math_mode", [VECTOR, "reproducible"])
@pytest.mark.parametrize(("dtype", "largest"), [("float32", 256), ("float64", 200_000)])
def test_cube_roots_of_cubes_are_exact(dtype, largest, math_mode):
    root = npp.vectorize([f"{dtype}({dtype})"], math=math_mode)(lambda x: np.cbrt(x))
    roots = np.arange(-largest, largest + 1).astype(dtype)
    np.testing.assert_array_equal(root(roots**3), roots)


@pytest.mark.parametrize("math_mode", [VECTOR, "libm", "reproducible"])
@pytest.mark.parametrize(("dtype", "largest"), [("float32", 10), ("float64", 22)])
def test_logarithms_of_powers_of_10_are_exact(dtype, largest, math_mode):
    exponent = npp.vectorize([f"{dtype}({dtype})"], math=math_mode)(lambda x: np.log10(x))
    exponents = np.arange(largest + 1)
    powers = np.array([10**n for n in exponents.tolist()], dtype)
    np.testing.assert_array_equal(exponent(powers), exponents)
