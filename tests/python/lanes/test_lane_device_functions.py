"""Functions that kernels in lane blocks call have a form in lanes, too, and so have tuples."""

import lane_functions
import numpy as np
import pytest
from lane_functions import EXACT, gcd, lcm, refusing, swapped
from lane_kernels import assert_bits, assert_flags_of_elements, cases, one_by_one, operands

import numpy_plugin as npp

N = 200
CASES = cases(EXACT)


@pytest.mark.parametrize(("f", "types"), CASES)
def test_lengths_and_strides(f, types):
    source = npp.inspect(f).source("cpu")
    assert "lanes(" in source
    arrays = operands(types.split("->")[0], N)
    ones = one_by_one(f, arrays)
    assert len(np.unique(ones)) > 5
    with np.errstate(all="ignore"):
        for n in range(1, 71):
            assert_bits(f(*(array[:n] for array in arrays)), ones[:n])
        for step in (1, 2, -1, -3):
            assert_bits(f(*(array[::step] for array in arrays)), ones[::step])


@pytest.mark.parametrize(("f", "types"), CASES)
def test_flags(f, types):
    assert_flags_of_elements(f, operands(types.split("->")[0], N))


@pytest.mark.parametrize(("f", "types"), CASES)
def test_ordinary_values_raise_no_flag(f, types):
    arrays = [np.abs(array) + 1 for array in operands(types.split("->")[0], N, specials=False)]
    with np.errstate(all="raise", under="ignore"):
        f(*arrays)


def test_functions_take_the_mask_that_they_need():
    text = npp.inspect(lcm).source("cpu")
    assert "gcd_0_lanes(npp::Lanes<bool, 8> active, npp::Lanes<npp::int64, 8> a" in text
    text = npp.inspect(lane_functions.sums).source("cpu")
    assert "twice_0_lanes(npp::Lanes<npp::int64, 8> n)" in text


def test_a_tuple_is_one_of_lanes():
    text = npp.inspect(swapped).source("cpu")
    assert "npp::Tuple<npp::Lanes<double, 8>, npp::Lanes<npp::int64, 8>> pair" in text


def test_results_in_a_tuple():
    arrays = operands("dl", N)
    assert "lanes(" in npp.inspect(swapped).source("cpu")
    with np.errstate(all="ignore"):
        ones = [swapped(x, n) for x, n in zip(*arrays, strict=True)]
        found = swapped(*arrays)
    for i in range(2):
        assert_bits(found[i], np.array([each[i] for each in ones]))


def test_a_ufunc_that_a_kernel_calls():
    a, b = np.arange(300) - 20, np.arange(300)[::-1] % 17
    assert np.array_equal(abs(lcm(a, b)), np.lcm(a, b))
    assert np.array_equal(gcd(abs(a), b), np.gcd(a, b))


# The last one would raise another exception after the first.
RAISING = [(0.0, 0), (9.0, 1), (0.5, 1), (-1500.0, 0), (-3.0, 0), (8.5, 7), (0.5, 5)]


def first_message(x, n):
    for i in range(len(x)):
        try:
            refusing(x[i : i + 1], n[i : i + 1])
        except (ValueError, OverflowError) as error:
            return i, type(error), str(error)
    raise AssertionError("no element raises")


@pytest.mark.parametrize("place", [0, 1, 7, 31, 32, 63, 64, 97])
@pytest.mark.parametrize("case", RAISING)
def test_first_element_that_raises(place, case):
    assert "lanes(" in npp.inspect(refusing).source("cpu")
    x, n = np.full(100, 9.0), np.zeros(100, np.int64)
    x[place:], n[place:] = case
    x[place + 1 :: 3], n[place + 1 :: 3] = -2000.0, 0
    element, kind, message = first_message(x, n)
    with pytest.raises(kind) as caught:
        refusing(x, n)
    assert str(caught.value) == message
    assert f"for element {element}," in caught.value.__notes__[0]


def test_a_function_that_raises_ends_the_loops_around_it():
    forever = npp.vectorize(["float64(float64)"], target="cpu")(lane_functions.forever)
    assert "lanes(" in npp.inspect(forever).source("cpu")
    with pytest.raises(ValueError, match="no root of -1"):
        forever(np.full(50, -1.0))
