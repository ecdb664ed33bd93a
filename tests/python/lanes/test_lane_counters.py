"""Counters that are known to stay below a constant have the size of the lanes' other numbers."""

import numpy as np
import pytest
from lane_kernels import one_by_one

import numpy_plugin as npp


def up_to_a_bound(x):
    n = 0
    while x > 1 and n < 70:
        x = x / 2
        n += 3
    return n


def of_uint8(x):
    n = np.uint8(0)
    while x > 1 and n <= 200:
        x = x / 2
        n += np.uint8(5)
    return n


def of_ranges(x):
    n = 0
    for i in range(9):
        for _ in range(4):
            if x > i:
                n += 2
        x = x - 1
        if x < 0:
            return -1
    return n


def after_a_bound(x):
    n = 0
    while x > 1 and n < 10:
        x = x / 2
        n += 1
    while x > 1 and n < 2_000_000_000:
        x = x / 2
        n += 1
    return n if n > 7 and x > 0 else 0


def as_a_number(x):
    n = 0
    while x > 1 and n < 90:
        x = x / 2
        n = n + 2 if x > 9 else n
        n += 1
    return x + np.float32(n)


def of_states(x):
    state = 1
    while x > 1:
        state = -5 if x > 100 else 7
        if x > 50:
            state = 9
        x = x / 2
    return state


def without_a_bound(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return n


def beyond_int32(x):
    n = 0
    while x > 1 and n < 2_147_483_640:
        x = x / 2
        n += 100
    return n


def beyond_uint8(x):
    n = np.uint8(0)
    while x > 1 and n < 253:
        x = x / 2
        n += np.uint8(50)
    return n


def in_an_unbounded_loop(x):
    n = 0
    while x > 1:
        for _ in range(2):
            n += 1
        x = x / 2
    return n


def downwards(x):
    n = 100
    while x > 1 and n < 200:
        x = x / 2
        n -= 1
    return n


# Kernels of float32, the result's type, and that of the variable in lanes.
CONVERTED = [
    (up_to_a_bound, "int64", "int32"),
    (up_to_a_bound, "int32", "int32"),
    (of_uint8, "uint8", "int32"),
    (of_ranges, "int64", "int32"),
    (after_a_bound, "int16", "int32"),
    (as_a_number, "float32", "int32"),
]
KEPT = [
    (without_a_bound, "int64", "int64"),
    (beyond_int32, "int64", "int64"),
    (beyond_uint8, "uint8", "uint8"),
    (in_an_unbounded_loop, "int64", "int64"),
    (downwards, "int64", "int64"),
]
SIZES = {"int32": 4, "int64": 8, "uint8": 4}


def declared(kernel, result, operand="float32"):
    return npp.vectorize([f"{result}({operand})"], target="cpu")(kernel)


@pytest.mark.parametrize(("kernel", "result", "counter"), CONVERTED + KEPT)
def test_values_and_types(kernel, result, counter):
    f = declared(kernel, result)
    assert f"npp::Lanes<npp::{counter}, {SIZES[counter]}> n" in npp.inspect(f).source("cpu")
    x = np.exp(np.random.default_rng(3).uniform(-2, 80, 999)).astype("f4")
    x[::50] = [np.nan, 3e38, -np.inf, 0.0] * 5
    with np.errstate(all="ignore"):
        assert np.array_equal(f(x), one_by_one(f, [x]), equal_nan=True)
        assert np.array_equal(f(x), [kernel(number) for number in x], equal_nan=True)


def test_beside_float64_counters_have_8_bytes():
    f = declared(of_uint8, "uint8", "float64")
    assert "npp::Lanes<npp::int64, 8> n" in npp.inspect(f).source("cpu")
    x = np.exp(np.random.default_rng(4).uniform(-2, 90, 500))
    assert np.array_equal(f(x), one_by_one(f, [x]))


def test_states_are_counters_without_steps():
    f = declared(of_states, "int64")
    assert "npp::Lanes<npp::int32, 4> state" in npp.inspect(f).source("cpu")
    x = np.exp(np.random.default_rng(5).uniform(-2, 9, 500)).astype("f4")
    assert np.array_equal(f(x), [of_states(number) for number in x])


def of_one_variable(x):
    n = 0
    for i in range(9):
        for i in range(4):  # noqa: B007
            if x > 1:
                n += 2
        x = x - 1
        if x < 0:
            return -1
    return n


def test_loops_inside_one_another_may_share_their_variable():
    f = declared(of_one_variable, "int64")
    x = np.linspace(-3, 12, 200).astype("f4")
    assert np.array_equal(f(x), [of_one_variable(number) for number in x])
