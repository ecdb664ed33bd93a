"""Functions of NumPy, math and cmath in kernels: result types as NumPy's, values as the originals'.

Many calls share one kernel, each as a result of its own, so that a row costs no compilation.
"""

from __future__ import annotations

import cmath
import itertools
import math
import re

import numpy as np
import pytest
from kernel_source import expressions
from long_runs import in_long_runs
from numpy_versions import BEFORE_2_4

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")

# By default of each kind the narrowest and the widest.
REAL = ["?", "i1", "i8", "u8", "f2", "f4", "f8", *in_long_runs("u1", "i2", "u4")]
COMPLEX = ["c8", "c16"]
NAMES = {"np": np, "math": math, "cmath": cmath, "npp": npp}

# NumPy's functions by the kind of numbers they accept.
OF_COMPLEX = "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh"
OF_COMPLEX = (OF_COMPLEX + " arcsinh arctanh sqrt square absolute conjugate").split()
OF_ALL = ["isnan", "isinf", "isfinite", "logical_not", "real", "imag", "sinc"]
OF_REAL = "cbrt degrees radians deg2rad rad2deg fabs rint signbit spacing floor ceil trunc fix"
OF_REAL = (OF_REAL + " isposinf isneginf").split()
OF_WHOLE = ["bitwise_count", "invert"]
NOT_OF_BOOL = {"negative", "sign", "reciprocal", "positive", "sinc"}
TWO_REAL = "heaviside logaddexp logaddexp2 copysign nextafter hypot arctan2 maximum fmin fmod"
TWO_REAL = (TWO_REAL + " float_power less equal logical_or logical_xor isclose").split()
TWO_WHOLE = ["gcd", "lcm"]


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def one_argument_functions(dtype: str) -> list[str]:
    kind = np.dtype(dtype).kind
    names = [*OF_COMPLEX, *OF_ALL]
    if kind != "c":
        names += OF_REAL
    if kind in "biu":
        names += OF_WHOLE
    names += [name for name in sorted(NOT_OF_BOOL - {"sinc"}) if kind != "b"]
    return names


def ordinary(dtype: str) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([True, False])
    if kind.kind == "c":
        return np.array([0.5 + 0.25j, -0.3 + 0.7j, 0.75, 0.2 - 0.9j], kind)
    return np.array([0, 1, 2, 3] if kind.kind in "iu" else [0.0, 0.25, 0.5, 0.75, -0.0], kind)


@pytest.mark.parametrize("dtype", [*REAL, *in_long_runs("c8"), "c16"])
def test_functions_of_one_number_are_typed_and_valued_as_numpys(dtype):
    names = one_argument_functions(dtype)
    if BEFORE_2_4 and dtype == "f2":
        names.remove("sinc")  # nan of 0
    texts = [f"np.{name}(x)" for name in names]
    x = ordinary(dtype)
    for text, found in zip(texts, expressions("x", texts)(x), strict=True):
        expected = eval(text, NAMES, {"x": x})
        assert found.dtype == expected.dtype, text
        limits = np.finfo(found.dtype) if found.dtype.kind in "fc" else None
        rtol = 8 * limits.eps if limits else 0
        atol = 1e-16 if "sinc" in text else 0  # for integers it is 0, which NumPy misses
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=text)


@pytest.mark.parametrize("dtype", REAL)
def test_functions_with_two_results(dtype):
    if np.dtype(dtype).kind == "f":
        limits = np.finfo(dtype)
        x = [0.0, -0.0, 1.0, -1.5, 0.1, 7.75, limits.max, limits.tiny, limits.smallest_subnormal]
        x = np.array([*map(float, x), np.inf, -np.inf, np.nan, float(limits.tiny) / 4], dtype)
    else:
        x = ordinary(dtype)

    @npp.vectorize
    def split(x):
        mantissa, exponent = np.frexp(x)
        fraction, whole = np.modf(x)
        return mantissa, exponent, fraction, whole, np.ldexp(x, 3), np.ldexp(x, exponent)

    mantissa, exponent = np.frexp(x)
    expected = [mantissa, exponent, *np.modf(x), np.ldexp(x, 3), np.ldexp(x, exponent)]
    for found, wanted in zip(split(x), expected, strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
        assert np.array_equal(np.signbit(found), np.signbit(wanted)) or np.isnan(wanted).any()


@pytest.mark.parametrize(
    "dtypes",
    [
        *("i1 i1", "i4 f4", "u8 i1", "? i2"),
        *in_long_runs("f4 f8", "f2 i2", "i1 f4", "u2 f4", "f2 f4", "f4 f4"),
    ],
)
def test_functions_of_two_numbers_are_typed_and_valued_as_numpys(dtypes):
    left, right = dtypes.split()
    x, y = (
        np.array(z) for z in zip(*itertools.product(ordinary(left), ordinary(right)), strict=True)
    )
    x, y = x.astype(left), y.astype(right)
    names = list(TWO_REAL)
    if np.dtype(left).kind in "iu" and np.dtype(right).kind in "iu" and dtypes != "u8 i1":
        names += TWO_WHOLE
    texts = [f"np.{name}({arguments})" for name in names for arguments in ("x, y", "x, 1", "2, y")]
    for text, found in zip(texts, expressions("x, y", texts)(x, y), strict=True):
        expected = eval(text, NAMES, {"x": x, "y": y})
        assert found.dtype == expected.dtype, text
        rtol = 4 * np.finfo(found.dtype).eps if found.dtype.kind == "f" else 0
        np.testing.assert_allclose(found, expected, rtol=rtol, err_msg=text)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_divisors_and_bits_at_the_corners(dtype):
    limits = np.iinfo(dtype)
    some = [
        0,
        1,
        2,
        3,
        12,
        18,
        97,
        100,
        127,
        limits.max,
        limits.max - 1,
        limits.min,
        limits.min + 1,
    ]
    x, y = (np.array(z, dtype) for z in zip(*itertools.product(some, some), strict=True))
    texts = ["np.gcd(x, y)", "np.lcm(x, y)", "np.bitwise_count(x)"]
    for text, found in zip(texts, expressions("x, y", texts)(x, y), strict=True):
        np.testing.assert_array_equal(found, eval(text, NAMES, {"x": x, "y": y}), err_msg=text)


FLOAT_PAIRS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.5,
    1e300,
    -1e-300,
    5e-324,
    1.7e308,
    math.inf,
    -math.inf,
    math.nan,
]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_special_operands(dtype):
    x, y = (
        np.array(z).astype(dtype)
        for z in zip(*itertools.product(FLOAT_PAIRS, FLOAT_PAIRS), strict=True)
    )
    names = [
        "heaviside(x, y)",
        "logaddexp(x, y)",
        "logaddexp2(x, y)",
        "isclose(x, y)",
        "spacing(x)",
    ]
    names += ["isposinf(x)", "isneginf(x)", "ldexp(x, -5)"]
    texts = [f"np.{name}" for name in names]
    if dtype == "f2":
        x = np.abs(x)  # NumPy's spacing of negative numbers is positive only in float16
    for text, found in zip(texts, expressions("x, y", texts)(x, y), strict=True):
        expected = eval(text, NAMES, {"x": x, "y": y})
        rtol = 2 * np.finfo(dtype).eps if found.dtype.kind == "f" else 0
        np.testing.assert_allclose(found, expected, rtol=rtol, err_msg=text)


# ---- math and cmath ------------------------------------------------------------------------------

WHOLE_CALLS = [
    "math.gcd(m, n)",
    "math.lcm(m, n, 6)",
    "math.isqrt(abs(m))",
    "math.comb(abs(m), abs(n))",
]
WHOLE_CALLS += ["math.perm(abs(n), 3)", "math.factorial(abs(n))", "math.gcd(m, n, 4)"]


def of_python(text: str, *columns: tuple[str, np.ndarray]) -> list[object]:
    """A call's results by Python's own function, row by row."""
    names = [name for name, _ in columns]
    rows = zip(*(column.tolist() for _, column in columns), strict=True)
    return [eval(text, NAMES, dict(zip(names, row, strict=True))) for row in rows]


def test_whole_functions_of_math():
    m = np.array([0, 1, 5, 12, 60, -60, 2**31, 61, 20, 66], "i8")
    n = np.array([0, 3, 2, 18, 7, 14, 2, 30, 20, 5], "i8")
    for text, found in zip(WHOLE_CALLS, expressions("m, n", WHOLE_CALLS)(m, n), strict=True):
        assert found.dtype == np.int64, text
        expected = [x if x < 2**63 else 0 for x in of_python(text, ("m", m), ("n", n))]
        assert found.tolist() == expected, text


def test_roots_of_large_numbers_are_exact():
    @npp.vectorize
    def root(x):
        return math.isqrt(x)

    roots = np.array([3037000499, 3037000498, 94906267, 2**31], "i8")
    near = np.concatenate([roots**2, roots**2 - 1, roots**2 + 1, [2**63 - 1, 0, 1]])
    assert root(near).tolist() == [math.isqrt(x) for x in near.tolist()]
    large = np.array([2**64 - 1, 2**64 - 2**33, (2**32 - 1) ** 2, (2**32 - 1) ** 2 - 1], "u8")
    assert root(large).tolist() == [math.isqrt(x) for x in large.tolist()]
    assert root(large).dtype == np.uint64


def test_counts_that_do_not_fit_and_those_of_negative_numbers_are_0():
    texts = ["math.factorial(n)", "math.perm(n, 3)", "math.comb(n, 3)", "math.comb(n, n // 2)"]
    found = expressions("n", texts)(np.array([-5, 2**40, 2**62]))
    assert [column.tolist() for column in found] == [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


REAL_CALLS = ["math.remainder(x, y)", "math.ulp(x)", "math.copysign(x, y)", "math.hypot(x, y, 2.0)"]
REAL_CALLS += ["math.log(abs(x) + 1, 3)", "math.ldexp(x, 4)", "math.nextafter(x, y)"]


def test_real_functions_of_math():
    x = np.array([0.5, 7.25, -3.5, 1e10, 1e-310, 3.0, -0.0, 5.0])
    y = np.array([2.0, 3.0, 2.0, 7.0, 1.0, 2.0, 1.0, -2.0])
    for text, found in zip(REAL_CALLS, expressions("x, y", REAL_CALLS)(x, y), strict=True):
        np.testing.assert_allclose(found, of_python(text, ("x", x), ("y", y)), rtol=3e-16)
    texts = ["math.remainder(x, y)", "math.ldexp(x, 4)", "math.ulp(x)", "math.frexp(x)[0]"]
    for text, found in zip(
        texts, expressions("x, y", texts)(x.astype("f4"), y.astype("f4")), strict=True
    ):
        assert found.dtype == np.float32, text


def test_ulp_at_the_corners():
    @npp.vectorize
    def ulp(x):
        return math.ulp(x)

    x = np.array([0.0, -1.0, 1.7976931348623157e308, 5e-324, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(ulp(x), [math.ulp(value) for value in x.tolist()])


def test_frexp_and_modf_of_math_give_what_python_gives():
    @npp.vectorize
    def parts(x):
        mantissa, exponent = math.frexp(x)
        fraction, whole = math.modf(x)
        return mantissa, exponent, fraction, whole

    x = np.array([0.0, 5.25, -3.75, 1e300, 5e-324, -0.0])
    found = parts(x)
    assert found[1].dtype == np.int64
    expected = [(*math.frexp(value), *math.modf(value)) for value in x.tolist()]
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


CLOSE = [
    "math.isclose(x, y)",
    "math.isclose(x, y, rel_tol=0.01)",
    "math.isclose(x, y, abs_tol=1e-3)",
]
CLOSE += [
    "math.isclose(x, y, rel_tol=0.0, abs_tol=y)",
    "np.isclose(x, y, rtol=0.1)",
    "np.isclose(x, y)",
]


def test_closeness():
    some = [0.0, 1.0, 1.005, 1 + 5e-10, -1.0, 1e-4, math.inf, -math.inf, math.nan]
    x, y = (np.array(z) for z in zip(*itertools.product(some, some), strict=True))
    x, y = x[y >= 0], y[y >= 0]
    for text, found in zip(CLOSE, expressions("x, y", CLOSE)(x, y), strict=True):
        assert found.tolist() == [bool(b) for b in of_python(text, ("x", x), ("y", y))], text


POLAR = [
    "cmath.phase(z)",
    "cmath.polar(z)[0]",
    "cmath.polar(z)[1]",
    "cmath.log10(z)",
    "cmath.log(z, 3)",
]
POLAR += [
    "cmath.log(z)",
    "cmath.rect(abs(z), 0.75)",
    "cmath.isclose(z, z + 1e-12)",
    "cmath.isnan(z)",
]
POLAR += ["cmath.isfinite(z)", "cmath.isinf(z)", "np.angle(z)", "cmath.isclose(z, 1j, rel_tol=0.5)"]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_functions_of_cmath(dtype):
    z = np.array([1 + 1j, -1 + 0j, complex(-1, -0.0), 2j, -3 - 4j, 1e-5 + 1e-5j], dtype)
    rtol = 4 * np.finfo(dtype).eps
    for text, found in zip(POLAR, expressions("z", POLAR)(z), strict=True):
        expected = of_python(text, ("z", z))
        assert found.dtype.itemsize in (1, z.dtype.itemsize, z.dtype.itemsize // 2), text
        np.testing.assert_allclose(found, expected, rtol=rtol, err_msg=text)


def test_rect_of_special_numbers():
    @npp.vectorize(["complex128(float64, float64)"])
    def rect(r, phi):
        return cmath.rect(r, phi)

    r, phi = np.array([[0.0, -0.0], [math.inf, 0.0], [2.0, -0.0], [math.inf, 1.0]]).T
    found = rect(r, phi)
    expected = np.array([cmath.rect(a, b) for a, b in zip(r, phi, strict=True)])
    np.testing.assert_array_equal(found, expected)
    assert np.array_equal(np.signbit(found.imag), np.signbit(expected.imag))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_rect_of_halves_is_complex64(name):
    @npp.vectorize([f"complex64({name}, {name})"])
    def rect(r, phi):
        return cmath.rect(r, phi)

    dtype = pytest.importorskip("ml_dtypes").bfloat16 if name == "bfloat16" else np.float16
    found = rect(np.array([2.0, 0.5], dtype), np.array([0.25, 3.0], dtype))
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, [cmath.rect(2, 0.25), cmath.rect(0.5, 3)], rtol=1e-6)


# ---- what is refused -----------------------------------------------------------------------------

REFUSED = {
    "math.gcd(x, 2)": "math.gcd needs an integer, x is float64",
    "np.lcm(2, x)": "np.lcm needs an integer, x is float64",
    "np.bitwise_count(x)": "np.bitwise_count needs an integer, x is float64",
    "math.ldexp(2.0, x)": "math.ldexp needs an integer, x is float64",
    "math.hypot(x)": "math.hypot takes 2 or more arguments, 1 given",
    "math.isclose(x, 1.0, tol=2)": "math.isclose in a kernel has no 'tol'",
    "math.isclose(x, 1.0, rel_tol=1j)": "rel_tol needs a real number, 1j is complex128",
    "math.remainder(x, 1j)": "math.remainder needs a real number, 1j is complex128",
    "math.frexp(x, 2)": "math.frexp takes 1 argument, 2 given",
    "np.heaviside(x)": "np.heaviside takes 2 arguments, 1 given",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_call_is_refused(text):
    with pytest.raises(npp.KernelError, match=re.escape(REFUSED[text])):
        expressions("x", [text])(np.ones(3))


# ---- on a device ---------------------------------------------------------------------------------


def test_the_same_on_a_device():
    texts = ["np.spacing(x)", "np.heaviside(x, y)", "math.remainder(x, y)", "math.ulp(x)"]
    texts += ["math.ldexp(x, 3)", "math.modf(x)[0]", "math.frexp(x)[0]", "math.frexp(x)[1]"]
    texts += [
        "math.isclose(x, y, rel_tol=0.5)",
        "np.gcd(n, 12)",
        "np.lcm(n, 8)",
        "math.isqrt(abs(n))",
    ]
    texts += ["math.comb(abs(n), 2)", "np.bitwise_count(n)", "math.factorial(abs(n) % 30)"]
    some = [0.0, -0.0, 1.0, -2.5, 1e-310, 1e300, math.inf, -math.inf, math.nan, 7.0]
    x, y = (np.array(z) for z in zip(*itertools.product(some, some), strict=True))
    n = np.arange(-50, 50)
    with cuda.simulator(memory="64 MiB"):
        ufunc = expressions("x, y, n", texts)
        on_device = ufunc(*(cuda.to_device(column) for column in (x, y, n)))
        for text, host, device in zip(texts, ufunc(x, y, n), on_device, strict=True):
            np.testing.assert_array_equal(device.copy_to_host(), host, err_msg=text)


def test_logarithms_of_sums_and_complex_functions_on_a_device():
    texts = ["np.logaddexp(x, y)", "np.logaddexp2(x, y)", "np.sinc(x)"]
    texts += [f"np.{name}(z)" for name in ("expm1", "log1p", "exp2", "log2", "log10")]
    texts += ["cmath.phase(z)", "cmath.rect(x, y)"]
    generator = np.random.default_rng(5)
    x, y, u, v = generator.uniform(-5, 5, (4, 200))
    z = u + 1j * v
    with cuda.simulator(memory="64 MiB"):
        ufunc = expressions("x, y, z", texts)
        on_device = ufunc(*(cuda.to_device(column) for column in (x, y, z)))
        for text, host, device in zip(texts, ufunc(x, y, z), on_device, strict=True):
            np.testing.assert_allclose(device.copy_to_host(), host, rtol=1e-14, err_msg=text)


ROUNDED = np.array([1234.5678, -0.55, 2.5, 1e-5, np.inf, np.nan, 1e300, -1234567.5, 2.675])
DIGITS = [0, 1, 2, -1, -2, 5, 22, 23, 300, 308, 309, 2**62, -309, -(2**63)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_digits_may_vary(dtype):
    x = ROUNDED.astype(dtype)
    round_to = expressions("x, n", ["round(x, n)", "np.round(x, n) - x.round(n)"])
    expected = np.array([np.round(x, min(max(n, -400), 400)) for n in DIGITS])
    found, difference = round_to(x, np.reshape(DIGITS, (-1, 1)))
    np.testing.assert_array_equal(found, expected)
    assert not np.nan_to_num(difference).any()
    with cuda.simulator():
        digits = cuda.to_device(np.array([[2], [-2]]))
        on_device = round_to(cuda.to_device(x), digits)[0].copy_to_host()
    np.testing.assert_array_equal(on_device, expected[[2, 4]])
