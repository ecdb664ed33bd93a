"""Names that have no value on some paths: Python's values, or its UnboundLocalError."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from kernel_source import error_of
from kernel_source import function as defined

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.usefixtures("simulator"),
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
]


def first_above(x, limit, out):
    for i in range(x.shape[0]):
        if x[i] > limit:
            break
    out[0] = i


def last_above(x, limit, out):
    for i in range(len(x)):
        if x[i] > limit:
            r = x[i]
    out[0] = r + (r if r > 3 else 0)


def earlier(x, limit, out):
    out[0] = 0
    for i in range(len(x)):
        if i > limit:
            out[0] += before  # noqa: F821
        before = x[i]  # noqa: F841


def of_one_branch(x, limit, out):
    if limit > 0:
        scratch = np.zeros(3)
        scratch[0] = limit
        rest = x[1:]
        pair = (x[0], 2.0)
    out[0] = scratch[0] + rest[0] + pair[1]


def read_only_then(x, limit, out):
    if limit > 0:
        r = x[0]
    out[0] = 5.0 if limit <= 0 or r > 10 else r


def of_a_while_loop(x, limit, out):
    k = 0
    while k < min(limit, 3):
        k += 1
        y = x[k]
    out[0] = y


def of_an_else(x, limit, out):
    for i, v in enumerate(x):  # noqa: B007
        if v > limit:
            break
    else:
        out[0] = -1
    out[0] = v + i


@npp.device
def chosen(x, limit):
    if x[0] < limit:
        y = 2.0
    return y


def called(x, limit, out):
    out[0] = chosen(x, limit)


LOOPS = [first_above, last_above, earlier, of_an_else]
FUNCTIONS = [*LOOPS, of_one_branch, read_only_then, of_a_while_loop, called]


def outcome(call, *arguments):
    try:
        result = call(*arguments)
    except UnboundLocalError as error:
        return str(error)
    return float(result.item() if isinstance(result, cuda.DeviceArray) else np.ravel(result)[0])


def of_python(function, x, limit):
    out = np.zeros(1)
    function(x, limit, out)
    return out


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_and_errors_are_pythons(function):
    f = npp.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->()")(function)
    for n in (5, 0) if function in LOOPS else (5,):
        x = np.arange(float(n))
        on_device = cuda.to_device(x)
        for limit in (2.0, 9.0, -1.0):
            expected = outcome(of_python, function, x, limit)
            assert outcome(f, x, limit) == expected
            assert outcome(f, on_device, limit) == expected


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_values_are_numbas():
    import numba

    x = np.arange(5.0)
    for function in (first_above, last_above):
        signature = (["void(float64[:], float64, float64[:])"], "(n),()->()")
        assert numba.guvectorize(*signature)(function)(x, 2.0) == of_python(function, x, 2.0)


def test_the_element_is_named():
    @npp.vectorize(["float64(float64)"])
    def positive(x):
        if x > 0:
            y = x
        return y

    assert positive([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(UnboundLocalError, match="local variable 'y'") as caught:
        positive([1.0, 2.0, -1.0, 3.0])
    assert caught.value.element == (2,)


def test_a_name_that_no_path_assigns_is_an_error():
    error = error_of(
        npp.vectorize(["float64(float64)"]),
        "def f(x):\n    if x > 0:\n        return y\n    y = x\n    return y\n",
    )
    assert error.diagnostics[0].message == "'y' is used before it has a value"


def test_kernels_whose_names_all_have_values_cannot_raise():
    @npp.vectorize(["float64(float64)"])
    def f(x):
        if x > 0:
            y = x
            z = 1
        else:
            y = z = -x
        return y + z

    assert "errors" not in npp.inspect(f).source("cpu")


CARRIED = {
    "a number": ("float64", "p = x * 2", "p = p - 1", "p"),
    "a complex number": ("complex128", "p = x * 2", "p = p - 1", "p"),
    "a tuple": ("float64", "p = (x, 2.0)", "p = (p[0] - 1, p[1] * 2)", "p[0] * p[1]"),
    "an integer": ("int64", "p = x * 2", "p = p // 2", "p"),
    "a view": ("float64", "p = a[1:]", "p = p[::-1]", "p[0]"),
    "an array": ("float64", "p = np.zeros(2) + x", "p[0] += a[i]", "p[0]"),
    "a copied array": ("float64", "p = a.copy()", "p = p * 2", "p[1] + len(p)"),
}


@pytest.mark.parametrize("target", ["host", "device"])
@pytest.mark.parametrize("name", CARRIED)
def test_a_name_keeps_its_value_from_trip_to_trip(name, target):
    dtype, first, later, read = CARRIED[name]
    is_array = "a" in later or "a" in first
    source = f"""
def f({"a, " if is_array else ""}x{", out" if is_array else ""}):
    t = x * 0
    for j in range(2):
        for i in range(3):
            if i == 0 and j == 0:
                {first}
            elif i > 0:
                {later}
            t = t + {read}
    {"out[0] = t" if is_array else "return t"}
"""
    plain = defined(source)
    x = np.arange(1, 40).astype(dtype)
    place, back = np.array, np.asarray
    if target == "device":
        place, back = cuda.to_device, lambda there: there.copy_to_host()
    if is_array:
        a = np.stack([x, x + 1, x * 3], axis=1)
        declare = npp.guvectorize([f"void({dtype}[:], {dtype}, {dtype}[:])"], "(n),()->()")
        found = back(declare(plain)(place(a), place(x)))
        expected = np.zeros((len(x), 1), dtype)
        for row, number, out in zip(a, x, expected, strict=True):
            plain(row, number, out)
        expected = expected[:, 0]
    else:
        found = back(npp.vectorize([f"{dtype}({dtype})"])(plain)(place(x)))
        expected = [plain(each) for each in x]
    np.testing.assert_array_equal(found, expected)
