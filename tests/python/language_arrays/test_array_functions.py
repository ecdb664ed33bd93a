"""NumPy's functions of whole arrays that the kernel language itself defines: NumPy's values."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBERS = [
    "np.allclose(a, a + 1e-9)", "np.digitize(x, np.sort(a))", "np.nanargmax(a)", "np.nanargmin(a)",
    "np.nanpercentile(a, 12.5)", "np.nanquantile(a, 0.3)", "np.vdot(a, b)",
    "np.searchsorted(np.sort(b), 4, side='right')", "np.searchsorted(np.sort(b), 4, side='left')",
    "np.average(a, weights=b)", "np.inner(a, b)", "np.interp(x, np.sort(b), a)",
    "np.linalg.norm(a)", "np.median(a)", "np.median(a[1:])", "np.median(a * 2)", "np.nanmax(a)",
    "np.nanmean(a)", "np.nanmedian(a)", "np.nanmin(a)", "np.nanprod(a)", "np.nanstd(a)",
    "np.nanstd(a, ddof=1)", "np.nansum(a)", "np.nanvar(a)", "np.percentile(a, 30)",
    "np.percentile(q=95.5, a=a)", "np.quantile(a, 0.77)", "np.polyval(a, 1.5)", "np.ptp(a)",
    "np.searchsorted(np.sort(a), x)", "np.trapezoid(a, b)",
]  # fmt: skip
ARRAYS = [
    "np.argsort(a, kind='stable')", "a.argsort(kind='stable') * 2", "np.cumsum(a) - a",
    "np.cumprod(a)", "np.cumsum(a)", "a[::-1].cumsum()",
    "np.flip(a)", "np.roll(a, 2)", "np.roll(a, -11)", "np.roll(np.sort(a), shift=1)", "np.sort(a)",
"np.linspace(x, 3, len(a))", "np.linspace(0, 1, num=a.shape[0])",
]  # fmt: skip


def kernel(signature: str, numbers=NUMBERS, arrays=ARRAYS):
    """Return a gufunc with all functions: the numbers in a row, each array in one."""
    lines = [f"    numbers[{i}] = {text}\n" for i, text in enumerate(numbers)]
    lines += [f"    arrays[{i}, :] = {text}\n" for i, text in enumerate(arrays)]
    lines.append("    for i in np.arange(1, a.shape[0], 2):\n        arrays[0, i] += 1\n")
    source = f"def f(a, b, x, none, numbers, arrays):\n{''.join(lines)}"
    layout = f"(n),(n),(),(m)->({len(numbers)}),({len(arrays)},n)"
    return npp.guvectorize([signature], layout)(define(source)["f"])


def expected(a, b, x):
    names = {"np": np, "a": a, "b": b, "x": x, "len": len}
    arrays = np.array([eval(text, names) for text in ARRAYS], "f8")
    arrays[0, 1::2] += 1
    return np.array([eval(text, names) for text in NUMBERS], "f8"), arrays


@pytest.fixture(scope="module", params=["float64", "int8"])
def case(request):
    dtype = request.param
    rng = np.random.default_rng(5)
    a = rng.permutation(np.arange(-9, 12))[None, :].repeat(3, 0).astype(dtype)
    b = rng.integers(1, 9, (3, 21)).astype(dtype)
    if dtype.startswith("float"):
        a[1, 4:6] = np.nan
        a = a / np.array(4, dtype)
    f = kernel(f"void({dtype}[:], {dtype}[:], float64, int8[:], float64[:], float64[:, :])")
    return f, a, b, dtype


def test_values_are_numpys(case):
    f, a, b, _ = case
    numbers, arrays = f(a, b, 2.25, np.zeros(1, "i1"))
    for row in range(len(a)):
        known, known_arrays = expected(a[row], b[row], 2.25)
        for text, found, wanted in zip(NUMBERS, numbers[row], known, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14, err_msg=text)
        for text, found, wanted in zip(ARRAYS, arrays[row], known_arrays, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-15, err_msg=text)


def test_devices_have_the_same_bits(case):
    _, a, b, dtype = case
    if dtype != "float64":
        return
    signature = "void(float64[:], float64[:], float64, int8[:], float64[:], float64[:, :])"
    f = kernel(signature, NUMBERS[2::5], ARRAYS[::4])
    host = f(a, b, 2.25, np.zeros(1, "i1"))
    with cuda.simulator(memory="64 MiB"):
        operands = [cuda.to_device(each) for each in (a, b, np.zeros(1, "i1"))]
        device = f(operands[0], operands[1], 2.25, operands[2])
        for found, wanted in zip(device, host, strict=True):
            np.testing.assert_array_equal(found.copy_to_host(), wanted)


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
        ("np.median(a, axis=0)", "numpy.median works on whole arrays and cannot be called"),
        ("np.searchsorted(a, 1, side='middle')", "numpy.searchsorted works on whole arrays"),
        ("np.nanstd(a, 1)", "numpy.nanstd works on whole arrays and cannot be called"),
        ("np.searchsorted(a[0], 1)", "np.searchsorted(a[0], 1) cannot be called with float64"),
        ("np.interp(1, 2, a)", "np.interp(1, 2, a) cannot be called with int64, int64, a 1-dim"),
    ],
)
def test_mistakes(call, message):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, f"def f(a, out):\n    out[0] = {call}\n")
    (diagnostic,) = error.diagnostics
    assert diagnostic.message.startswith(message)
    assert (diagnostic.line, diagnostic.column) == (2, 14)
