"""Types of variables: what loops carry settles, what is safe is widened, literals stay plain."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp

pytestmark = pytest.mark.usefixtures("quiet")


def made(body: str, arguments: str = "x"):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return npp.vectorize(function(f"def f({arguments}):\n{lines}"))


def dtype_of(body: str, *operands: object, arguments: str = "x") -> np.dtype:
    return made(body, arguments)(*operands).dtype


I1, I2, F4 = np.array([3], np.int8), np.array([5], np.int16), np.array([1.5], np.float32)


def test_a_chain_of_variables_in_a_loop_reaches_its_fixed_point():
    body = "a = x\nb = x\nc = x\nfor i in range(4):\n    a = b\n    b = c\n    c = y\n"
    f = made(body + "return a", "x, y")
    result = f(I1, I2)
    assert (result.dtype, int(result[0])) == (np.int16, 5)


def test_a_type_found_late_reaches_the_loops_before_it():
    body = "a = x\nwhile a < 100:\n    a = a + a\n    for i in range(2):\n        a = a + b\n"
    body = "b = x\n" + body + "        b = y\nreturn a"
    assert dtype_of(body, I1, I2, arguments="x, y") == np.int16


# Two types, and the one that holds the numbers of both.
WIDENED = [
    ("int8", "int16", "int16"),
    ("uint8", "int8", "int16"),
    ("uint8", "float16", "float16"),
    ("int16", "float32", "float32"),
    ("float32", "float64", "float64"),
    ("int32", "float64", "float64"),
    ("int32", "float32", "float64"),
    ("float32", "complex64", "complex64"),
    ("float64", "complex64", "complex128"),
    ("bool", "int8", "int8"),
]
WIDENED += [(second, first, wanted) for first, second, wanted in WIDENED]


def test_what_is_safe_is_widened():
    types = sorted({name for first, second, _ in WIDENED for name in (first, second)})
    body = "".join(
        f"r{i} = x_{first}\nif z:\n    r{i} = x_{second}\n"
        for i, (first, second, _) in enumerate(WIDENED)
    )
    results = ", ".join(f"r{i}" for i in range(len(WIDENED)))
    arguments = ", ".join(f"x_{name}" for name in types)
    f = made(f"{body}return {results}", f"{arguments}, z")
    found = f(*(np.ones(2, name) for name in types), np.array([True, False]))
    for (first, second, wanted), result in zip(WIDENED, found, strict=True):
        assert result.dtype == wanted, (first, second)
        assert (result == 1).all(), (first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.int64, np.uint64),
        (np.uint64, np.int8),
    ],
)
def test_what_loses_something_shows_both_assignments(first, second):
    f = made("r = x\nif z:\n    r = y\nreturn r", "x, y, z")
    with pytest.raises(npp.KernelError) as caught:
        f(np.ones(1, first), np.ones(1, second), True)
    text = str(caught.value)
    names = np.dtype(first).name, np.dtype(second).name
    assert text.startswith(f"'r' is {names[1]} here and {names[0]} elsewhere; no type holds both")
    assert f"note: r is {names[0]} here" in text
    assert "r = x" in text
    assert "r = y" in text


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (np.int64, np.float32, np.float64),
        (np.uint64, np.float16, np.float64),
        (np.int64, np.complex64, np.complex128),
    ],
)
def test_floats_that_64_bit_integers_are_assigned_to_are_numpys_with_one_warning(
    first, second, wanted
):
    large = 2**53 + 1
    for one, other in ((first, second), (second, first)):
        f = made("r = x\nr = r\nif z:\n    r = y\n    r = y\nreturn r", "x, y, z")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            values = [np.array([large], t) if t == first else np.ones(1, t) for t in (one, other)]
            result = f(*values, [one != first])
        assert result.dtype == wanted
        assert result == wanted(large)
        (message,) = [str(item.message) for item in caught]
        assert f"as {np.dtype(wanted).name} it is exact up to 2**53" in message


def test_a_parameter_of_floating_point_is_assigned_integers():
    f = npp.vectorize(["float64(float64, float64)"])(
        function(
            "def f(n, p):\n    h, f = 0, 1\n    while n > 0:\n        f = f / p\n"
            "        h += (n % p) * f\n        n = int(n / p)\n    return h\n"
        )
    )
    np.testing.assert_array_equal(f(np.arange(1, 5), 2), [0.5, 0.25, 0.75, 0.125])


PLAIN = [
    "min(1, 2) * x",
    "max(3, 2, 1) * x",
    "(1 if x > 0 else 2) * x",
    "(1, 2)[1] * x",
    "min(n, 5) * x",
    "(n if x > 0 else 1) * x",
    "abs(-2) * x",
    "pair[0] * x",
    "(3 // 2 + 7 % 4) * x",
    "(pair if x > 0 else (4, 5))[1] * x",
    "divmod(7, 2)[0] * x",
]


def test_integer_literals_stay_plain():
    f = made(f"n = 3\npair = 1, 2\nreturn {', '.join(PLAIN)}")
    for x in (F4, I1):
        for expression, result in zip(PLAIN, f(x), strict=True):
            assert result.dtype == x.dtype, expression


def test_a_plain_number_of_a_loop_stays_plain():
    body = "n = 0\nm = 1\nfor i in range(3):\n    n, m = m, n + i\nreturn n * x"
    assert dtype_of(body, F4) == np.float32


def test_an_error_on_every_other_walk_is_the_error():
    source = """
@npp.device
def shifted(a, b):
    return a >> 1

def f(x):
    n = 2
    for i in range(2):
        n = np.float16(shifted(n, x))
    return n
"""
    with pytest.raises(npp.KernelError, match=r"^'>>' needs integers, a is float16"):
        npp.vectorize(["float16(float16)"])(function(source))


COMPLEX_LATER = """
def f(x):
    a1 = {first}
    a2 = {second}
    for i in range(4):
        difference = a2 - a1
        a1 = a2
        a2 = difference * 1j + x
    return a2
"""


@pytest.mark.parametrize("first", ["x > 0", "1", "0.5", "x"])
def test_a_variable_that_becomes_complex_later(first):
    source = COMPLEX_LATER.format(first=first, second=first)
    f = npp.vectorize(["complex128(float64)"])(function(source))
    namespace = {}
    exec(source.replace("x > 0", "complex(x > 0)"), namespace)
    assert f(2.0) == namespace["f"](2.0)


def test_the_difference_of_bools_is_an_error_still():
    source = COMPLEX_LATER.format(first="x > 0", second="x > 1").replace(" * 1j + x", "")
    with pytest.raises(npp.KernelError, match=r"^'-' between two bools") as caught:
        npp.vectorize(["bool(float64)"])(function(source))
    assert len(caught.value.diagnostics) == 1


def test_power_of_a_negative_constant_is_numpys():
    """Python's is complex; NumPy has nan, of constants as of every other number."""
    for text in ("(-8) ** 0.5", "(-8.0) ** (1 / 3)", "x ** (1 / 3)", "pow(-8.0, 0.5)"):
        f = npp.vectorize(["float64(float64)"])(function(f"def f(x):\n    return {text}\n"))
        with np.errstate(invalid="ignore"):
            assert np.isnan(f(-8.0)), text
