"""Mathematical functions in vector mode: within 4 ulp, and C99's results for special operands."""

import ctypes
import math
import subprocess

import numpy as np
import pytest
from mpmath import mp
from templates_program import build, loop, table

DTYPES = ("float32", "float64")
VECTOR = "#define NPP_VECTOR_MATH 1\n"
WIDTHS = {"native": "-march=native", "avx2": "-march=haswell", "baseline": "-march=x86-64"}
N_POINTS = 60
MAX_ULP = 4
EXACT_ELSEWHERE = {"nextafter", "fmod"}  # by bits, and exact: test_templates_semantics.py

FUNCTIONS = {
    name: count
    for name, (count, _, evaluation) in table().items()
    if evaluation != "kExact" and name not in EXACT_ELSEWHERE
}


def cube_root(x):
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


EXACT = {
    "exp2": lambda x: mp.power(2, x),
    "log2": lambda x: mp.log(x, 2),
    "cbrt": cube_root,
    "tgamma": mp.gamma,
    "lgamma": lambda x: mp.loggamma(x).real,
    "power": mp.power,
}


class Points:
    """Operands over the ranges on which a function has something to compute."""

    def __init__(self, dtype, n_points, seed=1):
        self.random = np.random.default_rng(seed)
        self.n_points = n_points
        self.large = 37 if dtype == "float32" else 300
        self.dtype = dtype

    def between(self, low, high):
        return self.random.uniform(low, high, self.n_points)

    def powers(self, low, high):
        return 10 ** self.between(low, high)

    def signed(self, low, high):
        return self.powers(low, high) * self.random.choice([-1, 1], self.n_points)

    def exponents(self):
        return self.between(*((-87, 88) if self.dtype == "float32" else (-708, 709)))

    def of_two(self, name):
        if name == "power":
            bases = [self.powers(-3, 3), self.between(0.5, 2), self.powers(-self.large, self.large)]
            return bases, [self.between(-10, 10), self.between(-80, 80), self.between(-0.9, 0.9)]
        half = self.large // 2
        return [[self.signed(-3, 3), self.signed(-half, half)] for _ in range(2)]

    def of_one(self, name):
        small, wide = self.signed(-20, 0), self.signed(-20, self.large)
        anywhere = (self.between(-10, 10), self.signed(-6, self.large))
        positive = (self.powers(-self.large, self.large), self.between(0.5, 2))
        ranges = {
            **dict.fromkeys(("exp", "expm1", "sinh", "cosh"), (self.exponents(), small)),
            "exp2": (self.exponents() / math.log(2), small),
            **dict.fromkeys(("log", "log2", "log10"), positive),
            "log1p": [self.powers(-20, self.large), self.between(-0.999, 1), small],
            **dict.fromkeys(("sin", "cos", "tan"), anywhere),
            **dict.fromkeys(("asin", "acos", "atanh"), (self.between(-1, 1), small)),
            **dict.fromkeys(("atan", "asinh", "cbrt"), (wide, self.between(-3, 3))),
            "acosh": [1 + self.powers(-6, 2), self.powers(0, self.large)],
            "tanh": [self.between(-20, 20), small],
            "erf": [self.between(-5, 5), small],
            "erfc": [self.between(-5, 9 if self.dtype == "float32" else 26)],
            "tgamma": [self.between(-20, 30)],
            "lgamma": [self.powers(-20, 30), self.between(3, 50)],
        }
        return [ranges[name]]

    def operands(self, name):
        pieces = self.of_one(name) if FUNCTIONS[name] == 1 else self.of_two(name)
        return [np.concatenate(piece).astype(self.dtype) for piece in pieces]


def program():
    text = ""
    for name, count in FUNCTIONS.items():
        arguments = ", ".join(f"{{{i}}}" for i in range(count))
        for dtype in DTYPES:
            text += loop(f"{name}_{dtype}", [dtype] * count, dtype, f"npp::{name}({arguments})")
    return VECTOR, text


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    head, text = program()
    options = ["-O2", "-ftree-vectorize", "-fvect-cost-model=unlimited"]
    return {
        width: build(tmp_path_factory.mktemp(width), text, *options, flag, head=head)
        for width, flag in WIDTHS.items()
    }


def call(library, name, operands):
    out = np.empty_like(operands[0])
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*operands, out)]
    getattr(library, f"{name}_{out.dtype}")(*pointers, ctypes.c_long(len(out)))
    return out


def distances_in_ulp(found, exact):
    limits = np.finfo(found.dtype)
    distances = []
    for value, true_value in zip(found.tolist(), exact, strict=True):
        exponent = max(mp.frexp(true_value)[1] - 1, limits.minexp) if true_value != 0 else 0
        difference = abs(mp.mpf(value) - true_value)
        distances.append(float(difference / mp.ldexp(1, exponent - limits.nmant)))
    return np.array(distances)


def check(libraries, name, dtype, n_points):
    operands = Points(dtype, n_points).operands(name)
    function = EXACT.get(name) or getattr(mp, name)
    with mp.workprec(160):
        exact = [
            function(*map(mp.mpf, row)) for row in zip(*(x.tolist() for x in operands), strict=True)
        ]
        for width, library in libraries.items():
            distances = distances_in_ulp(call(library, name, operands), exact)
            at = int(distances.argmax())
            assert distances[at] <= MAX_ULP, (width, [x[at] for x in operands])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_within_the_stated_ulp(libraries, name):
    for dtype in DTYPES:
        check(libraries, name, dtype, N_POINTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_within_the_stated_ulp_at_many_points(libraries, name):
    for dtype in DTYPES:
        check(libraries, name, dtype, 3000)


# ---- special operands ----------------------------------------------------------------------------

SPECIAL = [math.nan, math.inf, 0.0, 1.0, 2.0, 3.0, 0.5, 5e-324, 1e-310, 1e-40, 1e22, 1e38, 1e300]
SPECIAL += [10.0, 27.0, 89.0, 104.0, 128.0, 150.0, 710.0, 746.0, 1024.0, 1075.0]
NUMPY_NAMES = {
    **{"acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2"},
    **{"acosh": "arccosh", "asinh": "arcsinh", "atanh": "arctanh"},
}
# C99's results where NumPy has no such function and Python raises.
POLES = {
    ("tgamma", 0.0): math.inf,
    ("tgamma", -math.inf): math.nan,
    ("lgamma", -math.inf): math.inf,
}


def in_c99(name, x):
    if (name, x) in POLES:
        return math.copysign(POLES[name, x], x) if x == 0 else POLES[name, x]
    function = {"tgamma": math.gamma}.get(name) or getattr(math, name)
    try:
        return function(x)
    except ValueError:
        return math.nan if name == "tgamma" else math.inf
    except OverflowError:
        return math.copysign(math.inf, x)


def expected_special(name, operands):
    function = getattr(np, NUMPY_NAMES.get(name, name), None)
    with np.errstate(all="ignore"):
        if function is not None:
            return function(*operands)
        results = [in_c99(name, x) for x in operands[0].tolist()]
        return np.array(results).astype(operands[0].dtype)


def kinds(array):
    """nan, infinity and zero with their signs; 0 for all other numbers."""
    signs = np.where(np.signbit(array), -1, 1)
    return np.select([np.isnan(array), np.isinf(array), array == 0], [9, 2 * signs, signs], 0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_operands_give_c99s_results(libraries, name):
    for dtype in DTYPES:
        one = np.array([*SPECIAL, *(-x for x in SPECIAL)]).astype(dtype)
        operands = [one] if FUNCTIONS[name] == 1 else [np.ravel(x) for x in np.meshgrid(one, one)]
        operands = [np.ascontiguousarray(x) for x in operands]
        expected = expected_special(name, operands)
        for width, library in libraries.items():
            found = call(library, name, operands)
            wrong = np.flatnonzero(kinds(found) != kinds(expected))[:5]
            rows = [(*(x[i] for x in operands), found[i], expected[i]) for i in wrong]
            assert not rows, (width, rows)


# ---- which symbols a program asks for ------------------------------------------------------------


def undefined_symbols(directory, text, *options, head=""):
    build(directory, text, "-O3", *options, head=head)
    listing = subprocess.run(
        ["nm", "-D", "--undefined-only", directory / "program.so"], capture_output=True
    )
    return {line.split()[-1].split("@")[0] for line in listing.stdout.decode().splitlines()}


def test_vector_functions_are_called_where_glibc_has_them(tmp_path):
    head, text = program()
    vector = {
        name for name in undefined_symbols(tmp_path, text, head=head) if name.startswith("_ZGV")
    }
    called = {name.split("_")[-1] for name in vector}
    assert {"exp", "expf", "atan2", "hypotf", "erfc", "pow"} <= called
    old = undefined_symbols(tmp_path, text, "-UNPP_GLIBC_MINOR", "-DNPP_GLIBC_MINOR=22", head=head)
    called = {name.split("_")[-1].removesuffix("f") for name in old if name.startswith("_ZGV")}
    assert called == {"exp", "log", "sin", "cos", "pow"}


def test_libm_mode_calls_scalar_functions_alone(tmp_path):
    _, text = program()
    assert not any(name.startswith("_ZGV") for name in undefined_symbols(tmp_path, text))


def test_sine_and_cosine_of_one_number_stay_two_vector_calls(tmp_path):
    text = loop("both", ["float64"], "float64", "npp::add(npp::sin({0}), npp::cos({0}))")
    names = undefined_symbols(tmp_path, text, head=VECTOR)
    assert "sincos" not in names
    assert {name.split("_")[-1] for name in names if name.startswith("_ZGV")} == {"sin", "cos"}
