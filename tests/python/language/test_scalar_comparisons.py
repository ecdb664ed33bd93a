"""Comparisons in loops that no compiler vectorizes: one instruction, quiet about NaN."""

import itertools
import platform
import re

import numpy as np
import pytest
from flag_kinds import collected_kinds

import numpy_plugin as npp
from numpy_plugin import cuda

SPECIAL = [0.0, -0.0, 1.0, -1.5, 5e-324, -1e-310, 1e300, np.inf, -np.inf, np.nan]
A, B = np.array(list(itertools.product(SPECIAL, repeat=2))).T


def relations(a, b, out):
    n = a.shape[0]
    while n > 0:
        n -= 1
        out[n] = 0
        if a[n] < b[n]:
            out[n] += 1
        if a[n] <= b[n]:
            out[n] += 2
        if a[n] > b[n]:
            out[n] += 4
        if a[n] >= b[n]:
            out[n] += 8


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_relations_are_numpys_and_raise_nothing(dtype):
    f = npp.guvectorize([f"void({dtype}[:], {dtype}[:], int64[:])"], "(n),(n)->(n)")(relations)
    source = npp.inspect(f).source("cpu")
    for name in ("less", "less_equal", "greater", "greater_equal"):
        assert f"npp::scalar_{name}(" in source
    with np.errstate(all="ignore"):
        a, b = A.astype(dtype), B.astype(dtype)
    expected = (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b)
    with collected_kinds() as kinds:
        assert np.array_equal(f(a, b), expected)
    assert not kinds
    with cuda.simulator(memory="64 MiB"):
        on_device = f(cuda.to_device(a), cuda.to_device(b))
        assert np.array_equal(on_device.copy_to_host(), expected)


def two_greatest(x, out):
    best = second = -np.inf
    for i in range(x.shape[0]):
        if x[i] > best:
            second = best
            best = x[i]
    out[0] = second


def position_of_greatest(x, out):
    best = 0
    for i in range(1, x.shape[0]):
        if x[i] > x[best]:
            best = i
    out[0] = best


def last_number(x, out):
    out[0] = x[0]
    for i in range(x.shape[0]):
        if x[i] < 5:
            out[0] = x[i]
            break


def sorted_pairs(x, out):
    out[0] = 0
    for i in range(x.shape[0] - 1):
        if x[i] > x[i + 1]:
            t = x[i]
            x[i] = x[i + 1]
            x[i + 1] = t


def nested(x, out):
    out[0] = 0
    for i in range(x.shape[0]):
        if x[i] > 1:
            for k in range(x.shape[0]):
                out[0] += x[k]


def count(x, out):
    n = 0
    for i in range(x.shape[0]):
        if x[i] > 1:
            n += 1
    out[0] = n


def clipped(x, out):
    for i in range(x.shape[0]):
        out[0] = x[i] if x[i] > 1 else 1


FORMS = [
    (position_of_greatest, True, True),
    (last_number, True, False),
    (sorted_pairs, True, False),
    (nested, True, False),
    (count, False, False),
    (clipped, False, False),
]


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize(("kernel", "is_scalar", "is_search"), FORMS)
def test_forms(kernel, is_scalar, is_search):
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cpu")(kernel)
    source = npp.inspect(f).source("cpu")
    assert ("npp::scalar_greater(" in source or "npp::scalar_less(" in source) == is_scalar
    assert ("npp::keep_branch()" in source) == is_search


def test_searches_have_pythons_values():
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cpu")
    place, second = declare(position_of_greatest), declare(two_greatest)
    with collected_kinds() as kinds:
        assert place([1.0, np.nan, 2.0, 7.0, 7.0, np.nan, -np.inf]) == 3
        assert place([np.nan, 1.0]) == 0
        assert second([1.0, np.nan, 2.0, 7.0, 7.0, np.nan]) == 2
    assert not kinds


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86's instructions")
def test_a_search_has_a_branch_and_no_selection():
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cpu")(
        position_of_greatest
    )
    assembly = npp.inspect(f).assembly()
    assert re.search(r"\sv?ucomisd\s", assembly)
    assert not re.search(r"\sv?comisd\s|\scmova\w*\s", assembly)


def nearest(x, out):
    best = np.inf
    place = -1
    for i in range(x.shape[0]):
        distance = abs(x[i] - 0.5)
        if distance < best:
            best = distance
            place = i
    out[0] = place


def running(x, out):
    best = x[0]
    for i in range(x.shape[0]):
        if x[i] > best:
            best = x[i]
        out[i] = best


def third(x, out):
    first = second = last = np.inf
    for i in range(x.shape[0]):
        if x[i] <= first:
            last = second
            second = first
            first = x[i]
    out[0] = last


def sum_of_some(x, out):
    total = -0.0
    for i in range(x.shape[0]):
        if x[i] > 0.25:
            total += x[i]
    out[0] = total


def sum_where_even(x, out):
    total = 0.0
    for i in range(x.shape[0]):
        number = x[i] * 2
        if i % 2 == 0:
            total += number
    out[0] = total


def sum_beside(x, out):
    total = 0.0
    for i in range(x.shape[0]):
        if i > 0 and x[i] > 0:
            total += x[i - 1]
    out[0] = total


def steps(x, out):
    n = x.shape[0]
    out[0] = x[0]
    for i in range(1, n):
        out[i] = x[i] + min(out[i - 1], x[i - 1], 1.0)
    for i in range(1, n):
        out[i] = max(out[i], out[i - 1] - 1)


SELECTIONS = [nearest, running, third, sum_of_some, sum_where_even, sum_beside, steps]


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kernel", SELECTIONS)
def test_selections_have_pythons_values_and_flags(kernel, dtype):
    layout = "(n)->(n)" if kernel in (running, steps) else "(n)->()"
    f = npp.guvectorize([f"void({dtype}[:], {dtype}[:])"], layout)(kernel)
    random = np.random.default_rng(0)
    rows = random.normal(size=(30, 40)).astype(dtype)
    rows[10:20][random.random((10, 40)) < 0.2] = np.nan
    rows[20:] = random.choice(np.array([0, -0.0, 1, np.inf, -np.inf, 0.5], dtype), (10, 40))
    expected = np.zeros((30, 40), dtype)
    for row, result in zip(rows, expected, strict=True):
        with np.errstate(all="ignore"):
            kernel(row, result)
        with collected_kinds() as kinds:
            f(row)
        with collected_kinds() as of_interpreter:
            kernel(row, result.copy())
        assert kinds == of_interpreter
    expected = expected if layout == "(n)->(n)" else expected[:, 0]
    with np.errstate(all="ignore"):
        found = f(rows)
    assert np.array_equal(found, expected, equal_nan=True)
    is_number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found)[is_number], np.signbit(expected)[is_number])
    with cuda.simulator(memory="64 MiB"):
        on_device = f(cuda.to_device(rows)).copy_to_host()
    assert np.array_equal(on_device, expected, equal_nan=True)


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (nearest, "npp::scalar_if_less("),
        (running, "npp::scalar_if_greater("),
        (third, "npp::scalar_choose_less_equal("),
        (sum_of_some, "npp::add(total, npp::choose<double>("),
        (sum_where_even, "npp::add(total, npp::choose<double>("),
        (steps, "scalar_python_min"),
    ],
)
def test_selections_have_no_branch(kernel, name):
    layout = "(n)->(n)" if kernel in (running, steps) else "(n)->()"
    f = npp.guvectorize(["void(float64[:], float64[:])"], layout, target="cpu")(kernel)
    assert name in npp.inspect(f).source("cpu")


def test_values_that_only_the_branch_may_read_keep_it():
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cpu")(sum_beside)
    assert "npp::choose" not in npp.inspect(f).source("cpu")


def test_tests_of_numbers_have_no_branches():
    def owner(x, y):
        if x > y > 0 or y > x == 0:
            return -1
        elif y > x > 0 or x > y == 0:
            return 1
        return 0

    for dtype in ("int8", "uint16", "int64", "float32", "float64"):
        f = npp.vectorize([f"int8({dtype}, {dtype})"])(owner)
        assert not re.search(r"\) (&&|\|\|) ", npp.inspect(f).source())
        x, y = (each.ravel().astype(dtype) for each in np.meshgrid(range(5), range(5)))
        if dtype.startswith("float"):
            x, y = np.append(x, [np.nan, 1, np.nan, -np.inf]), np.append(y, [1, np.nan, 0, 0])
            x, y = x.astype(dtype), y.astype(dtype)
        with np.errstate(all="raise"):
            found = f(x, y)
        np.testing.assert_array_equal(found, [owner(*pair) for pair in zip(x, y, strict=True)])


def test_tests_with_effects_keep_their_branches():
    @npp.vectorize(["int64(int64, int64)"])
    def divides(x, y):
        return 1 if y != 0 and x % y == 0 else 0

    with np.errstate(all="raise"):
        np.testing.assert_array_equal(divides([4, 5, 6], [2, 0, 4]), [1, 0, 0])
