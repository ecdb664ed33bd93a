"""Operands by the names of the Python function, and its defaults."""

import inspect
import math

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.device
def scaled(x, by=2.0, offset=1):
    return by * x + offset


@npp.vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"])
def gaussian(x, mean=0.0, sigma=1.0):
    """The exponent of a normal distribution."""
    z = (x - mean) / sigma
    return scaled(z * z, offset=0) * -0.25


@npp.vectorize(["float64(float64, float64)"])
def named_as_numpys(x, where):
    return x + where


@npp.vectorize(["float64(float64, float64)"])
def plain(x, y):
    return scaled(x) + scaled(y, 1.0) + scaled(offset=3, x=x)


half = npp.vectorize(["float64(float64)"], name="half", args="x", body="return 0.5 * x;")


@npp.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
def shifted(values, by, result):
    for i in range(len(values)):
        result[i] = values[i] + by


def expected(x, mean=0.0, sigma=1.0):
    return -0.5 * ((x - mean) / sigma) ** 2


def test_names_and_defaults():
    x = np.linspace(-2, 2, 9)
    np.testing.assert_array_equal(gaussian(x), expected(x))
    np.testing.assert_array_equal(gaussian(x, sigma=2.0), expected(x, sigma=2.0))
    np.testing.assert_array_equal(gaussian(x, 1.0), expected(x, 1.0))
    np.testing.assert_array_equal(gaussian(sigma=2.0, x=x, mean=x[::-1]), expected(x, x[::-1], 2.0))
    assert half(x=3) == 1.5


def test_defaults_are_plain_numbers():
    assert gaussian(np.float32(1)).dtype == np.float32
    assert gaussian(np.float32(1), sigma=np.float64(2)).dtype == np.float64


def test_with_numpys_keywords():
    x = np.linspace(-2, 2, 9)
    out = np.full(9, 7.0)
    assert gaussian(x, sigma=2.0, out=out, where=x > 0) is out
    np.testing.assert_array_equal(out, np.where(x > 0, expected(x, sigma=2.0), 7.0))
    assert gaussian(1, dtype=np.float32).dtype == np.float32


def test_generalized():
    np.testing.assert_array_equal(shifted(by=1.0, values=[1.0, 2.0]), [2.0, 3.0])
    np.testing.assert_array_equal(shifted([[1.0], [2.0]], by=[1.0, 5.0]), [[2.0], [7.0]])


def test_a_name_of_numpys_is_numpys():
    assert named_as_numpys(1.0, 2.0) == 3.0
    with pytest.raises(TypeError):
        named_as_numpys(1.0, where=2.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian(sigma=1.0), "gaussian() missing 1 required argument: 'x'"),
        (lambda: plain(y=1.0), "plain() missing 1 required argument: 'x'"),
        (lambda: gaussian(1.0, x=2.0), "gaussian() got multiple values for argument 'x'"),
        (
            lambda: plain(1.0, spread=2.0),
            "plain() got an unexpected keyword argument 'spread'",
        ),
        (lambda: shifted(result=1.0), "shifted() got an unexpected keyword argument 'result'"),
    ],
)
def test_wrong_calls(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "call",
    [
        lambda: plain(),
        lambda: plain(1.0),
        lambda: plain(1.0, 2.0, 3.0, 4.0),
        lambda: plain(1.0, 2.0, y=2.0),
    ],
)
def test_calls_that_numpy_refuses(call):
    with pytest.raises(TypeError, match=r"plain\(\)"):
        call()


@npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def lifted(values, by=3, result=None):
    for i in range(len(values)):
        result[i] = values[i] + by


@npp.vectorize(["float64(float64, float64)"])
def product(x, y=None):
    if y is None:
        return math.nan
    return x * y if y is not None and y != 0 else 0


def test_a_default_of_an_empty_array_is_no_default():
    @npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
    def raised(values, by, result=np.array([])):  # noqa: B008
        for i in range(len(values)):
            result[i] = values[i] + by

    np.testing.assert_array_equal(raised(np.arange(3.0), 2), [2, 3, 4])


def test_a_default_of_none_is_no_default():
    x, out = np.arange(3.0), np.zeros(3)
    np.testing.assert_array_equal(lifted(x), x + 3)
    np.testing.assert_array_equal(lifted(x, by=2), x + 2)
    assert lifted(x, 1, out) is out
    assert lifted(x, out=out) is out
    np.testing.assert_array_equal(out, x + 3)
    assert product(2, 3) == product(y=2, x=3) == 6
    for call in (lambda: product(2), lambda: product(x=2), lambda: lifted(by=2)):
        with pytest.raises(TypeError, match=r"product\(\)|lifted\(\) missing .* 'values'"):
            call()
    assert str(inspect.signature(lifted)).startswith("(values, by=3, out=None, *")
    with cuda.simulator():
        np.testing.assert_array_equal(lifted(cuda.to_device(x)).copy_to_host(), x + 3)


def test_in_kernels():
    assert plain(2.0, 5.0) == (2 * 2 + 1) + (1 * 5 + 1) + (2 * 2 + 3)


def kernel_error(function):
    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize(["float64(float64)"])(function)
    return caught.value.diagnostics[0].message


def test_mistakes_in_kernels():
    takes = "scaled takes 1 to 3 arguments, "
    assert kernel_error(lambda x: scaled()) == takes + "0 given: 'x' is missing"
    assert kernel_error(lambda x: scaled(x, x=x)) == "'x' of scaled is given twice"
    assert kernel_error(lambda x: scaled(x, x, x, x)) == takes + "4 given"


def test_devices():
    with cuda.simulator():
        x = cuda.to_device(np.linspace(1, 3, 9))
        np.testing.assert_array_equal(gaussian(x=x).copy_to_host(), gaussian(x.copy_to_host()))
        result = gaussian(x, sigma=x)
        np.testing.assert_array_equal(
            result.copy_to_host(), gaussian(x.copy_to_host(), sigma=x.copy_to_host())
        )


def test_raising():
    @npp.vectorize(["float64(float64, float64)"])
    def checked(x, limit=2.0):
        assert x < limit
        return x

    with pytest.raises(AssertionError) as caught:
        checked(x=[1.0, 3.0])
    assert caught.value.element == (1,)
    assert checked(3.0, limit=4.0) == 3.0


def test_signature_and_docstring():
    assert str(inspect.signature(gaussian)).startswith("(x, mean=0.0, sigma=1.0, out=None, *")
    assert gaussian.__doc__.endswith("\n\nThe exponent of a normal distribution.")
