"""Names that are None on some paths: Python's values, or TypeError where None is read."""

from __future__ import annotations

import importlib.util
import math
import warnings

import numpy as np
import pytest
from kernel_source import error_of
from kernel_source import function as defined

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")
SIGNATURE = (["void(float64[:], float64, float64[:])"], "(n),()->()")


def least(x, limit, out):
    best = None
    for value in x:
        if best is None or value < best:
            best = value
    out[0] = limit if best is None else best


def by_else(x, limit, out):
    best = None
    out[0] = 0
    for i in range(len(x)):
        if x[i] < limit:
            continue
        if best is None:
            best = x[i]
        else:
            best = max(best, -x[i])
            out[0] += best
    if best is not None:
        out[0] += best
    else:
        out[0] = -1.0


def forgets(x, limit, out):
    last = None
    out[0] = 0
    for i in range(len(x)):
        if x[i] == limit:
            last = None
        elif last is None:
            last = i
        if not (last is None or last > 3):
            out[0] += last + 1


def searches(x, limit, out):
    found = None
    i = 0
    while found is None and i < len(x):
        if x[i] >= limit:
            found = i
        i += 1
    out[0] = -1 if found is None else found


def ends_with_a_value(x, limit, out):
    root = None
    while root is None:
        limit += 1
        if limit > 20:
            root = limit / 2
    out[0] = root


def returns_early(x, limit, out):
    first = None
    for value in x:
        if value > limit:
            first = value
            break
    out[0] = 0
    if first is None:
        return
    out[0] = first * 2


def always_none(x, limit, out):
    other = None
    for _ in range(3):
        other = None
    out[0] = limit if other is None else other


def of_an_integer(x, limit, out):
    n = len(x)
    out[0] = limit if n is None else n


def reads_none(x, limit, out):
    best = None
    for value in x:
        if value > limit:
            best = value
    out[0] = best


def reads_none_in_a_sum(x, limit, out):
    total = None
    if len(x) > 2:
        total = limit
    out[0] = 1.0
    for value in x:
        out[0] += value + total


TESTED = [
    least,
    by_else,
    forgets,
    searches,
    ends_with_a_value,
    returns_early,
    always_none,
    of_an_integer,
]
READING = [reads_none, reads_none_in_a_sum]


def outcome(call, *arguments):
    try:
        result = call(*arguments)
    except TypeError:
        return TypeError
    return result.item() if isinstance(result, cuda.DeviceArray) else float(result)


def of_python(function, x, limit):
    out = np.zeros(1)
    function(x, limit, out)
    if math.isnan(out[0]):  # NumPy's element of None
        raise TypeError
    return out[0]


@pytest.mark.parametrize("function", [*TESTED, *READING])
def test_values_and_errors_are_pythons(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error" if function in TESTED else "ignore", npp.KernelWarning)
        f = npp.guvectorize(*SIGNATURE)(function)
    for n in (6, 3, 1, 0):
        x = np.arange(float(n))
        on_device = cuda.to_device(x)
        for limit in (2.0, 9.0, -1.0):
            expected = outcome(of_python, function, x, limit)
            assert outcome(f, x, limit) == expected
            assert outcome(f, on_device, limit) == expected


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_values_are_numbas():
    import numba

    x = np.array([3.0, -2.0, 7.0, 1.0])
    for function in (least, by_else):
        expected = numba.guvectorize(*SIGNATURE)(function)(x, 2.0)
        assert npp.guvectorize(*SIGNATURE)(function)(x, 2.0) == expected


def test_the_name_and_the_element_are_named():
    with pytest.warns(npp.KernelWarning, match="'y' may be None here: the call then raises"):

        @npp.vectorize(["float64(float64)"])
        def positive(x):
            y = None
            if x > 0:
                y = x
            return y

    assert positive([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="'y' is None") as caught:
        positive([1.0, 2.0, -1.0, 3.0])
    assert caught.value.element == (2,)


def test_an_operand_is_never_none():
    with pytest.warns(npp.KernelWarning, match="order is an int64, never None"):

        @npp.vectorize(["float64(float64, int64)"])
        def scaled(x, order):
            return x * order if order is not None else x

    assert scaled(2.0, 3) == 6.0


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_integers_are_compared_by_value_with_a_warning():
    source = "def f(x, order):\n    return x if order is 3 else -x if order is not 4 else 0.0\n"
    with pytest.warns(npp.KernelWarning, match="'is' compares the values of integers"):
        f = npp.vectorize(["float64(float64, int64)"])(defined(source))
    assert f(2.0, [3, 4, 5]).tolist() == [2.0, 0.0, -2.0]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_other_numbers_are_not_compared_by_identity():
    error = error_of(
        npp.vectorize(["float64(float64, int64)"]),
        "def f(x, order):\n    return x if order is x else -x\n",
    )
    assert error.diagnostics[0].hint == "order == x"


def test_a_name_without_a_value_is_not_taken_for_none():
    source = "def f(x):\n    if x > 2:\n        r = None\n    return 1.0 if r is None else x\n"
    error = error_of(npp.vectorize(["float64(float64)"]), source)
    assert error.diagnostics[0].message == "'r' is used before it has a value"
