"""Every operation of the templates against NumPy, bit for bit (payloads of nan aside)."""

import ctypes
import math
import operator
import shutil
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from long_runs import in_long_runs
from templates_program import (
    ALL,
    COMPLEX,
    FLOATS,
    INTEGERS,
    build,
    cast_loops,
    compile_to_ptx,
    loop,
    nvrtc_libraries,
    operation_loops,
    operations,
)

pytestmark = pytest.mark.filterwarnings("ignore")

FLOAT_VALUES = [
    *(
        np.nan,
        np.inf,
        -np.inf,
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0.1,
        -3.5,
        5.5,
        6.0,
        3.0,
    ),
    *(
        1e-5,
        1e10,
        -1e10,
        1e19,
        1.5e19,
        1e30,
        65504.0,
        65520.0,
        2.0**31,
        -(2.0**31) - 1,
        2.0**63,
        -(2.0**63),
    ),
    *(2.0**64, 300.0, 255.9, -1.9, 1e-40, 5e-324, 2.0**-24, 2.0**-25, 3.4e38, 1.7e308, 2.0**32 + 5),
]


def np_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def values(name):
    dtype = np_dtype(name)
    if name == "bool":
        return np.array([False, True])
    if name in INTEGERS:
        limits = np.iinfo(dtype)
        near = [-128, -5, -2, -1, 0, 1, 2, 3, 7, 8, 15, 31, 33, 64, 100]
        near += [limits.min, limits.min + 1, limits.max - 1, limits.max]
        return np.array([x for x in near if limits.min <= x <= limits.max], dtype)
    if name in COMPLEX:
        parts = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 1e-30, 1e30], dtype)
        return np.array([complex(x, y) for x in parts.real for y in parts.real], dtype)
    return np.array(FLOAT_VALUES).astype(dtype)


def grid(name, count):
    one = values(name)
    if count == 1:
        return [np.tile(one, 3)]
    return [np.ascontiguousarray(x.ravel()) for x in np.meshgrid(one, one)]


def call(library, name, operands, result):
    operands = [np.ascontiguousarray(operand) for operand in operands]
    out = np.empty(len(operands[0]), np_dtype(result))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*operands, out)]
    getattr(library, name)(*pointers, ctypes.c_long(len(out)))
    return out


def bits(array):
    """The bytes as unsigned integers, one pattern for every nan; pairs for complex numbers."""
    if array.dtype.kind == "c":
        return bits(array.view(array.real.dtype))
    if array.dtype.kind not in "fV":
        return array
    patterns = array.view(f"u{array.dtype.itemsize}").copy()
    patterns[np.isnan(array)] = 1
    return patterns


def assert_same(found, expected, operands, signed_zero=True):
    expected = expected.astype(found.dtype, copy=False)
    width = 2 if found.dtype.kind == "c" else 1
    wrong = (bits(found) != bits(expected)).reshape(-1, width).any(axis=1)
    if not signed_zero:
        wrong &= ~((found == 0) & (expected == 0))
    at = np.flatnonzero(wrong)[:5]
    assert not wrong.any(), [(*(x[i] for x in operands), found[i], expected[i]) for i in at]


# ---- references ----------------------------------------------------------------------------------


def complex_from(real, imag):
    result = np.empty(len(real), np.result_type(real.dtype, 1j))
    result.real, result.imag = real, imag
    return result


def complex_product(a, b):
    """Never contracted; in NumPy's own loops that depends on the processor."""
    real = a.real * b.real - a.imag * b.imag
    return complex_from(real, a.real * b.imag + a.imag * b.real)


def in_python(function):
    return lambda a, b: np.array([function(x, y) for x, y in zip(a, b, strict=True)], a.dtype)


def integer_power(a, b):
    """Wrapping, by Python's own integers; NumPy refuses negative exponents."""
    width = 8 * a.dtype.itemsize
    results = []
    for base, exponent in zip(a.tolist(), b.tolist(), strict=True):
        if exponent < 0:
            results.append({1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0))
        else:
            results.append(pow(base, exponent, 1 << width))
    return np.array([x % (1 << width) for x in results], f"u{a.dtype.itemsize}").view(a.dtype)


REFERENCES = {
    "python_min": in_python(min),
    "python_max": in_python(max),
    "bitwise_and": np.bitwise_and,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "truth": lambda a: a.astype(bool),
    "positive": lambda a: a,
    "real": lambda a: a.real,
    "imag": lambda a: a.imag,
}
COMPLEX_REFERENCES = {
    "multiply": complex_product,
    "square": lambda a: complex_product(a, a),
    "absolute": lambda a: np.hypot(a.real, a.imag),
}
# The sign of a zero among two equal ones depends on the machine and on the position in NumPy's own
# loops; `test_the_sign_of_equal_zeros` specifies ours.
ZERO_OF_EITHER_SIGN = ("minimum", "maximum", "fmin", "fmax")
# Before 2.5 NumPy itself returned the first of two zeros for float16, and the second for other
# types.
OWN_ZERO = [("nextafter", "float16")] if np.lib.NumpyVersion(np.__version__) < "2.5.0" else []
FIXED = [row for row in operations() if row[0] != "power" or row[1] in INTEGERS]


def reference(name, dtype, operands):
    if name == "power":
        return integer_power(*operands)
    if dtype in COMPLEX and name in COMPLEX_REFERENCES:
        return COMPLEX_REFERENCES[name](*operands)
    function = REFERENCES.get(name) or getattr(np, name)
    if dtype == "bfloat16" and name != "nextafter":
        return function(*(x.astype(np.float32) for x in operands))
    return function(*operands)


# ---- tests ---------------------------------------------------------------------------------------


def program():
    return operation_loops() + cast_loops() + MIXED


SYMBOLS = {
    **{"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"},
    **{"equal": "eq", "not_equal": "ne"},
}
MIXED = "".join(
    loop(f"{name}_{a}_{b}", [a, b], "bool", f"npp::{name}({{}}, {{}})")
    for name in SYMBOLS
    for a, b in (("int64", "uint64"), ("uint64", "int64"))
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("templates"), program(), "-O2")


def check_operation(library, name, dtype, count, result):
    operands = grid(dtype, count)
    with np.errstate(all="ignore"):
        found = call(library, f"{name}_{dtype}", operands, result)
        expected = reference(name, dtype, operands)
    has_own_zero = name in ZERO_OF_EITHER_SIGN or (name, dtype) in OWN_ZERO
    assert_same(found, expected, operands, not has_own_zero)


@pytest.mark.parametrize("name", sorted({row[0] for row in FIXED}))
def test_operation_gives_numpys_bits(library, name):
    for row in FIXED:
        if row[0] == name:
            check_operation(library, *row)


@pytest.mark.parametrize("name", ZERO_OF_EITHER_SIGN)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_sign_of_equal_zeros(library, name, dtype):
    zeros = np.array([0.0, -0.0], np_dtype(dtype))
    found = call(library, f"{name}_{dtype}", [zeros, -zeros], dtype)
    assert np.array_equal(np.signbit(found), np.signbit(zeros if dtype == "float16" else -zeros))


@pytest.mark.parametrize("dtype", FLOATS)
def test_nextafter_gives_the_second_of_two_zeros(library, dtype):
    zeros = np.array([0.0, -0.0], np_dtype(dtype))
    found = call(library, f"nextafter_{dtype}", [zeros, -zeros], dtype)
    assert np.array_equal(np.signbit(found), np.signbit(-zeros))


def expected_cast(operand, target):
    source = operand.dtype
    if target == "uint32" and source.kind in "fV":
        return operand.astype(np.int64).astype(np.uint32)  # NumPy's own result varies by position
    if source.kind == "c" and np_dtype(target).kind not in "cb":
        return expected_cast(operand.real, target)
    if target == "bfloat16" and source.kind in "iuf" and source.itemsize > 2:
        return rounded_to_bfloat16(operand)
    return operand.astype(np_dtype(target))


def rounded_to_bfloat16(operand):
    """To nearest even in one step, by exact fractions; ml_dtypes rounds to float first."""
    return np.array([nearest_bfloat16(x) for x in operand.tolist()]).astype(ml_dtypes.bfloat16)


def nearest_bfloat16(value):
    if value == 0 or value != value or abs(value) == np.inf:
        return float(value)
    exact = abs(Fraction(value))
    exponent = math.floor(math.log2(exact)) if exact < 2**1000 else 1000
    exponent += (exact >= Fraction(2) ** (exponent + 1)) - (exact < Fraction(2) ** exponent)
    unit = Fraction(2) ** (max(exponent, -126) - 7)
    result = round(exact / unit) * unit
    return math.copysign(float(result) if result < 2**128 else np.inf, value)


@pytest.mark.parametrize("source", ALL)
def test_cast_gives_numpys_bits(library, source):
    check_casts(library, source, ALL)


def check_casts(library, source, targets):
    (operand,) = grid(source, 1)
    for target in targets:
        found = call(library, f"cast_{source}_{target}", [operand], target)
        with np.errstate(all="ignore"):
            expected = expected_cast(operand, target)
        assert_same(found, expected, [operand])


# Constant folding must give the processor's results.
def test_casts_of_constants_give_the_same_values(tmp_path):
    numbers = [1e30, -1e30, 300.0, -1.0, 1e19, 4294967301.0]
    text = "".join(
        loop(f"constant_{target}_{i}", ["bool"], target, f"npp::cast<npp::{target}>({number!r})")
        for target in INTEGERS
        for i, number in enumerate(numbers)
    )
    library = build(tmp_path, text, "-O2", "-Wno-unused-parameter")
    for target in INTEGERS:
        for i, number in enumerate(numbers):
            found = call(library, f"constant_{target}_{i}", [np.zeros(1, bool)], target)
            assert_same(found, expected_cast(np.array([number]), target), [np.array([number])])


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_divisors_that_the_compiler_knows_give_the_same_values(tmp_path, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    rows = [
        (f"{name}_{dtype}_{i}", name, dtype, divisor)
        for name in ("floor_divide", "remainder")
        for dtype in INTEGERS
        for i, divisor in enumerate(values(dtype))
    ]
    text = "".join(
        loop(row, [dtype], dtype, f"npp::{name}({{}}, npp::{dtype}({cpp_number(divisor)}))")
        for row, name, dtype, divisor in rows
    )
    library = build(tmp_path, text, "-O1", compiler=compiler)
    for row, name, dtype, divisor in rows:
        operands = [np.tile(values(dtype), 3)]
        operands.append(np.full_like(operands[0], divisor))
        with np.errstate(all="ignore"):
            expected = reference(name, dtype, operands)
        assert_same(call(library, row, operands[:1], dtype), expected, operands)


def cpp_number(value):
    """The smallest number of a type, -2**63, is no literal in C++."""
    if value >= 0:
        return f"{value}u" if value > np.iinfo(np.int64).max else str(value)
    return f"{int(value) + 1} - 1"


def test_int64_and_uint64_compare_by_value(library):
    for name, symbol in SYMBOLS.items():
        a, b = (x.ravel() for x in np.meshgrid(values("int64"), values("uint64")))
        for operands in ([a, b], [b, a]):
            found = call(
                library, f"{name}_{operands[0].dtype}_{operands[1].dtype}", operands, "bool"
            )
            expected = in_python(getattr(operator, symbol))(*(x.astype(object) for x in operands))
            assert_same(found, expected.astype(bool), operands)


# Every half, and each midpoint between two of them with its neighbours.
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_every_half_is_converted_exactly_and_rounded_to_nearest(library, half, wide):
    every = np.arange(1 << 16, dtype=np.uint16).view(np_dtype(half))
    widened = call(library, f"cast_{half}_{wide}", [every], wide)
    assert_same(widened, every.astype(wide), [every])
    assert_same(call(library, f"cast_{wide}_{half}", [widened], half), every, [widened])
    positive = np.sort(widened[np.isfinite(widened) & (widened >= 0)])
    middle = np.append(
        (positive[1:] + positive[:-1]) / 2, positive[-1] + (positive[-1] - positive[-2]) / 2
    )
    near = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf)]).astype(
        wide
    )
    near = np.concatenate([near, -near])[:: 1 if half == "float16" else 5]
    found = call(library, f"cast_{wide}_{half}", [near], half)
    expected = near.astype(half) if half == "float16" else rounded_to_bfloat16(near)
    assert_same(found, expected, [near])


# ---- floating-point flags ------------------------------------------------------------------------

INVALID, DIVIDE_BY_ZERO, OVERFLOW = 1, 4, 8  # x86's, as in <fenv.h>
LIBM = ctypes.CDLL("libm.so.6")


def flags_of(library, name, operands, result):
    LIBM.feclearexcept(0x3F)
    call(library, name, operands, result)
    return LIBM.fetestexcept(INVALID | DIVIDE_BY_ZERO | OVERFLOW)


QUIET = (
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "truth", "isnan"),
    *("minimum", "maximum", "fmin", "fmax", "python_min", "python_max", "isfinite", "isinf"),
    *("sign", "signbit", "absolute", "copysign", "floor", "ceil", "trunc", "rint", "negative"),
)


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_and_infinity_raise_no_flag_where_numpy_raises_none(library, dtype):
    check_quiet(library, dtype)


def check_quiet(library, dtype):
    for name, row_dtype, count, result in FIXED:
        if row_dtype == dtype and name in QUIET:
            for n in (1, 64):
                operands = [
                    np.full(n, np.nan, np_dtype(dtype)),
                    np.full(n, np.inf, np_dtype(dtype)),
                ]
                for operand in (operands, operands[::-1]):
                    assert not flags_of(library, f"{name}_{dtype}", operand[:count], result), name


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_raises_numpys_flags(library, dtype):
    def flags(name, a, b):
        operands = [np.array([value], dtype) for value in (a, b)]
        return flags_of(library, f"{name}_{dtype}", operands, dtype)

    smallest = np.iinfo(dtype).min
    for name in ("floor_divide", "remainder", "fmod"):
        assert flags(name, 7, 0) == DIVIDE_BY_ZERO
        assert flags(name, 7, 2) == 0
    if smallest < 0:
        assert flags("floor_divide", smallest, -1) == OVERFLOW
        assert flags("remainder", smallest, -1) == 0


def test_casts_and_half_results_that_do_not_fit_raise_flags(library):
    large, infinite = np.array([1e300]), np.array([np.inf])
    assert flags_of(library, "cast_float64_int32", [large], "int32") == INVALID
    assert flags_of(library, "cast_float64_float16", [large], "float16") == OVERFLOW
    assert flags_of(library, "cast_float64_float16", [infinite], "float16") == 0
    assert flags_of(library, "cast_float64_float32", [large], "float32") == OVERFLOW


# ---- other compilations of the same program ------------------------------------------------------


@pytest.fixture(scope="module")
def vectorised(tmp_path_factory):
    return build(tmp_path_factory.mktemp("vectorised"), operation_loops(FLOATS), "-O3")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", FLOATS)
def test_vectorised_loops_give_the_same_bits_and_flags(vectorised, dtype):
    check_quiet(vectorised, dtype)
    for row in FIXED:
        if row[1] == dtype:
            check_operation(vectorised, *row)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    "options",
    [("-O0",), ("-O3",), ("-O3", "-march=x86-64"), ("-O3", "-march=haswell")],
    ids=" ".join,
)
def test_every_compilation_gives_the_same_bits(tmp_path_factory, options, dtype):
    directory = tmp_path_factory.mktemp("slow")
    pair = list(dict.fromkeys([dtype, "float64"]))
    library = build(directory, operation_loops([dtype]) + cast_loops(pair), *options)
    for row in FIXED:
        if row[1] == dtype:
            check_operation(library, *row)
    for source in pair:
        check_casts(library, source, pair)


# Wrapping, shifts and divisions use unsigned numbers and guards: no undefined behavior.
def test_no_operation_has_undefined_behaviour(tmp_path, capfd):
    sanitize = ["-O1", "-fsanitize=undefined", "-fno-wrapv", "-Wno-error"]
    dtypes = ["int8", "int32", "int64", "uint16", "uint64"]
    library = build(tmp_path, operation_loops(dtypes), *sanitize, libraries=["-lubsan"])
    for name, dtype, count, result in operations(dtypes):
        call(library, f"{name}_{dtype}", grid(dtype, count), result)
    assert "runtime error" not in capfd.readouterr().err


@pytest.mark.parametrize("architecture", ["compute_75", *in_long_runs("compute_120")])
@pytest.mark.parametrize(
    "dtypes", [["int8", "uint64", "float16"], ["bfloat16", "complex64"]], ids=str
)
def test_nvrtc_compiles_every_operation_without_a_warning(dtypes, architecture):
    libraries = nvrtc_libraries()
    if not libraries:
        pytest.skip("no NVRTC is installed: pip package nvidia-cuda-nvrtc, or a CUDA toolkit")
    for library in libraries:
        ptx, log = compile_to_ptx(
            library, operation_loops(dtypes) + cast_loops(dtypes), architecture
        )
        assert ptx and not log.strip(), log
        assert "cvt.rzi.u" not in ptx  # saturates, unlike NumPy


# ---- complex functions ---------------------------------------------------------------------------

COMPLEX_FUNCTIONS = {
    **{"exp": "exp", "log": "log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan"},
    **{"sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asin": "arcsin", "acos": "arccos"},
    **{"atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"},
}


@pytest.fixture(scope="module")
def complex_library(tmp_path_factory):
    text = '#include "npp/math/complex_inverse.hpp"\n'
    for name in COMPLEX_FUNCTIONS:
        for dtype in COMPLEX:
            text += loop(f"{name}_{dtype}", [dtype], dtype, f"npp::{name}({{}})")
            text += loop(f"{name}_formula_{dtype}", [dtype], dtype, f"npp::formulas::{name}({{}})")
    for dtype in COMPLEX:
        text += loop(f"power_{dtype}", [dtype, dtype], dtype, "npp::power({}, {})")
        formula = "npp::formulas::pow({}, {})"
        text += loop(f"power_formula_{dtype}", [dtype, dtype], dtype, formula)
    return build(tmp_path_factory.mktemp("complex"), text, "-O1")


def plane(dtype):
    """Points on and beside the axes, the unit circle and the cuts, without infinities."""
    parts = np.array([0.0, -0.0, 1e-3, -1e-3, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 7.0, -11.0])
    return np.array([complex(x, y) for x in parts for y in parts], dtype)


def worst_error(found, expected):
    """Relative to the modulus, as a multiple of the type's epsilon."""
    finite = np.isfinite(expected)
    assert (np.isfinite(found) == finite).all()
    error = np.abs(found - expected)[finite] / np.maximum(np.abs(expected[finite]), 1e-30)
    return error.max() / np.finfo(found.dtype).eps


@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
@pytest.mark.parametrize("form", ["", "formula_"])
def test_complex_functions_are_numpys(complex_library, name, form):
    for dtype in COMPLEX:
        operand = plane(dtype)
        found = call(complex_library, f"{name}_{form}{dtype}", [operand], dtype)
        with np.errstate(all="ignore"):
            expected = getattr(np, COMPLEX_FUNCTIONS[name])(operand.astype(complex)).astype(dtype)
        assert worst_error(found, expected) < 16
        if name in ("sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh"):
            beside_cut = np.isfinite(expected) & (np.abs(expected.imag) > 0.1)
            assert (np.sign(found.imag) == np.sign(expected.imag))[beside_cut].all()


def test_complex_power_multiplies_for_small_whole_exponents(complex_library):
    for dtype in COMPLEX:
        base, exponent = (x.ravel() for x in np.meshgrid(plane(dtype), plane(dtype)))
        with np.errstate(all="ignore"):
            expected = np.power(base, exponent)
        found = call(complex_library, f"power_{dtype}", [base, exponent], dtype)
        both = np.isfinite(expected)
        assert (np.isnan(found) == np.isnan(expected)).all()
        assert worst_error(found[both], expected[both]) < 64
        whole = np.array([3 + 2j, 2 - 1j, 1j], dtype)
        cubes = call(complex_library, f"power_{dtype}", [whole, np.full(3, 3, dtype)], dtype)
        assert cubes.tolist() == [-9 + 46j, 2 - 11j, -1j]


# ---- bodies in C++ -------------------------------------------------------------------------------

BODY = """
  using namespace npp::cmath;
  const npp::float16 h = x;
  const npp::complex64 z{{x, 1.0f}};
  double r = sqrt(4) + pow(2, 3) + pow(short(3), 2.0f) + abs(-5) + min(1, 2.0) + max(x, 1);
  r += round(2.5) + round(-2.5f) + fmod(7, 4) + floor(-1) + hypot(3, 4) + clamp(9, 1, 3);
  r += std::sqrt(x * x) + std::max(h, h) + abs(z * z + 1) + pow(z, 2).real + fma(2, x, 1);
  r += remainder(5, 3) + ldexp(1, 3) + ilogb(8) + lround(2.5) + copysign(1, -2) + isnan(NAN);
  r += int32_t(M_PI) + int(INFINITY > FLT_MAX) + fdim(5, 3) + exp(0) + cbrt(27) + atan2(0, 1);
"""


def body_value(x):
    z = complex(x, 1)
    r = 2 + 8 + 9 + 5 + 1 + max(x, 1)
    r += 3 - 3 + 3 - 1 + 5 + 3
    r += x + x + abs(z * z + 1) + (z**2).real + 2 * x + 1
    r += -1 + 8 + 3 + 3 - 1 + 1
    return r + 3 + 1 + 2 + 1 + 3 + 0


def body_program():
    body = "NPP_FUNCTION double body(const float x) {" + BODY.replace("{{", "{").replace("}}", "}")
    return body + "  return r;\n}\n" + loop("body_loop", ["float32"], "float64", "body({})")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cpp_bodies_use_the_functions_of_cmath_by_name(tmp_path, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    library = build(tmp_path, body_program(), "-O1", "-Wno-conversion", compiler=compiler)
    operand = np.array([2.0, 0.5], np.float32)
    found = call(library, "body_loop", [operand], "float64")
    assert found.tolist() == pytest.approx([body_value(2.0), body_value(0.5)], rel=1e-6)


def test_cpp_bodies_are_unambiguous_for_nvrtc():
    if not nvrtc_libraries():
        pytest.skip("no NVRTC is installed: pip package nvidia-cuda-nvrtc, or a CUDA toolkit")
    for library in nvrtc_libraries():
        ptx, log = compile_to_ptx(library, body_program(), "compute_75")
        assert ptx and not log.strip(), log
