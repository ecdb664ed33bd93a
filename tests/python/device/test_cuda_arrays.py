"""Device arrays: what they are, their views, and copies of every shape and stride."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numpy_plugin as npp
from numpy_plugin import cuda

DTYPES = [np.bool_, np.int8, np.uint16, np.int32, np.float16, np.float32, np.float64]
DTYPES += [np.complex64, np.complex128, np.dtype("M8[s]"), np.dtype("S3"), np.dtype("i4,f8")]

pytestmark = pytest.mark.usefixtures("device")


def ramp(shape, dtype=np.float64, order="C"):
    return np.array(np.arange(np.prod(shape)).reshape(shape), dtype=dtype, order=order)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_values_of_every_dtype_come_back(dtype):
    values = np.zeros(7, dtype)
    values[:] = np.frombuffer(
        np.random.default_rng(0).integers(0, 2, values.nbytes, dtype=np.uint8), dtype
    )
    x = cuda.to_device(values)
    assert (x.dtype, x.shape, x.nbytes) == (values.dtype, (7,), values.nbytes)
    back = x.copy_to_host()
    assert back.dtype == values.dtype
    assert back.tobytes() == values.tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 3, 4), (2, 0, 3), (1, 1, 6)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_shapes_and_orders(shape, order):
    values = ramp(shape, order=order)
    x = cuda.to_device(values)
    assert (x.shape, x.ndim, x.size, x.itemsize) == (values.shape, values.ndim, values.size, 8)
    assert x.size == 0 or 1 in shape or x.strides == values.strides
    np.testing.assert_array_equal(x.copy_to_host(), values)


def test_what_to_device_takes():
    np.testing.assert_array_equal(cuda.to_device([[1, 2], [3, 4]]).copy_to_host(), [[1, 2], [3, 4]])
    assert cuda.to_device(2.5).copy_to_host() == 2.5
    every_third = ramp((9,))[::-3]
    np.testing.assert_array_equal(cuda.to_device(every_third).copy_to_host(), every_third)
    x = cuda.to_device(np.ones(3), copy=False)
    assert x.shape == (3,) and x.dtype == np.float64
    assert cuda.to_device(x) is x


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([{}]), "can't hold values of dtype object"),
        (np.zeros(3, ">f4"), "byte order"),
        (np.zeros(3, "S0"), "has no size"),
    ],
)
def test_dtypes_that_devices_do_not_have(values, message):
    if values.dtype == "S1":  # NumPy's result for S0
        values = np.empty(3, np.dtype([]))
    with pytest.raises(TypeError, match=message):
        cuda.to_device(values)


def test_ways_to_make_an_array():
    assert cuda.device_array(3).dtype == np.float64
    assert cuda.device_array((2, 3), np.int32, order="F").strides == (4, 8)
    assert cuda.device_array_like(ramp((2, 3), order="F")).strides == (8, 16)
    assert cuda.device_array_like(cuda.zeros((2, 3), np.int8)).dtype == np.int8
    assert cuda.empty((2, 2), "f4").shape == (2, 2)
    np.testing.assert_array_equal(cuda.zeros((2, 3)).copy_to_host(), np.zeros((2, 3)))
    np.testing.assert_array_equal(cuda.ones(3, np.int16).copy_to_host(), [1, 1, 1])
    full = cuda.full((2, 2), 0.1)
    np.testing.assert_array_equal(full.copy_to_host(), np.full((2, 2), 0.1))
    assert cuda.full(2, np.float32(3)).dtype == np.float32
    assert cuda.full(2, 3, np.uint8).dtype == np.uint8


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: cuda.device_array(-1), ValueError, "at least 0, found -1"),
        (lambda: cuda.device_array((2**40, 2**40)), ValueError, "larger than the address space"),
        (lambda: cuda.device_array(3, "flaot"), TypeError, "flaot"),
        (
            lambda: cuda.device_array(3, order="K"),
            ValueError,
            "order must be 'C' or 'F', found 'K'",
        ),
        (lambda: cuda.device_array("x"), TypeError, "'str' object"),
        (lambda: cuda.full(3, 300, np.uint8), OverflowError, "300"),
    ],
)
def test_arrays_that_can_not_be_made(make, error, message):
    with pytest.raises(error, match=message):
        make()


# --- views ---

INDICES = [
    np.s_[1],
    np.s_[-1],
    np.s_[1:3],
    np.s_[::-1],
    np.s_[::2, 1],
    np.s_[..., -2],
    np.s_[None, 1, ..., None],
    np.s_[:, ::-2, 1:],
    np.s_[5:2],
    np.s_[-1:-9:-2],
    np.s_[1, 2, 3],
    np.s_[...],
    np.s_[()],
    np.s_[np.int64(1), :, np.uint8(0)],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_is_numpys(index):
    values = ramp((3, 4, 5))
    view = cuda.to_device(values)[index]
    expected = values[index]
    assert view.shape == np.shape(expected)
    np.testing.assert_array_equal(view.copy_to_host(), expected)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (3, IndexError, "index 3 is out of bounds for axis 0 with size 3"),
        ((0, -5), IndexError, "index -5 is out of bounds for axis 1 with size 4"),
        ((0, 0, 0), IndexError, "too many .* array is 2-dimensional, but 3 were indexed"),
        ((..., ...), IndexError, "at most one"),
        (np.s_[::0], ValueError, "zero"),
    ],
)
def test_indices_that_are_none(index, error, message):
    with pytest.raises(error, match=message):
        cuda.zeros((3, 4))[index]


def test_views_share_memory():
    x = cuda.zeros((4, 4))
    part = x[1:3, ::2]
    part.fill(7)
    expected = np.zeros((4, 4))
    expected[1:3, ::2] = 7
    np.testing.assert_array_equal(x.copy_to_host(), expected)
    del x
    np.testing.assert_array_equal(part.copy_to_host(), np.full((2, 2), 7.0))


def test_transposes_and_shapes():
    values = ramp((2, 3, 4))
    x = cuda.to_device(values)
    np.testing.assert_array_equal(x.T.copy_to_host(), values.T)
    np.testing.assert_array_equal(x.transpose().copy_to_host(), values.T)
    np.testing.assert_array_equal(x.transpose(1, -1, 0).copy_to_host(), values.transpose(1, 2, 0))
    np.testing.assert_array_equal(x.transpose((2, 0, 1)).copy_to_host(), values.transpose(2, 0, 1))
    np.testing.assert_array_equal(x.reshape(4, 6).copy_to_host(), values.reshape(4, 6))
    np.testing.assert_array_equal(x.reshape((6, -1)).copy_to_host(), values.reshape(6, 4))
    np.testing.assert_array_equal(x.T.ravel().copy_to_host(), values.T.ravel())
    assert x.ravel().__cuda_array_interface__["data"] == x.__cuda_array_interface__["data"]
    assert x.T.reshape(24).__cuda_array_interface__["data"] != x.__cuda_array_interface__["data"]


@pytest.mark.parametrize("shape", [(5,), (-1, -1), (7, -1), (-2, 3), (0, -1)])
def test_shapes_of_another_size(shape):
    with pytest.raises(ValueError, match="an array of 6 elements can't have the shape"):
        cuda.zeros(6).reshape(shape)


@pytest.mark.parametrize("axes", [(0,), (0, 0), (0, 2), (0, 1, 2)])
def test_axes_that_are_no_permutation(axes):
    with pytest.raises(ValueError, match="name each of 2 axes once"):
        cuda.zeros((2, 3)).transpose(axes)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_copies_of_any_view(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    slices = tuple(
        slice(
            data.draw(st.none() | st.integers(-n, n)),
            data.draw(st.none() | st.integers(-n, n)),
            data.draw(st.sampled_from([None, 1, 2, -1, -3])),
        )
        for n in shape
    )
    axes = data.draw(st.permutations(range(len(shape))))
    values = ramp(shape, data.draw(st.sampled_from([np.float64, np.int8, np.complex128])))
    x = cuda.to_device(values)
    view, expected = x[slices].transpose(axes), values[slices].transpose(axes)
    np.testing.assert_array_equal(view.copy_to_host(), expected)
    out = np.zeros(expected.shape, expected.dtype)
    assert view.copy_to_host(out) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(view.copy().copy_to_host(), expected)
    view.copy_to_device(-out)
    expected[...] = -out
    np.testing.assert_array_equal(x.copy_to_host(), values)
    view.fill(3)
    expected[...] = 3
    np.testing.assert_array_equal(x.copy_to_host(), values)


# --- copies ---


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros(3), ValueError, r"out has shape \(3,\) and dtype float64; expected \(2, 3\)"),
        (np.zeros((2, 3), np.float32), ValueError, "dtype float32; expected"),
        ([1, 2], TypeError, "out must be a numpy.ndarray, found list"),
    ],
)
def test_outputs_that_do_not_fit(out, error, message):
    with pytest.raises(error, match=message):
        cuda.zeros((2, 3)).copy_to_host(out)


def test_an_output_that_can_not_be_written():
    out = np.zeros(3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="can't be written"):
        cuda.zeros(3).copy_to_host(out)


def test_items_are_set_as_numpy_sets_them():
    x, expected = cuda.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32)
    other = cuda.to_device(ramp((4,), np.float32))
    for key, value in [
        (np.s_[0], 1.5),
        (np.s_[1:, 0], [2, 3]),
        (np.s_[:, 2], np.float32(4)),
        (np.s_[2], np.arange(4)),
        (np.s_[1:, 1:3], 7),
        (np.s_[1], np.ones((1, 4))),
    ]:
        x[key] = value
        expected[key] = value
    x[0] = other
    expected[0] = other.copy_to_host()
    x[1:] = x[:-1]
    expected[1:] = expected[:-1].copy()
    x[2] = other[::-1]
    expected[2] = expected[0][::-1].copy()
    np.testing.assert_array_equal(x.copy_to_host(), expected)


def test_overlapping_values_are_copied_first():
    with cuda.simulator(faults={"allocation": 3}):
        x, other = cuda.zeros(4), cuda.ones(2)
        x[:2] = other
        with pytest.raises(npp.DeviceMemoryError):  # of the copy
            x[1:] = x[:-1]
        x[1:] = x[:-1]
        np.testing.assert_array_equal(x.copy_to_host(), [1, 1, 1, 0])


def test_items_that_do_not_fit():
    x = cuda.zeros(4, np.int32)
    with pytest.raises(ValueError, match="broadcast"):
        x[:2] = [1, 2, 3]
    with pytest.raises(TypeError, match="same_kind"):
        x[:2] = [1.5, 2.5]
    with pytest.raises(OverflowError):
        x[0] = 2**40
    np.testing.assert_array_equal(x.copy_to_host(), 0)


def test_values_of_another_device():
    x = cuda.to_device(np.arange(4))
    with cuda.simulator():
        y = cuda.device_array(4, np.int64)
        y.copy_to_device(x)
        y[0] = x[3]
    np.testing.assert_array_equal(y.copy_to_host(), [3, 1, 2, 3])


def test_pinned_arrays_are_numpys():
    x = cuda.pinned_array((2, 3), np.float32, order="F")
    assert type(x) is np.ndarray
    assert x.strides == (4, 8) and x.flags.writeable
    x[:] = 5
    assert x.sum() == 30
    view = x[1]
    del x
    np.testing.assert_array_equal(view, 5)
    assert cuda.pinned_array(0).size == 0


# --- what Python sees ---


def test_no_copy_is_hidden():
    x = cuda.zeros(3)
    for convert in (np.asarray, np.array, np.median, memoryview):
        with pytest.raises(TypeError, match=r"copy_to_host|bytes-like"):
            convert(x)


def test_scalars_and_truth():
    x = cuda.to_device(np.array([3]))
    assert bool(x) and int(x) == 3 and float(x) == 3.0 and x.item() == 3
    assert cuda.to_device(np.float32(2.5))[()].item() == 2.5
    assert not cuda.zeros(1)
    with pytest.raises(ValueError, match="truth value of an array with 2 elements is ambiguous"):
        bool(cuda.zeros(2))
    with pytest.raises(TypeError, match="only an array of one element"):
        float(cuda.zeros(2))
    with pytest.raises(TypeError, match="no length"):
        len(cuda.zeros(()))
    assert len(cuda.zeros((4, 2))) == 4
    rows = [row.copy_to_host().tolist() for row in cuda.to_device(ramp((2, 2)))]
    assert rows == [[0, 1], [2, 3]]


def test_the_array_interface():
    x = cuda.zeros((2, 3), np.float32)
    interface = x.__cuda_array_interface__
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == "<f4"
    assert interface["strides"] is None
    assert interface["version"] == 3
    assert interface["data"][0] % 256 == 0 and interface["data"][1] is False
    assert interface["stream"] == cuda.current_stream().handle
    assert x.T.__cuda_array_interface__["strides"] == (4, 12)
    assert x[1].__cuda_array_interface__["data"][0] == interface["data"][0] + 12
    assert cuda.zeros(0).__cuda_array_interface__["data"] == (0, False)


def test_repr_shows_the_ends(device):
    name = device.name
    x = cuda.to_device(np.arange(4.0))
    assert repr(x) == (f"DeviceArray([0., 1., 2., 3.], shape=(4,), dtype=float64, device='{name}')")
    long = repr(cuda.to_device(np.arange(100_000)))
    assert long.startswith("DeviceArray([    0,     1,     2, ..., 99997, 99998, 99999], shape=")
    table = repr(cuda.to_device(ramp((50, 60), np.int32)))
    assert "[   0,    1,    2, ...,   57,   58,   59]" in table
    assert "[2940, 2941, 2942, ..., 2997, 2998, 2999]" in table
    assert "shape=(0, 3)" in repr(cuda.zeros((0, 3)))
    assert repr(cuda.zeros((7,) * 6)).startswith("DeviceArray(..., shape=")
