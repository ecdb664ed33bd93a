"""Branches that store one element, and first trips that do something else: no branches in loops."""

import numpy as np
import pytest
from flag_kinds import collected_kinds

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")


def falling(x, limit, out):
    for i in range(x.shape[0]):
        if i == 0:
            out[0] = x[0]
        elif x[i] < out[i - 1]:
            out[i] = x[i]
        else:
            out[i] = out[i - 1]


def rising(x, limit, out):
    n = len(x)
    for i in range(n):
        if i > 0:
            if x[i] > out[i - 1]:
                out[i] = x[i]
            else:
                out[i] = out[i - 1]
        else:
            out[i] = limit


def filled(x, limit, out):
    for i in range(x.shape[0]):
        if i != 0:
            if x[i] >= limit:
                out[i] = x[i]
            else:
                out[i] = out[i - 1]
        else:
            out[i] = x[i]


def kept(x, limit, out):
    out[:] = limit
    for i in range(2, x.shape[0]):
        if x[i] == x[i]:
            out[i] = out[i - 2]
        else:
            out[i] = x[i - 2]


def greatest(x, limit, out):
    best = limit
    last = limit
    for i in range(x.shape[0]):
        if x[i] > best:
            best = x[i]
            last = best
        out[i] = best if i % 2 else last


# Kernels, and whether all their stores are selections.
KERNELS = [(falling, True), (rising, True), (filled, True), (kept, False), (greatest, True)]


def declared(kernel, dtype="float64", **options):
    array = f"{dtype}[:]"
    declare = npp.guvectorize([f"void({array}, {dtype}, {array})"], "(n),()->(n)", **options)
    return declare(kernel)


def numbers(rng, n, dtype):
    x = rng.integers(0, 5, n).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(n) < 0.3] = np.nan
        x[rng.random(n) < 0.1] = -0.0
    return x


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint16", "int8", "float16"])
@pytest.mark.parametrize(("kernel", "is_selected"), KERNELS)
def test_values_are_those_of_branches(kernel, is_selected, dtype):
    f = declared(kernel, dtype)
    rng = np.random.default_rng(3)
    for n in range(20):
        x = numbers(rng, n, dtype)
        limit, expected = x.dtype.type(2), np.zeros(n, dtype)
        with np.errstate(all="ignore"):
            kernel(x, limit, expected)
        with collected_kinds() as kinds:
            found = f(x, limit)
        assert not kinds
        np.testing.assert_array_equal(found, expected)
        assert np.array_equal(np.signbit(found), np.signbit(expected))
        if n == 19:
            with cuda.simulator(memory="64 MiB"):
                on_device = f(cuda.to_device(x), limit).copy_to_host()
            np.testing.assert_array_equal(on_device, expected)


@pytest.mark.parametrize(("kernel", "is_selected"), KERNELS)
def test_loops_have_no_branches(kernel, is_selected):
    source = npp.inspect(declared(kernel)).source("cpu")
    loop = source[source.index("for (npp::int64 i") :]
    assert ("if (" not in loop) == is_selected
    assert ("npp::scalar_" in loop.replace("npp::scalar_equal", "")) == is_selected


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kernel", [falling, rising, greatest])
def test_without_nan_an_extremum_has_the_same_values(kernel, dtype):
    f, g = declared(kernel, dtype), declared(kernel, dtype, fastmath={"nnan"})
    x = numbers(np.random.default_rng(4), 300, dtype)
    limit = x.dtype.type(2)
    with np.errstate(invalid="ignore"):
        found = g(x, limit)
    expected = f(x, limit)
    np.testing.assert_array_equal(found, expected)
    assert np.array_equal(np.signbit(found), np.signbit(expected))


def no_first(x, limit, out):
    for i in range(x.shape[0]):
        if i == 1:
            out[i] = limit
        else:
            out[i] = x[i]


def left_at_first(x, limit, out):
    for i in range(x.shape[0]):
        if i == 0:
            if x[0] > limit:
                break
            out[0] = x[0]
        else:
            out[i] = out[i - 1]


def with_more(x, limit, out):
    for i in range(x.shape[0]):
        if i == 0:
            out[0] = x[0]
        else:
            out[i] = out[i - 1]
        out[i] += limit


def counted_on(x, limit, out):
    n = 1
    for i in range(n):
        if i == 0:
            n = x.shape[0]
            out[0] = n
        else:
            out[i] = limit
    out[1:] = n


@pytest.mark.parametrize("kernel", [no_first, left_at_first, with_more, counted_on])
def test_other_first_trips_stay(kernel):
    f = declared(kernel)
    assert "npp::equal(i, " in npp.inspect(f).source("cpu")
    for x in ([1.0, 5.0, 2.0], [9.0, 1.0]):
        x = np.array(x)
        found, expected = np.zeros(len(x)), np.zeros(len(x))
        kernel(x, 3.0, expected)
        f(x, 3.0, out=found)
        if kernel is not left_at_first or x[0] <= 3:
            assert np.array_equal(found, expected)


def test_a_first_trip_that_raises_names_its_element():
    def checked(x, limit, out):
        for i in range(x.shape[0]):
            if i == 0:
                if x[i] > limit:
                    raise ValueError(f"{x[i]} at {i}")
                out[i] = x[i]
            else:
                out[i] = x[i] - x[i - 1]

    f = declared(checked)
    assert np.array_equal(f(np.array([1.0, 4.0, 2.0]), 2.0), [1.0, 3.0, -2.0])
    assert f(np.zeros(0), 2.0).shape == (0,)
    with pytest.raises(ValueError, match=r"^7\.0 at 0"):
        f(np.array([7.0, 1.0]), 2.0)
