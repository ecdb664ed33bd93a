"""Methods of ufuncs on device arrays: any shape, axis, strides, mask and overlap, as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import numpy_plugin as npp
from numpy_plugin import cuda


def with_examples(check: Any, few: int = 20, many: int = 60) -> tuple[Any, Any]:
    """Return a test with a few random examples, and a slow one with many."""
    tests = [settings(max_examples=n, deadline=None)(given(st.data())(check)) for n in (few, many)]
    return tests[0], pytest.mark.slow(tests[1])


@npp.vectorize(["i2(i2, i2)", "i8(i8, i8)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


@npp.vectorize(["i2(i2, i2)", "i8(i8, i8)"], target="cpu")
def mixed(x, y):
    """Neither associative nor commutative."""
    return x * 3 - y


highest = npp.vectorize(["i2(i2, i2)", "i8(i8, i8)"], target="cpu", identity="reorderable")(
    lambda x, y: max(x, y)
)
UFUNCS = [plus, mixed, highest]

pytestmark = pytest.mark.usefixtures("device")


def arrays(data: st.DataObject, **shapes: int) -> tuple[np.ndarray, Any]:
    """Draw a view of an array, and return the same view of its copy on the device."""
    options = {"min_dims": 1, "max_dims": 4, "min_side": 0, "max_side": 7, **shapes}
    shape = data.draw(hnp.array_shapes(**options))
    whole = np.random.default_rng(data.draw(st.integers(0, 9))).integers(-99, 99, shape)
    whole = whole.astype(data.draw(st.sampled_from(["i2", "i8"])))
    order = data.draw(st.permutations(range(whole.ndim)))
    steps = tuple(slice(None, None, data.draw(st.sampled_from([1, 1, 2, -1]))) for _ in order)
    stretched = data.draw(st.booleans()) and whole.size > 0

    def view(array: Any) -> Any:
        array = array.transpose(order)[steps]
        return np.broadcast_to(array[:1], array.shape) if stretched else array

    return view(whole), view(cuda.to_device(whole))


def outcome(call: Any) -> Any:
    try:
        result = call()
    except (ValueError, TypeError, IndexError) as error:
        return type(error)
    return result.copy_to_host() if isinstance(result, cuda.DeviceArray) else np.asarray(result)


def assert_same(of_host: Any, of_device: Any) -> None:
    expected, found = outcome(of_host), outcome(of_device)
    if isinstance(expected, type):
        assert found is expected
        return
    np.testing.assert_array_equal(found, expected, strict=True)


def check_reduce(data):
    f = data.draw(st.sampled_from(UFUNCS))
    x, d = arrays(data)
    axes = st.sets(st.integers(-x.ndim, x.ndim - 1), max_size=x.ndim).map(tuple)
    named = {
        "axis": data.draw(st.one_of(st.none(), st.integers(-x.ndim - 1, x.ndim), axes)),
        "keepdims": data.draw(st.booleans()),
    }
    if data.draw(st.booleans()):
        named["initial"] = data.draw(st.integers(-5, 5))
    if data.draw(st.booleans()):
        named["where"] = data.draw(hnp.arrays(bool, x.shape[-1:]))
    on_device = {**named}
    if "where" in named:
        on_device["where"] = cuda.to_device(named["where"])
    assert_same(lambda: f.reduce(x, **named), lambda: f.reduce(d, **on_device))


def check_accumulate_into_itself_or_another(data):
    f = data.draw(st.sampled_from(UFUNCS))
    x, d = arrays(data)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    if data.draw(st.booleans()) and x.flags.writeable and 0 not in x.strides:
        assert_same(lambda: f.accumulate(x, axis, out=x), lambda: f.accumulate(d, axis, out=d))
        np.testing.assert_array_equal(d.copy_to_host(), x)
    else:
        assert_same(lambda: f.accumulate(x, axis), lambda: f.accumulate(d, axis))


def check_reduceat(data):
    f = data.draw(st.sampled_from(UFUNCS))
    x, d = arrays(data, min_side=1)
    axis = data.draw(st.integers(0, x.ndim - 1))
    places = st.integers(0, x.shape[axis] - (not data.draw(st.sampled_from([False, False, True]))))
    indices = data.draw(st.lists(places, min_size=1, max_size=9))
    assert_same(lambda: f.reduceat(x, indices, axis), lambda: f.reduceat(d, indices, axis))


def check_reduceat_of_long_segments(data):
    f = data.draw(st.sampled_from([plus, highest]))
    shape = data.draw(st.sampled_from([(9000,), (2, 9000), (9000, 2), (5000, 35)]))
    axis = int(np.argmax(shape))
    step = data.draw(st.sampled_from([1, 2, -1]))
    x = np.random.default_rng(data.draw(st.integers(0, 9))).integers(-99, 99, shape)
    x, d = x[::step], cuda.to_device(x)[::step]
    ends = st.sampled_from([0, 2047, 2048, 2049, x.shape[axis] - 1])
    places = st.one_of(st.integers(0, x.shape[axis] - 1), ends.map(lambda i: min(i, 2049)))
    indices = np.array(data.draw(st.lists(places, min_size=1, max_size=9)))
    if data.draw(st.booleans()):
        indices.sort()
    given_indices = cuda.to_device(indices) if data.draw(st.booleans()) else indices
    assert_same(lambda: f.reduceat(x, indices, axis), lambda: f.reduceat(d, given_indices, axis))


def check_at(data):
    f = data.draw(st.sampled_from(UFUNCS))
    x, d = arrays(data, min_side=1)
    if not x.flags.writeable:
        x, d = x.copy(), d.copy()
    n = data.draw(st.integers(1, 40))
    rng = np.random.default_rng(n)
    size = x.shape[0] + data.draw(st.sampled_from([0, 0, 0, 1]))
    key = rng.integers(-size, size, n)
    values = rng.integers(-9, 9, (n, *x.shape[1:])).astype(x.dtype)
    assert_same(lambda: f.at(x, key, values), lambda: f.at(d, key, cuda.to_device(values)))
    np.testing.assert_array_equal(d.copy_to_host(), x)


test_reduce, test_many_of_reduce = with_examples(check_reduce)
test_accumulate, test_many_of_accumulate = with_examples(check_accumulate_into_itself_or_another)
test_reduceat, test_many_of_reduceat = with_examples(check_reduceat)
test_long_segments, test_many_of_long_segments = with_examples(
    check_reduceat_of_long_segments, 10, 30
)
test_at, test_many_of_at = with_examples(check_at)
