"""target="cuda": methods of ufuncs on host arrays, also of kernels that only devices have."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

TABLE = np.arange(6.0).reshape(2, 3)
SOURCE = "__device__ double only_there(double x, double y) { return x + y; }"
only_there = npp.declare_device("only_there", "float64(float64, float64)", source=SOURCE)


def body(x, y):
    return only_there(x, y)


declared = npp.vectorize(["f8(f8, f8)"], target="cuda", identity=0)(body)
lazy = npp.vectorize(target="cuda", identity=0)(body)
UFUNCS = [declared, lazy]


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator(memory="32 MiB") as device:
        yield device


CALLS = {
    "reduce": lambda f, x: f.reduce(x),
    "array=": lambda f, x: f.reduce(array=x, axis=1, keepdims=True),
    "all axes": lambda f, x: f.reduce(x, axis=None),
    "initial": lambda f, x: f.reduce(x, initial=np.float32(2), where=x > 1),
    "a mask of a number": lambda f, x: f.reduce(x, where=np.True_),
    "empty": lambda f, x: f.reduce(x[:0]),
    "a list": lambda f, x: f.reduce(x.tolist()),
    "a number": lambda f, x: f.reduce(2.5, axis=None),
    "strided": lambda f, x: f.reduce(x[:, ::-2]),
    "other byte order": lambda f, x: f.reduce(x.astype(">f8")),
    "accumulate": lambda f, x: f.accumulate(x, 1),
    "reduceat": lambda f, x: f.reduceat(x, np.array([0, 2, 1]), axis=1),
    "outer": lambda f, x: f.outer(x, x[0]),
    "outer of a number": lambda f, x: f.outer(2, x),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_numpys_on_the_host(name):
    expected = CALLS[name](np.add, TABLE)
    for ufunc in UFUNCS:
        found = CALLS[name](ufunc, TABLE)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("ufunc", UFUNCS)
def test_outputs(ufunc):
    for dtype in ("f8", ">f8"):
        out = np.zeros(3, dtype)
        assert ufunc.reduce(TABLE, out=out) is out
        np.testing.assert_array_equal(out, TABLE.sum(0))
        assert ufunc.reduce(TABLE, 0, None, (out,)) is out
    itself = TABLE.copy()
    assert ufunc.accumulate(itself, out=itself) is itself
    np.testing.assert_array_equal(itself, TABLE.cumsum(0))
    rows = TABLE.copy()
    ufunc.reduce(rows, axis=1, out=rows[:, 0])
    np.testing.assert_array_equal(rows, [[3, 1, 2], [12, 4, 5]])
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ufunc.reduce(TABLE, out=out)


@pytest.mark.parametrize("ufunc", UFUNCS)
def test_updates_in_place(ufunc):
    for values in (1.5, [1.0, 2.0, 4.0], np.array([1, 2, 4])):
        found, expected = TABLE[0].copy(), TABLE[0].copy()
        assert ufunc.at(found, [0, 2, 0], values) is None
        np.add.at(expected, [0, 2, 0], values)
        np.testing.assert_array_equal(found, expected)


WRONG = [
    lambda f, x: f.reduce(x, axis=3),
    lambda f, x: f.reduce(x, bogus=1),
    lambda f, x: f.reduce(x, keepdims="x"),
    lambda f, x: f.reduce(x, out=np.zeros(7)),
    lambda f, x: f.accumulate(x, axis=None),
    lambda f, x: f.reduceat(x, [5]),
    lambda f, x: f.at(x.copy(), [0, 5], 1.0),
    lambda f, x: f.at([1.0], 0, 1.0),
    lambda f, x: f.outer(x),
]


@pytest.mark.parametrize("call", WRONG)
@pytest.mark.parametrize("ufunc", UFUNCS)
def test_errors_are_numpys(ufunc, call):
    with pytest.raises(Exception) as numpys:
        call(np.add, TABLE)
    with pytest.raises(numpys.type) as ours:
        call(ufunc, TABLE)
    assert str(ours.value).replace(ufunc.__name__, "add") == str(numpys.value)


def test_arrays_go_to_the_device_once(device):
    declared.reduce(TABLE)
    before = device.counters.launches
    declared.reduce(TABLE)
    assert device.counters.launches - before == 1


def test_device_memory_that_does_not_suffice():
    large = np.ones(6 << 20)  # 48 MiB
    here = npp.vectorize(["f8(f8, f8)"], target="cuda", identity=0)(lambda x, y: x + y)
    assert here.reduce(large) == large.size
    with pytest.raises(npp.DeviceMemoryError):
        declared.reduce(large)


def test_without_kernels_for_the_dtype():
    here = npp.vectorize(["f8(f8, f8)"], target="cuda", identity=0)(lambda x, y: x + y)
    with pytest.raises(TypeError, match="not supported for the input types"):
        here.reduce(np.array(["text"]))
    with pytest.raises(TypeError, match="not supported for the input types"):
        here.reduce([None, 2])
