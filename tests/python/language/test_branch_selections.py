"""Branches that only choose values of locals, in loops that no compiler vectorizes: no branches."""

import numpy as np
import pytest
from flag_kinds import collected_kinds

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")


def longest_run(x, limit, out):
    best = 0
    run = 0
    for i in range(x.shape[0]):
        if x[i] > limit:
            run += 1
            if run > best:
                best = run
        else:
            run = 0
    out[0] = best


def filled(x, limit, out):
    last = limit
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            last = x[i]
        out[i] = last


def filled_by_isnan(x, limit, out):
    last = limit
    for i in range(x.shape[0]):
        if not np.isnan(x[i]):
            last = x[i]
        out[i] = last


def last_other(x, limit, out):
    last = limit
    for i in range(x.shape[0]):
        if x[i] != limit:
            last = x[i]
        out[i] = last


def last_within(x, limit, out):
    last = limit
    n = 0
    for i in range(x.shape[0]):
        if x[i] <= limit:
            last = x[i]
            n += 1
        out[i] = last + n


def last_beyond(x, limit, out):
    last = limit
    for i in range(x.shape[0]):
        if x[i] >= limit:
            last = x[i]
        out[i] = last


def state(x, limit, out):
    up, not_up = True, False
    n = 9
    for i in range(x.shape[0]):
        if x[i] < limit:
            if n == 2:
                n += 3
            else:
                n -= 1
        else:
            up = not_up
            n = 2
        out[i] = n if up else 100 - n


KERNELS = [
    (longest_run, "()"),
    (filled, "(n)"),
    (filled_by_isnan, "(n)"),
    (last_other, "(n)"),
    (last_within, "(n)"),
    (last_beyond, "(n)"),
    (state, "(n)"),
]


def declared(kernel, output, dtype="float64"):
    array = f"{dtype}[:]"
    declare = npp.guvectorize([f"void({array}, {dtype}, {array})"], f"(n),()->{output}")
    return declare(kernel)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "uint8", "float16"])
@pytest.mark.parametrize(("kernel", "output"), KERNELS)
def test_values_are_those_of_branches(kernel, output, dtype):
    f = declared(kernel, output, dtype)
    is_folded = kernel is filled_by_isnan and np.dtype(dtype).kind in "iu"
    assert ("npp::scalar_choose" in npp.inspect(f).source("cpu")) != is_folded
    rng = np.random.default_rng(1)
    for n in range(20):
        x = rng.integers(0, 5, n).astype(dtype)
        if x.dtype.kind == "f":
            x[rng.random(n) < 0.3] = np.nan
            x[rng.random(n) < 0.1] = -0.0
        limit = x.dtype.type(2)
        expected = np.zeros(1 if output == "()" else n, dtype)
        with np.errstate(all="ignore"):
            kernel(x, limit, expected)
        expected = expected[0] if output == "()" else expected
        with collected_kinds() as kinds:
            found = f(x, limit)
        assert not kinds
        np.testing.assert_array_equal(found, expected)
        assert np.array_equal(np.signbit(found), np.signbit(expected))
        if n == 19:
            with cuda.simulator(memory="64 MiB"):
                on_device = f(cuda.to_device(x), limit).copy_to_host()
            np.testing.assert_array_equal(on_device, expected)


def other_element(x, limit, out):
    last = limit
    for i in range(x.shape[0]):
        if x[i] > limit:
            last = out[i]
    out[0] = last


def element_of_and(x, limit, out):
    last = limit
    for i in range(x.shape[0] + 1):
        if i > 0 and x[i - 1] > limit:
            last = x[i - 1]
    out[0] = last


def quotient(x, limit, out):
    last = 1
    for i in range(x.shape[0]):
        if x[i] > limit:
            last = i // last
    out[0] = last


def five(x, limit, out):
    a, b, c, d, e = 0, 0, 0, 0, 0
    for i in range(x.shape[0]):
        if x[i] > limit:
            a, b, c, d, e = b, c, d, e, i
    out[0] = a + b + c + d + e


def halves(x, limit, out):
    low, high = 0, x.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if x[middle] <= limit:
            low = middle
        else:
            high = middle
    out[0] = low


def next_element(x, limit, out):
    at = 0
    total = limit
    for i in range(x.shape[0]):
        total += x[at % x.shape[0]]
        if x[i] > limit:
            at = i
    out[0] = total


BRANCHES = [other_element, element_of_and, quotient, five, halves, next_element]


@pytest.mark.parametrize("kernel", BRANCHES)
def test_other_branches_stay(kernel):
    f = declared(kernel, "(n)" if kernel is other_element else "()")
    source = npp.inspect(f).source("cpu")
    assert "npp::scalar_choose" not in source
    assert ("npp::keep_branch()" in source) == (kernel in (halves, next_element))


def down(n):
    while n > 0:
        n -= 1
    return n


def down_with_test(n):
    i = n
    while i >= 0 and i * i > n:
        i -= 1
    return i


def up(n):
    i = 0
    while i < n:
        i += 1
    return i


def to_constant(n):
    while n <= 100:
        n += 1
    return n


ENDING = [down, down_with_test, up, to_constant]


def by_two(n):
    while n > 0:
        n -= 2
    return n


def bound_moves(n):
    i = 0
    while i < n:
        i += 1
        n += i % 2
    return i


def up_to_largest(n):
    i = 0
    while i <= n:
        i += 1
    return i


def away(n):
    while n > 0:
        n += 1
    return n


def sometimes(n):
    while n > 0:
        if n % 3 == 1:
            n -= 1
    return n


def skipping(n):
    i = 0
    while i < n:
        if n % 3 == 1:
            continue
        i += 1
    return i


def back(n):
    i = 0
    while i < n:
        i += 1
        if i == 3:
            i = 0
    return i


UNSURE = [by_two, bound_moves, up_to_largest, away, sometimes, skipping, back]


@pytest.mark.parametrize("kernel", ENDING + UNSURE)
def test_loops_that_end_do_not_ask_for_an_interrupt(kernel):
    trips = npp.device(kernel)

    def store(n, out):
        out[0] = trips(n)

    f = npp.guvectorize(["void(int64, int64[:])"], "()->()")(store)
    assert ("npp::Trips" in npp.inspect(f).source("cuda")) == (kernel in UNSURE)
    if kernel in ENDING:
        n = np.arange(-3, 100)
        assert np.array_equal(f(n), [kernel(int(each)) for each in n])
