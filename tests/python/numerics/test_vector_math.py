"""The functions of templates/npp/vector_math: error, special operands, flags, and the same bits for
every width of vectors and every compiler."""

import ctypes
import math

import numpy as np
import pytest
from long_runs import in_long_runs
from mpmath import mp
from references.vector_math_program import DTYPES, FUNCTIONS, SPECIAL, program
from templates_program import build

BUILDS = {
    "native": ("g++", "-march=native"),
    "avx2": ("g++", "-march=haswell"),
    "baseline": ("g++", "-march=x86-64"),
    "clang": ("clang++", "-march=native"),
}
# The flags that a result decides; underflow may be missing where a result is exact.
INVALID, DIVIDE, OVERFLOW = 1, 4, 8
N_RANDOM = 512

CASES = [(name, dtype) for name in FUNCTIONS for dtype in DTYPES]


def build_of(name, directory):
    compiler, flag = BUILDS[name]
    return build(directory, program(), "-O3", flag, "-Wno-psabi", compiler=compiler)


@pytest.fixture(scope="module", params=[["native"], *in_long_runs(list(BUILDS))], ids=" ".join)
def libraries(request, tmp_path_factory):
    return {name: build_of(name, tmp_path_factory.mktemp(name)) for name in request.param}


def call(library, form, name, operands):
    """A function of numbers or of vectors, on a multiple of 16 elements."""
    dtype = operands[0].dtype
    padded = [np.concatenate([x, np.ones(-len(x) % 16, dtype)]) for x in operands]
    out = np.empty_like(padded[0])
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*padded, out)]
    getattr(library, f"{form}_{name}_{dtype}")(*pointers, ctypes.c_long(len(out)))
    return out[: len(operands[0])]


def grid(name, dtype):
    """All combinations of the special operands."""
    numbers = np.array([*SPECIAL, *(-x for x in SPECIAL)])
    with np.errstate(over="ignore"):
        numbers = np.concatenate([numbers.astype(dtype), limits(dtype)])
    return [np.ravel(x) for x in np.meshgrid(*[numbers] * FUNCTIONS[name].n_arguments)]


def limits(dtype):
    info = np.finfo(dtype)
    sizes = [
        info.max,
        info.tiny,
        info.tiny / 8,
        info.smallest_subnormal,
        1 + info.eps,
        1 - info.epsneg,
    ]
    sizes += [2.0 ** (info.nmant + 1) - 1, 2.0**info.nmant + 0.5, 2.0 ** (info.nmant - 1) + 0.5]
    return np.array([*sizes, *(-x for x in sizes)], dtype)


def random_operands(name, dtype):
    return FUNCTIONS[name].random(np.random.default_rng(7), dtype, N_RANDOM)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_finite_results_raise_no_flags(libraries, name, dtype):
    libm, info = ctypes.CDLL("libm.so.6"), np.finfo(dtype)
    operands = random_operands(name, dtype)
    values = call(libraries["native"], "numbers", name, operands)
    sizes = np.abs(values)
    ordinary = np.flatnonzero((sizes <= info.max) & ((sizes > info.tiny) | (operands[0] == 0)))
    ordinary = ordinary[: len(ordinary) // 16 * 16]
    assert len(ordinary) > N_RANDOM / 2
    raised = {}
    for build_name, library in libraries.items():
        # clang computes rare branches of loops for every number.
        for form in ("vectors",) if build_name == "clang" else ("numbers", "vectors"):
            libm.feclearexcept(0x3F)
            call(library, form, name, [x[ordinary] for x in operands])
            raised[build_name, form] = libm.fetestexcept(INVALID | DIVIDE | OVERFLOW)
    assert set(raised.values()) == {0}, raised


def with_one_nan(array):
    integers = array.view(f"u{array.itemsize}")
    return np.where(np.isnan(array), 0, integers)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_bits_are_the_same_for_every_width_and_compiler(libraries, name, dtype):
    operands = [
        np.concatenate(pair)
        for pair in zip(grid(name, dtype), random_operands(name, dtype), strict=True)
    ]
    expected = call(libraries["native"], "numbers", name, operands)
    for build_name, library in libraries.items():
        for form in ("numbers", "vectors"):
            found = call(library, form, name, operands)
            wrong = np.flatnonzero(with_one_nan(found) != with_one_nan(expected))[:3]
            rows = [(*(x[i] for x in operands), found[i], expected[i]) for i in wrong]
            assert not rows, (build_name, form, rows)


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_at_the_limits_of_normal_numbers(libraries, dtype):
    info = np.finfo(dtype)
    for limit in (info.minexp, info.maxexp):
        y = np.linspace(limit - 1, limit + 1, 4096).astype(dtype)
        expected = call(libraries["native"], "numbers", "pow", [np.full_like(y, 2), y])
        for start in range(0, len(y), 16):  # each vector by itself, most without exceptions
            part = y[start : start + 16]
            found = call(libraries["native"], "vectors", "pow", [np.full_like(part, 2), part])
            assert np.array_equal(found, expected[start : start + 16]), part[0]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_error_is_within_the_bound(libraries, name, dtype):
    function = FUNCTIONS[name]
    operands = random_operands(name, dtype)
    found = call(libraries["native"], "vectors", name, operands)
    info = np.finfo(dtype)
    worst = (0, None)
    with mp.workprec(200):
        for *row, value in zip(*(x.tolist() for x in operands), found.tolist(), strict=True):
            exact = function.exact(*map(mp.mpf, row))
            if abs(exact) > mp.mpf(float(info.max)):
                continue
            exponent = max(mp.frexp(exact)[1] - 1, info.minexp) if exact != 0 else info.minexp
            error = float(abs(mp.mpf(value) - exact) / mp.ldexp(1, int(exponent) - info.nmant))
            worst = max(worst, (error, row), key=lambda pair: pair[0])
    assert worst[0] <= function.bound, worst


def test_logarithms_of_gamma_at_their_zeros(libraries):
    x = np.random.default_rng(3).uniform(-6, -2.2, 4 * N_RANDOM)
    # Where the logarithm is less than 1 / 16, its error has a bound of its own.
    near = np.concatenate([[z - 1e-9, z + 1e-4] for z in (-2.457024738220801, -2.747682646727413)])
    x = np.concatenate([x, near])
    found = call(libraries["native"], "vectors", "lgamma", [x])
    with mp.workprec(200):
        for operand, value in zip(x.tolist(), found.tolist(), strict=True):
            exact = FUNCTIONS["lgamma"].exact(mp.mpf(operand))
            ulp = mp.ldexp(1, int(mp.frexp(exact)[1]) - 53)
            error = abs(mp.mpf(value) - exact)
            assert error <= (2.5 * ulp if abs(exact) >= 1 / 16 else mp.mpf(2) ** -54), operand


def libm_function(name, dtype, n_arguments):
    c_type = ctypes.c_float if dtype == "float32" else ctypes.c_double
    function = getattr(ctypes.CDLL("libm.so.6"), name + ("f" if dtype == "float32" else ""))
    function.restype, function.argtypes = c_type, [c_type] * n_arguments
    return function


def kind(value):
    """nan, infinities and zeros with their signs; other numbers by sign."""
    if math.isnan(value):
        return "nan"
    size = abs(value) if value == 0 or math.isinf(value) else "number"
    return size, math.copysign(1, value)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_special_operands_give_c99s_results_and_flags(libraries, name, dtype):
    libm = ctypes.CDLL("libm.so.6")
    reference = libm_function(name, dtype, FUNCTIONS[name].n_arguments)
    ours = getattr(libraries["native"], f"number_{name}_{dtype}")
    ours.restype, ours.argtypes = reference.restype, reference.argtypes
    observed = INVALID | DIVIDE | OVERFLOW
    for row in zip(*(x.tolist() for x in grid(name, dtype)), strict=True):
        results = []
        for function in (reference, ours):
            libm.feclearexcept(0x3F)
            value = function(*row)
            results.append((kind(value), libm.fetestexcept(observed)))
        assert results[1] == results[0], row
