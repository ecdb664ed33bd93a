"""Arithmetic, comparisons, casts and integers have the same bits on the CPU and on the device."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]


@pytest.fixture(
    scope="module", autouse=True, params=["simulator", pytest.param("gpu", marks=pytest.mark.gpu)]
)
def device(request):
    with cuda.gpus[0] if request.param == "gpu" else cuda.simulator(memory="64 MiB"):
        yield


def edge_values(dtype: str) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        values = [0, 1, 2, 3, 7, limits.max // 2, limits.max - 1, limits.max, limits.min]
        if kind.kind == "i":
            values += [-1, -2, -7, limits.min + 1]
        return np.array(values, kind)
    limits = np.finfo(kind)
    values = [0.0, 1.0, 1.5, 3.0, 1e-3, 1e10, limits.max, limits.tiny, limits.smallest_subnormal]
    values = np.array([*map(float, values), np.inf], kind)
    return np.concatenate([values, -values, np.array([np.nan], kind)])


def pairs(dtype: str) -> list[np.ndarray]:
    values = edge_values(dtype)
    columns = [column.ravel() for column in np.meshgrid(values, values)]
    if np.dtype(dtype).kind == "f":
        generator = np.random.default_rng(7)
        noise = generator.standard_normal((2, 2000)).astype(dtype)
        columns = [np.concatenate(both) for both in zip(columns, noise, strict=True)]
    return columns


def assert_same_bits(a: np.ndarray, b: np.ndarray) -> None:
    """Equal, the sign of zeros included; any nan is like another."""
    assert a.dtype == b.dtype
    same = (a == b) | ((a != a) & (b != b))
    assert same.all(), (a[~same][:5], b[~same][:5])
    if a.dtype.kind == "f":
        zeros = a == 0
        assert np.array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]))


def assert_all_agree(ufunc: np.ufunc, expected: np.ndarray, *operands: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        assert_same_bits(ufunc(*operands), expected)
    assert_same_bits(ufunc(*on_device(operands)).copy_to_host(), expected)


def on_device(operands: tuple[np.ndarray, ...]) -> list[object]:
    return [cuda.to_device(operand) if operand.ndim else operand for operand in operands]


@functools.cache
def arithmetic():
    """One kernel with every operator and dtype, so that one compilation serves."""
    return npp.vectorize([f"{x}({x}, {x}, int32)" for x in INTEGERS + FLOATS])(choose_operator)


def choose_operator(x, y, which):
    result = x + y
    if which == 1:
        result = x - y
    elif which == 2:
        result = x * y
    elif which == 3:
        result = x // y
    elif which == 4:
        result = x % y
    elif which == 5:
        result = np.minimum(x, y)
    elif which == 6:
        result = np.maximum(x, y)
    return result


OPERATORS = [
    np.add,
    np.subtract,
    np.multiply,
    np.floor_divide,
    np.remainder,
    np.minimum,
    np.maximum,
]


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_operators(dtype):
    ufunc = arithmetic()
    columns = pairs(dtype)
    for which, operator in enumerate(OPERATORS):
        with np.errstate(all="ignore"):
            expected = operator(*columns)
        assert_all_agree(ufunc, expected, *columns, np.int32(which))


@pytest.mark.parametrize("dtype", FLOATS)
def test_division_and_square_root(dtype):
    @npp.vectorize([f"{dtype}({dtype}, {dtype})"])
    def quotient_of_roots(x, y):
        return np.sqrt(x) / y

    columns = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.sqrt(columns[0]) / columns[1]
    assert_all_agree(quotient_of_roots, expected, *columns)


SHIFTED = ["int32", "int64", "uint8", "uint64"]


@functools.cache
def shift_of_every_dtype():
    @npp.vectorize([f"{x}({x}, {x}, bool)" for x in SHIFTED])
    def shift(x, y, is_left):
        return x << y if is_left else x >> y

    return shift


@pytest.mark.parametrize("dtype", SHIFTED)
def test_shifts_beyond_the_width(dtype):
    shift = shift_of_every_dtype()
    values = edge_values(dtype)
    amounts = np.array([0, 1, 7, 8, 31, 32, 40, 63, 64, 100], dtype)
    x, y = (column.ravel() for column in np.meshgrid(values, amounts))
    assert_all_agree(shift, np.left_shift(x, y), x, y, np.True_)
    assert_all_agree(shift, np.right_shift(x, y), x, y, np.False_)


def test_overflow_is_no_reason_to_fold_a_comparison():
    @npp.vectorize(["bool(int32)"])
    def grows(x):
        return x + np.int32(1) > x

    @npp.vectorize(["int32(int32)"])
    def twice_halved(x):
        return x * np.int32(2) // np.int32(2)

    values = edge_values("int32")
    with np.errstate(all="ignore"):
        assert_all_agree(grows, values + np.int32(1) > values, values)
        assert_all_agree(twice_halved, values * np.int32(2) // np.int32(2), values)


# Values whose casts to small and unsigned integers are undefined in C: expects NumPy's results on
# x86.
OPEN_CASTS = [-1.0, -1.5, 255.0, 256.0, -129.0, 65535.0, 65536.0, 1e10, -1e10, 2.0**31, 2.0**32]
OPEN_CASTS += [2.0**63, -(2.0**63), 2.0**64, 1e30, -1e30, np.inf, -np.inf, np.nan, 0.9, -0.9]


def numpys_cast(values: np.ndarray, target: str) -> np.ndarray:
    # NumPy's own cast to uint32 depends on the element's position: uses the result of its scalar
    # code.
    return values.astype(np.int64).astype(target) if target == "uint32" else values.astype(target)


@pytest.mark.parametrize("source", FLOATS)
def test_casts_of_floats_to_integers(source):
    values = np.array(OPEN_CASTS, source)
    outs = [f"to_{target}" for target in INTEGERS]
    casts = zip(outs, INTEGERS, strict=True)
    body = " ".join(f"{out} = npp::cast<npp::{target}>(x);" for out, target in casts)
    types = f"{', '.join(INTEGERS)}({source})"
    cast = npp.vectorize([types], args="x", outs=", ".join(outs), body=body)
    with np.errstate(all="ignore"):
        on_host = cast(values)
        expected = [numpys_cast(values, target) for target in INTEGERS]
    for found in (on_host, [out.copy_to_host() for out in cast(cuda.to_device(values))]):
        for one, other in zip(found, expected, strict=True):
            assert_same_bits(one, other)


@pytest.mark.parametrize("dtype", FLOATS)
def test_comparisons(dtype):
    @npp.vectorize([f"int64({dtype}, {dtype})"])
    def compare(x, y):
        bits = 1 if x < y else 0
        bits += 2 if x <= y else 0
        bits += 4 if x == y else 0
        bits += 8 if x != y else 0
        bits += 16 if x > y else 0
        return bits + (32 if x >= y else 0)

    x, y = pairs(dtype)
    tests = [x < y, x <= y, x == y, x != y, x > y, x >= y]
    expected = sum(test.astype(np.int64) << i for i, test in enumerate(tests))
    assert_all_agree(compare, expected, x, y)


def test_double_to_half_is_rounded_once():
    @npp.vectorize(["float16(float64)"])
    def narrow(x):
        return np.float16(x)

    # Between two halves, slightly beyond the midpoint: via float32 it would round to even.
    values = np.array(
        [1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11 - 2.0**-40, 65519.9, 1e-8, 65520.0]
    )
    with np.errstate(all="ignore"):
        assert_all_agree(narrow, values.astype(np.float16), values)
