"""math="reproducible": the same bits on the CPU and on a device, and what the mode refuses."""

import hashlib
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from long_runs import in_long_runs
from scipy import special

import numpy_plugin as npp
from numpy_plugin import cuda

SPECIAL = [math.nan, math.inf, 0.0, 1.0, 2.0, 0.5, 1e-310, 1e-40, 1e30, 1e300, 88.0, 700.0, 745.0]


def exponentials(x):
    return math.exp(x), np.exp2(x), math.expm1(x), math.sinh(x), math.cosh(x), math.tanh(x)


def logarithms(x):
    return math.log(x), math.log2(x), math.log10(x), math.log1p(x), np.cbrt(x)


def errors(x):
    return math.erf(x), math.erfc(x)


def gammas(x):
    return math.gamma(x), math.lgamma(x)


def angles(x):
    return math.sin(x), math.cos(x), math.tan(x)


def inverses(x):
    return math.asinh(x), math.acosh(x), math.atanh(x), math.asin(x), math.acos(x), math.atan(x)


def directions(x, y):
    return math.atan2(x, y), math.hypot(x, y)


def powers(x, y):
    return x**y


FAMILIES = {
    f.__name__: f
    for f in (exponentials, logarithms, errors, gammas, angles, inverses, directions, powers)
}


def make_ufuncs():
    made = {}
    for name, function in FAMILIES.items():
        count = function.__code__.co_argcount
        signatures = [[dtype] * count for dtype in ("float32", "float64")]
        made[name] = npp.vectorize(
            [f"({', '.join(types)})" for types in signatures], math="reproducible"
        )(function)
    return made


@pytest.fixture(scope="module")
def ufuncs():
    return make_ufuncs()


def operands(dtype):
    random = np.random.default_rng(3)
    special = np.array([*SPECIAL, *(-x for x in SPECIAL)])
    ranges = [random.uniform(-1, 1, 50), random.uniform(-700, 700, 50)]
    with np.errstate(over="ignore"):
        wide = 2.0 ** random.normal(0, 300, 50)
        return np.concatenate([special, *ranges, wide]).astype(dtype)


def bits(array):
    return np.where(np.isnan(array), 0, array.view(f"u{array.itemsize}"))


def arguments(ufunc, dtype):
    x = operands(dtype)
    return [x] if ufunc.nin == 1 else [np.ravel(a) for a in np.meshgrid(x[::2], x[::3])]


def results(ufunc, *arrays):
    found = ufunc(*arrays)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore")
def test_bits_are_the_same_on_the_cpu_and_on_a_device(ufuncs, name, dtype):
    ufunc = ufuncs[name]
    values = arguments(ufunc, dtype)
    on_cpu = results(ufunc, *values)
    with cuda.simulator():
        on_device = [x.copy_to_host() for x in results(ufunc, *map(cuda.to_device, values))]
    for number, (found, expected) in enumerate(zip(on_device, on_cpu, strict=True)):
        wrong = np.flatnonzero(bits(found) != bits(expected))[:3]
        assert not len(wrong), (number, [x[wrong] for x in values], found[wrong], expected[wrong])


def digest(ufuncs):
    """A digest of all results."""
    made = hashlib.sha256()
    for ufunc in ufuncs.values():
        for dtype in ("float32", "float64"):
            for array in results(ufunc, *arguments(ufunc, dtype)):
                made.update(bits(array).tobytes())
    return made.hexdigest()


def digest_of_a_child(**environment):
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    program = "import test_reproducible as here; print(here.digest(here.make_ufuncs()))"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


@pytest.mark.parametrize("level", ["x86-64", *in_long_runs("x86-64-v3")])
@pytest.mark.filterwarnings("ignore")
def test_bits_are_the_same_for_other_instructions(ufuncs, level):
    assert digest_of_a_child(NUMPY_PLUGIN_CPU=level) == digest(ufuncs)


def test_other_functions_are_refused_at_their_place():
    def diffraction(x):
        return x + np.sinc(x)

    with pytest.raises(npp.KernelError) as raised:
        npp.vectorize(["float64(float64)"], math="reproducible")(diffraction)
    text = str(raised.value)
    assert text.startswith("math=\"reproducible\" has no function 'sinc' of float64")
    assert "return x + np.sinc(x)" in text


def test_complex_functions_are_refused():
    with pytest.raises(npp.KernelError, match="has no function 'exp' of complex128"):
        npp.vectorize(["complex128(complex128)"], math="reproducible")(lambda z: np.exp(z))


def test_exact_functions_are_accepted():
    f = npp.vectorize(["float64(float64, float64)"], math="reproducible")(
        lambda x, y: math.fmod(x, y) + math.sqrt(abs(x)) + max(x, y)
    )
    assert f(7.5, 2.0) == math.fmod(7.5, 2.0) + math.sqrt(7.5) + 7.5


def test_special_functions_are_those_of_math():
    f = npp.vectorize(["float64(float64)"], math="reproducible")(
        lambda x: special.gamma(x) + special.gammaln(x)
    )
    g = npp.vectorize(["float64(float64)"], math="reproducible")(
        lambda x: math.gamma(x) + math.lgamma(x)
    )
    x = np.linspace(-3.3, 30, 100)
    assert np.array_equal(f(x), g(x))
    assert f(5.0) == 24 + math.log(24)


def test_core_dimensions_have_the_same_functions():
    def softplus(x, out):
        for i in range(x.size):
            out[i] = math.log1p(math.exp(x[i]))

    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", math="reproducible")(softplus)
    g = npp.vectorize(["float64(float64)"], math="reproducible")(lambda x: math.log1p(math.exp(x)))
    x = np.linspace(-30, 30, 24).reshape(4, 6)
    assert np.array_equal(f(x), g(x))


def test_loops_have_the_same_bits_in_lanes_and_alone():
    def solve(x):
        y, n = x, 0
        while n < 50 and abs(y - 0.3 * math.sin(y) - x) > 1e-12:
            y -= (y - 0.3 * math.sin(y) - x) / (1 - 0.3 * math.cos(y))
            n += 1
        return y

    def shrink(x):
        while abs(x) > 3:
            x = math.lgamma(x) - math.gamma(1 / x)
        return x

    x = np.linspace(-4.9, 8, 203)
    for function in (solve, shrink):
        f = npp.vectorize(["float64(float64)"], math="reproducible")(function)
        with cuda.simulator():
            on_device = f(cuda.to_device(x)).copy_to_host()
        assert np.array_equal(f(x), on_device)
        assert np.array_equal(f(x), [f(number) for number in x])
