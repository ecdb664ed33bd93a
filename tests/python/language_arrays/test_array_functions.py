"""NumPy's functions of whole arrays that the kernel language itself defines: NumPy's values."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import define, error_of
from numpy_versions import BEFORE_2_4

import numpy_plugin as npp

pytestmark = pytest.mark.filterwarnings("ignore")


def test_statements_and_products():
    source = """def f(a, b, out):
    ordered = a.copy()
    ordered.sort()
    out.fill(a[0])
    out[:3] = np.cross(ordered[:3], b[:3])
    out[3] = ordered[0]
"""
    f = npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->(n)")(
        define(source)["f"]
    )
    a, b = np.random.default_rng(3).normal(size=(2, 6))
    expected = [*np.cross(np.sort(a)[:3], b[:3]), a.min(), a[0], a[0]]
    np.testing.assert_allclose(f(a, b), expected, rtol=1e-15)


def test_functions_of_elements_read_what_they_overwrite():
    source = """def f(a, out):
    out[:] = np.cumsum(a)
    out[:] = np.interp(a, out, out[::-1])
    a[:] = np.searchsorted(a, a[::-1])
"""
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", writable_args=("a",))
    f = declare(define(source)["f"])
    a = np.array([1.0, 2.0, 4.0, 5.0])
    points = np.cumsum(a)
    expected = np.interp(a, points, points[::-1]), np.searchsorted(a, a[::-1])
    np.testing.assert_array_equal(f(a), expected[0])
    np.testing.assert_array_equal(a, expected[1])


def made(body: str):
    return npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(
        define(f"def f(a, out):\n    out[0] = {body}\n")["f"]
    )


def test_operands_are_evaluated_once():
    """Also by functions that make an array of their operand's size and dtype."""
    source = """@npp.device
def counted(a, calls):
    calls[0] += 1
    return a

def f(a, out, calls):
    calls[0] = 0
    out[0] = np.cumsum(counted(a, calls))[-1] + np.diff(counted(a, calls))[0]
    out[1] = np.outer(counted(a, calls), counted(a, calls) * 2)[0, 1]
    out[2] = np.ptp(counted(a, calls)) + np.median(np.diff(counted(a, calls)))
    out[3] = np.roll(counted(a, calls), 1)[0] + np.nansum(counted(a, calls))
    out[4:] = np.argsort(counted(a, calls)) + np.average(a, weights=counted(a, calls))
"""
    declare = npp.guvectorize(["void(float64[:], float64[:], int64[:])"], "(3)->(7),(1)")
    out, calls = declare(define(source)["f"])(np.array([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(out[:4], [8, 6, 2.5, 8])
    np.testing.assert_allclose(out[4:], np.array([0, 2, 1]) + 14 / 6)
    assert calls == 10


@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 100])
def test_sizes(n):
    a = np.random.default_rng(n).normal(size=n).round() / 4
    np.testing.assert_array_equal(made("np.median(a)")(a), np.median(a))
    np.testing.assert_array_equal(made("np.sort(a).sum() + np.nansum(a)")(a), 2 * sum(sorted(a)))


QUANTILES = [
    f"np.{name}(a, {q})" for name in ("quantile", "nanquantile") for q in ("0", "True", "k")
]


@pytest.mark.skipif(BEFORE_2_4, reason="NumPy 2.4 is the first to take elements beside infinity")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quantiles_of_integers_are_elements(dtype):
    """NumPy interpolates for floating-point numbers only, and then beside infinity gives nan."""
    lines = "".join(f"    out[{i}] = {call}\n" for i, call in enumerate(QUANTILES))
    declare = npp.guvectorize([f"void({dtype}[:], int64, {dtype}[:])"], "(n),()->(6)")
    f = declare(define(f"def f(a, k, out):\n{lines}")["f"])
    inf, nan = np.inf, np.nan
    for elements in ([1, inf], [-inf, 1], [-inf, inf], [inf], [2, nan, 1], [nan, inf], [3, -0.0]):
        a = np.array(elements, dtype)
        for k in (0, 1):
            expected = [eval(call, {"np": np, "a": a, "k": np.int64(k)}) for call in QUANTILES]
            np.testing.assert_array_equal(f(a, k), expected, err_msg=str((a, k)))
            np.testing.assert_array_equal(1 / f(a, k), 1 / np.array(expected, dtype))


def test_quantiles_of_integers_have_the_dtype_of_the_array():
    source = "def f(a, out):\n    out[0] = np.quantile(a, 0)\n    out[1] = np.quantile(a, 1)\n"
    f = npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(2)")(define(source)["f"])
    np.testing.assert_array_equal(
        f(np.array([5, 2**62 + 1, -(2**62) - 1])), [-(2**62) - 1, 2**62 + 1]
    )


def test_kinds_of_dtypes_select_branches():
    """The other branch is left out: it would not compile, or have another type."""
    source = """@npp.device
def low_bit(x):
    if x.dtype.kind in "iu":
        return x & 1
    elif x.dtype.kind == u'''b''':
        return np.int8(x)
    elif x.dtype.kind != "c" and x.dtype.kind not in "iu":
        return np.floor(x)
    return x.real

def f(i, u, b, x, z, out):
    out[0] = low_bit(i[0])
    out[1] = low_bit(u) + (1 if i.dtype.kind == "iu" else 0)
    out[2] = low_bit(b)
    out[3] = np.int8(low_bit(x))
    out[4] = np.int8(low_bit(z))
"""
    declare = npp.guvectorize(
        ["void(int8[:], uint8, bool, float32, complex64, int8[:])"], "(n),(),(),(),()->(5)"
    )
    f = declare(define(source)["f"])
    np.testing.assert_array_equal(
        f(np.full(2, 7, "i1"), np.uint8(6), True, np.float32(2.5), np.complex64(5 + 1j)),
        [1, 0, 1, 2, 5],
    )


def test_exceptions_are_numpys():
    with pytest.raises(ValueError, match="zero-size array to reduction operation fmax"):
        made("np.nanmax(a)")(np.zeros(0))
    with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
        made("np.quantile(a, 1.5)")(np.zeros(3))
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        made("np.nanargmin(a)")(np.full(3, np.nan))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("np.median(a, axis=0)", "numpy.median in a kernel has no 'axis'"),
        ("np.searchsorted(a, 1, side='middle')", "'side' of numpy.searchsorted must be one of 'l"),
        ("np.nanstd(a, 1)", "numpy.nanstd in a kernel has no 'axis'"),
        ("a.cumsum(dtype=np.int8)[0]", "cumsum in a kernel has no 'dtype'"),
        ("np.searchsorted(a[0], 1)", "np.searchsorted(a[0], 1) cannot be called with float64"),
        ("np.interp(1, 2, a)", "np.interp(1, 2, a) cannot be called with int64, a 1-dimensional"),
        ("np.interp(1.0, a)", "numpy.interp needs an argument 'fp'"),
        ("np.interp(1.0, a, fp=a, xp=a)", "'xp' of numpy.interp is given twice"),
        ("np.interp(1.0, a, a, period=2.0)", "numpy.interp in a kernel has no 'period'"),
        ("np.interp(1.0, a, a, lefty=2.0)", "numpy.interp in a kernel has no 'lefty'"),
        ("np.inner(a, a, a)", "numpy.inner takes at most 2 arguments, 3 given"),
        ("np.inner(*a)", "'*' in a call cannot be used in a kernel"),
        ("np.inner(**a)", "numpy.inner in a kernel has no '**'"),
        ("np.median(a + 1j)", "np.median(a + 1j) cannot be called with a 1-dimensional array: com"),
    ],
)
def test_mistakes(call, message):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, f"def f(a, out):\n    out[0] = {call}\n")
    (diagnostic,) = error.diagnostics
    assert diagnostic.message.startswith(message)
    assert diagnostic.line == 2
    assert diagnostic.column >= 14


def test_means_in_an_integer_dtype_divide_in_float64():
    """Of no elements as well: an integer division by 0 ends the process."""
    source = "def f(a, out):\n    out[0] = np.mean(a, dtype=np.int16)\n"
    f = npp.guvectorize(["void(float64[:], int64[:])"], "(n)->()")(define(source)["f"])
    for a in ([1.0, 2.0, 4.0], [-3.0, -4.0], []):
        assert f(np.array(a)) == np.mean(a, dtype=np.int16)
