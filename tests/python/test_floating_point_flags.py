"""Status flags: np.errstate sees what the scalar code would have raised, and no more."""

import math
import warnings

import numpy as np
import pytest

import numpy_plugin as npp


def raised(f, *operands):
    """The kinds of floating-point errors a call reports."""
    seen = set()
    with np.errstate(all="call", call=lambda kind, flag: seen.add(kind)):
        f(*operands)
    return seen


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def make(request):
    def make(body, n_inputs=1):
        names = ", ".join("xyz"[:n_inputs])
        operands = ", ".join(["float64"] * n_inputs)
        return npp.vectorize([f"float64({operands})"], args=names, body=body, target=request.param)

    return make


def test_division_by_zero_raises_when_asked(make):
    divide = make("return x / y;", 2)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        divide(np.ones(100), np.zeros(100))
    with np.errstate(divide="ignore"):
        assert np.isinf(divide(1.0, 0.0))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        divide(1.0, 0.0)


def test_flags_of_functions(make):
    log, exp = make("return log(x);"), make("return exp(x);")
    assert raised(log, np.array([1.0, 0.0])) == {"divide by zero"}
    assert raised(log, np.array([1.0, -1.0])) == {"invalid value"}
    assert raised(exp, np.array([1.0, 1000.0])) == {"overflow"}


def test_library_raises_nothing_for_ordinary_input(make):
    for body, values in {
        "return exp(x);": [np.inf, -np.inf, np.nan, 0.0],
        "return sin(x);": [1e300, -1e300, 1e22],
        "return cos(x);": [1e300, -1e300],
        "return tan(x);": [1e300],
        "return tanh(x);": [np.inf, -np.inf, 1e300],
        "return atan(x);": [np.inf, 1e300],
        "return pow(x, 1.0);": [np.nan],
    }.items():
        f = make(body)
        for value in values:
            for n in (1, 7, 64, 1500):
                x = np.full(n, 0.5)
                x[n // 2] = value
                assert raised(f, x) == set(), (body, value, n)


def test_an_untaken_branch_raises_nothing(make):
    guarded = [
        make("return y != 0 ? x / y : 0;", 2),
        make("if (y == 0) return 0; return x / y;", 2),
    ]
    x, y = np.ones(3000), np.arange(3000.0) % 7
    for f in guarded:
        assert raised(f, x, y) == set()
        np.testing.assert_array_equal(f(x, y)[::7], 0)
    log = make("return x > 0 ? log(x) : -1;")
    assert raised(log, np.linspace(-1, 1, 2001)) == set()


def test_python_conditionals_raise_nothing_when_untaken():
    f = npp.vectorize(["float64(float64, float64)"])(lambda x, y: x / y if y != 0 else 0.0)
    assert raised(f, np.ones(500), np.arange(500.0) % 3) == set()
    assert raised(f, np.full(500, 1e308), np.full(500, 0.1)) == {"overflow"}


def test_one_bad_element_at_any_place_is_reported(make):
    f = make("return log(x) + exp(y);", 2)
    for n in (1, 5, 16, 63, 64, 65, 200, 1100):
        for place in {0, n // 3, n - 1}:
            x = np.ones(n)
            x[place] = -1.0
            assert raised(f, x, np.zeros(n)) == {"invalid value"}
            assert raised(f, np.ones(n), np.zeros(n)) == set()


def test_comparisons_with_nan_are_quiet():
    f = npp.vectorize(["float64(float64, float64)"])(lambda x, y: x if x > y else y)
    g = npp.vectorize(["bool(float64, float64)"])(lambda x, y: x <= y)
    x = np.array([np.nan, 1.0] * 50)
    for h in (f, g):
        assert raised(h, x, x[::-1].copy()) == set()


def test_integer_division_by_zero_is_reported():
    f = npp.vectorize(["int32(int32, int32)"])(lambda a, b: a // b)
    assert raised(f, np.array([1, 2], np.int32), np.array([0, 1], np.int32)) == {"divide by zero"}
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(f(np.array([7, -7], np.int32), 0), [0, 0])


def test_padding_of_short_arrays_raises_nothing(make):
    f = make("return log(x) / x;")
    for n in range(1, 40):
        assert raised(f, np.full(n, 2.0)) == set()


def test_flags_from_before_the_call_are_not_reported(make):
    f = make("return x + 1;")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="ignore"):
            np.divide(1.0, 0.0)
        f(np.ones(10))


# Python code whose operations are guarded by choices: its own, and those inside NumPy's functions.
def root_of_maximum(x):
    return np.sqrt(np.maximum(x, 0))


def clipped_byte(x):
    return np.uint8(np.clip(x, 0, 255))


def root_of_sign(x):
    return np.sqrt(np.sign(x))


def inverse_of_sign(x):
    return 1 / np.sign(x)


def inverse_of_step(x):
    return 1 / np.heaviside(x, 0.5)


def inverse_of_minimum(x):
    return 1 / np.minimum(x, -1.0)


def inverse_of_fmax(x):
    return 1 / np.fmax(x, 0.0)


def inverse_where_infinite(x):
    return 1.0 if x == np.inf else 1 / x


def unsigned(x):
    return np.uint64(x)


def half(x):
    return np.float16(x)


def single(x):
    return np.float32(x)


def byte(x):
    return np.int8(x)


def remainder(x):
    return np.remainder(x, 3.0)


def floor_division(x):
    return x // 3.0


def next_above(x):
    return np.nextafter(x, np.inf)


def next_below(x):
    return np.nextafter(x, -np.inf)


def distance(x):
    return np.spacing(x)


def fraction(x):
    return np.modf(x)[0]


def mantissa(x):
    return np.frexp(x)[0]


def logarithm(x):
    return math.log(x) if x > 0 else -1.0


def root(x):
    if x >= 0:
        return np.sqrt(x)
    return x * x


def quotient(x):
    return (x + 1.5) / (x - 1)


AS_NUMPY = [
    root_of_maximum,
    clipped_byte,
    root_of_sign,
    inverse_of_sign,
    inverse_of_step,
    inverse_of_minimum,
    inverse_of_fmax,
    inverse_where_infinite,
    unsigned,
    half,
    single,
    byte,
    remainder,
    floor_division,
    next_above,
    next_below,
    distance,
    fraction,
    mantissa,
    logarithm,
    root,
    quotient,
]
LARGEST = np.finfo(np.float64).max
NUMBERS = [
    *(0.0, -0.0, 1.0, -1.0, 0.25, -2.5, 300.0, 70000.0, 1e10, -1e10, 1e300, -1e300),
    *(LARGEST, -LARGEST, float(np.finfo(np.float32).max), np.inf, -np.inf, np.nan),
]


@pytest.mark.parametrize("function", AS_NUMPY, ids=lambda function: function.__name__)
def test_flags_are_those_of_numpy(function):
    f = npp.vectorize(function)
    for number in NUMBERS:
        expected = raised(function, np.float64(number)) - {"underflow"}
        padded = expected | raised(function, np.float64(0.25)) - {"underflow"}
        for n in (1, 5, 8, 64, 65, 1500):
            found = raised(f, np.full(n, number)) - {"underflow"}
            assert found == expected, (number, n)
            x = np.full(n + 1, 0.25)
            x[n // 2] = number
            assert raised(f, x) - {"underflow"} == padded, (number, n)
