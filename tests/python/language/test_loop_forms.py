"""Every loop form against NumPy over random shapes, strides and dtypes."""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import numpy_plugin as npp

DTYPES = ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
NAMES = [np.dtype(name).name for name in DTYPES]

# bool + bool is part of what is tested; its warning is not.
pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def multiply_add(request):
    """x * y + x, a loop for every dtype."""

    @npp.vectorize([f"{name}({name}, {name})" for name in NAMES], target=request.param)
    def multiply_add(x, y):
        return x * y + x

    return multiply_add


@pytest.fixture(scope="module")
def wave():
    return npp.vectorize(
        ["float32(float32, float32)", "float64(float64, float64)"],
        args="x, y",
        body="return sin(x) + exp(y);",
    )


@st.composite
def views(draw, dtype, shape):
    """An array of a shape with any strides: steps, negative, zero, unaligned, any axis order."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, 3, -1, -2, 0])) for _ in shape]
    extents = [
        1 if step == 0 else size * abs(step) + 1 for size, step in zip(shape, steps, strict=True)
    ]
    offset = draw(st.sampled_from([0, 0, 1, 4]))
    itemsize = np.dtype(dtype).itemsize
    n_items = int(np.prod(extents, dtype=int))
    raw = np.zeros(n_items * itemsize + offset, np.uint8)
    base = raw[offset:].view(dtype).reshape([extents[axis] for axis in order])
    base[...] = draw(hnp.arrays(dtype, base.shape, elements=numbers(dtype), fill=st.nothing()))
    view = base.transpose(np.argsort(order))
    slices = tuple(slice(0, 1) if step == 0 else slice(None, None, step) for step in steps)
    view = view[slices]
    index = tuple(slice(0, size) for size in shape)
    return np.broadcast_to(view[index], shape) if 0 in steps else view[index]


def numbers(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind in "iu":
        info = np.iinfo(dtype)
        return st.integers(int(info.min), int(info.max))
    if kind == "f":
        width = np.dtype(dtype).itemsize * 8
        return st.floats(-8, 8, width=width)
    return st.complex_numbers(max_magnitude=8, width=np.dtype(dtype).itemsize * 8)


def shapes():
    return hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9)


COMMON = dict(deadline=None, suppress_health_check=list(HealthCheck))


@settings(max_examples=50, **COMMON)
@given(data=st.data())
def test_strides_of_every_dtype(multiply_add, data):
    dtype = data.draw(st.sampled_from(DTYPES))
    shape = data.draw(shapes())
    x, y = data.draw(views(dtype, shape)), data.draw(views(dtype, shape))
    with np.errstate(all="ignore"):
        result, expected = multiply_add(x, y), x * y + x
    assert result.dtype == expected.dtype
    check_equal(result, expected)


def check_equal(result, expected):
    """Bit for bit, but for complex products: NumPy's own contract them on some machines."""
    if expected.dtype.kind == "c":
        tolerance = 8 * np.finfo(expected.dtype).eps
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=64 * tolerance)
    else:
        np.testing.assert_array_equal(result, expected)


@settings(max_examples=30, **COMMON)
@given(data=st.data())
def test_broadcasting_and_out(multiply_add, data):
    broadcast = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=6))
    x, y = (data.draw(views("f8", shape)) for shape in broadcast.input_shapes)
    out = data.draw(views("f8", broadcast.result_shape).filter(lambda view: view.flags.writeable))
    expected = x * y + x
    assert multiply_add(x, y, out=out) is out
    np.testing.assert_array_equal(out, expected)


@settings(max_examples=30, **COMMON)
@given(data=st.data())
def test_overlapping_operands(multiply_add, data):
    n = data.draw(st.integers(1, 300))
    base = np.arange(1.0, 3 * n + 4) / 64

    def window():
        start = data.draw(st.integers(0, n))
        step = data.draw(st.sampled_from([1, 2, -1]))
        part = base[start : start + n * abs(step) : 1][::step]
        return part[:n]

    x, y, out = window(), window(), window()
    size = min(len(x), len(y), len(out))
    x, y, out = x[:size], y[:size], out[:size]
    expected = x.copy() * y.copy() + x.copy()
    multiply_add(x, y, out=out)
    np.testing.assert_array_equal(out, expected)


@settings(max_examples=30, **COMMON)
@given(data=st.data())
def test_vector_functions_are_the_same_in_every_form(wave, data):
    dtype = data.draw(st.sampled_from(["f4", "f8"]))
    shape = data.draw(shapes())
    x, y = data.draw(views(dtype, shape)), data.draw(views(dtype, shape))
    result = wave(x, y)
    plain = wave(np.ascontiguousarray(x), np.ascontiguousarray(y))
    np.testing.assert_array_equal(result, plain.reshape(shape))
    np.testing.assert_allclose(
        result, np.sin(x) + np.exp(y), rtol=1e-5 if dtype == "f4" else 1e-13, atol=1e-6
    )


@settings(max_examples=40, **COMMON)
@given(data=st.data())
def test_mixed_dtypes_are_cast_as_numpy_casts(multiply_add, data):
    names = [data.draw(st.sampled_from(DTYPES)) for _ in range(2)]
    shape = data.draw(shapes())
    x, y = (data.draw(views(name, shape)) for name in names)
    with np.errstate(all="ignore"):
        expected = x * y + x
        result = multiply_add(x, y)
    assert result.dtype == np.result_type(x, y)
    check_equal(result, expected.astype(result.dtype))
