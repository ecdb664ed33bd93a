"""Status flags: np.errstate sees what the scalar code would have raised, and no more."""

import platform
import warnings

import numpy as np
import pytest
from flag_kinds import COMPILERS, compile_with, raised
from kernel_source import function

import numpy_plugin as npp


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


@pytest.mark.parametrize("cpu", ["x86-64", "native"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("result", "x", "y"),
    [
        ("np.conjugate(x) + y", complex(1e10, -np.inf), complex(-np.inf, np.inf)),
        ("np.conjugate(x + y) + (y - x)", 1j, complex(-np.inf, 0)),
        ("complex(x.real + y.real, x.imag - y.imag)", complex(2.5, np.inf), complex(1e30, -np.inf)),
        ("complex(x.real + y.real, x.imag - y.imag)", 3e38 + 3e38j, 3e38j),
    ],
)
def test_a_part_of_a_complex_number_raises_nothing_for_the_other(
    monkeypatch, compiler, cpu, result, x, y
):
    """One is a sum, the other a difference: compilers compute both of both side by side."""
    compile_with(monkeypatch, compiler)
    if platform.machine() == "x86_64":
        monkeypatch.setenv("NUMPY_PLUGIN_CPU", cpu)
    f = npp.vectorize(function(f"def f(x, y):\n    return {result}\n"))
    for n in (1, 4, 8, 50, 1000):
        assert raised(f, np.full(n, x, "c8"), np.full(n, y, "c8")) == set()
