"""Keywords and methods: everything NumPy says of a ufunc holds on NumPy arrays."""

import numpy as np
import pytest

import numpy_plugin as npp


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def add(request):
    return npp.vectorize(
        ["int64(int64, int64)", "float32(float32, float32)", "float64(float64, float64)"],
        args="x, y",
        body="return x + y;",
        name="add",
        identity=0,
        target=request.param,
    )


X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, (0, 1), (0, 2), None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduce(add, axis, keepdims):
    np.testing.assert_array_equal(
        add.reduce(X, axis=axis, keepdims=keepdims), np.add.reduce(X, axis=axis, keepdims=keepdims)
    )


def test_reduce_with_initial_where_and_out(add):
    mask = X % 3 == 0
    out = np.empty((2, 4))
    result = add.reduce(X, axis=1, where=mask, initial=5, out=out)
    assert result is out
    np.testing.assert_array_equal(out, np.add.reduce(X, axis=1, where=mask, initial=5))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_accumulate(add, axis):
    np.testing.assert_array_equal(add.accumulate(X, axis=axis), np.add.accumulate(X, axis=axis))


def test_reduceat(add):
    x = np.arange(10)
    for indices in ([0, 4, 1, 5, 9], [0], [9, 0, 3]):
        np.testing.assert_array_equal(add.reduceat(x, indices), np.add.reduceat(x, indices))


def test_outer(add):
    x, y = np.arange(3), np.arange(8).reshape(2, 4)
    np.testing.assert_array_equal(add.outer(x, y), np.add.outer(x, y))


def test_at(add):
    x = np.zeros(5)
    add.at(x, [0, 0, 3], [1.0, 2.0, 4.0])
    np.testing.assert_array_equal(x, [3, 0, 0, 4, 0])


def test_where_leaves_the_rest_of_out(add):
    out = np.full(6, -1.0)
    result = add(np.arange(6.0), 1.0, where=[1, 0, 1, 0, 0, 1], out=out)
    assert result is out
    np.testing.assert_array_equal(out, [1, -1, 3, -1, -1, 6])


def test_dtype_casting_and_signature(add):
    x = np.arange(4)
    assert add(x, x, dtype=np.float32, casting="unsafe").dtype == np.float32
    assert add(x, x, signature="dd->d").dtype == np.float64
    assert add(x, x, signature=(None, None, np.float64)).dtype == np.float64
    with pytest.raises(TypeError, match="Cannot cast"):
        add(x * 0.5, x, dtype=np.int64)


def test_out_of_wrong_shape_or_type_is_numpys_error(add):
    with pytest.raises(ValueError, match="broadcast"):
        add(np.ones(3), 1.0, out=np.empty(2))
    with pytest.raises(TypeError, match="Cannot cast"):
        add(np.ones(3), 1.0, out=np.empty(3, np.int64))
    with pytest.raises(TypeError, match="arrays"):
        add(np.ones(3), 1.0, out=[1, 2, 3])
    np.testing.assert_array_equal(add(np.ones(3), 1.0), [2, 2, 2])


def test_operands_that_do_not_broadcast_are_numpys_error(add):
    with pytest.raises(ValueError, match="could not be broadcast"):
        add(np.ones(3), np.ones(4))


def test_order_and_layout_follow_the_operands(add):
    x = np.asfortranarray(X)
    assert add(x, x).flags.f_contiguous
    assert add(x, x, order="C").flags.c_contiguous


def test_subclasses_are_kept(add):
    class Tagged(np.ndarray):
        pass

    x = np.arange(3.0).view(Tagged)
    assert type(add(x, 1.0)) is Tagged
    assert type(add(x, 1.0, subok=False)) is np.ndarray


def test_masked_arrays(add):
    x = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    np.testing.assert_array_equal(add(x, x).data[[0, 2]], [2, 6])


def test_array_ufunc_of_other_types_is_asked(add):
    class Answer:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            assert isinstance(ufunc, np.ufunc)
            return ufunc, method, len(inputs), sorted(kwargs)

    assert add(Answer(), 1.0) == (add, "__call__", 2, [])
    assert add.reduce(Answer()) == (add, "reduce", 1, [])
    assert add(1.0, 2.0, out=(Answer(),)) == (add, "__call__", 2, ["out"])


def test_array_ufunc_none_is_numpys_error(add):
    class Never:
        __array_ufunc__ = None

    with pytest.raises(TypeError, match="does not support ufuncs"):
        add(Never(), 1.0)


def test_resolve_dtypes(add):
    resolved = add.resolve_dtypes((np.dtype("f4"), float, None))
    assert resolved == (np.dtype("f4"), np.dtype("f4"), np.dtype("f4"))


def test_empty_and_zero_dimensional_operands(add):
    assert add(np.empty((0, 3)), 1.0).shape == (0, 3)
    assert add(np.array(1.0), np.array(2.0)) == 3.0
    assert isinstance(add(1, 2), np.int64)


def test_byte_swapped_and_unaligned_operands(add):
    x = np.arange(9.0)
    np.testing.assert_array_equal(add(x.astype(">f8"), x), 2 * x)
    raw = np.zeros(9 * 8 + 1, np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = x
    np.testing.assert_array_equal(add(unaligned, x), 2 * x)


def test_calls_by_other_ways(add):
    import functools

    assert list(map(add, [1, 2], [3, 4])) == [4, 6]
    assert functools.partial(add, 1)(2) == 3
    assert add.__call__(1, 2) == 3
    assert np.ufunc.__call__(add, 1, 2) == 3


def test_wrong_keywords_are_numpys_error(add):
    with pytest.raises(TypeError, match="unexpected keyword"):
        add(1, 2, wher=True)
    with pytest.raises(TypeError, match="takes from 2 to 3 positional arguments"):
        add(1)
