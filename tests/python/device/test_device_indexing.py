"""Integer arrays and masks as indices of device arrays, read and written as by NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from machines.device_under_test import needs_simulator
from numpy_versions import BEFORE_2_4

from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


def ramp(shape, dtype=np.float64):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def on_device(key):
    """Return a key with its arrays on the device."""
    if isinstance(key, tuple):
        return tuple(on_device(step) for step in key)
    return cuda.to_device(key) if isinstance(key, np.ndarray) and key.ndim else key


def check(host, key, there_key):
    there = cuda.to_device(host)
    expected = host[key]
    selected = there[there_key]
    assert (selected.shape, selected.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(selected.copy_to_host(), expected)
    values = (np.arange(expected.size) + 100).reshape(expected.shape).astype(host.dtype)
    host[key] = values
    there[there_key] = values
    np.testing.assert_array_equal(there.copy_to_host(), host)
    host[key] = 7
    there[there_key] = cuda.full((), 7, host.dtype)
    np.testing.assert_array_equal(there.copy_to_host(), host)


MASK = np.array([[True, False, True, True], [False, False, True, False], [True, True, True, False]])
KEYS = {
    "list": [2, 0, -1],
    "no index": [],
    "no index in an array": np.zeros(0, np.int64),
    "table": np.array([[0, 1], [2, -3]], np.int8),
    "unsigned": np.array([2, 1], np.uint64),
    "two arrays": np.s_[[0, 2, 1], [3, 0, -1]],
    "broadcast": np.s_[np.array([[0], [2]]), np.array([1, 3, 0])],
    "after a slice": np.s_[:, [3, 1]],
    "adjacent": np.s_[1:, [3, 1], [0, 4]],
    "with an integer": np.s_[1, :, [0, 4]],
    "adjacent to an integer": np.s_[:, 1, [0, 4]],
    "around a slice": np.s_[[0, 1], :, [0, 4]],
    "around None": np.s_[[0, 1], None, [0, 3]],
    "around an empty Ellipsis": np.s_[[0, 1], [3, 1], ..., [0, 4]],
    "None and Ellipsis": np.s_[None, ..., [0, 4], None],
    "reversed slice": np.s_[::-2, [3, 1]],
    "mask of two axes": MASK,
    "mask of one axis": np.s_[:, MASK[0]],
    "mask and indices": np.s_[[1], MASK[0], 2],
    "mask of all axes": ramp((3, 4, 5)) % 7 == 0,
    "mask without elements": np.zeros((3, 4), bool),
    "True": True,
    "False": False,
    "np.True_ and indices": np.s_[np.True_, [1, 0]],
    "number in an array": np.s_[np.array(1), [0, 2]],
    "broadcast away": np.s_[np.array([[5]]), np.zeros((0, 1), int)],
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_keys_are_numpys(key):
    check(ramp((3, 4, 5)), key, key)
    check(ramp((3, 4, 5)), key, on_device(key))


def test_indices_that_share_memory_with_the_array():
    host = np.array([1, 2, 0, 3])
    there = cuda.to_device(host)
    there[there] = 7 - there
    host[host.copy()] = 7 - host
    assert there.copy_to_host().tolist() == host.tolist() == [7, 6, 5, 4]


@pytest.mark.parametrize("dtype", ["?", "i2", "S3", "f4", "f8", "c8", "c16", "i4,f8", "S24"])
def test_elements_of_every_size(dtype):
    raw = np.random.default_rng(0).integers(0, 2, 12 * np.dtype(dtype).itemsize, np.uint8)
    host = raw.view(dtype).reshape(3, 4)
    there = cuda.to_device(host)
    assert there[[2, 0], 1:].copy_to_host().tobytes() == host[[2, 0], 1:].tobytes()
    there[:, [0, 3]] = there[:, [1, 2]]
    host[:, [0, 3]] = host[:, [1, 2]]
    assert there.copy_to_host().tobytes() == host.tobytes()


@st.composite
def arrays_and_keys(draw):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5))
    n_indexed = draw(st.integers(1, len(shape)))
    places = sorted(draw(st.permutations(range(len(shape))))[:n_indexed])
    index_shape = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4))
    steps = []
    for axis, n in enumerate(shape):
        if axis in places and draw(st.integers(0, 3)) == 0:
            steps.append(draw(st.integers(-n, n - 1)))
        elif axis in places:
            own = tuple(draw(st.sampled_from([1, side])) for side in index_shape)
            steps.append(draw(hnp.arrays(np.int64, own, elements=st.integers(-n, n - 1))))
        else:
            steps.append(slice(None, None, draw(st.sampled_from([1, 2, -1]))))
    if draw(st.booleans()):
        steps.insert(draw(st.integers(0, len(steps))), None)
    if draw(st.booleans()):
        steps.insert(draw(st.integers(0, len(steps))), ...)
    axes = draw(st.permutations(range(len(shape))))
    return ramp(shape).transpose(axes).copy().transpose(np.argsort(axes)), tuple(steps)


@given(arrays_and_keys())
@settings(max_examples=80, deadline=None)
def test_any_key(case):
    host, key = case
    there = cuda.to_device(host)
    try:
        expected = host[key]
    except IndexError as error:
        with pytest.raises(IndexError) as raised:
            there[on_device(key)]
        assert str(raised.value).strip() == str(error).strip()
        return
    for own in (key, on_device(key)):
        selected = there[own]
        assert selected.shape == np.shape(expected)
        np.testing.assert_array_equal(selected.copy_to_host(), expected)


# Found in a table of all places, or by a sort of the elements, where they are few.
@given(
    st.lists(st.integers(-6, 5), min_size=1, max_size=40),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([6, 2000]),
)
@settings(max_examples=40, deadline=None)
def test_the_last_of_repeated_indices_wins(indices, width, is_on_device, n):
    host, there = np.zeros((n, width)), cuda.zeros((n, width))
    values = np.arange(1.0, len(indices) * width + 1).reshape(len(indices), width)
    host[indices] = values
    there[cuda.to_device(indices) if is_on_device else indices] = values
    np.testing.assert_array_equal(there.copy_to_host(), host)


@pytest.mark.parametrize("shape", [(2, 3), (70, 80)])
def test_repeated_indices_of_several_axes(shape):
    rows, columns = np.array([[0, 1, 0], [1, -1, 0]]), np.array([2, -1, 2])
    host, there = np.zeros(shape, np.int16), cuda.zeros(shape, np.int16)
    host[rows, columns] = there[rows, columns] = np.arange(1, 7).reshape(2, 3)
    np.testing.assert_array_equal(there.copy_to_host(), host)


@needs_simulator
def test_few_elements_of_a_large_array_take_little_memory():
    with cuda.simulator(memory="32 MiB"):
        there = cuda.zeros(20_000_000, np.int8)
        there[[7, 5, 19_999_999, 5]] = np.arange(1, 5, dtype=np.int8)
        assert there[[5, 7, -1]].copy_to_host().tolist() == [4, 1, 3]
        with pytest.raises(IndexError, match="index 20000000 is out of bounds"):
            there[[5, 20_000_000, 5]] = 9
        assert there[[5, 7, -1]].copy_to_host().tolist() == [4, 1, 3]


def test_arrays_that_index_themselves():
    host = np.array([3, 0, 1, 2])
    there = cuda.to_device(host)
    there[there] = there[::-1]
    host[host.copy()] = host[::-1].copy()
    np.testing.assert_array_equal(there.copy_to_host(), host)


WRONG = {
    "index": [0, 3],
    "second axis": np.s_[:, [0, -5]],
    "first of two": np.s_[[4], [0, 9]],
    "shapes": np.s_[[0, 1], [0, 1, 2]],
    "no integers": np.array([1.0]),
    "list of floats": [1.0],
    "float": 1.5,
    "str": "x",
    "mask": np.zeros(2, bool),
    "mask of the second axis": np.s_[:, np.ones(3, bool)],
    "axes": np.s_[0, 0, [0]],
    "ellipses": np.s_[..., ..., [0]],
    **({} if BEFORE_2_4 else {"without elements": np.s_[5:, [7]]}),
}


@pytest.mark.parametrize("key", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("is_on_device", [False, True])
def test_wrong_keys(key, is_on_device):
    host = ramp((3, 4))
    there = cuda.to_device(host)
    with pytest.raises(IndexError) as numpys:
        host[key]
    for change in (False, True):
        with pytest.raises(IndexError) as ours:
            own = on_device(key) if is_on_device else key
            there.__setitem__(own, -1) if change else there[own]
        assert str(ours.value).strip() == str(numpys.value).strip()
    np.testing.assert_array_equal(there.copy_to_host(), host)
    np.testing.assert_array_equal(there[[2]].copy_to_host(), host[[2]])


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ([0, 1], np.ones(3)),
        (np.eye(3, 4) > 0, np.ones(2)),
        (np.eye(3, 4) > 0, np.ones((3, 1))),
    ],
)
def test_values_of_wrong_shapes(key, values):
    host = ramp((3, 4))
    there = cuda.to_device(host)
    with pytest.raises((TypeError, ValueError)) as numpys:
        host[key] = values
    with pytest.raises(numpys.type) as ours:
        there[key] = values
    assert str(ours.value) == str(numpys.value)
    np.testing.assert_array_equal(there.copy_to_host(), host)


def test_values_are_cast_within_their_kind():
    there = cuda.zeros(3, np.float32)
    there[[0, 2]] = cuda.to_device(np.array([1, 2]))
    there[np.array([False, True, False])] = 0.1
    np.testing.assert_array_equal(there.copy_to_host(), np.float32([1, 0.1, 2]))
    with pytest.raises(TypeError, match="same_kind"):
        there[[0]] = cuda.zeros(1, np.complex64)


def test_large_masks_and_arrays():
    rng = np.random.default_rng(1)
    host = rng.integers(0, 100, (100, 97)).astype(np.int32)
    there = cuda.to_device(host)
    np.testing.assert_array_equal(there[there > 60].copy_to_host(), host[host > 60])
    rows = rng.integers(-100, 100, 3000)
    np.testing.assert_array_equal(there[cuda.to_device(rows), 3].copy_to_host(), host[rows, 3])


@needs_simulator
def test_bits_do_not_depend_on_the_device():
    indices = np.random.default_rng(2).integers(0, 50, 2000)
    results = set()
    for arch in ("sm_75", "sm_90", "sm_120"):
        with cuda.simulator(arch=arch):
            there = cuda.zeros(50)
            there[cuda.to_device(indices)] = np.arange(2000.0)
            results.add(there.copy_to_host().tobytes())
    assert len(results) == 1
