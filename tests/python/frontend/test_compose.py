"""Ufuncs of ufuncs: the types and bits of the calls one by one, in one loop."""

import pickle

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin._frontend import pickle as ufunc_pickle

X, Y = np.linspace(0.5, 4, 8), np.linspace(-1, 3, 8)


@npp.vectorize(["float32(float32)", "float64(float64)"])
def half(x):
    return x / 2


@npp.vectorize(["float64(float64, float64)"])
def product(x, y):
    return x * y


divided = npp.vectorize(
    ["int64, int64(int64, int64)", "float64, float64(float64, float64)"],
    name="divided",
    args="x, y",
    outs="q, r",
    body="q = x / y; r = x - q * y;",
)


@npp.vectorize
def twice(x):
    return 2 * x


@pytest.fixture(scope="module")
def both():
    return npp.compose(half, twice, product)


def test_one_of_another_gives_the_bits_of_both(both):
    np.testing.assert_array_equal(both(X, Y), half(twice(product(X, Y))))
    assert type(both) is np.ufunc
    assert (both.nin, both.nout) == (2, 1)
    assert both.__name__ == "half_of_twice_of_product"
    assert both.__doc__.endswith("\n\nhalf(twice(product(x1, x2)))")


def test_several_results_are_the_next_ones_operands():
    f = npp.compose(product, divided)
    assert f(7, 2) == 3.0
    assert f.types == ["ll->d", "dd->d"]
    again = npp.compose(divided, divided)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(again(X, Y), divided(*divided(X, Y)))


def test_declared_signatures_are_kept_where_they_fit():
    assert npp.compose(half, half).types == ["f->f", "d->d"]
    assert npp.compose(half, product).types == ["dd->d"]
    assert npp.compose(twice, half).types == []
    assert npp.compose(np.sqrt, half).types == ["f->f", "d->d"]
    assert npp.compose(half, np.sqrt).types == []
    source = "def f(x):\n    return x\n"
    as_complex = npp.vectorize(["complex128(float64)", "float32(float32)"])(function(source))
    assert npp.compose(half, as_complex).types == ["f->f"]


def test_types_of_calls_are_those_one_by_one():
    for f, outer, inner in [
        (npp.compose(twice, half), twice, half),
        (npp.compose(half, twice), half, twice),
        (npp.compose(np.sqrt, twice), np.sqrt, twice),
        (npp.compose(half, np.square), half, np.square),
    ]:
        for dtype in ["i1", "i8", "f4", "f8"]:
            x = np.array([1, 4, 9], dtype)
            expected = outer(inner(x))
            assert f(x).dtype == expected.dtype
            np.testing.assert_array_equal(f(x), expected)


def test_device_arrays(both):
    with cuda.simulator():
        result = both(cuda.to_device(X), cuda.to_device(Y)).copy_to_host()
    np.testing.assert_array_equal(result, both(X, Y))


def test_one_loop():
    f = npp.compose(half, product)
    source = npp.inspect(f).source("cpu")
    assert source.count("NPP_ELEMENTWISE") == 1


def test_a_composition_travels(both):
    data = pickle.dumps(both)
    ufunc_pickle._recent.clear()
    np.testing.assert_array_equal(pickle.loads(data)(X, Y), both(X, Y))


def test_options_and_names():
    f = npp.compose(half, half, name="quarter", doc="A quarter.", target="cpu", identity=0)
    assert (f.__name__, f.identity) == ("quarter", 0)
    assert f.__doc__.endswith("\n\nA quarter.")
    shift, scale = npp.vectorize(lambda x: x + 1), npp.vectorize(lambda x: x * 3)
    assert npp.compose(shift, scale)(2) == 7
    assert npp.compose(scale, shift)(2) == 9


def test_names_that_no_text_can_hold():
    one = npp.vectorize(function("def f(v):\n    return v - 1\n"), name="x")
    other = npp.vectorize(function("def f(v):\n    return v * v\n"), name="return")
    third = npp.vectorize(function("def f(v):\n    return v * 3\n"), name="x")
    assert npp.compose(one, other, third, one)(5) == ((5 - 1) * 3) ** 2 - 1


@pytest.mark.parametrize(
    ("ufuncs", "message"),
    [
        ([], "compose takes at least 2 ufuncs, 0 given"),
        ([half], "compose takes at least 2 ufuncs, 1 given"),
        ([half, abs], "compose takes ufuncs, found builtin_function_or_method"),
        ([product, half], "'product' takes 2 operands, 'half' returns 1 result"),
        ([half, divided], "'half' takes 1 operand, 'divided' returns 2 results"),
        ([half, np.matmul], "compose takes ufuncs of numbers; 'matmul' works on core arrays"),
    ],
)
def test_what_does_not_compose(ufuncs, message):
    with pytest.raises(TypeError) as caught:
        npp.compose(*ufuncs)
    assert str(caught.value).startswith(message)


def test_types_that_do_not_fit():
    to_complex = npp.vectorize(["complex128(float64)"])(function("def f(x):\n    return x * 1j\n"))
    with pytest.raises(
        TypeError, match=r"'half' does not take any result of 'f': the loops are f->f, d->d"
    ):
        npp.compose(half, to_complex)
    lazy = npp.compose(half, npp.vectorize(function("def f(x):\n    return x * (1j + x)\n")))
    with pytest.raises(npp.KernelError) as caught:
        lazy(1j)
    assert str(caught.value) == (
        "'half' has no loop for (complex128)\n"
        '  File "<half_of_f>", line 1\n'
        "    return half(f(x))\n"
        "           ^^^^^^^^^^\n"
        "  hint: it has float32(float32), float64(float64); cast the arguments"
    )


def test_unknown_keywords():
    with pytest.raises(TypeError, match="compose has no argument 'names'") as caught:
        npp.compose(half, half, names="x")
    assert "did you mean 'name'?" in str(caught.value)
