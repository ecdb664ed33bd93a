"""`reduction`: maps and reductions in one pass, on host arrays."""

from __future__ import annotations

import math
import pickle
import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from references.reduction_tree import reduce_tree

import numpy_plugin as npp


def plus(a, b):
    return a + b


norm = npp.reduction(lambda x: x * x, plus, finish=np.sqrt, identity=0, name="norm")
dot = npp.reduction(np.multiply, np.add, identity=0, name="dot")
largest = npp.reduction(lambda x: x, np.maximum, name="largest")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def merged(a, b):
    n_1, mean_1, squares_1 = a
    n_2, mean_2, squares_2 = b
    n = n_1 + n_2
    difference = mean_2 - mean_1
    mean = mean_1 + difference * (n_2 / n)
    return n, mean, squares_1 + squares_2 + difference * difference * (n_1 * n_2 / n)


moments = npp.reduction(
    lambda x: (1.0, x, 0.0 * x), merged, finish=lambda a: (a[1], a[2] / a[0]), name="moments"
)


def first_largest(a, b):
    if b[0] > a[0] or (b[0] == a[0] and b[1] < a[1]):
        return b
    return a


position_of_largest = npp.reduction(
    lambda x, i: (x, i), first_largest, finish=lambda a: a[1], index=True, name="argmax"
)


def log_plus(a, b):
    high = max(a[0], b[0])
    return high, a[1] * math.exp(a[0] - high) + b[1] * math.exp(b[0] - high)


log_sum_exp = npp.reduction(
    lambda x: (x, 1.0), log_plus, finish=lambda a: a[0] + math.log(a[1]), name="log_sum_exp"
)


def test_the_operations_are_done_in_the_documented_order(rng):
    for n in (1, 2, 3, 5, 127, 128, 129, 255, 2047, 2048, 2049, 5000):
        x = rng.standard_normal(n)
        expected = reduce_tree(list(x), plus)
        assert dot(x, 1.0) == 0.0 + expected, n
        assert dot(np.tile(x, (2, 1)).T, 1.0, axis=0)[1] == 0.0 + expected, n


def test_three_levels_of_chunks(rng):
    x = rng.standard_normal(2048 * 2048 + 77)
    ends = [*range(0, x.size, 2048), x.size]
    chunks = [dot(x[i:j], 1.0) for i, j in pairwise(ends)]
    assert dot(x, 1.0) == dot(np.array(chunks), 1.0)
    assert dot(x, 1.0) == pytest.approx(math.fsum(x), rel=1e-13)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 2), (2, 1), (0, 1, 2), ()])
def test_axes(rng, axis):
    x, y = rng.random((5, 130, 7)), rng.random((130, 1))
    assert np.allclose(dot(x, y, axis=axis), (x * y).sum(axis=axis), rtol=1e-14)
    kept = dot(x, y, axis=axis, keepdims=True)
    assert kept.shape == (x * y).sum(axis=axis, keepdims=True).shape


def test_bits_depend_on_neither_strides_nor_threads(rng):
    x = rng.standard_normal((300, 1111))
    expected = dot(x, x, axis=1), dot(x, x, axis=0)
    for form in (np.asfortranarray(x), np.pad(x, 3)[3:-3, 3:-3], x[::-1][::-1]):
        assert np.array_equal(dot(form, form, axis=1), expected[0])
        assert np.array_equal(dot(form.T, form.T, axis=1), expected[1])
    in_one_thread = npp.reduction(np.multiply, np.add, identity=0, target="cpu")
    assert np.array_equal(in_one_thread(x, x, axis=1), expected[0])


def test_norms_dot_products_and_tuples(rng):
    x = rng.standard_normal((3, 2500))
    assert norm(x) == pytest.approx(np.linalg.norm(x), rel=1e-14)
    assert np.allclose(log_sum_exp(x, axis=1), np.log(np.exp(x).sum(axis=1)), rtol=1e-13)
    mean, variance = moments(x, axis=1)
    assert np.allclose(mean, x.mean(axis=1), atol=1e-15)
    assert np.allclose(variance, x.var(axis=1), rtol=1e-13)


def test_welfords_variance_keeps_its_digits_far_from_zero(rng):
    x = rng.standard_normal(10_000)
    assert moments(x + 1e8)[1] == pytest.approx(np.var(x + 1e8), rel=1e-9)


def test_positions_are_counted_in_c_order_along_the_reduced_axes(rng):
    x = rng.permutation(np.arange(6.0 * 40 * 5)).reshape(6, 40, 5)
    for form in (x, np.asfortranarray(x), x[:, ::-1]):
        assert position_of_largest(form) == form.argmax()
        assert np.array_equal(position_of_largest(form, axis=1), form.argmax(axis=1))
        two = position_of_largest(form, axis=(0, 2))
        assert np.array_equal(two, form.transpose(1, 0, 2).reshape(40, -1).argmax(axis=1))
    ties = np.zeros(5000)
    ties[[257, 384, 3000]] = 1
    assert position_of_largest(ties) == 257


def test_a_map_of_the_position_alone_needs_no_array():
    quarter = npp.reduction(lambda h, i: h / (1 + ((i + 0.5) * h) ** 2), plus, index=True)
    assert 4 * quarter(1e-5, shape=100_000) == pytest.approx(math.pi, abs=1e-9)
    count = npp.reduction(lambda i: i, plus, index=True)
    assert count(shape=(10, 10)) == 4950
    assert count(shape=(4, 3), axis=0).tolist() == [6, 6, 6]


def test_where_leaves_elements_out_before_they_are_mapped(rng):
    x = rng.standard_normal((40, 300))
    logs = npp.reduction(lambda x: np.log(x), plus, identity=0)
    with np.errstate(all="raise"):
        found = logs(x, where=x > 0, axis=1)
    assert np.allclose(found, np.log(np.where(x > 0, x, 1)).sum(axis=1), rtol=1e-12)
    assert np.array_equal(logs(x, where=False, axis=0), np.zeros(300))
    assert logs(np.abs(x), where=np.arange(300) == 7) == pytest.approx(
        np.log(np.abs(x[:, 7])).sum(), rel=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_integers_equal_numpys_for_any_shape_axis_mask_and_strides(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=9))
    dtype = np.dtype(data.draw(st.sampled_from(["int8", "int32", "int64"])))
    x = data.draw(hnp.arrays(dtype, shape))
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))[
        :: data.draw(st.sampled_from([1, -1]))
    ]
    axes = data.draw(st.one_of(st.none(), st.sets(st.integers(0, x.ndim - 1)).map(tuple)))
    mask = data.draw(st.one_of(st.just(True), hnp.arrays(np.bool_, x.shape)))
    keepdims = data.draw(st.booleans())
    initial = data.draw(st.integers(-5, 5))
    with np.errstate(over="ignore"):
        expected = np.add.reduce(
            x, axis=axes, where=mask, keepdims=keepdims, initial=initial, dtype=dtype
        )
    found = dot(x, 1, axis=axes, where=mask, keepdims=keepdims, initial=initial)
    assert found.dtype == dtype
    assert np.array_equal(found, expected)
    assert np.shape(found) == np.shape(expected)


def test_out_is_written_and_cast(rng):
    x = rng.random((3, 50))
    out = np.empty(3, np.float32)
    assert dot(x, x, axis=1, out=out) is out
    assert np.array_equal(out, dot(x, x, axis=1).astype(np.float32))
    mean, variance = np.empty(3), np.empty(3)
    found = moments(x, axis=1, out=(mean, variance))
    assert found[0] is mean
    assert found[1] is variance
    assert np.array_equal(moments(x, axis=1), (mean, variance))
    overlapping = rng.random((3, 3))
    expected = dot(overlapping, overlapping, axis=0)
    assert np.array_equal(dot(overlapping, overlapping, axis=0, out=overlapping[0]), expected)


def test_results_without_elements():
    assert norm(np.empty(0)) == 0
    assert np.array_equal(norm(np.empty((2, 0)), axis=1), [0, 0])
    assert largest(np.empty((0, 3)), axis=1).shape == (0,)
    with pytest.raises(ValueError, match="zero-size array"):
        largest(np.empty((0, 0)), axis=1)
    assert largest(np.empty(0), initial=-1) == -1
    with pytest.raises(ValueError, match="zero-size array to reduction operation largest which"):
        largest(np.empty((2, 0)), axis=1)
    with pytest.raises(ValueError, match="'largest' does not have an identity, so to use a where"):
        largest(np.ones(3), where=[True, False, True])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: dot(np.ones(3)), TypeError, "'dot' takes 2 operands, 1 given"),
        (lambda: dot(np.ones(3), np.ones(2)), ValueError, "shape mismatch"),
        (lambda: norm(np.ones(3), axis=1), np.exceptions.AxisError, "axis 1 is out of bounds"),
        (lambda: norm(np.ones((2, 2)), axis=(0, 0)), ValueError, "repeated axis"),
        (lambda: norm(np.ones(3), where=[1, 0, 1]), TypeError, "where must be a bool array"),
        (lambda: norm(np.ones(3), where=[True] * 2), ValueError, "broadcast"),
        (lambda: norm(np.ones(3), out=np.empty(2)), ValueError, r"must have the shape \(\)"),
        (lambda: norm(np.ones(3), out=np.empty((), int)), TypeError, "Cannot cast reduction"),
        (lambda: norm(np.ones(3), initial=(1, 2)), TypeError, "have 1 items, found 2"),
        (lambda: norm(np.array(["a"])), TypeError, "'norm'"),
    ],
)
def test_wrong_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()
    assert norm(np.array([3.0, 4.0])) == 5


def test_wrong_declarations():
    with pytest.raises(TypeError, match="map must be a function or a ufunc, not int"):
        npp.reduction(3, plus)
    with pytest.raises(TypeError, match="reduce combines accumulators of 2 items, found 'add'"):
        npp.reduction(lambda x: (x, x), np.add)
    with pytest.raises(TypeError, match="reduction has no argument 'indentity'"):
        npp.reduction(lambda x: x, plus, indentity=0)
    narrow = npp.reduction(lambda x: x, lambda a, b: np.float64(a + b), name="wide")
    with pytest.raises(TypeError, match="'wide' takes and returns accumulators of one type"):
        narrow(np.ones(3, np.float32))
    with pytest.raises(npp.KernelError, match="unknown_name"):
        npp.reduction(lambda x: unknown_name(x), plus)(np.ones(3))  # noqa: F821


def test_cpp_bodies():
    squared = npp.vectorize(["float64(float64, float64)"], body="return x * y * y;", args="x, y")
    add = npp.vectorize(["float64(float64, float64)"], body="return a + b;", args="a, b")
    moment = npp.reduction(squared, add, identity=0)
    assert moment(np.array([1, 2, 3]), np.float32(2)) == 24


def test_numpys_error_state_decides():
    inverse = npp.reduction(lambda x: 1 / x, plus, identity=0, name="inverse")
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in inverse"):
        assert inverse(np.array([1.0, 0.0])) == math.inf
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        inverse(np.array([1.0, 0.0]))
    with np.errstate(divide="ignore"):
        assert inverse(np.array([0.0])) == math.inf


def test_exceptions_of_kernels_reach_the_caller():
    def checked(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return math.sqrt(x)

    roots = npp.reduction(checked, plus, identity=0)
    assert roots(np.array([4.0, 9.0])) == 5
    for n in (3, 100_000):
        with pytest.raises(ValueError, match="negative: -2"):
            roots(np.concatenate([np.ones(n), [-2.0]]))
    assert roots(np.array([4.0, 9.0])) == 5


def test_pickles_travel_by_value(rng):
    x = rng.random(100)
    for made in (norm, moments, position_of_largest):
        assert np.array_equal(pickle.loads(pickle.dumps(made))(x), made(x))
    assert repr(norm) == "<reduction 'norm'>"
    assert (norm.nin, norm.nout, moments.nout) == (1, 1, 2)


def test_threads_call_one_reduction_at_once(rng):
    x = rng.random(200_000)
    expected, found = norm(x), []
    threads = [threading.Thread(target=lambda: found.append(norm(x))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6
