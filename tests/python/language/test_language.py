"""What expressions mean: types and values as NumPy's, for arrays of one dimension.

Many expressions share one kernel, each as a result of its own, so that a row costs no compilation.
"""

import itertools
import math
import warnings

import numpy as np
import pytest
from kernel_source import expressions, function
from long_runs import in_long_runs

import numpy_plugin as npp

INTEGERS = ["i1", "u1", "i2", "u4", "i8", "u8"]

pytestmark = pytest.mark.usefixtures("quiet")


def values(dtype: str) -> np.ndarray:
    """Return ordinary numbers and a type's corners."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True, True, False])
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return np.array([0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1], kind)
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 7.0, 1e4, np.inf, -np.inf, np.nan]
    if kind.kind == "f":
        return np.array(numbers, kind)
    return np.array([1 + 2j, -0.5 + 0.25j, 3 - 4j, -2j, 2.5], kind)


def pairs(left: str, right: str) -> tuple[np.ndarray, np.ndarray]:
    both = list(itertools.product(values(left), values(right)))
    return (
        np.array([one for one, _ in both], left),
        np.array([other for _, other in both], right),
    )


def check(arguments: str, texts: list[str], operands: tuple[np.ndarray, ...], rtol: float = 0):
    """Compare every expression's dtype and values with NumPy's."""
    results = expressions(arguments, texts)(*operands)
    if len(texts) == 1:
        results = (results,)
    names = dict(zip(arguments.split(", "), operands, strict=True))
    for text, result in zip(texts, results, strict=True):
        expected = np.broadcast_to(
            eval(text, {"np": np, "npp": npp, "math": math, "abs": abs}, names), result.shape
        )
        assert result.dtype == expected.dtype, text
        if rtol:
            np.testing.assert_allclose(result, expected, rtol=rtol, err_msg=text)
        else:
            np.testing.assert_array_equal(result, expected, err_msg=text)


ARITHMETIC = ["x + y", "x - y", "x * y", "x / y"]
COMPARISONS = ["x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y"]
EXTREMES = ["np.minimum(x, y)", "np.maximum(x, y)", "np.fmin(x, y)", "np.fmax(x, y)"]
BITWISE = ["x & y", "x | y", "x ^ y", "x << y", "x >> y"]


@pytest.mark.parametrize(
    "dtypes",
    [
        ("i1", "i1"),
        ("u1", "i2"),
        ("i4", "u4"),
        ("i8", "i8"),
        ("f4", "f4"),
        ("f4", "i4"),
        ("f2", "i1"),
        ("i8", "f4"),
        ("?", "u1"),
        *in_long_runs((("u8", "u8"),), (("f4", "i1"),), (("f8", "f4"),)),
    ],
)
def test_real_operators(dtypes):
    texts = [*ARITHMETIC, *COMPARISONS, *EXTREMES, "x // y", "x % y", "np.fmod(x, y)"]
    if np.dtype(dtypes[0]).kind in "iu" and np.dtype(dtypes[1]).kind in "iu":
        texts += BITWISE
    check("x, y", texts, pairs(*dtypes))


def test_signed_with_unsigned_64_bits():
    texts = [*ARITHMETIC, *COMPARISONS, "x // y", "x % y"]
    check("x, y", texts, pairs("i8", "u8"))
    check("x, y", texts, pairs("u8", "i8"))


@pytest.mark.parametrize("dtypes", [("c8", "c8"), ("c16", "f4"), ("c8", "f8"), ("c8", "i4")])
def test_complex_operators(dtypes):
    x, y = pairs(*dtypes)
    keep = np.isfinite(y) & (y != 0)
    texts = ["x + y", "x - y", "x == y", "x != y", "-x", "x.real", "x.imag", "np.conjugate(x)"]
    check("x, y", texts, (x[keep], y[keep]))
    check("x, y", ["x * y", "x / y", "abs(x)"], (x[keep], y[keep]), rtol=1e-6)


def test_bools():
    texts = ["x & y", "x | y", "x ^ y", "~x", "x * y", "x + y", "x // y", "x % y", "x / y"]
    texts += [*COMPARISONS, "x + 1", "x * 2", "x & 1", "x << 1", "abs(x)", "x * 0.5", "x << y"]
    check("x, y", texts, pairs("?", "?"))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_with_literals(dtype):
    texts = ["x + 1", "x * 3", "x - 100", "1 - x", "x // 3", "x % 7", "7 // x", "7 % x", "x / 2"]
    texts += ["x << 1", "x >> 1", "x & 15", "x | 1", "x ^ 3", "~x", "+x", "abs(x)", "x * 0.5"]
    texts += ["x ** 2", "x ** 1", "x ** 3", "x < 5", "x == 7", "3 > x", "2.5 * x", "0.5 + x"]
    check("x", texts, (values(dtype),))
    if np.dtype(dtype).kind == "i":
        check("x", ["-x", "x // -3", "x % -3"], (values(dtype),))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_floats_with_literals(dtype):
    texts = ["0.5 * x", "x + 1", "x / 3", "1 / x", "x // 2", "x % 3", "x % -3.5", "x ** 2"]
    texts += ["x ** 1", "x ** 0", "x ** -1", "x ** 0.5", "x < 0.1", "x == 0.1", "-x", "+x"]
    texts += ["abs(x)", "x - 2", "2 * 3 * x", "x * (1 + 2)", "np.float32(2.5) * x"]
    check("x", texts, (values(dtype),))


ROUNDING = ["floor", "ceil", "trunc", "rint", "sign", "square", "absolute", "fabs", "sqrt"]
TESTS = ["isnan", "isinf", "isfinite", "signbit"]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "f2", "f4", "f8"])
def test_numpy_functions_that_are_exact(dtype):
    check("x", [f"np.{name}(x)" for name in ROUNDING + TESTS], (values(dtype),))


@pytest.mark.parametrize(("dtype", "rtol"), [("i2", 1e-6), ("f4", 1e-6), ("f8", 2e-15)])
def test_numpy_functions_of_the_library(dtype, rtol):
    names = ["exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "sinh", "tanh", "arcsinh"]
    names += ["cbrt", "degrees", "deg2rad"]
    texts = [f"np.{name}(x)" for name in names]
    texts += ["np.log(abs(x) + 1)", "np.log1p(abs(x))", "np.hypot(x, 3)", "np.arctan2(x, 2)"]
    x = values(dtype)
    check("x", texts, (x[np.isfinite(x) & (np.abs(x.astype("f8")) < 80)],), rtol=rtol)


def test_numpy_functions_that_choose():
    texts = ["np.where(x > y, x, 1)", "np.clip(x, -1, 2)", "np.copysign(x, y)"]
    texts += ["np.logical_and(x, y)", "np.logical_or(x, y)", "np.logical_not(x)"]
    texts += ["np.add(x, y)", "np.power(x, 2)", "np.negative(x)", "np.round(x)"]
    check("x, y", texts, pairs("f4", "f4"))


def one(text: str, *operands: object, arguments: str = "x") -> object:
    return expressions(arguments, [text])(*operands)


def dtype_of(body: str, *operands: object, arguments: str = "x") -> np.dtype:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return npp.vectorize(function(f"def f({arguments}):\n{lines}"))(*operands).dtype


X = np.array([1.5, -2.0], np.float32)


def test_weak_variable_stays_weak():
    assert dtype_of("c = 0.5\nreturn c * x", X) == np.float32
    assert dtype_of("n = 0\nn += 1\nreturn n * x", X) == np.float32
    assert dtype_of("c = math.sqrt(2)\nreturn c * x", X) == np.float32
    assert dtype_of("n = 3\nreturn n", X) == np.int64
    assert dtype_of("t = 1, 2.5\nreturn t[1] * x", X) == np.float32


def test_range_variable_is_weak():
    body = "s = 0.0\nfor i in range(3):\n    s += i * x\nreturn s"
    assert dtype_of(body, X) == np.float32


def test_length_and_shape_are_weak():
    source = (
        "def f(a, out):\n    out[0] = a[0] / len(a) + a.shape[0] * a[1] + a.size * a[0] * a.ndim\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = npp.guvectorize(["void(float32[:], float32[:])"], "(n)->()")(function(source))
    assert f(np.array([3, 2, 1], np.float32)) == 1 + 6 + 9


def test_float_is_strong():
    assert dtype_of("return float(x) * x", X) == np.float64
    assert dtype_of("return int(x) + x", X) == np.float64
    assert dtype_of("return int(x)", X) == np.int64


def test_floor_is_index():
    texts = ["math.floor(x)", "math.ceil(x)", "math.trunc(x)", "round(x)"]
    results = expressions("x", texts)(np.array([2.5, -2.5, 3.5]))
    assert [result.tolist() for result in results] == [
        [2, -3, 3], [3, -2, 4], [2, -2, 3], [2, -2, 4]
    ]  # fmt: skip
    assert all(result.dtype == np.int64 for result in results)
    assert one("round(x, 1)", np.array([2.449, -0.55])).tolist() == [2.4, -0.6]


def test_math_keeps_float32_and_takes_integers_to_float64():
    texts = ["math.sqrt(x)", "math.hypot(x, 1)", "math.exp(x)", "math.log(x, 2)", "math.pow(x, 2)"]
    for dtype, expected in (("f4", "f4"), ("f8", "f8"), ("i1", "f8"), ("?", "f8"), ("f2", "f2")):
        for result in expressions("x", texts)(np.ones(1, dtype)):
            assert result.dtype == expected


def test_comparison_by_value():
    u1 = np.array([0, 200], np.uint8)
    texts = ["x < 300", "x == -1", "x >= 0", "x != 2**40", "-1 < x", "x < 0"]
    results = expressions("x", texts)(u1)
    assert [result.tolist() for result in results] == [
        [True, True], [False, False], [True, True], [True, True], [True, True], [False, False]
    ]  # fmt: skip


def test_weak_variables_compare_by_value():
    body = "c = False\nfor i in range(-1, 0):\n    c = x > i\nreturn c"
    assert npp.vectorize(function(indented(body)))(np.array([3, 2**64 - 1], np.uint64)).all()
    assert npp.vectorize(function(indented(body)))(np.array([3, 255], np.uint8)).all()


def indented(body: str, arguments: str = "x") -> str:
    return f"def f({arguments}):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def test_min_nan_order():
    nan = np.array([np.nan])
    results = expressions("x, y", ["min(x, y)", "min(y, x)", "max(x, y)", "np.minimum(x, y)"])(
        np.ones(1), nan
    )
    assert results[0] == 1
    assert all(np.isnan(result) for result in (results[1], results[3]))
    assert results[2] == 1


def test_min_of_several_and_of_mixed_types():
    texts = ["min(x, y, 2)", "max(x, 1, y)", "min((x, y))", "max(x, y)"]
    results = expressions("x, y", texts)(np.array([3], np.int8), np.array([-7], np.int16))
    assert [int(result[0]) for result in results] == [-7, 3, -7, 3]
    assert all(result.dtype == np.int16 for result in results)


def test_loop_variable_last_value():
    body = "for i in range(5):\n    pass\nreturn i + 0 * x"
    assert npp.vectorize(function(indented(body)))(np.int64(1)) == 4


def test_range_bound_once():
    body = "s = 0\nfor i in range(n):\n    n -= 1\n    i += 10\n    s += 1\nreturn s + 0 * n"
    assert npp.vectorize(function(indented(body, "n")))(np.int64(5)) == 5


def test_range_with_negative_steps_and_run_time_step_zero():
    body = "s = 0\nfor i in range(a, b, c):\n    s = 10 * s + i\nreturn s"
    f = npp.vectorize(["int64(int64, int64, int64)"])(function(indented(body, "a, b, c")))
    assert f(3, 0, -1) == 321
    assert f(1, 6, 2) == 135
    assert f(1, 6, -1) == 0
    with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero"):
        f(1, 6, 0)


def test_range_near_max_terminates():
    body = "s = 0\nfor i in range(n - 5, n, 2):\n    s += 1\nreturn s"
    f = npp.vectorize(["int64(int64)"])(function(indented(body, "n")))
    assert f(2**63 - 1) == 3


def test_shift_by_width_and_negative():
    x = np.array([1, -1, 100], np.int8)
    results = expressions("x, n", ["x << n", "x >> n", "1 << x"])(x, np.array([9, 9, -1], np.int8))
    assert results[0].tolist() == [0, 0, 0]
    assert results[1].tolist() == [0, -1, 0]


def test_chained_comparison_nan():
    texts = ["0 < x < 2", "0 < x * x <= 4 < y", "not (0 < x < 2)", "x < y < x"]
    x, y = np.array([1.0, np.nan, 3.0]), np.array([5.0, 5.0, 5.0])
    results = expressions("x, y", texts)(x, y)
    assert results[0].tolist() == [True, False, False]
    assert results[1].tolist() == [True, False, False]
    assert results[2].tolist() == [False, True, True]
    assert results[3].tolist() == [False, False, False]


def test_swap():
    body = "x, y = y, x\n(x, y), z = (y, x), x - y\nreturn 100 * x + 10 * y + z"
    assert npp.vectorize(function(indented(body, "x, y")))(np.int64(1), np.int64(2)) == 121


def test_and_or_give_one_of_their_operands():
    texts = ["x and y", "x or y", "x and 5", "x or 0.5", "not x", "x or y or 7", "x and y and 3"]
    x, y = np.array([0.0, 2.0, np.nan]), np.array([3.0, 0.0, 4.0])
    results = expressions("x, y", texts)(x, y)
    for text, result in zip(texts, results, strict=True):
        expected = [
            eval(text, {"x": a, "y": b}) for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]
        np.testing.assert_array_equal(result, expected, err_msg=text)
    assert results[4].dtype == bool


def test_power_special_values():
    x = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -8.0, np.inf, -np.inf, np.nan])
    both = np.array(list(itertools.product(x, [0.0, 0.5, -0.5, 3.0, -3.0, np.inf, np.nan]))).T
    check("x, y", ["x ** y"], (both[0], both[1]), rtol=2e-15)


def test_integer_powers():
    x = np.array([0, 1, 2, 3, -2, 7], np.int64)
    check("x, y", ["x ** y", "x ** 5"], (x, np.array([0, 3, 62, 40, 3, 2], np.int64)))


def test_constant_folding_keeps_weak():
    texts = ["(1 + 2) * x", "2 ** 0.5 * x", "(7 // 2) * x", "-(1 - 2.5) * x", "(2 * math.pi) * x"]
    for result in expressions("x", texts)(X):
        assert result.dtype == np.float32
    assert one("x + 100 + 100", np.array([1], np.int8)).tolist() == [-55]


def test_int_min_by_minus_one():
    x = np.array([-(2**63), 7], np.int64)
    results = expressions("x, y", ["x // y", "x % y", "-x", "abs(x)"])(x, np.array([-1, 0]))
    assert [result.tolist() for result in results] == [
        [-(2**63), 0], [0, 0], [-(2**63), -7], [-(2**63), 7]
    ]  # fmt: skip


def test_casts_of_nan_and_inf():
    x = np.array([np.nan, np.inf, 1e30, 300.0, -1.0, 2.9])
    texts = ["int(x)", "npp.int32(x)", "npp.uint8(x)", "np.int8(x)", "bool(x)", "np.float16(x)"]
    types = ["i8", "i4", "u1", "i1", "?", "f2"]
    for result, dtype in zip(expressions("x", texts)(x), types, strict=True):
        np.testing.assert_array_equal(result, x.astype(dtype))


def test_divmod_pow_abs_and_complex():
    texts = ["divmod(x, y)[0]", "divmod(x, y)[1]", "pow(x, 2)", "abs(-x)", "complex(x, y)"]
    x, y = np.array([7.0, -7.0]), np.array([2.0, np.inf])
    results = expressions("x, y", texts)(x, y)
    np.testing.assert_array_equal(results[0], x // y)
    np.testing.assert_array_equal(results[1], x % y)
    assert results[4].real.tolist() == [7, -7]
    assert results[4].imag.tolist() == [2, np.inf]


def test_conditional_expressions_have_the_common_type():
    assert dtype_of("return x if x > 0 else 1", X) == np.float32
    assert dtype_of("return x if x > 0 else 1.5", np.array([1], np.int8)) == np.float64
    assert dtype_of("return x if x > 0 else 2", np.array([1], np.int8)) == np.int8


def test_tuples_with_a_run_time_index():
    source = indented("t = (10, 20, 30)\nreturn t[n]", "n")
    f = npp.vectorize(["int64(int64)"])(function(source))
    assert f([0, 1, 2, -1, -2, -3]).tolist() == [10, 20, 30, 30, 20, 10]


def test_while_break_continue_and_several_returns():
    body = """
s = 0
n = 0
while True:
    n += 1
    if n % 2 == 0:
        continue
    if n > limit:
        break
    if n == 99:
        return -1
    s += n
return s
"""
    f = npp.vectorize(["int64(int64)"])(function(indented(body.strip(), "limit")))
    assert f([0, 1, 5, 10, 98, 99, 1000]).tolist() == [0, 1, 9, 25, 2401, -1, -1]


def test_a_condition_with_temporaries_is_tested_on_each_trip():
    body = "n = 0\nwhile 0 < x * x - n <= 100 and not (n > 50):\n    n += 7\nreturn n"
    f = npp.vectorize(["int64(int64)"])(function(indented(body)))

    def expected(x):
        n = 0
        while 0 < x * x - n <= 100 and not (n > 50):
            n += 7
        return n

    numbers = range(-12, 12)
    assert f(np.array(numbers)).tolist() == [expected(x) for x in numbers]


def test_a_matrix_product_with_negative_indices_and_augmented_stores():
    source = """
def f(a, b, out):
    m, k = a.shape
    n = b.shape[1]
    for i in range(m):
        for j in range(n):
            out[i, j] = 0
            for p in range(k):
                out[i, j] += a[i, p] * b[p - k, j]
"""
    layout = "(m,k),(k,n)->(m,n)"
    f = npp.guvectorize(["void(int64[:,:], int64[:,:], int64[:,:])"], layout)(function(source))
    a, b = np.arange(12).reshape(3, 4), np.arange(8).reshape(4, 2)
    np.testing.assert_array_equal(f(a, b), a @ b)


def test_device_functions_with_tuples_and_keywords():
    source = """
@npp.device
def order(a, b):
    if a <= b:
        return a, b
    return b, a

@npp.device
def spread(values):
    low, high = order(values[0], values[1])
    return high - low

def f(x, y):
    low, high = order(b=x, a=y)
    return 100 * low + 10 * high + spread((x, y))
"""
    assert npp.vectorize(function(source))(np.int64(3), np.int64(1)) == 132
    assert npp.vectorize(function(source))(np.float32(3), np.float32(1)).dtype == np.float32
