"""CuPy's elementwise kernels that are ufuncs: on the CPU and on a simulated device."""

import pickle

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

X = np.linspace(-2.0, 3.0, 12).reshape(3, 4)
Y = np.array([0.5, -1.25, 2.0, 4.0])

distance = npp.ElementwiseKernel(
    "T x, T y",
    "T z",
    """
    T difference = x - y;
    z = difference * difference
    """,
    "distance",
)
scaled = npp.ElementwiseKernel("T x, int32 k", "T y, bool is_large", "y = x * k; is_large = y > 3")


def on_device(kernel, *operands, **keywords):
    with cuda.simulator():
        results = kernel(*[cuda.to_device(operand) for operand in operands], **keywords)
        if isinstance(results, tuple):
            return tuple(result.copy_to_host() for result in results)
        return results.copy_to_host()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "c16", "f2"])
def test_placeholders_take_the_types_of_a_call(dtype):
    x, y = X.astype(dtype), Y.astype(dtype)
    found = distance(x, y)
    assert type(distance) is np.ufunc and found.dtype == dtype
    np.testing.assert_array_equal(found, (x - y) * (x - y))
    np.testing.assert_array_equal(on_device(distance, x, y), found)


def test_a_ufuncs_keywords():
    out = np.zeros(X.shape)
    mask = X > 0
    assert distance(X, Y, out) is out
    np.testing.assert_array_equal(out, (X - Y) ** 2)
    np.testing.assert_array_equal(
        distance(X, Y, out=np.full(X.shape, 7.0), where=mask), np.where(mask, (X - Y) ** 2, 7.0)
    )
    np.testing.assert_array_equal(distance.outer(Y, Y), (Y[:, None] - Y) ** 2)
    assert distance.reduce(Y) == (((0.5 + 1.25) ** 2 - 2.0) ** 2 - 4.0) ** 2


def test_numbers_take_the_arrays_types():
    x = X.astype("f4")
    assert distance(x, 2).dtype == distance(2.5, x).dtype == np.float32
    assert distance(3, 5) == 4 and distance(3, 5).dtype == np.int64
    assert distance(3, 0.5) == 6.25 and distance(3, 1j) == (3 - 1j) ** 2


def test_several_outputs_and_fixed_types():
    x = X.astype("f4")
    y, is_large = scaled(x, 2)
    np.testing.assert_array_equal(y, 2 * x)
    np.testing.assert_array_equal(is_large, 2 * x > 3)
    assert y.dtype == np.float32 and is_large.dtype == np.bool_
    for found, expected in zip(on_device(scaled, x, np.int32(2)), (y, is_large), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_lists_without_placeholders_have_declared_loops():
    kernel = npp.ElementwiseKernel("float x, double y", "float z", "z = x + y", "total")
    assert kernel.types == ["fd->f"] and kernel.__name__ == "total"
    np.testing.assert_array_equal(kernel(X.astype("f4"), X), (X.astype("f4") + X).astype("f4"))


def test_types_by_c_and_by_numpy():
    lists = (
        "unsigned char a, long long b, uint16 c, half d, complex<float> e, complex128 f, size_t g"
    )
    kernel = npp.ElementwiseKernel(lists, "bool z", "z = a == 1 && b == 2 && g == 3")
    assert kernel.types == ["BlHeFDL->?"]


def test_long_placeholders():
    kernel = npp.ElementwiseKernel("Value x, Count n_times", "Value y", "y = x * Value(n_times)")
    assert kernel(np.float32(1.5), np.int8(3)).dtype == np.float32
    assert kernel(1.5, 3) == 4.5


def test_preambles_and_options():
    kernel = npp.ElementwiseKernel(
        "T x", "T y", "y = twice(x) + OFFSET", "f",
        preamble="template <class T> __device__ T twice(T v) { return v * FACTOR; }",
        options=("-DFACTOR=2", "-DOFFSET", "--std=c++11"),
    )  # fmt: skip
    np.testing.assert_array_equal(kernel(X), 2 * X + 1)
    np.testing.assert_array_equal(on_device(kernel, X), 2 * X + 1)


def test_conditions_with_else():
    kernel = npp.ElementwiseKernel("T x", "T y", "if (x < 0) { y = -x; } else { y = x; }")
    assert type(kernel) is np.ufunc
    np.testing.assert_array_equal(kernel(X), np.abs(X))


def test_kernels_call_them():
    @npp.vectorize
    def root(x, y):
        return distance(x, y) ** 0.5

    np.testing.assert_array_equal(root(X, Y), np.sqrt((X - Y) ** 2))


def test_pickles():
    again = pickle.loads(pickle.dumps(scaled))
    np.testing.assert_array_equal(again(X, 3)[0], 3 * X)


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ((X.astype("f4"), X), "type 'T' of 'distance' is float32 for 'x' and float64 for 'y'"),
        ((np.arange(3), 0.5), "type 'T' of 'distance' is int64 for 'x', which a Python float"),
    ],
)
def test_conflicts_name_both(operands, message):
    with pytest.raises(TypeError, match=message):
        distance(*operands)
    assert distance(1.0, 3.0) == 4.0


def test_a_parameter_may_be_named_n():
    power = npp.ElementwiseKernel("T x, int32 n", "T y", "y = pow(x, (T)n)", "power")
    assert type(power) is np.ufunc
    np.testing.assert_allclose(power(X, 2), X**2, rtol=1e-15)
    np.testing.assert_allclose(on_device(power, X, np.int32(2)), X**2, rtol=1e-15)
    repeated = npp.ElementwiseKernel("raw T x, int32 n", "T y", "y = x[i % n]", "repeated")
    np.testing.assert_array_equal(repeated(Y, 2, np.zeros(6)), np.tile(Y[:2], 3))


def test_braces_narrow_indices_on_every_target():
    text = "int at[] = {0, i % dim}; y = x[at[1]] + at[0]"
    kernel = npp.ElementwiseKernel("raw T x, int32 dim", "T y", text, "narrowed")
    expected = np.tile(Y[:3], 2)
    np.testing.assert_array_equal(kernel(Y, 3, np.zeros(6)), expected)
    with cuda.simulator():
        found = kernel(cuda.to_device(Y), 3, cuda.zeros(6))
        np.testing.assert_array_equal(found.copy_to_host(), expected)


def test_arguments_that_do_not_fit_fixed_types():
    with pytest.raises(TypeError, match="'k' of 'kernel' is int32, found float64; cast it"):
        scaled(X, X)
    with pytest.raises(TypeError, match="'k' of 'kernel' is int32, found a Python float"):
        scaled(X, 2.5)


@pytest.mark.parametrize(
    ("in_params", "out_params", "message", "hint"),
    [
        ("flaot32 x", "T y", "unknown type 'flaot32'", "did you mean 'float32'"),
        ("T x, y", "T z", "'y' has no type", '"T y"'),
        ("T x,, T y", "T z", "a parameter is missing here", ""),
        ("T i", "T z", "'i' is a reserved name", "i is the index"),
        ("T x", "T _z", "'_z' is a reserved name", ""),
        ("vector<int> x", "T z", r"unknown type 'vector<int>'", "a type is a name of C"),
        ("T *", "T z", "ends with its name", ""),
        ("T x", "T x", "two parameters are named 'x'", "rename"),
        (3, "T x", "in_params must be a str, not int", ""),
    ],
)
def test_malformed_lists(in_params, out_params, message, hint):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        npp.ElementwiseKernel(in_params, out_params, "z = x")
    assert hint in str(caught.value)


def test_wrong_declarations():
    with pytest.raises(TypeError, match="has no argument 'preambel'") as caught:
        npp.ElementwiseKernel("T x", "T y", "y = x", preambel="")
    assert "did you mean 'preamble'" in str(caught.value)
    with pytest.raises(TypeError, match="missing a required argument: 'operation'"):
        npp.ElementwiseKernel("T x", "T y")
    with pytest.raises(ValueError, match="operation is empty"):
        npp.ElementwiseKernel("T x", "T y", " ")
    with pytest.raises(ValueError, match="the architecture is that of the device"):
        npp.ElementwiseKernel("T x", "T y", "y = x", options=("-arch=sm_90",))


def test_errors_in_the_operation_show_its_line():
    kernel = npp.ElementwiseKernel("T x", "T y", "T a = x;\ny = a + undeclared;", "broken")
    with pytest.raises(npp.CompilerError, match="undeclared"):
        kernel(1.0)
    assert distance(1.0, 3.0) == 4.0
