"""Lane blocks give the bits of one element at a time, at any length and stride."""

import numpy as np
import pytest
from lane_kernels import (
    EXACT,
    VECTOR,
    assert_bits,
    assert_flags_of_elements,
    cases,
    escape,
    gcd,
    one_by_one,
    operands,
    own_trips,
)

import numpy_plugin as npp

N = 333


@pytest.mark.parametrize(("f", "types"), cases(EXACT + VECTOR))
def test_lengths_and_strides(f, types):
    assert "lanes(" in npp.inspect(f).source("cpu")
    arrays = operands(types.split("->")[0], N)
    ones = one_by_one(f, arrays)
    with np.errstate(all="ignore"):
        assert_bits(f(*arrays), ones)
        for n in (*range(2, 18), 31, 32, 33, 63, 64, 65, 100):
            assert_bits(f(*(array[:n] for array in arrays)), ones[:n])
        for step in (2, -1, -3):
            assert_bits(f(*(array[::step] for array in arrays)), ones[::step])
        assert_bits(f(*(np.broadcast_to(array[5], 40) for array in arrays)), ones[[5] * 40])


@pytest.mark.parametrize(("f", "types"), cases(EXACT))
def test_flags(f, types):
    assert_flags_of_elements(f, operands(types.split("->")[0], N))


@pytest.mark.parametrize(("f", "types"), cases(EXACT + VECTOR))
def test_ordinary_values_raise_no_flag(f, types):
    arrays = operands(types.split("->")[0], N, specials=False)
    arrays = [np.abs(array) + 1 if array.dtype != bool else array for array in arrays]
    if f.__name__ == "kepler":
        arrays[1] /= 100
    with np.errstate(all="raise", under="ignore"):
        f(*arrays)


def test_divisor_of_zero_in_an_idle_lane():
    a = np.arange(100)
    b = np.zeros(100, int)
    with np.errstate(all="raise"):
        assert np.array_equal(gcd(a, b), a)
        b[::2] = 7
        assert np.array_equal(gcd(a, b), np.gcd(a, b))


def test_operands_that_overlap():
    arrays = operands("dl", N)
    expected = one_by_one(own_trips, [arrays[0].copy(), arrays[1]])
    with np.errstate(all="ignore"):
        own_trips(arrays[0], arrays[1], out=arrays[0])
    assert_bits(arrays[0], expected)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_values_beside_ordinary_ones(special):
    x, y = operands("dd", N, specials=False)
    x[::3] = y[1::3] = special
    with np.errstate(all="raise", under="ignore"):
        found = escape(x, y)
    assert_bits(found, one_by_one(escape, [x, y]))
    assert not found[::3].any()


def test_idle_lanes_take_no_part_in_arithmetic():
    text = npp.inspect(escape).source("cpu")
    assert "multiply(running, zx, zx)" in text
    assert text.count("multiply(running, zx, zx)") == 4, "one for each form of two kernels"
