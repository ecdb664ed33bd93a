"""Casts, products and quotients of numbers of 8 bytes in lanes, without instructions for them."""

import itertools

import numpy as np
import pytest
from lane_kernels import assert_flags_of_elements, one_by_one

import numpy_plugin as npp

RNG = np.random.default_rng(0)
INTEGERS = [
    0,
    1,
    2,
    3,
    7,
    2**31,
    2**32 - 1,
    2**32,
    2**51 - 1,
    2**51,
    2**52 + 1,
    2**53 - 1,
    2**53 + 1,
]
INT64 = np.array(
    [s * n for n in INTEGERS for s in (1, -1)]
    + [2**63 - 1, -(2**63), -(2**63) + 1, 2**62 + 1, 10**18 + 3]
    + (RNG.integers(-(2**63), 2**63, 400) >> RNG.integers(0, 63, 400)).tolist()
)
FLOATS = np.concatenate(
    [
        INT64.astype(float),
        [0.5, -0.5, 0.0, -0.0, 0.99999, 2.0**51 - 0.5, -(2.0**51) + 0.5, 5e-324, -5e-324, 1e300],
        [np.nan, np.inf, -np.inf, 9.2233720368547758e18, -9.2233720368547758e18],
        RNG.normal(size=300) * 10.0 ** RNG.integers(-3, 25, 300),
    ]
)


def product_of_powers(a, b):
    total = a
    while b != 0:
        total = total * (a + b)
        b = b >> 9 if b > 0 else b - b
    return total


def quotient(a, b):
    total = a - a
    while total == 0:
        total = a // b
        if total == 0:
            return total
    return total


def remainder(a, b):
    rest = a % b
    while rest > 1000 or -rest > 1000:
        a = rest
        rest = rest // 2
        b = b + b - b
    return rest + a % b


def in_lanes(f):
    assert "lanes(" in npp.inspect(f).source("cpu")
    return f


def blocks_of_neighbours(array):
    """Return the array sorted as well: blocks with small numbers only take a shorter way."""
    return np.concatenate([array, np.sort(array)])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        *itertools.product(["int64", "uint64"], ["float64", "float32"]),
        *itertools.product(["float64", "float32"], ["int64", "uint64", "int32", "uint8"]),
        *itertools.permutations(["int64", "uint32", "int32", "int16", "uint8"], 2),
        ("float64", "float16"),
        ("float16", "float64"),
        ("float16", "int64"),
    ],
)
def test_casts(source, target):
    cast = np.dtype(target).type

    def looped(x, y):
        while y > 0:
            y -= 1
            if cast(x) == cast(3):
                return cast(4)
        return cast(x)

    f = in_lanes(npp.vectorize([f"{target}({source}, float64)"], target="cpu")(looped))
    with np.errstate(all="ignore"):
        numbers = blocks_of_neighbours(INT64 if "int" in source else FLOATS).astype(source)
        arrays = [numbers, np.ones(len(numbers))]
        assert np.array_equal(f(*arrays), one_by_one(f, arrays), equal_nan=True)
    assert_flags_of_elements(f, arrays)


@pytest.mark.parametrize(
    ("signature", "kernel"),
    [
        ("int64(float64)", lambda x: int(x * 10)),
        ("int64(float32)", lambda x: int(x)),
        ("uint8(float32)", lambda x: min(max(int(x), 0), 255)),
        ("float32(float32)", lambda x: x - int(x)),
        ("float64(int64)", lambda n: n * 0.5),
        ("float64(uint64)", lambda n: n * 0.1),
        ("int64(int64)", lambda n: n // 10),
        ("uint64(uint64)", lambda n: n % 7),
    ],
)
def test_formulas(signature, kernel):
    f = in_lanes(npp.vectorize([signature], target="cpu")(kernel))
    numbers = INT64 if "(int" in signature or "(uint" in signature else FLOATS
    with np.errstate(all="ignore"):
        numbers = blocks_of_neighbours(numbers).astype(signature[signature.index("(") + 1 : -1])
        assert np.array_equal(f(numbers), one_by_one(f, [numbers]), equal_nan=True)
    assert_flags_of_elements(f, [numbers])


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("kernel", [product_of_powers, quotient, remainder])
def test_arithmetic(kernel, dtype):
    f = in_lanes(npp.vectorize([f"{dtype}({dtype}, {dtype})"], target="cpu")(kernel))
    a, b = (np.ravel(grid) for grid in np.meshgrid(INT64[::3], INT64[::5]))
    a, b = (blocks_of_neighbours(array).astype(dtype) for array in (a, b))
    b[b == 0] = 1
    with np.errstate(all="ignore"):
        assert np.array_equal(f(a, b), one_by_one(f, [a, b]))
        if kernel is quotient:
            assert np.array_equal(f(a, b), a // b)
