"""Quotients and remainders in lanes, by constants and with every liberty of `fastmath`."""

import itertools
import math

import numpy as np
import pytest
from lane_kernels import assert_flags_of_elements, one_by_one

import numpy_plugin as npp

RNG = np.random.default_rng(0)
DTYPES = {
    dtype: divisors
    for dtypes, divisors in [
        (["int8", "uint8"], (1, 3, 8, 10, 49, 127)),
        (["int16", "uint16"], (1, 3, 10, 64, 1009, 32767)),
        (["int32", "uint32"], (3, 7, 10, 1024, 1000003, 2**31 - 1)),
        (["int64", "uint64"], (3, 10, 49, 2**33, 2**50 - 1, 2**62 + 1)),
    ]
    for dtype in dtypes
}


def multiples_and_neighbors(dtype, divisors):
    """Return numbers of each length, multiples of the divisors among them, and those beside."""
    info = np.iinfo(dtype)
    numbers = RNG.integers(info.min, info.max, 500, dtype) >> RNG.integers(0, info.bits, 500, dtype)
    limits = [info.min, info.max, 2 ** min(info.bits - 2, 50)]
    numbers = np.append(numbers, np.array(limits, dtype)).astype(dtype)
    multiples = [numbers // d * d for d in np.array(divisors, dtype)]
    with np.errstate(over="ignore"):
        beside = [m + np.array([[-1], [0], [1]]).astype(dtype) for m in multiples]
    return np.sort(np.ravel(beside))


@pytest.mark.parametrize(
    ("dtype", "fastmath"), [*((dtype, False) for dtype in DTYPES), ("int16", True), ("int64", True)]
)
def test_known_divisors(dtype, fastmath):
    a, b, c, d, e, f = DTYPES[dtype]

    def looped(n, again):
        p = q = r = s = t = u = n
        v = w = x = y = z = o = n
        while again > 0:
            again -= 1
            p, q, r, s, t, u = n // a, n // b, n // c, n // d, n // e, n // f
            v, w, x, y, z, o = n % a, n % b, n % c, n % d, n % e, n % f
        return p, q, r, s, t, u, v, w, x, y, z, o

    results = ", ".join([dtype] * 12)
    signature = f"({results})({dtype}, {dtype})"
    divided = npp.vectorize([signature], target="cpu", fastmath=fastmath)(looped)
    assert "floor_divide_by<" in npp.inspect(divided).source("cpu")
    n = multiples_and_neighbors(dtype, DTYPES[dtype])
    found = divided(n, np.ones_like(n))
    for divisor, quotient, rest in zip(DTYPES[dtype], found[:6], found[6:], strict=True):
        assert np.array_equal(quotient, n // np.array(divisor, dtype)), divisor
        assert np.array_equal(rest, n % np.array(divisor, dtype)), divisor


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
def test_liberties_leave_quotients_alone(dtype):
    def quotients(a, b, c, divisor):
        total = a - a
        while divisor > 1:
            total += a // divisor + b // divisor + c % divisor
            divisor -= 1
        return total

    arrays = [RNG.integers(0, 120, 500).astype(dtype) for _ in range(3)]
    divisor = RNG.integers(1, 60, 500).astype(dtype)
    signature = f"{dtype}({', '.join([dtype] * 4)})"
    plain, fast = (
        npp.vectorize([signature], target="cpu", fastmath=fastmath)(quotients)
        for fastmath in (False, True)
    )
    assert "lanes::floor_divide(" in npp.inspect(fast).source("cpu")
    assert np.array_equal(fast(*arrays, divisor), plain(*arrays, divisor))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_liberties_leave_casts_alone(dtype):
    def added(n, count):
        total = 0.0
        while count > 0:
            total += float(n)
            count -= 1
        return total

    f = npp.vectorize([f"float64({dtype}, {dtype})"], target="cpu", fastmath=True)(added)
    assert "lanes(" in npp.inspect(f).source("cpu")
    n = RNG.integers(0, 2**62, 500).astype(dtype)
    assert np.array_equal(f(n, np.ones_like(n)), n.astype(float))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.0, 5e-324, -1e-310, 2.3e-308, 1.7e308, np.inf, -np.inf, np.nan]


def pairs_of_floats(dtype):
    """Return pairs of each range of quotients, a group each, and of special values."""
    limits = np.finfo(dtype)
    groups = []
    for exponent in (-40, -3, 0, 3, 20, 60):
        divisors = RNG.uniform(0.5, 2, 400).astype(dtype) * RNG.choice([-1, 1], 400)
        quotients = np.round(RNG.normal(size=400), 1) * 2.0**exponent
        groups.append([(divisors * quotients).astype(dtype), divisors.astype(dtype)])
    whole = RNG.integers(-50, 50, (2, 400)).astype(dtype)
    tiny = limits.smallest_subnormal * RNG.integers(1, 99, (2, 400)).astype(dtype)
    special = np.array(list(itertools.product([*SPECIAL, limits.max, limits.tiny], repeat=2)))
    with np.errstate(over="ignore", under="ignore"):
        return [*groups, list(whole), list(tiny), list(special.T.astype(dtype))]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "kernel", [lambda a, b: a % b, lambda a, b: a // b, lambda a, b: math.fmod(a, b)]
)
def test_floating_point_numbers(kernel, dtype):
    f = npp.vectorize([f"{dtype}({dtype}, {dtype})"], target="cpu")(kernel)
    assert "lanes(" in npp.inspect(f).source("cpu")
    for a, b in pairs_of_floats(dtype):
        with np.errstate(all="ignore"):
            found, expected = f(a, b), one_by_one(f, [a, b])
        assert np.array_equal(found, expected, equal_nan=True)
        assert np.array_equal(np.signbit(found), np.signbit(expected))
        assert_flags_of_elements(f, [a, b])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_fast_math_leaves_remainders_below_the_divisor(dtype):
    f = npp.vectorize([f"{dtype}({dtype}, {dtype})"], target="cpu", fastmath=True)(
        lambda a, b: a % b + a // b
    )
    divisor = RNG.integers(1, 1000, 4000).astype(dtype)
    quotient = RNG.integers(0, 1000, 4000).astype(dtype)
    assert np.array_equal(f(quotient * divisor, divisor), quotient)


def test_remainders_by_a_constant_with_fast_math():
    f = npp.vectorize(["float64(float64)"], target="cpu", fastmath=True)(lambda a: a % 0.1)
    a = np.arange(4000) * 0.1
    assert np.array_equal(f(a), a % 0.1)
