"""Sorts, searches, choices and counts of device arrays, compared with NumPy's."""

import numpy as np
import pytest
from foreign_arrays import Interface
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import one_in
from machines.device_under_test import needs_simulator

from numpy_plugin import cuda

TYPES = "?bBhHiIlLefdFD"

pytestmark = pytest.mark.usefixtures("device")


def values(n, dtype, seed=0):
    """Return many equal values; of floats also NaN, both zeros and both infinities."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-9, 10, n)
    if np.dtype(dtype).kind in "biu":
        return numbers.astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0])
    real = np.where(rng.random(n) < 0.3, rng.choice(special, n), numbers / 3)
    if np.dtype(dtype).kind != "c":
        return real.astype(dtype)
    result = np.empty(n, dtype)
    result.real, result.imag = real, rng.permutation(real)
    return result


def same_bits(ours, numpys):
    ours = ours.copy_to_host()
    assert (ours.shape, ours.dtype) == (numpys.shape, numpys.dtype)
    assert ours.tobytes() == np.ascontiguousarray(numpys).tobytes()


# Of one thread's row, each capacity in shared memory, one tile of digits, and two.
@pytest.mark.parametrize(
    ("n", "dtype"), one_in(2, [0, 1, 2, 63, 64, 65, 257, 1025, 5000], ["i2", "f4", "c8"])
)
def test_sorts_of_every_length(n, dtype):
    host = values(n, dtype)
    there = cuda.to_device(host)
    order = np.argsort(host, kind="stable")
    same_bits(cuda.argsort(there), order)
    same_bits(cuda.sort(there), host[order])


@pytest.mark.parametrize(("dtype", "n"), one_in(2, TYPES, [100, 1100]))
def test_sorts_of_every_dtype(n, dtype):
    host = values(n, dtype)
    order = np.argsort(host, kind="stable")
    same_bits(cuda.argsort(cuda.to_device(host)), order)
    same_bits(cuda.sort(cuda.to_device(host)), host[order])


@pytest.mark.parametrize("dtype", ["i1", "u8", "f8"])
def test_the_whole_range_of_a_dtype(dtype):
    host = np.random.default_rng(3).integers(0, 256, 1200 * np.dtype(dtype).itemsize, np.uint8)
    host = host.view(dtype)
    same_bits(cuda.argsort(cuda.to_device(host)), np.argsort(host, kind="stable"))


@given(
    shape=st.lists(st.integers(0, 9), min_size=1, max_size=3),
    dtype=st.sampled_from("Bid"),
    step=st.sampled_from([1, 2, -1]),
    axis=st.none() | st.integers(-3, 2),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_sorts_along_any_axis(shape, dtype, step, axis, seed):
    host = values(int(np.prod(shape)), dtype, seed).reshape(shape)[::step].T
    there = cuda.to_device(host.T).T
    if axis is not None and not -host.ndim <= axis < host.ndim:
        with pytest.raises(ValueError, match=f"axis {axis} is out of bounds"):
            cuda.sort(there, axis)
        return
    same_bits(cuda.argsort(there, axis, "stable"), np.argsort(host, axis, "stable"))
    np.testing.assert_array_equal(cuda.sort(there, axis).copy_to_host(), np.sort(host, axis))


def test_long_rows():
    host = values(3 * 1500, "f4").reshape(3, 1500)
    same_bits(cuda.argsort(cuda.to_device(host)), np.argsort(host, kind="stable"))
    same_bits(cuda.argsort(cuda.to_device(host).T, 0), np.argsort(host.T, 0, kind="stable"))


def test_partitions_are_sorted():
    host = values(300, "f8").reshape(3, 100)
    same_bits(cuda.partition(cuda.to_device(host), 5), np.sort(host, kind="stable"))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["?", "u2", "i8", "f2", "F"])
def test_searches(dtype, side):
    row, keys = np.sort(values(200, dtype)), values(90, dtype, 1).reshape(9, 10)
    there = cuda.to_device(row)
    expected = np.searchsorted(row, keys, side)
    same_bits(cuda.searchsorted(there, cuda.to_device(keys).T.copy().T, side), expected)


def test_searches_of_numbers_and_with_a_sorter():
    host = np.array([3, 1, 2], np.float32)
    there = cuda.to_device(host)
    order = cuda.argsort(there)
    assert cuda.searchsorted(there, 1.5, sorter=order).item() == 1
    assert cuda.searchsorted(there, [0, 2, 9], "right", order).copy_to_host().tolist() == [0, 2, 3]


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("dtype", ["?", "u2", "i8", "f2", "F"])
def test_unique_values(dtype, equal_nan):
    host = values(60, dtype).reshape(6, 10)
    ours = cuda.unique(cuda.to_device(host), True, True, True, equal_nan=equal_nan)
    numpys = np.unique(host, True, True, True, equal_nan=equal_nan)
    for own, expected in zip(ours, numpys, strict=True):
        np.testing.assert_array_equal(own.copy_to_host(), expected)
    assert cuda.unique(cuda.to_device(host[:0])).shape == (0,)


def test_takes():
    host = np.arange(24.0).reshape(2, 3, 4)
    there = cuda.to_device(host)
    for indices in (3, [0, 1], np.array([[1, 2], [0, -1]]), []):
        for axis in (None, 2, -1):
            expected = np.take(host, np.asarray(indices, int), axis)
            same_bits(cuda.take(there, indices, axis), expected)
    for mode in ("wrap", "clip"):
        expected = np.take(host, [7, -9, 1], 1, mode=mode)
        same_bits(cuda.take(there, [7, -9, 1], 1, mode=mode), expected)
        same_bits(cuda.take(there, cuda.to_device([7, -9, 1]), 1, mode=mode), expected)
    out = cuda.zeros((2, 2, 4))
    assert cuda.take(there, [2, 0], 1, out) is out
    same_bits(out, host[:, [2, 0]])
    copied = cuda.take(there, 0, 0)
    copied.fill(-1)
    same_bits(there, host)


def test_compressions():
    host = np.arange(24.0).reshape(2, 3, 4)
    there = cuda.to_device(host)
    for mask, axis in (([True, False, True], 1), ([0, 1], 0), ([False, True] * 12, None)):
        expected = np.compress(mask, host, axis)
        same_bits(cuda.compress(mask, there, axis), expected)
        same_bits(cuda.compress(cuda.to_device(mask), there, axis), expected)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8"])
@pytest.mark.parametrize("largest", [9, 100, 5000])
def test_counts_of_integers(dtype, largest):
    most = min(largest, np.iinfo(dtype).max)
    host = np.random.default_rng(0).integers(0, most, 3000).astype(dtype)
    same_bits(cuda.bincount(cuda.to_device(host), minlength=20), np.bincount(host, minlength=20))
    same_bits(cuda.bincount(cuda.to_device(host[:0]), minlength=2), np.bincount([], minlength=2))


def test_sums_of_weights():
    rng = np.random.default_rng(0)
    host, weights = rng.integers(0, 9, 1500), rng.normal(size=1500)
    there = cuda.to_device(host)
    same_bits(cuda.bincount(there, cuda.to_device(weights)), np.bincount(host, weights))
    same_bits(cuda.bincount(there, list(range(1500)), 12), np.bincount(host, range(1500), 12))
    same_bits(cuda.bincount(there[:0], weights[:0], 2), np.bincount(host[:0], weights[:0], 2))
    weights = weights.astype(np.float32).reshape(3, 500)
    ours = cuda.histogram(cuda.to_device(weights), [-1, 0, 0.5, 3], weights=abs(weights))[0]
    numpys = np.histogram(weights, [-1, 0, 0.5, 3], weights=abs(weights))[0]
    assert ours.dtype == numpys.dtype
    np.testing.assert_allclose(ours.copy_to_host(), numpys, rtol=1e-5)


HISTOGRAMS = [
    {},
    {"bins": 7},
    {"bins": [-10, 0, 1, 5.5, 20]},
    {"bins": np.array([0, 1, 5])},
    {"range": (-3, 5)},
    {"bins": 100, "range": (0, 1)},
    {"density": True},
]


@pytest.mark.parametrize("dtype", ["e", "f", "d", "i", "B"])
def test_histograms(dtype):
    host = (np.random.default_rng(0).normal(size=2000) * 20).clip(0 if dtype == "B" else None)
    host = host.astype(dtype).reshape(2, 1000)
    there = cuda.to_device(host)
    for named in HISTOGRAMS:
        for own, expected in zip(
            cuda.histogram(there, **named), np.histogram(host, **named), strict=True
        ):
            same_bits(own, expected)


WRONG = [
    lambda module, x: module.sort(x, 3),
    lambda module, x: module.sort(x, kind="x"),
    lambda module, x: module.sort(x[0, 0, 0]),
    lambda module, x: module.argsort(x, -4),
    lambda module, x: module.partition(x, 9),
    lambda module, x: module.partition(x, 1, 5),
    lambda module, x: module.take(x, 24),
    lambda module, x: module.take(x, [5, 9], 1),
    lambda module, x: module.take(x, 5, 7),
    lambda module, x: module.take(x, 5, 1, mode="x"),
    lambda module, x: module.compress([True] * 5, x, 1),
    lambda module, x: module.compress([[True]], x, 1),
    lambda module, x: module.searchsorted(x, 1),
    lambda module, x: module.searchsorted(x[0, 0], 1, side="x"),
    lambda module, x: module.bincount(x),
    lambda module, x: module.bincount(x[0, 0]),
    lambda module, x: module.bincount(x[0, 0].astype(np.int64) - 9),
    lambda module, x: module.bincount(x[0, 0].astype(np.int64), minlength=-1),
    lambda module, x: module.bincount(x[0, 0].astype(np.int64), [1.0, 2.0]),
    lambda module, x: module.bincount(x[0, 0].astype(np.int64), np.full(4, 1j)),
    lambda module, x: module.histogram(x, 4, weights=[1.0]),
    lambda module, x: module.histogram(x, 0),
    lambda module, x: module.histogram(x, [3, 1]),
    lambda module, x: module.histogram(x, 4, (2, 1)),
    lambda module, x: module.histogram(x * np.nan),
]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls(call):
    host = np.arange(24.0).reshape(2, 3, 4)
    with pytest.raises((TypeError, ValueError, IndexError)) as numpys:
        call(np, host)
    with pytest.raises(numpys.type) as ours:
        call(cuda, cuda.to_device(host))
    assert str(ours.value) == str(numpys.value)


def test_what_is_refused():
    with pytest.raises(TypeError, match="expected a device array, found ndarray"):
        cuda.sort(np.ones(3))
    with pytest.raises(TypeError, match="expected a device array, found ndarray"):
        np.compress(cuda.to_device([True]), np.ones(1))
    with pytest.raises(ValueError, match="can't be provided at the same time"):
        cuda.argsort(cuda.zeros(3), kind="stable", stable=True)
    with pytest.raises(TypeError, match="of real numbers, found complex64"):
        cuda.histogram(cuda.zeros(3, np.complex64))
    with pytest.raises(TypeError, match="bins must be an int or the edges, found 'auto'"):
        cuda.histogram(cuda.zeros(3), "auto")
    with pytest.raises(ValueError, match="axis must be None, found 0"):
        cuda.unique(cuda.zeros((2, 2)), axis=0)


def test_arrays_of_other_libraries():
    host = np.array([3, 1, 2, 1])
    theirs = Interface(host)
    assert cuda.sort(theirs).copy_to_host().tolist() == [1, 1, 2, 3]
    assert cuda.take(theirs, Interface(np.array([0, 2]))).copy_to_host().tolist() == [3, 2]
    assert cuda.bincount(theirs).copy_to_host().tolist() == [0, 2, 1, 1]
    assert cuda.searchsorted(cuda.sort(theirs), theirs).copy_to_host().tolist() == [3, 0, 2, 0]


@needs_simulator
def test_bits_do_not_depend_on_the_device():
    host = values(3000, "f4")
    results = set()
    for arch in ("sm_75", "sm_90", "sm_120"):
        with cuda.simulator(arch=arch):
            there = cuda.to_device(host)
            parts = [cuda.argsort(there), *cuda.unique(there, return_counts=True)]
            results.add(tuple(part.copy_to_host().tobytes() for part in parts))
    assert len(results) == 1


@needs_simulator
@pytest.mark.parametrize(
    ("dtype", "n", "n_launches"), [("f4", 700, 1), ("f8", 700, 1), ("i2", 9000, 3), ("f4", 9000, 5)]
)
def test_sorts_move_values_without_positions(device, dtype, n, n_launches):
    there = cuda.to_device(values(n, dtype))
    cuda.sort(there).copy_to_host()
    before = device.counters
    cuda.sort(there).copy_to_host()
    after = device.counters
    assert after.launches - before.launches == n_launches
    if n_launches == 1:  # values are read for their keys, then in order
        n_bytes = n * np.dtype(dtype).itemsize
        assert after.bytes_loaded - before.bytes_loaded == 2 * n_bytes
        assert after.bytes_stored - before.bytes_stored == n_bytes
