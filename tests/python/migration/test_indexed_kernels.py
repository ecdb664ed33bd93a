"""Kernels over whole arrays: CuPy's with `raw` parameters and the like, and PyCUDA's."""

import pickle

import numpy as np
import pytest

import numpy_plugin as npp

X = np.arange(12.0).reshape(3, 4)
Y = np.linspace(-1.0, 2.0, 12)

add_reverse = npp.ElementwiseKernel(
    "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse"
)
tally = npp.ElementwiseKernel(
    "int32 x", "raw uint32 counts", "atomicAdd(&counts[x], 1u)", "tally", no_return=True
)
descend = npp.ElementwiseKernel(
    "T gradient, T rate", "T value", "value -= rate * gradient", "descend"
)
average = npp.ElementwiseKernel(
    "raw T x, int32 width",
    "T y",
    """
    if (i < width) { y = x[i]; return; }
    T sum = 0;
    for (int j = 0; j < width; ++j) sum += x[i - j];
    y = sum / width;
    """,
    "average",
)
axpy = npp.ElementwiseKernel("float a, const float *x, float *z", "z[i] = a * x[i] + z[i]", "axpy")


def test_a_raw_operand_is_indexed(place):
    there, back = place
    assert type(add_reverse) is npp.ElementwiseKernel
    found = add_reverse(there(X), there(Y))
    np.testing.assert_array_equal(back(found), X + Y[::-1].reshape(3, 4))


def test_raw_operands_of_any_strides(place):
    there, back = place
    wide = there(np.arange(48.0).reshape(6, 8))
    found = add_reverse(wide[::2, 1::2], wide[::2, ::2].T)
    host = np.arange(48.0).reshape(6, 8)
    expected = host[::2, 1::2] + host[::2, ::2].T.ravel()[::-1].reshape(3, 4)
    np.testing.assert_array_equal(back(found), expected)


def test_elements_are_broadcast(place):
    there, back = place
    kernel = npp.ElementwiseKernel("T x, T y", "T z", "z = x * 10 + y + i - n")
    found = kernel(there(np.arange(3.0)[:, None]), there(np.arange(4.0)))
    expected = np.arange(3.0)[:, None] * 10 + np.arange(4.0) + np.arange(12).reshape(3, 4) - 12
    np.testing.assert_array_equal(back(found), expected)
    found = kernel(there(np.float32([[1, 2], [3, 4]]).T), 2)
    expected = np.float32([[10, 30], [20, 40]]) + np.arange(4).reshape(2, 2) - 2
    np.testing.assert_array_equal(back(found), expected)


def test_a_histogram(place):
    there, back = place
    values = np.random.default_rng(3).integers(0, 7, 300).astype("i4")
    counts = there(np.zeros(7, "u4"))
    assert tally(there(values), counts) is None
    np.testing.assert_array_equal(back(counts), np.bincount(values, minlength=7))


def test_outputs_that_are_read_keep_their_values(place):
    there, back = place
    value = there(X)
    assert descend(there(np.ones((3, 4))), 0.5, value) is value
    np.testing.assert_array_equal(back(value), X - 0.5)
    np.testing.assert_array_equal(back(descend(there(X), 2.0)), -2 * X)


def test_all_raw_with_a_size(place):
    there, back = place
    kernel = npp.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[2 * i] + x.size()", "halve")
    y = there(np.zeros(4))
    assert kernel(there(Y), y, size=4) is y
    np.testing.assert_array_equal(back(y), Y[:8:2] + 12)
    with pytest.raises(ValueError, match=r"Loop size of 'halve' is undecided.*pass size="):
        kernel(there(Y), y)


def test_loops_and_return_inside(place):
    there, back = place
    found = back(average(there(Y), 3, there(np.zeros(12))))
    expected = Y.copy()
    expected[3:] = (Y[3:] + Y[2:-1] + Y[1:-2]) / 3
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_shapes_and_indices_per_dimension(place):
    there, back = place
    kernel = npp.ElementwiseKernel(
        "raw T x", "T y",
        "const ptrdiff_t* at = _ind.get(); y = x[at] * 100 + at[0] * 10 + at[1] + x.shape()[1]",
        "indices", reduce_dims=False,
    )  # fmt: skip
    y = there(np.zeros((3, 4)))
    kernel(there(X), y)
    rows, columns = np.indices((3, 4))
    np.testing.assert_array_equal(back(y), X * 100 + rows * 10 + columns + 4)


def test_an_index_is_an_array_of_any_integers(place):
    there, back = place
    kernel = npp.ElementwiseKernel(
        "raw T x", "T y",
        "int at[] = {int(i) / 4, int(i) % 4}; const long long same[2] = {at[0], at[1]};"
        "y = x[at] + 100 * x[same]",
        "indices",
    )  # fmt: skip
    np.testing.assert_array_equal(back(kernel(there(X), there(np.zeros((3, 4))))), 101 * X)
    with pytest.raises(npp.CompilerError):
        npp.ElementwiseKernel("raw T x", "T y", "int at[3] = {}; y = x[at]")(
            there(X), there(np.zeros((3, 4)))
        )


def test_a_raw_operand_may_be_a_number(place):
    there, back = place
    kernel = npp.ElementwiseKernel(
        "raw T bits, raw int32 n_bits", "uint8 packed",
        "for (int j = 0; j < 8; ++j) {"
        "  const int at = i * 8 + j;"
        "  packed |= (at < n_bits && bits[at] != 0) << (7 - j);"
        "}",
        "packbits",
    )  # fmt: skip
    bits = np.array([1, 0, 1, 1, 0, 0, 0, 1, 1], "u1")
    for size in (bits.size, np.int32(bits.size)):
        packed = kernel(there(bits), size, there(np.zeros(2, "u1")))
        np.testing.assert_array_equal(back(packed), np.packbits(bits))


def test_types_that_only_the_output_tells(place):
    there, back = place
    kernel = npp.ElementwiseKernel("X x, Y y", "Z z", "z = (x - y) * (x - y)", "generic")
    z = there(np.zeros((3, 4), "i4"))
    kernel(there(X), there(np.float32([1, 2, 3, 4])), z)
    np.testing.assert_array_equal(back(z), (X - [1, 2, 3, 4]) ** 2)
    with pytest.raises(TypeError, match="no argument of 'generic' tells type 'Z' of 'z'; pass"):
        kernel(there(X), 1.0)


def test_before_and_after_the_loop(place):
    there, back = place
    kernel = npp.ElementwiseKernel(
        "T x", "T y, raw T sum", "y = x * two; total += x", "sums",
        loop_prep="const T two = 2; T total = 0;",
        after_loop="if (total != 0) atomicAdd(&sum[0], total);",
    )  # fmt: skip
    total = there(np.zeros(1))
    y, _ = kernel(there(Y), there(np.zeros(12)), total)
    np.testing.assert_array_equal(back(y), 2 * Y)
    np.testing.assert_allclose(back(total), [Y.sum()])


def test_return_values(place):
    there, back = place
    kernel = npp.ElementwiseKernel("T x", "T y", "y = -x", return_tuple=True)
    (found,) = kernel(there(X))
    np.testing.assert_array_equal(back(found), -X)


def test_pycudas_kernels_change_arrays_in_place(place):
    there, back = place
    x, z = there(np.arange(400, dtype="f4")), there(np.ones(400, "f4"))
    assert axpy(2.0, x, z) is None
    np.testing.assert_array_equal(back(z), 2 * np.arange(400, dtype="f4") + 1)
    swap = npp.ElementwiseKernel(
        arguments="float *x, float *z", operation="float t = *(x + i); x[i] = z[i]; z[i] = t"
    )
    before = back(z).copy()
    swap(x, z)
    np.testing.assert_array_equal(back(x), before)
    np.testing.assert_array_equal(back(z), np.arange(400))


def test_no_elements(place):
    there, back = place
    assert back(add_reverse(there(np.zeros((0, 3))), there(Y))).shape == (0, 3)


def test_read_only_inputs_of_pycudas_kernels():
    x = np.arange(3, dtype="f4")
    x.flags.writeable = False
    z = np.ones(3, "f4")
    axpy(1.0, x, z)
    assert z.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="output array is read-only"):
        axpy(1.0, z, x)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: add_reverse(X), TypeError, "Wrong number of arguments for 'add_reverse': it"),
        (lambda: add_reverse(X, Y, X, X), TypeError, "it takes 2 or 3 .*found 4"),
        (lambda: axpy(1.0, 3.0, Y), TypeError, "'x' of 'axpy' takes an array, found float"),
        (lambda: add_reverse(X, Y.astype("f4")), TypeError, "float64 for 'x' and float32 for 'y'"),
        (lambda: add_reverse(X, Y, np.zeros((1, 4))), ValueError, "the shape .1, 4., the elements"),
        (lambda: add_reverse(X, Y, size=3), ValueError, "only if every array is 'raw'"),
        (lambda: tally(np.zeros(3, "i4")), ValueError, "raw output 'counts' of 'tally' is unde"),
        (lambda: axpy(1.0, Y, Y), TypeError, "'x' of 'axpy' is float32, found"),
        (lambda: axpy(1.0, X.astype("f4").T, Y), ValueError, "takes a contiguous array"),
    ],
)
def test_wrong_calls(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
    assert add_reverse(np.float64([1]), np.float64([2])).tolist() == [3]


def test_pickles():
    again = pickle.loads(pickle.dumps(add_reverse))
    np.testing.assert_array_equal(again(X, Y), X + Y[::-1].reshape(3, 4))


def test_errors_show_the_operations_line(place):
    there, _ = place
    kernel = npp.ElementwiseKernel("raw T x", "T y", "T a = x[i];\ny = a + undeclared", "broken")
    with pytest.raises(npp.CompilerError, match="undeclared"):
        kernel(there(Y), there(Y))
