"""`make bench`: kernels in lane blocks, compared with their scalar form and with Numba.

`python benchmarks/lane_blocks.py` prints all sizes. Operands are drawn anew for each element, but
for escape times, which are a picture's: neighbours have similar ones. "shuffled" are the same
points in random order, of which each block waits for its longest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from variants import SCALAR_FORM, library, variables

from numpy_plugin import benchmark, device, time, vectorize
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands.bench import Measurement

__all__ = ["CASES", "forms", "measure"]

SIZES = (1_000, 100_000, 2_000_000)
ROUNDS = 15

Arrays = list[npt.NDArray[Any]]


def _escape_time(x: Any, y: Any) -> Any:
    zx = x
    zy = y
    n = 0
    while zx * zx + zy * zy <= 4.0 and n < 100:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
    return n


def _escape_range(x: Any, y: Any) -> Any:
    zx = x
    zy = y
    for n in range(100):
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        if zx * zx + zy * zy > 4.0:
            return n
    return 100


def _guarded_escape(x: Any, y: Any) -> Any:
    if x - x != 0 or y - y != 0:
        return -1
    zx = x
    zy = y
    n = 0
    while zx * zx + zy * zy <= 4.0 and n < 100:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
    return n


def _checked_escape(x: Any, y: Any) -> Any:
    zx = x
    zy = y
    n = 0
    while zx * zx + zy * zy <= 4.0 and n < 100:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
        if zx != zx:
            raise ValueError("not a number")
    return n


def _kepler(mean: Any, eccentricity: Any) -> Any:
    x = mean
    for _ in range(30):
        step = (x - eccentricity * math.sin(x) - mean) / (1 - eccentricity * math.cos(x))
        x = x - step
        if abs(step) < 1e-7:
            break
    return x


def _guarded_log(x: Any) -> Any:
    return math.log(x) if x > 0 else -1.0


def _early_returns(x: Any, y: Any) -> Any:
    if x < 0:
        return y
    total = x
    for k in range(1, 20):
        total = total + y / k
        if total > 5:
            return -total
    return total


def _srgb(x: Any) -> Any:
    if x <= 0.0031308:
        return 12.92 * x
    return 1.055 * x ** (1 / 2.4) - 0.055


def _gray_level(x: Any, y: Any) -> Any:
    zx = x
    zy = y
    n = np.uint8(0)
    while zx * zx + zy * zy <= 4.0 and n < 100:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += np.uint8(1)
    return n


def _escape_of_pairs(device: Callable[[Callable[..., Any]], Any]) -> Callable[..., Any]:
    @device
    def multiplied(a: Any, b: Any) -> Any:
        return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]

    def escape_time(x: Any, y: Any) -> Any:
        z = x, y
        n = 0
        while z[0] * z[0] + z[1] * z[1] <= 4.0 and n < 100:
            square = multiplied(z, z)
            z = square[0] + x, square[1] + y
            n += 1
        return n

    return escape_time


def _escape_of_complex(c: Any) -> Any:
    z = c
    n = 0
    while z.real * z.real + z.imag * z.imag <= 4.0 and n < 100:
        z = z * z + c
        n += 1
    return n


def _complex_product(a: Any, b: Any) -> Any:
    if a != 0.0 and b != 0.0:
        imag = a * b
    elif a != 0.0:
        imag = a if abs(b) > 1e-2 else 0.0
    else:
        imag = 0.0
    return a * b + 1j * imag


def _collatz(n: Any) -> Any:
    count = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def _gcd(a: Any, b: Any) -> Any:
    while b != 0:
        a, b = b, a % b
    return a


def _prime(n: Any) -> Any:
    for i in range(2, n // 2 + 1):
        if n % i == 0:
            return 0
    return n


def _digit_sum(n: Any) -> Any:
    total = 0
    while n > 0:
        total += n % 10
        n //= 10
    return total


def _multiply_add(x: Any, y: Any) -> Any:
    return x * y + x


def _tenths(x: Any) -> Any:
    return int(x * 10)


def _last_digit(n: Any) -> Any:
    return n % 10


def _wrapped(x: Any, period: Any) -> Any:
    return x % period


def _quotient(x: Any, y: Any) -> Any:
    return x // y


def _clipped(x: Any) -> Any:
    return min(max(x, 2.0), 50.0)


def _months_until(t: Any, end: Any) -> Any:
    n = 0
    while t < end and n < 100:
        t = time.date(time.year(t), time.month(t) + 1, time.day(t))
        n += 1
    return n


def _working_days(t: Any, end: Any) -> Any:
    n = 0
    while t < end:
        if time.weekday(t) < 5:
            n += 1
        t += np.timedelta64(1, "D")
    return n


def _shifts(t: Any, end: Any) -> Any:
    n = 0
    while t < end and n < 50:
        t += np.timedelta64(5, "h")
        if time.hour(t) >= 18:
            t = t.astype("M8[D]") + np.timedelta64(32, "h")
        n += 1
    return n


def _halvings(span: Any, least: Any) -> Any:
    n = 0
    while span > least:
        span = span * 0.5
        n += 1
    return n


def _picture(n: int) -> Arrays:
    width = math.isqrt(n - 1) + 1
    x, y = np.meshgrid(np.linspace(-2, 0.5, width), np.linspace(-1.25, 1.25, width))
    return [x.ravel()[:n], y.ravel()[:n]]


def _shuffled(n: int) -> Arrays:
    order = np.random.default_rng(1).permutation(n)
    return [array[order] for array in _picture(n)]


def _plane(n: int) -> Arrays:
    x, y = _picture(n)
    return [x + 1j * y]


def _shuffled_plane(n: int) -> Arrays:
    x, y = _shuffled(n)
    return [x + 1j * y]


def _signs(n: int) -> Arrays:
    rng = np.random.default_rng(3)
    return [rng.integers(-1, 2, n) * rng.random(n) for _ in range(2)]


def _with_specials(n: int) -> Arrays:
    rng = np.random.default_rng(2)
    is_special = rng.random(n) < 0.3
    arrays = _picture(n)
    for array in arrays:
        array[is_special] = rng.choice([np.nan, np.inf, -np.inf], is_special.sum())
    return arrays


def _uniform(*ranges: tuple[float, float]) -> Callable[[int], Arrays]:
    return lambda n: [np.random.default_rng(i).uniform(*r, n) for i, r in enumerate(ranges)]


class Case(NamedTuple):
    """A kernel, the dtypes of its operands and result, and what makes operands of a size."""

    kernel: Callable[..., Any]
    dtype: str
    result: str
    operands: Callable[[int], Arrays]
    n_operands: int = 2
    # Whether `kernel` returns the kernel, from the decorator for functions that it calls.
    has_functions: bool = False


CASES = {
    "escape time": Case(_escape_time, "float64", "int64", _picture),
    "escape time, float32": Case(_escape_time, "float32", "int32", _picture),
    "escape time, float32, shuffled": Case(_escape_time, "float32", "int32", _shuffled),
    "escape time, int64 of float32": Case(_escape_time, "float32", "int64", _picture),
    "escape time, shuffled": Case(_escape_time, "float64", "int64", _shuffled),
    "escape time, 30 % nan, inf": Case(_escape_time, "float64", "int64", _with_specials),
    "gray levels of a picture": Case(_gray_level, "float32", "uint8", _picture),
    "gray levels, float16": Case(_gray_level, "float16", "uint8", _picture),
    "x * y + x, float16": Case(_multiply_add, "float16", "float16", _uniform((0, 1), (0, 1))),
    "escape time of a tuple": Case(
        _escape_of_pairs, "float64", "int64", _picture, has_functions=True
    ),
    "escape time of a complex": Case(_escape_of_complex, "complex128", "int64", _plane, 1),
    "complex, shuffled": Case(_escape_of_complex, "complex128", "int64", _shuffled_plane, 1),
    "complex64, shuffled": Case(_escape_of_complex, "complex64", "int32", _shuffled_plane, 1),
    "complex product by branches": Case(_complex_product, "float64", "complex128", _signs),
    "escape time, range": Case(_escape_range, "float64", "int64", _picture),
    "range, shuffled": Case(_escape_range, "float64", "int64", _shuffled),
    "return before, 30 % nan, inf": Case(_guarded_escape, "float64", "int64", _with_specials),
    "return before, shuffled": Case(_guarded_escape, "float64", "int64", _shuffled),
    "raise, shuffled": Case(_checked_escape, "float64", "int64", _shuffled),
    "Kepler's equation": Case(_kepler, "float64", "float64", _uniform((0, 6), (0, 0.9))),
    "Kepler's equation, float32": Case(_kepler, "float32", "float32", _uniform((0, 6), (0, 0.9))),
    "guarded log": Case(_guarded_log, "float64", "float64", _uniform((-1, 1)), 1),
    "early returns": Case(_early_returns, "float64", "float64", _uniform((-1, 3), (0, 3))),
    "early returns, float32": Case(_early_returns, "float32", "float32", _uniform((-1, 3), (0, 3))),
    "sRGB": Case(_srgb, "float64", "float64", _uniform((0, 1)), 1),
    "Collatz": Case(_collatz, "int64", "int64", _uniform((1, 1e5)), 1),
    "sum of digits": Case(_digit_sum, "int64", "int64", _uniform((1, 1e6)), 1),
    "sum of digits, int32": Case(_digit_sum, "int32", "int32", _uniform((1, 1e6)), 1),
    "gcd": Case(_gcd, "int64", "int64", _uniform((1, 1e5), (1, 1e5))),
    "gcd, int32": Case(_gcd, "int32", "int32", _uniform((1, 1e5), (1, 1e5))),
    "gcd, int16": Case(_gcd, "int16", "int16", _uniform((1, 3e4), (1, 3e4))),
    "prime": Case(_prime, "int64", "int64", _uniform((1, 2e3)), 1),
    "int(x * 10)": Case(_tenths, "float64", "int64", _uniform((1, 100)), 1),
    "int(x * 10), float32": Case(_tenths, "float32", "int64", _uniform((1, 100)), 1),
    "n % 10": Case(_last_digit, "int64", "int64", _uniform((1, 1e5)), 1),
    "x % y": Case(_wrapped, "float64", "float64", _uniform((1, 100), (1, 100))),
    "x // y": Case(_quotient, "float64", "float64", _uniform((1, 100), (1, 100))),
    "months until a date": Case(
        _months_until, "datetime64[D]", "int64", _uniform((0, 2e4), (0, 2e4))
    ),
    "working days": Case(_working_days, "datetime64[D]", "int64", _uniform((0, 100), (0, 200))),
    "shifts of 5 hours": Case(_shifts, "datetime64[s]", "int64", _uniform((0, 1e6), (0, 2e6))),
    "halvings of a duration": Case(
        _halvings, "timedelta64[s]", "int64", _uniform((1, 1e9), (1, 1e3))
    ),
    "gcd, timedelta64": Case(
        _gcd, "timedelta64[s]", "timedelta64[s]", _uniform((1, 1e5), (1, 1e5))
    ),
    "min(max(x, 2.0), 50.0)": Case(_clipped, "float64", "float64", _uniform((1, 100)), 1),
}
# Lowest ratios asked for at 100,000 elements with AVX-512: scalar form over lane blocks.
TARGETS = {
    "escape time": 5.0,
    "escape time, float32": 8.0,
    "gray levels of a picture": 8.0,
    "gray levels, float16": 10.0,
    "x * y + x, float16": 2.5,
    "escape time of a tuple": 5.0,
    "Kepler's equation": 7.0,
    "guarded log": 5.0,
    "early returns": 4.0,
    "Collatz": 2.5,
    "gcd": 1.3,
    "gcd, int16": 3.0,
}


def forms(case: Case) -> dict[str, Callable[..., Any]]:
    """Return a case's kernel in lanes, in its scalar form, and Numba's two."""
    signature = f"{case.result}({', '.join([case.dtype] * case.n_operands)})"
    kernel = case.kernel(device) if case.has_functions else case.kernel
    declare = vectorize([signature], target="cpu")
    made: dict[str, Callable[..., Any]] = {"lanes": declare(kernel)}
    with variables(NUMPY_PLUGIN_CXX=SCALAR_FORM):
        made["scalar"] = declare(kernel)
    numba = library("numba")
    # On the CPU it has none of these.
    if numba is not None and case.dtype != "float16" and "64[" not in case.dtype:
        kernel = case.kernel(numba.njit) if case.has_functions else case.kernel
        made["Numba"] = numba.vectorize([signature])(kernel)
        if case.has_functions:
            kernel = case.kernel(numba.njit(fastmath=True))
        made["Numba fastmath"] = numba.vectorize([signature], fastmath=True)(kernel)
    return made


def operands(case: Case, size: int) -> Arrays:
    """Return a case's operands."""
    return [array.astype(case.dtype) for array in case.operands(size)]


def measure() -> list[Measurement]:
    """Return the scalar form's times over those of the lanes."""
    rows = []
    for name, case in CASES.items():
        arrays, out = operands(case, SIZES[1]), np.empty(SIZES[1], case.result)
        calls = {form: partial(f, *arrays, out=out) for form, f in forms(case).items()}
        times = median_times(calls, ROUNDS)
        ratio = times["scalar"] / times["lanes"]
        label = f"{name}, {SIZES[1]} elements: scalar form over lane blocks"
        rows.append(Measurement(label, ratio, "times", TARGETS.get(name), is_upper=False))
    return rows


def main() -> None:
    """Print the times of every case and size."""
    for name, case in CASES.items():
        lanes, *others = forms(case).items()
        for size in SIZES:
            print(f"\n{name}, {size:,} elements", flush=True)
            benchmark(lanes[1], *operands(case, size), against=dict(others), rounds=ROUNDS)


if __name__ == "__main__":
    main()
