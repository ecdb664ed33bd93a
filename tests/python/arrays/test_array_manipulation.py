"""NumPy's functions that rearrange and create device arrays: as on NumPy's arrays."""

import numpy as np
import pytest
from device_arrays.compare import check, check_error

from numpy_plugin import _core, cuda

X = np.arange(12, dtype=np.float32).reshape(3, 4)

pytestmark = pytest.mark.usefixtures("device")


VIEWS = [
    lambda x: np.squeeze(x[None, :, None]),
    lambda x: np.squeeze(x[:, None], axis=1),
    lambda x: np.expand_dims(x, (0, 2)),
    lambda x: np.swapaxes(x, 0, -1),
    lambda x: np.moveaxis(x, 0, -1),
    lambda x: np.permute_dims(x[None], (2, 0, 1)),
    lambda x: np.matrix_transpose(x),
    lambda x: np.flip(x),
    lambda x: np.flip(x, 1),
    lambda x: np.fliplr(x),
    lambda x: np.rot90(x, 3),
    lambda x: np.diagonal(x, 1),
    lambda x: np.broadcast_to(x, (2, 3, 4)),
    lambda x: np.broadcast_arrays(x, x[:1], x[1, 2]),
    lambda x: np.split(x, 3),
    lambda x: np.array_split(x, 3, axis=1),
    lambda x: np.hsplit(x, [1, 3]),
    lambda x: np.vsplit(x, 3),
    lambda x: np.unstack(x, axis=1),
    lambda x: np.unstack(x[0]),
    lambda x: np.flip(x[0, 1:2].reshape(())),
    lambda x: np.atleast_1d(x[0, 0]),
    lambda x: np.atleast_2d(x[0], x),
    lambda x: np.atleast_3d(x),
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1),
    lambda x: np.ravel(x.T, order="F"),
    lambda x: np.reshape(x, (4, 3), order="F"),
    lambda x: np.reshape(x, -1),
    lambda x: np.reshape(x, (6, 2), copy=True),
    lambda x: x.mT,
    lambda x: x.real,
    lambda x: (x + 1j * x).imag,
    lambda x: np.real(x[::-1, ::2] * np.complex64(2 - 1j)),
]


@pytest.mark.parametrize("function", VIEWS)
def test_views(function):
    check(function, X)
    check(function, np.asfortranarray(X)[::-1])


AXES = [
    lambda x: np.rot90(x, axes=x),
    lambda x: np.flip(x, x),
    lambda x: np.moveaxis(x, x, 0),
    lambda x: np.transpose(x, x),
    lambda x: np.broadcast_to(x, x),
    lambda x: np.expand_dims(x, x),
    lambda x: np.squeeze(x, axis=x),
    lambda x: np.lib.stride_tricks.sliding_window_view(x, x),
]


@pytest.mark.parametrize("function", AXES)
def test_arrays_that_are_their_own_axes(function):
    """NumPy compares and prints what it takes for axes."""
    check_error(function, np.array([1, 5]))


def test_split_positions_on_the_device():
    check(lambda x, i: np.split(x, i), np.arange(10), np.array([2, 5]))
    check(lambda i: np.array_split(i, i), np.array([1, 2, 3]))
    check(lambda x, i: np.split(indices_or_sections=i, ary=x), np.arange(10), np.array([2, 5]))
    with pytest.raises(TypeError, match="'split': a host array among device arrays"):
        np.split(np.arange(10), cuda.to_device([2, 5]))


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T[::-1, ::2], lambda x: x[:0, 1]])
def test_what_stands_for_an_array_can_be_read(view):
    x = view(cuda.to_device(X))
    made = _core.strided_stand_in(x)
    assert (made.shape, made.strides, made.dtype) == (x.shape, x.strides, x.dtype)
    assert not made.any() and not made.flags.writeable


def test_orders_of_reshaping():
    check(lambda x: np.reshape(x, (2, 6), order="A"), X)
    check(lambda x: np.reshape(x.T, (2, 6), order="A"), X)
    check(lambda x: np.reshape(x[:, :1].T, 3, order="A"), X)


def test_reshaping_without_a_copy():
    x = cuda.to_device(X)
    np.reshape(x, 12, copy=False)[5] = 50
    assert x[1, 1].item() == 50
    np.reshape(x, 12, copy=True)[5] = 60
    assert x[1, 1].item() == 50
    check_error(lambda x: np.reshape(x.T, 12, copy=False), X)


def test_views_share_the_memory():
    x = cuda.to_device(X)
    np.diagonal(np.flip(x, 0)).fill(-1)
    np.split(x, 2, axis=1)[1][0] = 7
    expected = X.copy()
    np.fill_diagonal(expected[::-1], -1)
    expected[0, 2:] = 7
    np.testing.assert_array_equal(x.copy_to_host(), expected)


COPIES = [
    lambda x: np.concatenate([x, x[1:]]),
    lambda x: np.concatenate([x, x[:, :1].astype("f8")], axis=-1),
    lambda x: np.concatenate([x, x[0, :1].reshape(1, 1)], axis=None),
    lambda x: np.concatenate([x, x], dtype="c16"),
    lambda x: np.stack([x, x + 1], axis=-1),
    lambda x: np.hstack([x, x]),
    lambda x: np.hstack([x[0], x[1]]),
    lambda x: np.vstack([x[0], x]),
    lambda x: np.dstack([x, x]),
    lambda x: np.column_stack([x[:, 0], x]),
    lambda x: np.append(x, 5),
    lambda x: np.append(x, x, axis=1),
    lambda x: np.tile(x, 2),
    lambda x: np.tile(x, (2, 1, 3)),
    lambda x: np.tile(x, (0, 2)),
    lambda x: np.repeat(x, 2),
    lambda x: np.repeat(x, 3, axis=0),
    lambda x: np.roll(x, 5),
    lambda x: np.roll(x, -1, axis=1),
    lambda x: np.roll(x, (1, 2), (0, 1)),
    lambda x: np.roll(x, 1, (0, 0, 1)),
    lambda x: np.roll(x[:0], 1, 0),
    lambda x: np.pad(x, 1),
    lambda x: np.pad(x, ((0, 2), (1, 0)), constant_values=((1, 2), (3, 4))),
    lambda x: np.tril(x),
    lambda x: np.triu(x, -1),
    lambda x: np.tril(x[0]),
    lambda x: np.triu(np.broadcast_to(x, (2, 3, 4)), 1),
    lambda x: np.meshgrid(x[0], x[:, 0]),
    lambda x: np.meshgrid(x[0], x[:, 0], x[1, :2], indexing="ij", sparse=True),
    lambda x: np.copy(x[::2]),
    lambda x: x.flatten(),
    lambda x: x.repeat(2, axis=1),
    lambda x: x.swapaxes(0, 1),
]


@pytest.mark.parametrize("function", COPIES)
def test_copies(function):
    check(function, X)
    check(function, X.T.astype(np.complex128).T)


def test_concatenate_into_an_output():
    out = cuda.zeros((2, 4), np.float64)
    x = cuda.to_device(X[0])
    assert np.stack([x, x + 1], out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), [X[0], X[0] + 1])


LIKE = [
    lambda x: np.zeros_like(x),
    lambda x: np.ones_like(x, dtype=np.int8),
    lambda x: np.full_like(x, 2.5),
    lambda x: np.full_like(x, 2.5, shape=(2,)),
    lambda x: np.full_like(x, x[0]),
]


@pytest.mark.parametrize("function", LIKE)
def test_arrays_like_others(function):
    check(function, X)
    check(function, X.astype(np.int32))


def test_orders_of_arrays_like_others():
    x = cuda.to_device(np.asfortranarray(X))
    assert np.empty_like(x).strides == (4, 12)
    assert np.empty_like(x, order="C").strides == (16, 4)


@pytest.mark.parametrize(
    "arguments",
    [
        *[(0, 1), (0, 1, 5), (2, -3, 7, False), (3, 3, 4), (0, 1, 1), (0, 1, 0), (1j, 2, 3)],
        *[(np.uint8(200), np.uint8(3), 4), (np.uint64(9), np.uint64(2**64 - 1), 3)],
        *[(np.int64(-(2**63)), np.int64(2**63 - 1), 5), (np.int8(-128), np.int8(127), 3, False)],
        *[(np.float32(0.1), np.float32(3), 4), (np.int64(2**63 - 1), np.float32(-1), 4)],
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [None, "f4"])
def test_linspace(arguments, dtype):
    if 1j in arguments and dtype:
        dtype = "F"
    found, step = cuda.linspace(*arguments, retstep=True, dtype=dtype)
    expected, expected_step = np.linspace(*arguments, retstep=True, dtype=dtype)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    np.testing.assert_equal(step, expected_step)


def test_linspace_of_integers():
    found = cuda.linspace(-2, 7, 6, dtype=np.int64)
    np.testing.assert_array_equal(found.copy_to_host(), np.linspace(-2, 7, 6, dtype=np.int64))


@pytest.mark.parametrize("arguments", [(3,), (2, 4), (4, 2, 1), (3, 3, -2), (2, 2, 5)], ids=str)
def test_eye(arguments):
    np.testing.assert_array_equal(cuda.eye(*arguments).copy_to_host(), np.eye(*arguments))
    assert cuda.eye(2, dtype=np.int8).dtype == np.int8


ERRORS = [
    lambda x: np.squeeze(x, axis=0),
    lambda x: np.expand_dims(x, 5),
    lambda x: np.swapaxes(x, 0, 2),
    lambda x: np.broadcast_to(x, (3, 5)),
    lambda x: np.split(x, 5),
    lambda x: np.diagonal(x[0]),
    lambda x: np.concatenate([x, x[0]]),
    lambda x: np.concatenate([x, x[:, 1:]]),
    lambda x: np.concatenate([x, x], axis=2),
    lambda x: np.concatenate([x[:1, :1].reshape(())]),
    lambda x: np.concatenate([x, x], dtype="i4"),
    lambda x: np.stack([x, x[1:]]),
    lambda x: np.stack([x, x], axis=4),
    lambda x: np.repeat(x, -1),
    lambda x: np.repeat(x, [1, 2], axis=0),
    lambda x: np.tile(x, -1),
    lambda x: np.roll(x, 1, axis=3),
    lambda x: np.pad(x, -1),
    lambda x: np.meshgrid(x[0], indexing="no"),
]


@pytest.mark.parametrize("function", ERRORS)
def test_errors_are_numpys(function):
    check_error(function, X)


def test_host_arrays_are_refused_by_name():
    with pytest.raises(TypeError, match=r"'numpy.concatenate': a host array .*cuda\.to_device"):
        np.concatenate([cuda.to_device(X), X])
    with pytest.raises(TypeError, match=r"'numpy\.pad' of mode 'mean' works on host arrays only"):
        np.pad(cuda.to_device(X), 1, mode="mean")


def test_arrays_stay_on_their_device():
    with cuda.simulator() as other:
        x = cuda.ones((2, 2))
    for made in (np.zeros_like(x), np.concatenate([x, x]), np.tile(x, 2), np.tril(x)):
        assert made.device is other
    here = cuda.current_device()
    assert x.to_device(other) is x
    moved = x.to_device(here)
    assert moved.device is here
    np.testing.assert_array_equal(moved.copy_to_host(), 1)
    assert np.empty_like(x, device=here).device is here


def test_arrays_of_other_libraries_among_device_arrays():
    class Theirs:
        def __init__(self, values):
            self.array = cuda.to_device(values)

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    x, theirs = cuda.to_device(X), Theirs(X + 100)
    found = np.concatenate([x, theirs])
    np.testing.assert_array_equal(found.copy_to_host(), np.concatenate([X, X + 100]))
    found = np.where(x > 5, x, theirs)
    np.testing.assert_array_equal(found.copy_to_host(), np.where(X > 5, X, X + 100))
