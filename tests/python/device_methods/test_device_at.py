"""`ufunc.at` on device arrays: any ufunc, any key, repeated indices one after the other."""

import numpy as np
import pytest
from foreign_arrays import Interface
from hypothesis import given, settings
from hypothesis import strategies as st
from machines.counting_driver import run_with_driver
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


@npp.vectorize(["float64(float64, float64)"])
def halved(x, y):
    return x / 2 + y


@npp.vectorize(["int16(int16)", "float32(float32)"])
def tripled(x):
    return 3 * x + 1


@npp.vectorize(["complex128(complex128, float64)"])
def turned(x, y):
    return x * 1j + y


@npp.vectorize(["int64(int64, int64)"])
def taken(x, y):
    if y < 0:
        raise ValueError(f"{y} is negative")
    return x - y


def on_device(value):
    if isinstance(value, tuple):
        return tuple(on_device(step) for step in value)
    return cuda.to_device(value) if isinstance(value, np.ndarray) and value.ndim else value


def check(ufunc, host, key, *values):
    """Compare with NumPy: key and values on the host, and on the device."""
    expected = host.copy()
    ufunc.at(expected, key, *values)
    for given_key, given_values in ((key, values), (on_device(key), on_device(values))):
        there = cuda.to_device(host)
        assert ufunc.at(there, given_key, *given_values) is None
        ours = there.copy_to_host()
        assert ours.dtype == expected.dtype
        np.testing.assert_array_equal(ours, expected)


INDICES = np.array([3, 0, 3, -1, 3, 0, 2, 3])
VALUES = np.array([1.5, -2.0, 4.0, 0.25, 8.0, 3.0, -1.0, 0.5])


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum, halved])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_repeated_indices_are_updated_in_order(ufunc, dtype):
    check(ufunc, np.arange(5, dtype=dtype), INDICES, VALUES)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "minimum", "maximum"])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8"])
def test_integers(name, dtype):
    values = np.array([100, 3, 7, 100, 50, 9, 1, 120]).astype(dtype)
    check(getattr(np, name), np.arange(5, dtype=dtype) * 20, INDICES, values)


EXACT = ["add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_xor"]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", ["i1", "u2"])
def test_parts_of_words_are_updated_atomically(name, dtype):
    rng, limits = np.random.default_rng(2), np.iinfo(dtype)
    host = rng.integers(limits.min, limits.max, 64, dtype, endpoint=True)
    places, values = rng.integers(0, 60, 3000), rng.integers(limits.min, limits.max, 3000, dtype)
    ufunc, there = getattr(np, name), cuda.to_device(host)
    expected = host.copy()
    ufunc.at(expected[2:62], places, values)
    assert npp.inspect(ufunc).explain(there[2:62], places, values, method="at").launch.form == (
        "atomic"
    )
    ufunc.at(there[2:62], places, values)
    np.testing.assert_array_equal(there.copy_to_host(), expected)


def test_words_beyond_the_memory_are_not_touched():
    for part in (np.s_[:], np.s_[4:], np.s_[::2]):
        host = np.arange(7, dtype=np.int8)
        there = cuda.to_device(host)
        explained = npp.inspect(np.add).explain(there[part], [0, 2, 2], np.int8(9), method="at")
        assert explained.launch.form == "sorted"
        np.add.at(there[part], [0, 2, 2], np.int8(9))
        np.add.at(host[part], [0, 2, 2], np.int8(9))
        np.testing.assert_array_equal(there.copy_to_host(), host)


@needs_simulator
@pytest.mark.parametrize("dtype", ["i1", "i8"])
def test_exact_updates_are_two_passes_over_the_indices(dtype):
    n = 256  # one block: no update loses a race and is tried again
    with cuda.simulator() as simulated:
        there = cuda.zeros(256, dtype)
        places, values = cuda.to_device(np.arange(n) * 4 % 256), cuda.to_device(np.ones(n, dtype))
        before = simulated.counters
        np.add.at(there, places, values)
        np.testing.assert_array_equal(there.copy_to_host()[::4], np.full(64, n // 64, dtype))
        after = simulated.counters
    assert after.launches - before.launches == 2  # a check of the indices, and the updates
    read = 2 * places.nbytes + values.nbytes
    word = max(4, there.dtype.itemsize)  # read, and compared
    assert after.bytes_loaded - before.bytes_loaded <= read + 2 * n * word


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "u8"])
def test_bits(name, dtype):
    values = np.array([1, 3, 7, 1, 5, 9, 1, 12]).astype(dtype)
    check(getattr(np, name), np.arange(5).astype(dtype), INDICES, values)


def test_unary_ufuncs():
    check(tripled, np.arange(5, dtype=np.int16), INDICES)
    check(tripled, np.arange(5, dtype=np.float32), INDICES)
    check(np.negative, np.arange(5.0), INDICES)
    check(tripled, np.arange(5, dtype=np.int16), np.s_[1:4])


def test_elements_of_16_bytes():
    check(turned, np.arange(5) * (1 + 2j), INDICES, VALUES)


TABLE = np.arange(24.0).reshape(2, 3, 4)
KEYS = {
    "array": np.array([1, 0, 1]),
    "list": [1, 1, 0],
    "rows and columns": np.s_[np.array([0, 1, 0]), np.array([2, 2, 2])],
    "after a slice": np.s_[:, np.array([2, 2, 0])],
    "around a slice": np.s_[np.array([1, 1]), 1:, np.array([0, 0])],
    "reversed": np.s_[..., np.array([3, 3]), None],
    "mask": TABLE % 5 == 0,
    "mask of an axis": np.s_[:, np.array([True, False, True])],
    "slices": np.s_[:, ::-1, 1:3],
    "number": 1,
    "Ellipsis": ...,
    "True": True,
    "nothing": np.array([], np.int64),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("ufunc", [np.add, halved])
def test_any_key(key, ufunc):
    check(ufunc, TABLE, key, 2.5)
    check(ufunc, TABLE.copy().T.copy().T, key, np.asarray(TABLE[key]) / 3)
    check(np.add, TABLE.astype(np.int64), key, np.asarray(TABLE[key]).astype(np.int64))


@given(
    indices=st.lists(st.integers(-7, 6), min_size=1, max_size=60),
    step=st.sampled_from([1, 2, -1]),
    seed=st.integers(0, 100),
)
@settings(max_examples=30, deadline=None)
def test_views_of_any_step(indices, step, seed):
    rng = np.random.default_rng(seed)
    host, values = rng.normal(size=(14, 2)), rng.normal(size=(len(indices), 2))
    there = cuda.to_device(host)
    halved.at(host[::step][:7], indices, values)
    halved.at(there[::step][:7], on_device(np.array(indices)), values)
    np.testing.assert_array_equal(there.copy_to_host(), host)


def test_long_runs():
    rng = np.random.default_rng(0)
    indices, values = rng.integers(0, 3, 3000), rng.normal(size=3000)
    check(np.add, np.zeros(3), indices, values)
    check(np.add, np.zeros(3000), rng.integers(0, 3000, 3000), values)


def test_casts_are_numpys():
    check(np.add, np.zeros(5, np.float32), INDICES, VALUES)
    check(np.add, np.zeros(5, np.float32), INDICES, 0.1)
    check(np.add, np.zeros(5, np.int64), INDICES, np.arange(8, dtype=np.int8))
    check(np.add, np.zeros(5, np.int8), INDICES, np.arange(8, dtype=np.int8) * 40)
    check(np.logical_xor, np.zeros(5, bool), INDICES, VALUES > 0)
    there = cuda.zeros(5)
    with pytest.warns(np.exceptions.ComplexWarning):
        np.add.at(there, [1], 1 + 1j)
    assert there[1].item() == 1


def test_values_that_share_memory():
    host = np.arange(8.0)
    there = cuda.to_device(host)
    halved.at(host, INDICES, host.copy())
    halved.at(there, INDICES, there)
    np.testing.assert_array_equal(there.copy_to_host(), host)
    numbers = np.array([1, 2, 0, 1])
    there = cuda.to_device(numbers)
    np.add.at(there, there, 1)
    np.add.at(numbers, numbers.copy(), 1)
    np.testing.assert_array_equal(there.copy_to_host(), numbers)


WRONG = {
    "index": (np.add, [0, 5], 1.0),
    "index of integers": (np.add, [0, -6], 1),
    "axes": (np.add, np.s_[0, [0]], 1.0),
    "key": (np.add, 1.5, 1.0),
    "values": (np.add, [0, 1], np.ones(3)),
    "values of a view": (halved, np.s_[1:3], np.ones(3)),
    "values of an element": (halved, 1, np.ones(3)),
    "too many indices": (halved, (0, 1), 1.0),
    "no values": (np.add, [0, 1]),
    "too many values": (np.negative, [0, 1], 1.0),
    "kind": (np.bitwise_and, [0, 1], 1.5),
    "outputs": (np.modf, [0, 1]),
    "user's": (halved, [0, 7], 1.0),
    "user's without values": (halved, [0, 1]),
}


@pytest.mark.parametrize(("ufunc", "key", "values"), [(w[0], w[1], w[2:]) for w in WRONG.values()])
@pytest.mark.parametrize("is_on_device", [False, True])
def test_wrong_calls(ufunc, key, values, is_on_device):
    for dtype in (np.float64, np.int64):
        host = np.arange(5, dtype=dtype)
        there = cuda.to_device(host)
        with pytest.raises((TypeError, ValueError, IndexError)) as numpys:
            ufunc.at(host.copy(), key, *values)
        own = on_device(np.array(key)) if is_on_device and isinstance(key, list) else key
        with pytest.raises(numpys.type) as ours:
            ufunc.at(there, own, *values)
        assert str(ours.value) == str(numpys.value)
        np.testing.assert_array_equal(there.copy_to_host(), host)


def test_the_first_element_that_raises():
    there = cuda.to_device(np.arange(5))
    values = np.array([[1, 2, -3], [4, -5, -6]])
    with pytest.raises(ValueError, match="-3 is negative") as raised:
        taken.at(there, np.array([[4, 3, 3], [3, 2, 1]]), values)
    assert raised.value.element == (0, 2)
    np.testing.assert_array_equal(there.copy_to_host(), np.arange(5))
    check(taken, np.arange(5), INDICES, abs(INDICES))


def test_arrays_of_other_libraries():
    theirs = Interface(np.zeros(4))
    halved.at(theirs, [1, 1, 2], cuda.to_device(np.array([4.0, 2.0, 1.0])))
    np.testing.assert_array_equal(theirs.copy_to_host(), [0, 4, 1, 0])
    address = theirs.array.__cuda_array_interface__["data"][0]
    read_only = Interface(np.zeros(4), data=(address, True))
    with pytest.raises(ValueError, match="read-only"):
        halved.at(read_only, [1], 1.0)


def test_host_arrays_are_not_copied():
    with pytest.raises(TypeError, match=r"operand 1 of 'halved\.at' is not on a device"):
        halved.at(np.zeros(4), cuda.to_device([1, 2]), 1.0)


@needs_simulator
def test_bits_do_not_depend_on_the_device():
    rng = np.random.default_rng(1)
    indices, values = rng.integers(0, 40, 2000), rng.normal(size=2000)
    results = set()
    for arch in ("sm_75", "sm_90", "sm_120"):
        with cuda.simulator(arch=arch):
            there = cuda.zeros(40)
            np.add.at(there, cuda.to_device(indices), cuda.to_device(values))
            results.add(there.copy_to_host().tobytes())
    assert len(results) == 1


COUNTED = """
def count(function, *arguments):
    for _ in range(3):
        function(*arguments)
    return len(driver.submitted(function, *arguments))


indices = cuda.to_device(np.arange(2000) % 700)
x, y = cuda.zeros(3000), cuda.zeros(3000, np.int64)
print(count(np.add.at, y, indices, cuda.ones(2000, np.int64)))
print(count(x.__getitem__, indices), count(cuda.argsort, x[:900]))
print(count(np.add.at, x, indices[:900], cuda.ones(900)), count(np.add.at, x, indices, 1.5))
"""


@needs_simulator
def test_calls_make_few_driver_calls():
    counts = [int(number) for number in run_with_driver(COUNTED).split()]
    exact, taken_items, sorted_row, in_shared_memory, by_digits = counts
    assert (exact <= 3, taken_items <= 3, sorted_row <= 2) == (True, True, True), counts
    assert in_shared_memory <= 8, counts  # two arrays and three launches
    assert by_digits <= 20, counts  # a sort of two digits more, and the values
