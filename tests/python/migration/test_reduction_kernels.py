"""CuPy's and PyCUDA's reductions: on the CPU and on a simulated device."""

import pickle

import numpy as np
import pytest

import numpy_plugin as npp

X = np.linspace(-2.0, 3.0, 12).reshape(3, 4)
Y = np.array([0.5, -1.25, 2.0, 4.0])

norm = npp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
mean = npp.ReductionKernel(
    "T x, T w", "U y", "x * w", "a + b", "y = a / 12", 0, "mean", reduce_type="double"
)
dot = npp.ReductionKernel(
    np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i] * y[ i ]",
    arguments="float *x, const float *y",
)  # fmt: skip


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_axes(place, dtype):
    there, back = place
    x = X.astype(dtype)
    for axis in (None, 0, 1, (0, 1), -1):
        for keepdims in (False, True):
            found = back(norm(there(x), axis=axis, keepdims=keepdims))
            expected = np.sqrt((x * x).sum(axis, keepdims=keepdims))
            np.testing.assert_allclose(found, expected, rtol=4e-7 if dtype == "f4" else 1e-15)
            assert found.dtype == dtype and found.shape == expected.shape


def test_outputs(place):
    there, back = place
    out = there(np.zeros(3, "f4"))
    assert mean(there(X.astype("f4")), there(Y.astype("f4")), out, axis=1) is out
    np.testing.assert_allclose(back(out), ((X * Y).sum(1) / 12).astype("f4"), rtol=1e-6)
    given = there(np.zeros(3))
    assert norm(there(X), axis=1, out=given) is given
    np.testing.assert_allclose(back(given), np.sqrt((X * X).sum(1)))


def test_numbers_in_the_last_step(place):
    there, back = place
    kernel = npp.ReductionKernel(
        "T x, T s", "T y, int32 k", "x * s", "a + b", "y = a / s; k = s > 2", "0", "of_numbers"
    )
    for axis in (None, 0, 1):
        y, k = kernel(there(X), 4.0, axis=axis)
        np.testing.assert_allclose(back(y), X.sum(axis), rtol=1e-15)
        assert (back(k) == 1).all() and back(k).dtype == np.int32
    out = there(np.zeros(3)), there(np.zeros(3, np.int32))
    assert kernel(there(X), 4.0, *out, axis=1)[0] is out[0]
    np.testing.assert_allclose(back(out[0]), X.sum(1), rtol=1e-15)
    with pytest.raises(TypeError, match="last step of 'of_numbers' uses an input that is an array"):
        kernel(there(X), there(Y))


def test_operands_are_broadcast(place):
    there, back = place
    kernel = npp.ReductionKernel(
        "T x, T y, int32 k", "T z", "fabs(x - y) * k", "max(a, b)", "z = a", "-INFINITY", "furthest"
    )
    found = kernel(there(X), there(Y), 3, axis=1)
    np.testing.assert_array_equal(back(found), (np.abs(X - Y) * 3).max(1))
    empty = kernel(there(np.zeros((2, 0))), 1.0, 3, axis=1)
    np.testing.assert_array_equal(back(empty), [-np.inf, -np.inf])


def test_the_value_has_its_own_type(place):
    there, back = place
    kernel = npp.ReductionKernel(
        "T x",
        "int64 large, T total",
        "x",
        "a + b",
        "large = a > 1; total = T(a)",
        None,
        "f",
        "float64",
    )
    large, total = kernel(there(X.astype("f4")))
    assert (
        back(large) == 1 and back(total) == np.float32(X.sum()) and back(total).dtype == np.float32
    )
    with pytest.raises(ValueError, match="zero-size array to reduction operation f which has no"):
        kernel(there(np.zeros(0, "f4")))


def test_pycudas_reductions(place):
    there, back = place
    x, y = np.arange(400, dtype="f4"), np.arange(400, dtype="f4") % 7
    assert back(dot(there(x), there(y))) == np.dot(x, y)
    assert back(dot(there(x), there(y))).dtype == np.float32
    largest = npp.ReductionKernel(np.int32, "-100", "a > b ? a : b")
    assert back(largest(there(np.int32([3, 9, -4])))) == 9
    total = npp.ReductionKernel(np.float64, "0", "a+b", "k * x[i]", "double k, double *x", "total")
    assert back(total(0.5, there(Y))) == 0.5 * Y.sum()


def test_preambles_and_options(place):
    there, back = place
    kernel = npp.ReductionKernel(
        "T x", "T y", "part(x)", "a * b", "y = a + OFFSET", "1", "product",
        preamble="template <class T> __device__ T part(T x) { return x + 1; }",
        options=("-DOFFSET=2",),
    )  # fmt: skip
    np.testing.assert_allclose(back(kernel(there(Y))), np.prod(Y + 1) + 2)


def test_pickles():
    again = pickle.loads(pickle.dumps(norm))
    assert again([3.0, 4.0]) == norm([3.0, 4.0]) == 5.0
    assert repr(again) == "<reduction kernel 'norm'>" and (again.nin, again.nargs) == (1, 2)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: norm(), TypeError, "Wrong number of arguments for 'norm': it takes 1 or 2 .T x"),
        (lambda: mean(X, Y), TypeError, "no argument of 'mean' tells type 'U' of 'y'; pass the"),
        (lambda: mean(X, Y.astype("f4"), np.zeros(())), TypeError, "float64 for 'x' and float32"),
        (lambda: norm(X, axis=2), ValueError, "axis 2 is out of bounds"),
        (lambda: norm(X, np.zeros(7)), ValueError, "out of 'norm' must have the shape"),
        (lambda: dot(X, X), TypeError, "'x' of 'reduce_kernel' is float32, found float64"),
    ],
)
def test_wrong_calls(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
    assert norm([3.0, 4.0]) == 5.0


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (("T x", "raw T y", "x", "a + b", "y[0] = a", 0), ValueError, "no raw outputs, found 'y'"),
        (("", "T y", "1", "a + b", "y = a", 0), ValueError, "in_params is empty"),
        (("T x", "T y", " ", "a + b", "y = a", 0), ValueError, "map_expr is empty"),
        (("T x", "T y", "x", "a + b"), TypeError, "missing a required argument: 'post_map_expr'"),
        (("T x", "pair<int> y", "x", "a", "y = a", 0), ValueError, "unknown type"),
    ],
)
def test_wrong_declarations(given, kind, message):
    with pytest.raises(kind, match=message):
        npp.ReductionKernel(*given)
    with pytest.raises(ValueError, match="takes -D, -std and --use_fast_math, found '-G'"):
        npp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0, options=("-G",))
