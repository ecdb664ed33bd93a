"""Loops for the greatest or the least of some values, which hosts compute by vectors."""

import itertools

import numpy as np
import pytest
from flag_kinds import collected_kinds

import numpy_plugin as npp
from numpy_plugin import cuda


def greatest(x, out):
    best = x[0]
    for i in range(x.shape[0]):
        if x[i] > best:
            best = x[i]
    out[0] = best


def least(x, out):
    best = x[0]
    for i in range(1, x.shape[0]):
        if best > x[i]:
            best = x[i]
    out[0] = best


def by_function(x, out):
    best = x[0]
    for i in range(1, x.shape[0]):
        best = max(best, x[i])
    out[0] = best


def largest_step(x, out):
    best = 0.0
    for i in range(1, x.shape[0]):
        step = abs(x[i] - x[i - 1])
        if step > best:
            best = step
    out[0] = best


def least_square(x, out):
    best = np.inf
    for i in range(x.shape[0]):
        best = min(best, x[i] * x[i])
    out[0] = best


def span(x, out):
    low = high = x[0]
    for i in range(x.shape[0]):
        low = min(low, x[i])
        if x[i] > high:
            high = x[i]
    out[0] = high - low


def with_nan(x, out):
    best = x[0]
    for i in range(1, x.shape[0]):
        best = np.minimum(best, x[i])
    out[0] = best


FORMS = [greatest, least, by_function, largest_step, least_square, span, with_nan]
each_form = pytest.mark.parametrize("kernel", FORMS)


def declared(kernel, dtype="float64"):
    return npp.guvectorize([f"void({dtype}[:], {dtype}[:])"], "(n)->()")(kernel)


def interpreted(kernel, rows):
    out = np.zeros((len(rows), 1), rows.dtype)
    with np.errstate(all="ignore"):
        for row, result in zip(rows, out, strict=True):
            kernel(row, result)
    return out[:, 0]


@each_form
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 33, 365, 2000])
def test_results_are_the_interpreters(kernel, dtype, n):
    f = declared(kernel, dtype)
    source = npp.inspect(f).source("cpu")
    assert ("npp::extremum<" if kernel is with_nan else "npp::running_extremum<") in source
    random = np.random.default_rng(n)
    plain = random.normal(size=(20, n))
    some_nan = np.where(random.random((20, n)) < 0.2, np.nan, plain)
    for rows in (plain, some_nan, np.round(plain)):
        rows = rows.astype(dtype)
        expected = interpreted(kernel, rows)
        assert np.array_equal(f(rows), expected, equal_nan=True)
        assert np.array_equal(f(np.asfortranarray(rows)), expected, equal_nan=True)


@each_form
def test_results_on_a_device(kernel):
    f = declared(kernel)
    rows = np.random.default_rng(0).normal(size=(5, 40))
    rows[1, 3] = rows[2, 0] = np.nan
    with cuda.simulator(memory="64 MiB"):
        found = f(cuda.to_device(rows)).copy_to_host()
    assert np.array_equal(found, f(rows), equal_nan=True)


@pytest.mark.parametrize("kernel", [greatest, least, by_function])
def test_the_first_of_equal_zeros_is_kept(kernel):
    f = declared(kernel)
    filler = -1.0 if kernel is not least else 1.0
    for zeros in itertools.product([0.0, -0.0], repeat=3):
        row = np.full(50, filler)
        row[[0, 20, 40]] = zeros
        assert np.signbit(f(row)) == np.signbit(zeros[0])
        row[0] = filler
        assert np.signbit(f(row)) == np.signbit(zeros[1])


@each_form
def test_nan_raises_no_flag(kernel):
    f = declared(kernel)
    row = np.array([2.0, np.nan, 1.0, 5.0] * 20)
    with collected_kinds() as kinds:
        f(row)
        f(row[::-1])
    assert not kinds


def with_place(x, out):
    best = x[0]
    for i in range(x.shape[0]):
        if x[i] > best:
            best = x[i]
            out[0] = i


def in_steps(x, out):
    best = x[0]
    for i in range(0, x.shape[0], 2):
        if x[i] > best:
            best = x[i]
    out[0] = best


def not_strict(x, out):
    best = x[0]
    for i in range(x.shape[0]):
        if x[i] >= best:
            best = x[i]
    out[0] = best


def of_another(x, out):
    best = x[0]
    for i in range(1, x.shape[0]):
        if x[i] > best:
            best = x[i - 1]
    out[0] = best


def of_each_other(x, out):
    low = high = x[0]
    for i in range(1, x.shape[0]):
        low = min(low, x[i])
        high = max(high, x[i] - low)
    out[0] = high


def of_the_last(x, out):
    best = 0.0
    last = x[0]
    for i in range(1, x.shape[0]):
        step = x[i] - last
        last = x[i]
        if step > best:
            best = step
    out[0] = best


def with_the_last(x, out):
    best = square = 0.0
    for i in range(1, x.shape[0]):
        square = x[i] * x[i]
        if square > best:
            best = square
    out[0] = best + square


def of_itself(x, out):
    best = x[0]
    for i in range(1, x.shape[0]):
        best = max(best, x[i] - best)
    out[0] = best


@pytest.mark.parametrize(
    "kernel",
    [
        with_place,
        in_steps,
        not_strict,
        of_another,
        of_each_other,
        of_the_last,
        with_the_last,
        of_itself,
    ],
)
def test_other_loops_stay_loops(kernel):
    f = declared(kernel)
    assert "npp::running_extremum<" not in npp.inspect(f).source("cpu")
    rows = np.random.default_rng(1).normal(size=(5, 40))
    assert np.array_equal(f(rows), interpreted(kernel, rows))
