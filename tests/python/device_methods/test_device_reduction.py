"""`reduction` on device arrays: the same bits as on the host, in one launch."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from foreign_arrays import Interface
from long_runs import one_in
from machines.device_under_test import device_under_test, needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda


def plus(a, b):
    return a + b


def merged(a, b):
    n = a[0] + b[0]
    difference = b[1] - a[1]
    mean = a[1] + difference * (b[0] / n)
    return n, mean, a[2] + b[2] + difference * difference * (a[0] * b[0] / n)


def first_largest(a, b):
    if b[0] > a[0] or (b[0] == a[0] and b[1] < a[1]):
        return b
    return a


dot = npp.reduction(np.multiply, np.add, identity=0, name="dot")
norm = npp.reduction(np.square, np.add, finish=np.sqrt, identity=0, name="norm")
moments = npp.reduction(
    lambda x: (1.0, x, 0 * x), merged, finish=lambda a: (a[1], a[2] / a[0]), name="moments"
)
position = npp.reduction(
    lambda x, i: (x, i), first_largest, finish=lambda a: a[1], index=True, name="position"
)


@pytest.fixture(scope="module", autouse=True)
def device():
    with device_under_test() as current:
        yield current


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def on_host(result):
    return [item.copy_to_host() for item in (result if isinstance(result, tuple) else [result])]


LINES = [((2, 4500), 1), ((4500, 40), 0), ((7, 33, 5), (0, 2)), ((50, 3), 1)]


@pytest.mark.parametrize(("made", "lines"), one_in(2, [norm, moments, position], LINES), ids=str)
def test_bits_are_those_of_the_host(rng, made, lines):
    shape, axis = lines
    x = rng.standard_normal(shape)
    for form in (x, np.asfortranarray(x)):
        expected = made(form, axis=axis)
        found = on_host(made(cuda.to_device(form), axis=axis))
        expected = expected if isinstance(expected, tuple) else [expected]
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)


def test_masks_initial_values_and_numbers(rng):
    x, mask = rng.standard_normal((9, 300)), rng.random(300) < 0.4
    d = cuda.to_device(x)
    for where in (mask, cuda.to_device(mask)):
        found = dot(d, 2.0, axis=1, where=where, keepdims=True, initial=1)
        assert np.array_equal(
            found.copy_to_host(), dot(x, 2.0, axis=1, where=mask, keepdims=True, initial=1)
        )
    assert dot(d, d, where=np.zeros(300, bool)).copy_to_host() == 0
    means = on_host(moments(d, axis=0, initial=(2.0, 0.0, 0.0)))[0]
    assert np.allclose(means, x.sum(axis=0) / 11, rtol=1e-13)


def test_masked_elements_are_not_mapped():
    def checked(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return math.sqrt(x)

    roots = npp.reduction(checked, plus, identity=0)
    d = cuda.to_device(np.array([4.0, -1.0, 9.0]))
    with cuda.errors("immediate"), pytest.raises(ValueError, match="negative: -1"):
        roots(d)
    with cuda.errors("immediate"):
        assert roots(d, where=np.array([True, False, True])).copy_to_host() == 5


def test_a_number_of_elements_needs_no_array():
    quarter = npp.reduction(lambda h, i: h / (1 + ((i + 0.5) * h) ** 2), plus, index=True)
    h = cuda.to_device(np.array(1e-3))
    assert quarter(h, shape=1000).copy_to_host() == quarter(1e-3, shape=1000)


@needs_simulator
def test_one_launch_reads_the_operands_once(device, rng):
    x, y = cuda.to_device(rng.random(20_000)), cuda.to_device(rng.random(20_000))
    dot(x, y).copy_to_host()
    before = device.counters
    dot(x, y).copy_to_host()
    assert device.counters.launches == before.launches + 1
    n_read = device.counters.bytes_loaded - before.bytes_loaded
    assert 320_000 <= n_read <= 1.02 * 320_000


def test_outputs_and_other_libraries(rng):
    x = rng.random((3, 50))
    d, out = cuda.to_device(x), cuda.device_array(3, np.float32)
    assert norm(d, axis=1, out=out) is out
    assert np.array_equal(out.copy_to_host(), norm(x, axis=1).astype(np.float32))
    overlapping = cuda.to_device(x[:, :3])
    norm(overlapping, axis=0, out=overlapping[0])
    assert np.array_equal(overlapping[0].copy_to_host(), norm(x[:, :3], axis=0))
    given = Interface(x)
    assert np.array_equal(on_host(norm(given, axis=1))[0], norm(x, axis=1))
    norm(d, axis=1, out=Interface(np.zeros(3)))


def test_no_elements():
    nothing = cuda.to_device(np.empty((2, 0)))
    assert np.array_equal(norm(nothing, axis=1).copy_to_host(), [0, 0])
    assert norm(nothing, axis=0).shape == (0,)
    largest = npp.reduction(np.positive, np.maximum, name="largest")
    with pytest.raises(ValueError, match="zero-size array to reduction operation largest which"):
        largest(nothing, axis=1)


def test_wrong_calls(rng):
    d = cuda.to_device(rng.random(8))
    with pytest.raises(TypeError, match="return arrays must be device arrays, found ndarray"):
        norm(d, out=np.empty(()))
    with pytest.raises(np.exceptions.AxisError):
        norm(d, axis=1)
    with pytest.raises(ValueError, match="shape mismatch"):
        dot(d, cuda.to_device(np.ones(3)))

    def raising(a, b):
        if a < 0:
            raise ValueError("negative")
        return a + b

    with pytest.raises(TypeError, match="reduce of 'sums' can raise, which only map can"):
        npp.reduction(np.positive, raising, name="sums")(d)
    assert norm(d).copy_to_host() == norm(d.copy_to_host())


def test_small_types_and_cpp_bodies():
    x = np.arange(300, dtype=np.int8) % 100
    highest = npp.reduction(lambda x: (x, x > 50), lambda a, b: (max(a[0], b[0]), a[1] or b[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", npp.KernelWarning)
        found = on_host(highest(cuda.to_device(x)))
    assert [item.dtype.name for item in found] == ["int8", "bool"]
    assert found == [99, True]
    cubes = npp.vectorize(["float32(float32)"], body="return x * x * x;", args="x")
    total = npp.reduction(cubes, npp.vectorize(["ff->f"], body="return a + b;", args="a, b"))
    y = np.arange(50, dtype=np.float32)
    assert total(cuda.to_device(y)).copy_to_host() == total(y)
