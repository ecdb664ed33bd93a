"""float16 and bfloat16: each operation in float32, rounded once, as NumPy and ml_dtypes do."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from kernel_source import expressions

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
    if text == "np.sign(x)":  # of -0.0 it is 0.0 but for ml_dtypes
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


def test_other_functions_are_those_of_float32_rounded(half):
    x = every(half)
    results = expressions("x", [f"np.{name}(x)" for name in ROUNDED])(x)
    for name, found in zip(ROUNDED, results, strict=True):
        assert found.dtype == half
        expected = getattr(np, name)(x.astype(np.float64)).astype(np.float32).astype(half)
        wide, wanted = found.astype(np.float64), expected.astype(np.float64)
        step = np.abs(np.nextafter(expected, half.type(np.inf)).astype(np.float64) - wanted)
        near = np.abs(wide - wanted) <= np.where(np.isfinite(step), step, np.inf)
        near |= (wide == wanted) | (np.isnan(wide) & np.isnan(wanted))
        assert near.all(), (name, x[~near][:5], found[~near][:5], expected[~near][:5])
        assert (wide != wanted)[~np.isnan(wanted)].mean() < 1e-3, name


def test_a_device_gives_the_same_halves(half):
    x, y = random_pairs(half, 4000)
    texts = EXACT_OF_TWO + EXACT_OF_ONE
    with cuda.simulator(memory="64 MiB"):
        ufunc = expressions("x, y", texts)
        on_device = ufunc(cuda.to_device(x), cuda.to_device(y))
        for text, host, device in zip(texts, ufunc(x, y), on_device, strict=True):
            assert_same(device.copy_to_host(), host, text)
