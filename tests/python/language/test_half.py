"""float16 and bfloat16: each operation in float32, rounded once, as NumPy and ml_dtypes do."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from kernel_source import expressions
from long_runs import in_long_runs
from scipy import special

from numpy_plugin import cuda

DTYPES = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
EXACT_OF_TWO = ["x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "np.fmod(x, y)"]
EXACT_OF_TWO += ["x < y", "x <= y", "x == y", "x != y", "np.copysign(x, y)", "np.heaviside(x, y)"]
EXACT_OF_TWO += ["x + y * x", "(x - y) / (x + y)", "x + 1", "x ** 2"]
EXACT_OF_ONE = ["-x", "abs(x)", "np.sqrt(x)", "np.floor(x)", "np.ceil(x)", "np.trunc(x)"]
EXACT_OF_ONE += ["np.rint(x)", "np.square(x)", "np.reciprocal(x)", "np.sign(x)", "np.isnan(x)"]
EXACT_OF_ONE += [
    "np.isinf(x)",
    "np.isfinite(x)",
    "np.signbit(x)",
    "np.float32(x)",
    "np.frexp(x)[0]",
]
EXACT_OF_ONE += ["np.frexp(x)[1]", "np.modf(x)[0]", "np.modf(x)[1]", "np.ldexp(x, 3)"]
ROUNDED = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin"]
ROUNDED += ["arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt"]


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(params=DTYPES)
def half(request):
    return DTYPES[request.param]


def every(half: np.dtype) -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(half)


def random_pairs(half: np.dtype, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Random bits, and numbers near each other."""
    generator = np.random.default_rng(11)
    bits = generator.integers(0, 1 << 16, (2, count), np.uint16)
    bits[1, : count // 2] = bits[0, : count // 2] ^ generator.integers(
        0, 1 << 9, count // 2, np.uint16
    )
    return bits[0].view(half), bits[1].view(half)


def assert_same(found: np.ndarray, expected: np.ndarray, text: str) -> None:
    assert found.dtype == expected.dtype, text
    wide, wanted = found.astype(np.float32), expected.astype(np.float32)
    same = (wide == wanted) & (np.signbit(wide) == np.signbit(wanted))
    same |= np.isnan(wide) & np.isnan(wanted)
    assert same.all(), (text, np.flatnonzero(~same)[:5], found[~same][:5], expected[~same][:5])


def step_by_step(text: str, half: np.dtype, **names: np.ndarray) -> np.ndarray:
    """NumPy's answer; it and ml_dtypes round after each operation."""
    if text == "np.sign(x)":  # for -0.0 it is 0.0, except with ml_dtypes
        return np.sign(names["x"].astype(np.float32)).astype(half)
    return np.asarray(eval(text, {"np": np}, names))


def test_operators_round_after_each_operation(half):
    x, y = random_pairs(half, 20000)
    for text, found in zip(EXACT_OF_TWO, expressions("x, y", EXACT_OF_TWO)(x, y), strict=True):
        assert_same(found, step_by_step(text, half, x=x, y=y), text)


def test_exact_functions_of_every_number(half):
    x = every(half)
    for text, found in zip(EXACT_OF_ONE, expressions("x", EXACT_OF_ONE)(x), strict=True):
        assert_same(found, step_by_step(text, half, x=x), text)


def steps(half: np.dtype, found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How many numbers of the format are between; two nan are the same."""
    assert found.dtype == half
    bits = [values.astype(half).view(np.int16).astype(np.int32) for values in (found, expected)]
    places = [np.where(b < 0, -(b & 0x7FFF), b) for b in bits]
    wide = [values.astype(np.float32) for values in (found, expected)]
    both = np.isnan(wide[0]) & np.isnan(wide[1])
    one = np.isnan(wide[0]) ^ np.isnan(wide[1])
    return np.where(both, 0, np.where(one, 1 << 16, np.abs(places[0] - places[1])))


def assert_rounded(half: np.dtype, found: np.ndarray, expected: np.ndarray, text: str) -> None:
    """The next number at most, and that seldom: where the exact value is between two."""
    distances = steps(half, found, expected)
    assert distances.max() <= 1, (text, np.flatnonzero(distances > 1)[:5])
    assert (distances != 0).mean() < 2e-3, text


# Computed in float32 and rounded: of one number, and of two.
OF_ONE = [f"np.{name}(x)" for name in ROUNDED]
OF_ONE += [f"math.{name}(x)" for name in ("erf", "erfc", "gamma", "lgamma", "degrees", "radians")]
OF_ONE += ["np.sinc(x)"]
OF_TWO = ["np.power(x, y)", "np.hypot(x, y)", "np.arctan2(x, y)", "np.logaddexp(x, y)"]
OF_TWO += ["np.logaddexp2(x, y)"]


@pytest.fixture(params=["cpu", "device"])
def call(request):
    """Calls expressions of columns on a target."""

    def on_cpu(texts: list[str], *columns: np.ndarray) -> list[np.ndarray]:
        return list(expressions("x, y"[: 3 * len(columns) - 2], texts)(*columns))

    def on_device(texts: list[str], *columns: np.ndarray) -> list[np.ndarray]:
        ufunc = expressions("x, y"[: 3 * len(columns) - 2], texts)
        return [result.copy_to_host() for result in ufunc(*map(cuda.to_device, columns))]

    if request.param == "cpu":
        yield on_cpu
    else:
        with cuda.simulator(memory="64 MiB"):
            yield on_device


def test_functions_of_every_number_are_rounded_once(half, call):
    x = every(half)
    exact = expressions("x", OF_ONE)(x.astype(np.float64))
    for text, found, wide in zip(OF_ONE, call(OF_ONE, x), exact, strict=True):
        assert_rounded(half, found, wide.astype(half), text)


def test_functions_of_two_numbers_are_rounded_once(half, call):
    x, y = random_pairs(half, 20000)
    exact = expressions("x, y", OF_TWO)(x.astype(np.float64), y.astype(np.float64))
    for text, found, wide in zip(OF_TWO, call(OF_TWO, x, y), exact, strict=True):
        assert_rounded(half, found, wide.astype(half), text)


def test_numpys_own_functions_of_float16_are_the_same():
    half = DTYPES["float16"]
    x = every(half)
    results = expressions("x", [f"np.{name}(x)" for name in ROUNDED])(x)
    for name, found in zip(ROUNDED, results, strict=True):
        assert_rounded(half, found, getattr(np, name)(x), name)


SPECIAL = (
    "erf erfc erfinv erfcinv erfcx gamma gammaln gammasgn rgamma psi loggamma j0 j1 y0 y1 i0 i1"
)
SPECIAL = (
    SPECIAL + " i0e i1e k0 k1 k0e k1e ndtr ndtri log_ndtr expit logit log_expit exprel"
).split()
SPECIAL += ["entr", "cbrt", "exp2", "exp10", "expm1", "log1p", "cosm1", "sindg", "cosdg", "tandg"]


@pytest.mark.parametrize("half", ["float16", *in_long_runs("bfloat16")], indirect=True)
def test_special_functions_of_every_number_are_those_of_float32(half):
    x = every(half)
    texts = [f"special.{name}(x)" for name in SPECIAL]
    ufunc = expressions("x", texts, special=special)
    for text, found, wanted in zip(texts, ufunc(x), ufunc(x.astype(np.float32)), strict=True):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, wanted, err_msg=text)


def test_a_device_gives_the_same_halves(half):
    x, y = random_pairs(half, 4000)
    texts = EXACT_OF_TWO + EXACT_OF_ONE
    with cuda.simulator(memory="64 MiB"):
        ufunc = expressions("x, y", texts)
        on_device = ufunc(cuda.to_device(x), cuda.to_device(y))
        for text, host, device in zip(texts, ufunc(x, y), on_device, strict=True):
            assert_same(device.copy_to_host(), host, text)
