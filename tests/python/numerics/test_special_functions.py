"""scipy.special in kernels: how functions are found and typed, and what they give at the edges."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from cuda_math_functions import mp
from kernel_source import expressions, function
from long_runs import in_long_runs
from scipy import special

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")

OF_ONE = "erf erfc erfinv erfcinv erfcx gamma gammaln gammasgn rgamma psi j0 j1 y0 y1 i0 i1 i0e i1e"
OF_ONE = (
    OF_ONE + " k0 k1 k0e k1e ndtr ndtri log_ndtr expit logit log_expit exprel entr cbrt exp2"
).split()
OF_ONE += ["exp10", "expm1", "log1p", "cosm1", "sindg", "cosdg", "tandg", "loggamma"]
OF_TWO = [
    "beta",
    "betaln",
    "xlogy",
    "xlog1py",
    "rel_entr",
    "kl_div",
    "boxcox",
    "boxcox1p",
    "inv_boxcox",
    "inv_boxcox1p",
    "huber",
]
OF_TWO += ["pseudo_huber"]
# Whose edges are in test_special_edges.
MORE_OF_ONE = ["ellipk", "ellipe", "exp1", "expi", "zeta", "spence"]
MORE_OF_TWO = ["gammainc", "gammaincc", "ellipkinc", "ellipeinc", "zeta", "binom", "poch"]
MORE_OF_TWO += ["owens_t"]

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, -1.5, -2.5, 1e-300, 1e-310, 40.0, -40.0, 800.0]
EDGES += [-800.0, 180.0, 90.0, 30.0, math.inf, -math.inf, math.nan]
# SciPy lacks a finite limit, returns nan for infinity, or C's library returns another limit.
INFINITE = [math.inf, -math.inf]
DIFFERENT = {
    **dict.fromkeys(("j0", "j1", "y0", "y1", "i0", "i1", "sindg", "cosdg", "tandg"), INFINITE),
    "gammaln": [1e-310, -math.inf],
    "loggamma": [1e-310],
}


LESS_EXACT_IN_CUDA = ["gamma", "gammaln", "j0", "j1", "y0", "y1"]


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def with_special(arguments: str, texts: list[str]) -> np.ufunc:
    return expressions(arguments, texts, special=special)


def test_functions_of_one_number_at_the_edges():
    x = np.array(EDGES)
    results = with_special("x", [f"special.{name}(x)" for name in OF_ONE])(x)
    for name, found in zip(OF_ONE, results, strict=True):
        expected = getattr(special, name)(x)
        same = ~np.isin(x, DIFFERENT.get(name, []))
        np.testing.assert_allclose(
            found[same], expected[same], rtol=1e-12, atol=1e-305, err_msg=f"{name} {x[same]}"
        )


def test_functions_of_two_numbers_at_the_edges():
    some = [0.0, 1.0, 0.5, 3.0, 1e-300, 1e300, -1.0, -0.5, math.inf, math.nan]
    x, y = (np.array(z) for z in zip(*itertools.product(some, some), strict=True))
    names = ["xlogy", "xlog1py", "rel_entr", "kl_div", "huber"]
    results = with_special("x, y", [f"special.{name}(x, y)" for name in names])(x, y)
    for name, found in zip(names, results, strict=True):
        expected = getattr(special, name)(x, y)
        fits = (np.maximum(x, y) < 1e299) | (name != "kl_div")  # SciPy's own terms overflow
        np.testing.assert_allclose(found[fits], expected[fits], rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("dtype", ["f4", "i8", *in_long_runs("f8", "i4", "u8")])
def test_result_types_are_scipys(dtype):
    x = np.ones(2, dtype)
    texts = [f"special.{name}(x)" for name in OF_ONE + MORE_OF_ONE]
    texts += [f"special.{name}(x, x)" for name in OF_TWO + MORE_OF_TWO]
    for start in range(0, len(texts), 40):  # NumPy accepts at most 64 operands
        part = texts[start : start + 40]
        for text, found in zip(part, with_special("x", part)(x), strict=True):
            assert found.dtype == eval(text, {"special": special, "x": x}).dtype, text


def test_sixteen_bits_and_plain_numbers_give_float32():
    texts = ["special.erf(h)", "special.xlogy(x, 2.0)", "special.xlogy(2, x)", "special.beta(x, h)"]
    for found in with_special("x, h", texts)(np.ones(2, "f4"), np.ones(2, "f2")):
        assert found.dtype == np.float32
    assert with_special("x", ["special.erf(0.5)"])(np.ones(2, "f4")).dtype == np.float64


def test_bessel_functions_of_integer_order():
    order, x = (
        np.array(z) for z in zip(*itertools.product(range(-3, 8), [0.5, 3.0, 20.0]), strict=True)
    )
    texts = ["special.jv(n, x)", "special.jn(n, x)", "special.yn(n, x)", "special.jv(2, x)"]
    results = with_special("n, x", texts)(order, x)
    for text, found in zip(texts, results, strict=True):
        expected = eval(text, {"special": special, "n": order, "x": x})
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=text)


def test_a_share_near_the_smallest_number_keeps_its_digits():
    x, a, b = 0.012079832200554752, 167.19502089982416, 9.311406172503963
    text = f"special.betainc({a!r}, {b!r}, x)"
    np.testing.assert_allclose(with_special("x", [text])(x), 9.246131366008376e-308, rtol=1e-14)


def test_lambertw_has_every_branch():
    z = np.array(
        [0.5, -0.2, -0.3678794, -5.0, 1e300, -1e-300, 2 + 3j, -1 + 0.1j, 0.1 - 2j, -0.4 - 1j]
    )
    z, branch = (np.array(a) for a in zip(*itertools.product(z, [0, -1, 1, -2, 40]), strict=True))
    ufunc = with_special("z, k", ["special.lambertw(z, k)", "special.lambertw(z, k=k)"])
    expected = special.lambertw(z, branch)
    with cuda.simulator(memory="64 MiB"):
        on_device = ufunc(cuda.to_device(z), cuda.to_device(branch))[0].copy_to_host()
    for found in (*ufunc(z, branch), on_device):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert with_special("x", ["special.lambertw(x)"])(np.ones(2, "f4")).dtype == np.complex64


def test_lambertw_beside_the_branch_point_and_at_infinities():
    z = np.array([-1 / math.e, 0.0, math.inf, -math.inf, math.nan])
    found = with_special("z", ["special.lambertw(z)", "special.lambertw(z, -1)"])(z)
    # 1 / e is no float64: next to it W is -1 plus a root of the difference.
    assert found[0][0] == pytest.approx(-1 + 8.22007971e-9j, rel=1e-12)
    assert found[1][0] == pytest.approx(-1 - 8.22007971e-9j, rel=1e-12)
    np.testing.assert_array_equal(found[0][1:], special.lambertw(z[1:]))
    np.testing.assert_array_equal(found[1][1:], special.lambertw(z[1:], -1))


def test_lambertw_keeps_both_parts_beyond_the_branch_point():
    z = -np.exp(-1) * (1 + np.geomspace(1e-9, 1, 300)) + 0j
    exact = [mp.lambertw(x) for x in z.real.tolist()]
    found = with_special("z", ["special.lambertw(z)", "z"])(z)[0]
    for part in ("real", "imag"):
        wanted = np.array([float(getattr(value, part)) for value in exact])
        ulp = abs(getattr(found, part) - wanted) / np.spacing(abs(wanted))
        assert ulp.max() <= 6, (part, z[ulp.argmax()], ulp.max())


SPELLINGS = {
    "import scipy.special": "scipy.special.erf(x)",
    "from scipy import special": "special.erf(x)",
    "from scipy.special import erf": "erf(x)",
    "from scipy.special import erf as error_function": "error_function(x)",
    "from scipy.special import erf, zeta": "erf(x) + zeta(-2.0)",
    "from scipy.special import digamma": "digamma(x) - digamma(x) + 0.5204998778130465",
}


@pytest.mark.parametrize("line", SPELLINGS)
def test_functions_are_found_however_they_were_imported(line):
    f = npp.vectorize(function(f"{line}\n\ndef f(x):\n    return {SPELLINGS[line]}\n"))
    assert f(0.5) == pytest.approx(math.erf(0.5), rel=1e-15)


REFUSED = {
    "special.airy(x)": "scipy.special.airy cannot be called in a kernel",
    "special.zeta(1j)": "special.zeta needs a real number, 1j is complex128",
    "special.zeta(x, x, x)": "special.zeta takes 1 or 2 arguments, 3 given",
    "special.yn(0.5, x)": "special.yn needs an integer, 0.5 is float64",
    "special.lambertw(x, 0.5)": "special.lambertw needs an integer, 0.5 is float64",
    "special.erf(1j)": "special.erf needs a real number, 1j is complex128",
    "special.erf(x, x)": "special.erf takes 1 argument, 2 given",
    "special.erff(x)": "scipy.special has no 'erff'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_call_is_refused(text):
    with pytest.raises(npp.KernelError, match=re.escape(REFUSED[text])):
        with_special("x", [text])(np.ones(3))


def test_edges_on_a_device_are_those_of_the_cpu():
    x = np.array(EDGES)
    names = [name for name in OF_ONE if name not in LESS_EXACT_IN_CUDA]
    with cuda.simulator(memory="64 MiB"):
        ufunc = with_special("x", [f"special.{name}(x)" for name in names])
        on_device = ufunc(cuda.to_device(x))
        for name, host, device in zip(names, ufunc(x), on_device, strict=True):
            np.testing.assert_allclose(
                device.copy_to_host(), host, rtol=1e-13, atol=1e-300, err_msg=name
            )
