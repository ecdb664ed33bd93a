"""Powers of integers in lanes, against Python's."""

import numpy as np
import pytest

import numpy_plugin as npp

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMBERS = [0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 63, 64, 65, -1, -2, -3, -5]


def power_in_a_loop(a, b):
    total = a
    n = 0
    while n < 3:
        if a > b or n == 1:
            total = total + a**b
        n = n + 1
    return total


def wrapped(value, dtype):
    bits = 8 * dtype.itemsize
    value %= 1 << bits
    return value - (1 << bits) if dtype.kind == "i" and value >= 1 << (bits - 1) else value


def expected(a, b, dtype):
    power = wrapped(pow(a, b, 1 << 64), dtype)
    return wrapped(a + power * (3 if a > b else 1), dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers(dtype):
    f = npp.vectorize([f"{dtype}({dtype}, {dtype})"], target="cpu")(power_in_a_loop)
    assert "npp::lanes::power(" in npp.inspect(f).source("cpu")
    limits = np.iinfo(dtype)
    numbers = [n for n in [*NUMBERS, limits.min, limits.max] if limits.min <= n <= limits.max]
    pairs = [(a, b) for a in numbers for b in numbers if b >= 0]
    a, b = np.array(pairs, dtype).T
    found = f(a, b)
    assert found.tolist() == [expected(*pair, np.dtype(dtype)) for pair in pairs]
    assert np.array_equal(f(a[:1], b[:1]), found[:1])  # one by one


def test_a_negative_exponent_raises_where_it_is_computed():
    f = npp.vectorize(["int64(int64, int64)"], target="cpu")(power_in_a_loop)
    a, b = np.full(40, 2), np.full(40, 3)
    b[17] = -1
    with pytest.raises(ValueError, match="negative integer powers") as caught:
        f(a, b)
    assert caught.value.element == (17,)

    def guarded(a, b):
        n = 0
        while n < 5:
            n += a**b if b >= 0 else 1
        return n

    g = npp.vectorize(["int64(int64, int64)"], target="cpu")(guarded)
    assert "npp::lanes::power(" in npp.inspect(g).source("cpu")
    assert g(a, b).tolist() == [5 if n < 0 else 8 for n in b]
