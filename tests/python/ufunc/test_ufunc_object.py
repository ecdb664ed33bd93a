"""What a declared ufunc is: NumPy's own type, its types, names, identities, results."""

import numpy as np
import pytest

import numpy_plugin as npp

SIGNATURES = ["float32(float32, float32)", "float64(float64, float64)", "int64(int64, int64)"]


@pytest.fixture(scope="module")
def weigh():
    @npp.vectorize(SIGNATURES, identity=0)
    def weigh(x, y):
        """Ten times the second on top of the first."""
        return x + 10 * y

    return weigh


@pytest.fixture(scope="module")
def split():
    return npp.vectorize(
        ["float64, float64(float64, float64)", "float32, float32(float32, float32)"],
        args="x, y",
        outs="q, r",
        body="q = floor(x / y); r = x - q * y;",
        name="split",
    )


def test_type_is_numpys_ufunc(weigh):
    assert type(weigh) is np.ufunc


def test_types_list_the_declared_loops(weigh):
    assert set(weigh.types) == {"ff->f", "dd->d", "ll->l"}


def test_counts_of_operands(weigh, split):
    assert (weigh.nin, weigh.nout, weigh.nargs, weigh.ntypes) == (2, 1, 3, 3)
    assert (split.nin, split.nout) == (2, 2)


def test_name_and_docstring_are_the_functions(weigh):
    assert weigh.__name__ == "weigh"
    assert weigh.__doc__.endswith("\n\nTen times the second on top of the first.")
    assert weigh.__wrapped__(1, 2) == 21


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((np.int8(1), np.int8(2)), np.float32),
        ((np.int32(1), np.int16(2)), np.int64),
        ((np.float32(1), 2.5), np.float32),
        ((np.arange(3), 2), np.int64),
        ((1, 2.5), np.float64),
    ],
)
def test_numpy_chooses_the_loop(weigh, operands, expected):
    assert weigh(*operands).dtype == expected


def test_exact_matches_win_in_whatever_order_they_were_declared():
    f = npp.vectorize(
        ["float64(float64)", "int64(int64)", "float32(float32)"], args="x", body="return x;"
    )
    for dtype in (np.float32, np.float64, np.int64):
        assert f(np.ones(2, dtype)).dtype == dtype


def test_no_loop_is_numpys_type_error(weigh):
    with pytest.raises(TypeError, match="ufunc 'weigh' not supported for the input types"):
        weigh(np.ones(2, complex), 1)


def test_non_array_operand_is_numpys_type_error(weigh):
    with pytest.raises(TypeError, match="ufunc 'weigh'"):
        weigh(object(), 1.0)
    assert weigh(1.0, 1.0) == 11.0


def test_several_results_come_as_a_tuple(split):
    x = np.linspace(-5, 5, 41)
    quotient, remainder = split(x, 0.75)
    np.testing.assert_array_equal(quotient, np.floor(x / 0.75))
    np.testing.assert_array_equal(remainder, x - np.floor(x / 0.75) * 0.75)


def test_several_results_go_into_out(split):
    x = np.linspace(1, 2, 5)
    remainder = np.empty(5)
    quotient, given = split(x, 0.75, out=(None, remainder))
    assert given is remainder
    np.testing.assert_array_equal(quotient * 0.75 + remainder, x)


@pytest.mark.parametrize("identity", [0, 1, -1, 2.5])
def test_number_identity(identity):
    f = npp.vectorize(
        ["float64(float64, float64)"], args="x, y", body="return x + y;", identity=identity
    )
    assert f.identity == identity
    assert f.reduce(np.empty(0)) == identity


def test_no_identity_refuses_the_empty_reduction():
    f = npp.vectorize(["float64(float64, float64)"], args="x, y", body="return x - y;")
    assert f.identity is None
    with pytest.raises(ValueError, match="no identity"):
        f.reduce(np.empty(0))
    with pytest.raises(ValueError, match="reorderable"):
        f.reduce(np.ones((2, 2)), axis=(0, 1))


def test_reorderable_allows_several_axes_but_no_empty_reduction():
    f = npp.vectorize(
        ["float64(float64, float64)"],
        args="x, y",
        body="return x > y ? x : y;",
        identity="reorderable",
    )
    x = np.arange(12.0).reshape(3, 4)
    assert f.reduce(x, axis=(0, 1)) == 11
    with pytest.raises(ValueError, match="no identity"):
        f.reduce(np.empty(0))


def test_unknown_identity_is_a_value_error():
    with pytest.raises(
        ValueError, match="identity must be a number, None or 'reorderable', found 'zero'"
    ):
        npp.vectorize(["float64(float64)"], args="x", body="return x;", identity="zero")


def test_bfloat16_has_a_loop_of_its_own():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    f = npp.vectorize(
        ["bfloat16(bfloat16, bfloat16)", "float32(float32, float32)"],
        args="x, y",
        body="return x + y;",
    )
    x = np.array([1.0, 2.5, -3.0], ml_dtypes.bfloat16)
    assert f(x, x).dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(f(x, x), x + x)
    assert f(np.float32(1), np.float32(2)).dtype == np.float32


def test_float16_operands():
    f = npp.vectorize(["float16(float16, float16)"])(lambda x, y: x * y + x)
    x = np.linspace(-3, 3, 101).astype(np.float16)
    np.testing.assert_array_equal(f(x, x), x * x + x)


def test_long_long_operands_are_int64(weigh):
    x = np.arange(4, dtype=np.longlong)
    np.testing.assert_array_equal(weigh(x, x), 11 * np.arange(4))


def test_help_shows_the_function(weigh):
    import inspect

    assert list(inspect.signature(weigh.__wrapped__).parameters) == ["x", "y"]
    assert weigh.__module__ == __name__
    assert weigh.__qualname__.endswith("weigh")


def test_docstring_and_name_of_a_body():
    f = npp.vectorize(["float64(float64)"], args="x", body="return x;", name="same", doc="Nothing.")
    assert (f.__name__, f.__doc__.splitlines()[1:]) == ("same", ["", "Nothing."])


def test_a_body_may_widen_a_complex_number():
    f = npp.vectorize(["complex128(complex64)"], args="x", body="return x;")
    x = np.array([1 + 2j, -3.5j], np.complex64)
    result = f(x)
    assert result.dtype == np.complex128
    np.testing.assert_array_equal(result, x)
