"""Reductions whose texts read raw operands, indices and sizes, as CuPy and PyCUDA name them."""

import pickle

import numpy as np
import pytest

import numpy_plugin as npp

X = np.linspace(-2.0, 3.0, 24).reshape(2, 3, 4)
AXES = [None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2)]

mean = npp.ReductionKernel(
    "T x", "U y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean",
    reduce_type="double",
)  # fmt: skip


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_sizes_in_the_last_step(place, axis, keepdims):
    there, back = place
    x = X.astype("f4")
    out = there(np.zeros(x.mean(axis, keepdims=keepdims).shape))
    found = mean(there(x), out, axis=axis, keepdims=keepdims)
    assert found is out
    np.testing.assert_allclose(back(found), x.mean(axis, "f8", keepdims=keepdims), rtol=1e-14)


def test_a_loss_with_raw_operands(place):
    # The cross entropy of chainer: the class of each sample picks one of its row's columns.
    there, back = place
    loss = npp.ReductionKernel(
        "S t, raw T log_y, int32 n_channel, raw T coeff, S ignored", "T out",
        "t == ignored ? T(0) : log_y[_j * n_channel + t]",
        "a + b", "out = a * -coeff[0]", 0, "loss",
    )  # fmt: skip
    log_y, classes = np.linspace(-3, -0.1, 12).reshape(4, 3), np.array([2, 0, -1, 1], "i4")
    found = loss(there(classes), there(log_y), 3, there(np.array([0.25])), -1)
    expected = -0.25 * (log_y[0, 2] + log_y[1, 0] + log_y[3, 1])
    np.testing.assert_allclose(back(found), expected, rtol=1e-15)
    assert back(found).dtype == np.float64 and np.ndim(found) == 0


@pytest.mark.parametrize("axis", AXES)
def test_indices(place, axis):
    there, back = place
    reduced = range(3) if axis is None else [each % 3 for each in np.atleast_1d(axis)]
    order = [*sorted(reduced), *(each for each in range(3) if each not in reduced)]
    n_kept = int(np.prod([X.shape[each] for each in order[len(reduced) :]]))
    moved = np.ascontiguousarray(X.transpose(order)).reshape(-1, n_kept)
    kernel = npp.ReductionKernel(
        "T x", "T y, int64 at", "x * _J + _i + _j * 100 + _in_ind.size()", "a + b",
        "y = a; at = _i + 10 * _out_ind.size()", "0", "indices",
    )  # fmt: skip
    y, at = kernel(there(X), axis=axis)
    numbers = np.arange(24).reshape(-1, n_kept)
    terms = moved * (numbers // n_kept) + numbers % n_kept + numbers * 100 + 24
    shape = X.sum(axis).shape
    np.testing.assert_allclose(back(y), terms.sum(0).reshape(shape), rtol=1e-14)
    np.testing.assert_array_equal(back(at), (np.arange(n_kept) + 10 * n_kept).reshape(shape))


def test_elements_as_arrays(place):
    there, back = place
    kernel = npp.ReductionKernel(
        "T x, T w", "T y", "x * _raw_w[_raw_w.size() - 1 - _j]", "a + b", "y = a + _raw_x[1]", "0"
    )
    x, w = np.arange(5.0), np.array([2.0])
    np.testing.assert_array_equal(back(kernel(there(x), there(w))), x.sum() * 2 + 1)
    w = np.arange(10.0)[::2]
    np.testing.assert_array_equal(back(kernel(there(x), there(w))), (x * w[::-1]).sum() + 1)


def test_elements_as_arrays_of_elementwise_kernels(place):
    there, back = place
    kernel = npp.ElementwiseKernel("T x, T y", "T z", "z = x - _raw_y[(i + 1) % _raw_y.size()]")
    y = X[:, ::-1]
    expected = X - np.roll(y.reshape(-1), -1).reshape(y.shape)
    np.testing.assert_array_equal(back(kernel(there(X), there(y))), expected)
    assert type(kernel) is npp.ElementwiseKernel
    at = npp.ElementwiseKernel("T x, raw T y", "T z", "z = x - y[_ind.size() - 1 - i]")
    np.testing.assert_array_equal(
        back(at(there(X), there(X))), X - X.reshape(-1)[::-1].reshape(X.shape)
    )


def test_pycudas_neighbors(place):
    there, back = place
    rough = npp.ReductionKernel(
        np.float64,
        "0",
        "a + b",
        "i + 1 < n ? fabs(x[i + 1] - x[i]) * k : 0.0",
        "double *x, double k",
    )
    x = np.array([1.0, 4.0, 2.0, 2.5])
    assert back(rough(there(x), 2.0)) == 11.0
    assert back(rough(there(x[:1]), 2.0)) == 0.0
    assert back(rough(there(x[:0]), 2.0)) == 0.0


def test_no_elements(place):
    there, back = place
    largest = npp.ReductionKernel("T x", "T y", "x + _j", "max(a, b)", "y = a", None, "largest")
    with pytest.raises(ValueError, match="zero-size array to reduction operation largest which"):
        largest(there(np.zeros((0, 3))), axis=0)
    assert back(largest(there(np.zeros((0, 3))), axis=1)).shape == (0,)
    assert back(largest(there(X))) == 26.0


def test_pickles():
    again = pickle.loads(pickle.dumps(mean))
    assert again(X, np.zeros(()))[()] == mean(X, np.zeros(()))[()]


def test_wrong_calls(place):
    there, back = place
    gather = npp.ReductionKernel("int32 x, raw T y", "T z", "y[x]", "a + b", "z = a", "0", "gather")
    x, y = there(np.array([2, 0], "i4")), there(np.array([1.5, 2.0, 4.0]))
    for call, kind, message in [
        (lambda: gather(2, y), ValueError, "the size of 'gather' is undecided: every array is raw"),
        (lambda: gather(x, y, axis=1), ValueError, "axis 1 is out of bounds"),
        (
            lambda: gather(x, y, there(np.zeros(2))),
            ValueError,
            r"out of 'gather' must have the sha",
        ),
        (lambda: gather(x), TypeError, "Wrong number of arguments for 'gather': it takes 2 or 3"),
    ]:
        with pytest.raises(kind, match=message):
            call()
        assert back(gather(x, y)) == 5.5
    with pytest.raises(npp.CompilerError, match="unknown name '_k'") as caught:
        npp.ReductionKernel("int32 x, raw T y", "T z", "x * _k", "a + b", "z = a", "0")(x, y)
    assert "line 1" in str(caught.value)
    whole = npp.ReductionKernel(
        "T x, raw T y", "T z", "x * y[0]", "a + b", "z = a / x", "0", "of_x"
    )
    with pytest.raises(TypeError, match="the last step of 'of_x' uses an input that is an array"):
        whole(y, y)
