"""Lanes that have left a loop take further elements while others are still in it."""

import numpy as np
import pytest
from lane_kernels import REAL, escape, gcd, halved, one_by_one, operands

import numpy_plugin as npp

N = 700


@npp.vectorize(["float64, int64, bool(float64, int64)"], target="cpu")
def several(x, n):
    start = x * 2
    n = n & 255
    total = x - start
    while n > 0:
        n -= 1
        if n % 7 == 3:
            continue
        if total > 1e5:
            break
        inner = 0
        while inner < n % 3:
            total += abs(start) / (inner + 1)
            inner += 1
        if total != total:
            return start, -n, True
        for k in range(2):
            total = total + x * k
    if n > 100:
        return total, n, n % 2 == 0
    total = total / (n + 1)
    return total, n, False


@npp.vectorize(REAL, target="cpu")
def root(x, guess):
    y = guess if guess > 0 and x > 0 else x
    change = y
    while abs(change) > 1e-3 * y and y > 0:
        change = (y * y - x) / (2 * y)
        y = y - change
    return y


@npp.vectorize(["int64(int64)"], target="parallel")
def countdown(n):
    trips = 0
    while n > 0:
        n -= 1
        trips += 1
    return trips


LENGTHS = [1, 3, 4, 31, 32, 33, 64, 65, N]


@pytest.mark.parametrize("types", ["ff", "dd"])
@pytest.mark.parametrize("n", LENGTHS)
def test_statements_before_the_loop(types, n):
    assert "refilled_lanes(" in npp.inspect(root).source("cpu")
    arrays = operands(types, n)
    expected = one_by_one(root, arrays)
    with np.errstate(all="ignore"):
        assert np.array_equal(root(*arrays), expected, equal_nan=True)
        strided = [np.repeat(array, 2)[::2] for array in arrays]
        assert np.array_equal(root(*strided), expected, equal_nan=True)


@pytest.mark.parametrize("n", LENGTHS)
def test_several_results_and_statements_after_the_loop(n):
    assert "refilled_lanes(" in npp.inspect(several).source("cpu")
    x, y = operands("dl", n)
    with np.errstate(all="ignore"):
        ones = [several(x[i : i + 1], y[i : i + 1]) for i in range(n)]
        found = several(x, y)
    for result, expected in zip(found, np.array(ones)[:, :, 0].T, strict=True):
        assert np.array_equal(result, expected, equal_nan=result.dtype.kind == "f")


def test_numbers_of_trips_that_differ_widely():
    n = np.random.default_rng(0).integers(0, 40, 5000)
    n[::997] = 200_000
    assert np.array_equal(countdown(n), n)
    assert np.array_equal(countdown(n[::-2]), n[::-2])


@pytest.mark.parametrize("n", [32, 63, 64, N])
def test_one_lane_that_runs_longer_than_all_others_together(n):
    trips = np.full(n, 3)
    trips[5] = 1_000_000
    assert np.array_equal(countdown(trips), trips)


def test_results_in_place_of_an_operand():
    a, b = np.random.default_rng(1).integers(0, 10_000, (2, N))
    expected = np.gcd(a, b)
    out = np.empty(N, int)
    gcd(a, b, out=out)
    gcd(a, b, out=a)
    assert np.array_equal(out, expected)
    assert np.array_equal(a, expected)


def test_results_that_overlap_later_operands():
    memory = np.random.default_rng(2).integers(0, 300, N + 1)
    expected = memory[:-1].copy()
    countdown(memory[:-1], out=memory[1:])
    assert np.array_equal(memory[1:], expected)
    expected = memory[1:].copy()
    countdown(memory[1:], out=memory[:-1])
    assert np.array_equal(memory[:-1], expected)


def test_bools_of_elements_that_come_later():
    x = np.where(np.arange(N) < 100, 2.0**15, 0.25)
    stop = np.arange(N) % 3 == 0
    assert np.array_equal(halved(x, stop), one_by_one(halved, [x, stop]))


def test_flags_of_values_that_an_element_before_left():
    x, y = operands("dd", N, specials=False)
    x[:40:3] = np.inf
    with np.errstate(all="raise", under="ignore"):
        assert not escape(x, y)[:40:3].any()
