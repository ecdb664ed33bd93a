"""NumPy's functions of whole arrays that the kernel language itself defines: NumPy's values."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import define, error_of

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
