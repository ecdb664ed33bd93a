"""`accumulate` and `reduceat` of ufuncs on device arrays: NumPy's results and errors, and bits."""

import numpy as np
import pytest
from foreign_arrays import CLASSES
from long_runs import in_long_runs, one_in
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

X = np.arange(24.0).reshape(2, 3, 4) + 1
LINE = np.random.default_rng(0).integers(-50, 50, 9000).astype(np.float64)

pytestmark = pytest.mark.usefixtures("device")


@npp.vectorize(["f4(f4, f4)", "f8(f8, f8)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


@npp.vectorize(["f8(f8, f8)"], target="cpu")
def halved(x, y):
    """Neither associative nor commutative."""
    return x * 0.5 + y


@npp.vectorize(target="cpu")
def lazy_largest(x, y):
    return np.maximum(x, y)


@npp.vectorize(["f8(f8, f8)"], target="cpu", identity=0)
def checked_sum(x, y):
    if y < 0:
        raise ValueError("negative")
    return x + y


UFUNCS = [plus, halved, lazy_largest, np.add, np.logical_and]
OTHER_UFUNCS = [np.fmax, np.subtract]
CALLS = {
    "accumulate": lambda f, x, n: f.accumulate(x),
    "along an axis": lambda f, x, n: f.accumulate(x, 1),
    "along the last axis": lambda f, x, n: f.accumulate(x, axis=-1),
    "a line": lambda f, x, n: f.accumulate(n),
    "a line backwards": lambda f, x, n: f.accumulate(n[:300:-2], axis=None),
    "a full tile": lambda f, x, n: f.accumulate(n[:4096]),
    "columns": lambda f, x, n: f.accumulate(n.reshape(4500, 2)),
    "another dtype": lambda f, x, n: f.accumulate(x, dtype="f8"),
    "nothing": lambda f, x, n: f.accumulate(x[:0]),
    "reduceat": lambda f, x, n: f.reduceat(x, [0, 1]),
    "segments of all lengths": lambda f, x, n: f.reduceat(n, [7, 3, 3, 40, 200, 6000, 8999]),
    "segments of an axis": lambda f, x, n: f.reduceat(x, [0, 2, 1], axis=1),
    "no segments": lambda f, x, n: f.reduceat(x, []),
    # errors
    "an axis too many": lambda f, x, n: f.accumulate(x, axis=3),
    "two axes": lambda f, x, n: f.accumulate(x, axis=(0, 1)),
    "all axes": lambda f, x, n: f.accumulate(x, axis=None),
    "no axes": lambda f, x, n: f.accumulate(x[0, 0, 0]),
    "a keyword of reduce": lambda f, x, n: f.accumulate(x, keepdims=True),
    "an output of another shape": lambda f, x, n: f.accumulate(x, out=x[0]),
    "segments of two axes": lambda f, x, n: f.reduceat(x, [0], axis=(0, 1)),
    "an index too large": lambda f, x, n: f.reduceat(x, [0, 3], axis=1),
    "a negative index": lambda f, x, n: f.reduceat(x, [-1]),
    "indices in two dimensions": lambda f, x, n: f.reduceat(x, [[0]]),
    "one index": lambda f, x, n: f.reduceat(x, 1),
    "an empty line": lambda f, x, n: f.reduceat(x[:0], [0]),
    "without indices": lambda f, x, n: f.reduceat(x),
}


def outcome(call, ufunc, *arrays):
    try:
        result = call(ufunc, *arrays)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return result.copy_to_host() if isinstance(result, cuda.DeviceArray) else result


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("ufuncs", [UFUNCS, *in_long_runs(OTHER_UFUNCS)], ids=["some", "others"])
def test_results_and_errors_are_numpys(name, ufuncs):
    for ufunc in ufuncs:
        host = outcome(CALLS[name], ufunc, X, LINE)
        found = outcome(CALLS[name], ufunc, cuda.to_device(X), cuda.to_device(LINE))
        if isinstance(host, str):
            assert found == host
        else:
            np.testing.assert_array_equal(found, host, strict=True)


@pytest.mark.parametrize("dtype", one_in(2, "?bhiHLed"))
def test_small_integers_are_counted_in_wide_ones(dtype):
    array = (np.arange(20) % 3).astype(dtype)
    d = cuda.to_device(array)
    for found, expected in (
        (np.add.accumulate(d), np.add.accumulate(array)),
        (np.multiply.reduceat(d, [2, 9]), np.multiply.reduceat(array, [2, 9])),
    ):
        np.testing.assert_array_equal(found.copy_to_host(), expected, strict=True)


# --- bits ---


def test_a_segment_has_the_bits_of_its_elements_reduced():
    generator = np.random.default_rng(1)
    values = generator.normal(size=(2, 10000)).astype(np.float32)
    d = cuda.to_device(values)
    indices = [0, 1, 128, 300, 2348, 4397, 9999]
    found = plus.reduceat(d, indices, axis=1).copy_to_host()
    for i, (start, end) in enumerate(zip(indices, [*indices[1:], 10000], strict=True)):
        expected = plus.reduce(d[:, start:end], axis=1, initial=None).copy_to_host()
        assert found[:, i].tobytes() == expected.tobytes()


@needs_simulator
def test_accumulated_floats_have_the_same_bits_on_every_device():
    values = np.random.default_rng(2).normal(size=(3, 13000)).astype(np.float32)
    bits = set()
    for arch in ("sm_75", "sm_90", "sm_100"):
        with cuda.simulator(arch):
            bits.add(plus.accumulate(cuda.to_device(values), axis=1).copy_to_host().tobytes())
    assert len(bits) == 1
    exact = values.astype(np.float64).cumsum(axis=1)
    found = np.frombuffer(bits.pop(), np.float32).reshape(values.shape)
    magnitudes = np.abs(values.astype(np.float64)).cumsum(axis=1)
    assert (np.abs(found - exact) <= 3e-7 * magnitudes).all()


@needs_simulator
@pytest.mark.parametrize("shape", [(132 * 4096 + 5,), (33, 4096)])
def test_lines_are_accumulated_in_one_launch(shape):
    values = np.random.default_rng(3).integers(-9, 9, shape).astype(np.int32)
    with cuda.simulator() as simulated:
        d, out = cuda.to_device(values), cuda.zeros(shape, np.int32)
        before = simulated.counters
        np.add.accumulate(d, axis=-1, dtype=np.int32, out=out)
        found = out.copy_to_host()
        after = simulated.counters
    np.testing.assert_array_equal(found, values.cumsum(axis=-1, dtype=np.int32))
    assert after.launches - before.launches == 1
    if len(shape) == 2:  # tiles do not wait for others, which the simulator counts as loads
        assert after.transactions - before.transactions <= 2.05 * values.nbytes / 32


# --- operands ---


def test_outputs_may_share_memory_with_the_array():
    for method in ("accumulate", "reduceat"):
        d, host = cuda.to_device(X), X.copy()
        operands = ([0, 1],) if method == "reduceat" else ()
        out = d[::-1]
        assert getattr(plus, method)(d, *operands, out=out) is out
        getattr(plus, method)(host, *operands, out=host[::-1])
        np.testing.assert_array_equal(d.copy_to_host(), host)


def test_an_output_without_axes_is_refused():
    for ufunc in (plus, np.add):
        for x in (cuda.zeros(3), cuda.zeros((2, 3))):
            with pytest.raises(ValueError, match="provided out is the wrong size"):
                ufunc.accumulate(x, out=cuda.zeros(()))
    with pytest.raises(ValueError, match="provided out is the wrong size"):
        np.cumsum(cuda.zeros(3), out=cuda.zeros(()))


@pytest.mark.parametrize("cls", CLASSES)
def test_arrays_of_other_libraries(cls):
    np.testing.assert_array_equal(plus.accumulate(cls(X)).copy_to_host(), X.cumsum(axis=0))
    indices = cls(np.array([1, 0]))
    found = plus.reduceat(cls(X), indices, axis=1).copy_to_host()
    np.testing.assert_array_equal(found, np.add.reduceat(X, [1, 0], axis=1))
    with pytest.raises(IndexError, match="index 7 out-of-bounds"):
        plus.reduceat(cls(X), cls(np.array([7])))


def test_exceptions_of_kernels():
    d = cuda.to_device(X)
    for method, operands in ((checked_sum.accumulate, ()), (checked_sum.reduceat, ([0, 1],))):
        expected = getattr(np.add, method.__name__)(X, *operands, axis=2)
        np.testing.assert_array_equal(method(d, *operands, axis=2).copy_to_host(), expected)
        with pytest.raises(ValueError, match="negative"):
            method(cuda.to_device(-X), *operands, axis=2).copy_to_host()
        np.testing.assert_array_equal(method(d, *operands, axis=2).copy_to_host(), expected)


# --- many lines along an outer axis, and short ones ---


@needs_simulator
def test_columns_have_the_bits_of_lines_and_are_read_and_written_once():
    values = np.random.default_rng(4).normal(size=(8300, 2048)).astype(np.float32)
    with cuda.simulator() as simulated:
        d, out = cuda.to_device(values), cuda.zeros(values.shape, np.float32)
        before = simulated.counters
        plus.accumulate(d, out=out)
        columns = [out[:, i].copy_to_host() for i in (0, 45, 2047)]
        after = simulated.counters
        lines = [plus.accumulate(d[:, i]).copy_to_host() for i in (0, 45, 2047)]
    assert after.launches - before.launches == 1
    assert after.transactions - before.transactions <= 2.0 * values.nbytes / 32
    for column, line in zip(columns, lines, strict=True):
        assert column.tobytes() == line.tobytes()


@pytest.mark.parametrize(
    ("shape", "ufunc"),
    one_in(
        2,
        [(4, 2100), (40, 2100), (600, 2100), (33, 5), (100, 32)],
        [np.add, np.maximum, halved],
    ),
)
def test_many_columns_and_short_lines(ufunc, shape):
    values = np.random.default_rng(5).integers(-9, 9, shape).astype(np.float64)
    d = cuda.to_device(values)
    for axis in (0, 1):
        found = ufunc.accumulate(d, axis).copy_to_host()
        np.testing.assert_array_equal(found, ufunc.accumulate(values, axis))
    found = ufunc.accumulate(d[::-1], 0).copy_to_host()
    np.testing.assert_array_equal(found, ufunc.accumulate(values[::-1], 0))
