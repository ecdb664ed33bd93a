"""Integers of 1 and 2 bytes in lane blocks have the bits of one element at a time."""

import numpy as np
import pytest
from lane_kernels import assert_flags_of_elements, cases, one_by_one
from narrow_kernels import EXACT, gcd, picture, refusing, several

import numpy_plugin as npp

N = 400
CASES = cases(EXACT)


def operands(types, n=N):
    """Return operands of type characters over their whole range, many of them at its ends."""
    rng = np.random.default_rng(len(types) + n)
    return [_operand(np.dtype(character), n, rng) for character in types]


def _operand(dtype, n, rng):
    if dtype.kind == "f":
        result = rng.normal(size=n) * 2
        result[::9] = rng.choice([np.nan, np.inf, -np.inf, 1e30, 3e9, -3e9, 0.0], len(result[::9]))
        return result.astype(dtype)
    limits = np.iinfo(dtype)
    result = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
    result[::5] = rng.choice([limits.min, limits.max, 0, 1, 2], len(result[::5]))
    if limits.min < 0:
        result[::7] = -1
    return result


@pytest.mark.parametrize(("f", "types"), CASES)
def test_lengths_and_strides(f, types):
    assert "lanes(" in npp.inspect(f).source("cpu")
    arrays = operands(types.split("->")[0])
    ones = one_by_one(f, arrays)
    assert len(np.unique(ones)) > 5
    with np.errstate(all="ignore"):
        for n in range(1, 71):
            assert np.array_equal(f(*(array[-n:] for array in arrays)), ones[-n:])
        for step in (1, 2, -1, -3):
            assert np.array_equal(f(*(array[::step] for array in arrays)), ones[::step])


@pytest.mark.parametrize(("f", "types"), CASES)
def test_flags(f, types):
    assert_flags_of_elements(f, operands(types.split("->")[0]))


@pytest.mark.parametrize("dtype", ["b", "B", "h", "H"])
def test_every_divisor(dtype):
    limits = np.iinfo(dtype)
    a = np.arange(limits.min, limits.max + 1, max(1, (limits.max - limits.min) // 500))
    a, b = (np.ravel(grid).astype(dtype) for grid in np.meshgrid(a, a))
    b[b == 0] = 1
    quotients = npp.vectorize([f"{b.dtype}({b.dtype}, {b.dtype})"], target="cpu")(looped_quotient)
    assert "lanes(" in npp.inspect(quotients).source("cpu")
    with np.errstate(all="ignore"):
        assert np.array_equal(quotients(a, b), a // b + a % b)


def looped_quotient(a, b):
    total = a - a
    while total == 0:
        total = a // b + a % b
        if total == 0:
            return total
    return total


def test_divisor_of_zero_in_an_idle_lane():
    a = np.arange(100, dtype=np.int8)
    b = np.zeros(100, np.int8)
    with np.errstate(all="raise"):
        assert np.array_equal(gcd(a, b), a)
        b[::2] = 7
        assert np.array_equal(gcd(a, b), np.gcd(a, b))


def test_operands_that_overlap():
    a, b = operands("BB")
    expected = one_by_one(gcd, [a.copy(), b])
    gcd(a, b, out=a)
    assert np.array_equal(a, expected)


def test_several_results():
    a, b = operands("hB")
    assert "lanes(" in npp.inspect(several).source("cpu")
    found = several(a, b)
    ones = [several(*pair) for pair in zip(a, b, strict=True)]
    for i in range(3):
        assert np.array_equal(found[i], [each[i] for each in ones])


@pytest.mark.parametrize("n", [1, 20, 64, 100])
def test_first_element_that_raises(n):
    a, b = np.full(n, 300, np.int16), np.full(n, 9, np.uint8)
    assert np.array_equal(refusing(a, b), b - 1)
    first = n // 2
    b[first:] = 0
    a[first] = 299
    with pytest.raises(ZeroDivisionError, match="299 by 0") as caught:
        refusing(a, b)
    assert f"for element {first}," in caught.value.__notes__[0]


def test_a_picture():
    x, y = (
        np.ravel(grid) for grid in np.meshgrid(np.linspace(-2, 0.5, 40), np.linspace(-1, 1, 40))
    )
    found = picture(x, y)
    assert found.dtype == np.uint8
    assert found.max() == 250
    assert np.array_equal(found, one_by_one(picture, [x, y]))
