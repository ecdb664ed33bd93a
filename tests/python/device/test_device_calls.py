"""Calls of ufuncs on device arrays against the same calls on host arrays."""

from __future__ import annotations

import enum
import warnings
from concurrent.futures import ThreadPoolExecutor

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from device_calls import assert_same, on_device
from hypothesis import given, settings
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

# Suppresses warnings about bool + bool and about a mask without outputs, which are part of what is
# tested.
pytestmark = [
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
    pytest.mark.filterwarnings("ignore:'where' used without 'out'"),
    pytest.mark.usefixtures("device"),
]

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.fixture(scope="module")
def every():
    """x * y + x, a loop for every dtype."""

    @npp.vectorize([f"{name}({name}, {name})" for name in [*DTYPES, "bfloat16"]], target="cpu")
    def every(x, y):
        return x * y + x

    return every


F = npp.vectorize(
    ["float32(float32, float32)", "float64(float64, float64)"],
    name="saxpy",
    args="x, y",
    body="return 2 * x + y;",
    target="cpu",
)
DIVMOD = npp.vectorize(
    ["float64, int32(float64, int32)", "complex128, int64(complex128, int64)"],
    name="two",
    args="x, y",
    outs="q, r",
    body="q = x * x; r = y + 3;",
    target="cpu",
)


@npp.vectorize(target="cpu")
def lazy(x, y):
    return x - y


def ramp(*shape: int, dtype: str = "float32", start: int = -3) -> np.ndarray:
    return (np.arange(int(np.prod(shape))) * 0.75 + start).astype(dtype).reshape(shape)


def n_launches(device, call) -> int:
    device.synchronize()
    before = device.counters.launches
    call()
    device.synchronize()
    return device.counters.launches - before


SHAPES = [
    ((12,), (12,)),
    ((1,), (12,)),
    ((12,), ()),
    ((), ()),
    ((3, 4), (4,)),
    ((3, 1), (1, 4)),
    ((2, 3, 4), (3, 1)),
    ((1, 3, 1, 2), (4, 1, 5, 1)),
    ((0,), (1,)),
    ((3, 0), (1,)),
    ((0, 1), (1, 5)),
    ((1, 1, 1), (1,)),
]


@pytest.mark.parametrize(("one", "other"), SHAPES, ids=str)
def test_operands_are_broadcast(one, other):
    assert_same(lambda x, y: F(x, y), x=ramp(*one), y=ramp(*other, start=1))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: F(x[1:], y[:-1]),
        lambda x, y: F(x[::-1], y[::2, :][:1]),
        lambda x, y: F(x.T, y.T),
        lambda x, y: F(x.T, y.T[:, :1]),
        lambda x, y: F(x[:, ::-2], y[:, 1::2]),
        lambda x, y: F(x[None, :, 1], y[0]),
        lambda x, y: F(x, y[..., None]),
        lambda x, y: F(x.T, y.T, order="C"),
        lambda x, y: F(x, y, order="F"),
        lambda x, y: F(x.T, y.T, order="A"),
        lambda x, y: F(x.T, y.T[::-1], order="K"),
        lambda x, y: F(x.T, 1.0, where=(y.T)[:, :1].astype(bool) if isinstance(y, np.ndarray)
                       else cuda.to_device(y.copy_to_host().T[:, :1].astype(bool)),
                       out=x.T),
    ],
)  # fmt: skip
def test_views_and_orders(call):
    assert_same(call, x=ramp(5, 5), y=ramp(5, 5, start=2))
    assert_same(call, x=np.asfortranarray(ramp(5, 5)), y=ramp(5, 5, start=2))


def test_results_are_laid_out_as_numpys():
    x = ramp(2, 3, 4, 5)
    for axes in [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2), (2, 0, 3, 1)]:
        assert_same(lambda x, a=axes: F(x.transpose(*a), 1.0), x=x)
        assert_same(lambda x, a=axes: F(x.transpose(*a), x.transpose(*a)[:1]), x=x)


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_every_dtype(every, dtype):
    x = ramp(37, dtype="float64", start=-9).astype(
        ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    )
    assert_same(lambda x, y: every(x, y), x=x, y=x[::-1].copy())
    assert_same(lambda x, y: every(x, y, out=x), x=x, y=x[::-1].copy())
    assert_same(lambda x: every(x, 1), x=x)


@pytest.mark.parametrize("one", ["bool", "int8", "uint16", "int64", "float16", "float32"])
@pytest.mark.parametrize("other", ["int8", "uint64", "float32", "complex64"])
def test_mixed_dtypes_are_promoted_as_numpys(every, one, other):
    assert_same(
        lambda x, y: every(x, y), x=ramp(9, dtype=one, start=0), y=ramp(9, dtype=other, start=1)
    )


SCALARS = [2, -1, 2.5, 1j, True, np.float32(1.5), np.float64(1.5), np.int8(3), np.bool_(True)]
SCALARS += [
    np.array(2.5, ">f8"),
    np.array(3, ">i2"),
    ml_dtypes.bfloat16(1.5),
    enum.IntEnum("E", "A").A,
]
SCALARS += [np.array(2.5), np.array(3, "i2"), 2**40, 1e300, float("inf"), np.uint64(2**63)]


@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "complex64"])
def test_scalars_of_the_host_mean_what_numpy_means(every, scalar, dtype):
    assert_same(lambda x: every(x, scalar), x=ramp(9, dtype=dtype, start=0))
    assert_same(lambda x: every(scalar, x), x=ramp(9, dtype=dtype, start=0))


@needs_simulator
def test_scalars_are_part_of_the_launch(device):
    x, z = on_device(ramp(8)), on_device(ramp(8))
    assert n_launches(device, lambda: F(x, 2.0, out=z)) == 1
    assert n_launches(device, lambda: F(x, np.array(2.0, "f4"), out=z)) == 1
    np.testing.assert_array_equal(z.copy_to_host(), F(ramp(8), np.float32(2)))


OUTPUTS = [
    lambda x, y, z: F(x, y, out=z),
    lambda x, y, z: F(x, y, z),
    lambda x, y, z: F(x, y, None),
    lambda x, y, z: F(x, y, out=(z,)),
    lambda x, y, z: F(x, y, out=(None,)),
    lambda x, y, z: F(x, y, out=None),
    lambda x, y, z: F(x, y, out=z.T),
    lambda x, y, z: F(x[0], y, out=z[::-1]),
    lambda x, y, z: F(x[0], y[0], out=z),
    lambda x, y, z: F(1.0, 2.0, out=z),
    lambda x, y, z: F(x, y, out=z, subok=False),
    lambda x, y, z: F(x, y, out=z, where=True),
    lambda x, y, z: F(x, y, out=z, where=False),
    lambda x, y, z: F(x, y, out=z, casting="unsafe"),
    lambda x, y, z: F(x[:1, :1], y[:1, :1], out=z[:0]),
]


@pytest.mark.parametrize("call", OUTPUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_out(call, dtype):
    assert_same(call, x=ramp(4, 4), y=ramp(4, 4, start=2), z=np.zeros((4, 4), dtype))


def test_the_result_is_the_very_output():
    x, z = on_device(ramp(4)), on_device(ramp(4))
    assert F(x, x, out=z) is z
    assert F(x, x, z) is z
    assert F(x, x, out=(z,)) is z
    q = cuda.zeros(4, "f8")
    first, second = DIVMOD(x, np.int32(3), out=(q, None))
    assert first is q
    assert isinstance(second, cuda.DeviceArray) and second.dtype == np.int32


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y, q, r: DIVMOD(x, y),
        lambda x, y, q, r: DIVMOD(x, y, q),
        lambda x, y, q, r: DIVMOD(x, y, q, r),
        lambda x, y, q, r: DIVMOD(x, y, None, r),
        lambda x, y, q, r: DIVMOD(x, y, out=(q, r)),
        lambda x, y, q, r: DIVMOD(x, y, out=(None, r)),
        lambda x, y, q, r: DIVMOD(x, y, out=(None, None)),
        lambda x, y, q, r: DIVMOD(x, y, out=(x, y)),
        lambda x, y, q, r: DIVMOD(x, y, out=(q, q), casting="unsafe"),
        lambda x, y, q, r: DIVMOD(x, y, out=(q, q[::-1]), casting="unsafe"),
        lambda x, y, q, r: DIVMOD(x[1:], y[1:], out=(x[:-1], y[:-1])),
    ],
)
def test_two_outputs(call):
    assert_same(
        call,
        x=ramp(6, dtype="float64"),
        y=ramp(6, dtype="int32"),
        q=np.zeros(6),
        r=np.zeros(6, "int64"),
    )


OVERLAPS = [
    lambda x: F(x, x, out=x),
    lambda x: F(x[1:], x[1:], out=x[:-1]),
    lambda x: F(x[:-1], x[:-1], out=x[1:]),
    lambda x: F(x, 1.0, out=x[::-1]),
    lambda x: F(x[::-1], x, out=x),
    lambda x: F(x[:1], x, out=x),
    lambda x: F(x[:8], x[4:12], out=x[2:10]),
    lambda x: F(x[::2], x[1::2], out=x[::2]),
    lambda x: F(x.reshape(4, 4), 0.0, out=x.reshape(4, 4).T),
    lambda x: F(x, 1.0, out=x[::-1], where=np.array(True)),
]


@pytest.mark.parametrize("call", OVERLAPS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_operands_that_overlap(call, dtype):
    assert_same(call, x=ramp(16, dtype=dtype))


def test_a_mask_that_overlaps_the_output():
    flip = npp.vectorize(["bool(bool)"], args="x", body="return !x;", name="flip", target="cpu")
    x = np.array([True, False, True, True, False, False, True])
    assert_same(lambda x: flip(x, out=x[::-1], where=x), x=x)
    assert_same(lambda x: flip(x, out=x, where=x), x=x)


@pytest.mark.parametrize("shape", [(4, 5), (5,), (1,), (4, 1), ()])
@pytest.mark.parametrize("order", ["C", "F"])
def test_where(shape, order):
    mask = np.random.default_rng(1).integers(0, 2, shape).astype(bool)
    assert_same(
        lambda x, m, z: F(x, x, out=z, where=m),
        x=np.array(ramp(4, 5), order=order),
        m=mask,
        z=np.full((4, 5), 7, "f4"),
    )
    # Operands are also broadcast against the mask.
    assert_same(lambda m, z: F(1.0, 2.0, out=z, where=m), m=mask, z=np.full((4, 5), 7, "f4"))


def test_where_all_is_written_makes_the_result():
    assert_same(lambda x, m: F(x, 1.0, where=m), x=ramp(3), m=np.ones((2, 3), bool))
    assert_same(lambda x: F(x, 1.0, where=np.True_), x=ramp(3))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, m: F(x, 1.0, where=m),
        lambda x, m: F(x, 1.0, None, where=m),
        lambda x, m: F(x, 1.0, where=m, out=None),
        lambda x, m: F(x, 1.0, where=m, out=(None,)),
        lambda x, m: F(x, 1.0, x, where=m),
        lambda x, m: DIVMOD(x, 1, where=m),
        lambda x, m: DIVMOD(x, 1, None, x, where=m, casting="unsafe"),
        lambda x, m: F(x, 1.0, where=m, out=x),
        lambda x, m: F(x, 1.0, where=True),
        lambda x, m: F(x, 1.0, where=False),
    ],
)
def test_masks_without_outputs_are_warned_of_as_numpy_does(call):
    texts = []
    for x, m in [(ramp(3), ramp(3) > 0), (on_device(ramp(3)), on_device(ramp(3) > 0))]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(x, m)
        texts.append([str(warning.message) for warning in caught])
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: F(x, y, dtype="f8"),
        lambda x, y: F(x, y, dtype=np.float32, casting="same_kind"),
        lambda x, y: F(x, y, dtype=None),
        lambda x, y: F(x, y, signature="dd->d"),
        lambda x, y: F(x, y, sig="ff->f", casting="unsafe"),
        lambda x, y: F(x, y, signature=(None, None, "f8")),
        lambda x, y: F(x, y, dtype="f4", casting="unsafe"),
        lambda x, y: F(x, y, out=y, casting="unsafe"),
        lambda x, y: F(x, y, casting="no"),
        lambda x, y: F(x, y, casting="equiv"),
        lambda x, y: F(x, y, casting="safe"),
        lambda x, y: F(x, y, casting="same_value"),
        lambda x, y: F(x, 1, casting="safe"),
    ],
)
@pytest.mark.parametrize("one", ["int8", "int64", "float32", "float64"])
@pytest.mark.parametrize("other", ["int32", "float32"])
def test_dtype_signature_and_casting(call, one, other):
    assert_same(call, x=ramp(5, dtype=one, start=0), y=ramp(5, dtype=other, start=0))


def test_a_ufunc_compiled_for_each_call():
    for one in ["int32", "float32", "complex64"]:
        for other in ["int32", "float64"]:
            assert_same(lambda x, y: lazy(x, y), x=ramp(7, dtype=one), y=ramp(7, dtype=other))
    fresh = npp.vectorize(args="x, y", body="return x + y;", name="fresh", target="cpu")
    x = on_device(ramp(4, dtype="float64"))
    np.testing.assert_array_equal(fresh(x, 2).copy_to_host(), x.copy_to_host() + 2)


def test_a_ufunc_stays_numpys():
    assert type(F) is np.ufunc
    x = on_device(ramp(3))
    expected = F(ramp(3), ramp(3))
    for result in [np.ufunc.__call__(F, x, x), F.__call__(x, x), F(*[x, x]), *map(F, [x], [x])]:
        np.testing.assert_array_equal(result.copy_to_host(), expected)


def test_array_ufunc_is_the_same_path():
    x = on_device(ramp(3))
    z = cuda.zeros(3, "f4")
    assert x.__array_ufunc__(F, "__call__", x, 1.0, out=(z,)) is z
    np.testing.assert_array_equal(z.copy_to_host(), F(ramp(3), np.float32(1)))


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((2, 3), (4,)), ((), (3,)), ((2,), (3, 1, 2))])
def test_outer(shapes):
    one, other = shapes
    assert_same(lambda x, y: F.outer(x, y), x=ramp(*one), y=ramp(*other))
    assert_same(lambda x: F.outer(x, 2.0), x=ramp(*one))


def test_streams(device):
    x = on_device(ramp(1000))
    stream = cuda.stream()
    z = F(x, 1.0, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(z.copy_to_host(stream=stream), F(ramp(1000), np.float32(1)))
    with stream:
        np.testing.assert_array_equal(F(x, 1.0).copy_to_host(), F(ramp(1000), np.float32(1)))
    for none in (None, 0):
        assert F(x, 1.0, stream=none).shape == (1000,)
    np.testing.assert_array_equal(F(ramp(3), 1.0, stream=stream), F(ramp(3), 1.0))
    np.testing.assert_array_equal(F(ramp(3), 1.0, stream=None), F(ramp(3), 1.0))


def test_streams_wait_for_the_threads_own(device):
    with cuda.simulator(faults={"copy_delay": 0.05}):
        pinned = cuda.pinned_array(64, "f4")
        pinned[:] = ramp(64)
        x, stream = cuda.zeros(64, "f4"), cuda.stream()
        for _ in range(3):
            x.copy_to_device(pinned)
            y = F(x, 1.0, stream=stream)
            z = F(x, y, stream=stream)
            F(z, 0.0, out=x)
        expected = F(ramp(64), F(ramp(64), np.float32(1)))
        np.testing.assert_array_equal(z.copy_to_host(), expected)
        np.testing.assert_array_equal(x.copy_to_host(), 2 * expected)


def test_many_threads(device):
    x = on_device(ramp(1000))
    fresh = npp.vectorize(args="x, y", body="return x * 2 + y;", name="fresh", target="cpu")

    def call(number):
        with cuda.simulator() if number % 4 == 3 else device:
            array = on_device(ramp(1000)) if number % 4 == 3 else x
            return fresh(array, np.float32(number)).copy_to_host()

    with ThreadPoolExecutor(8) as pool:
        for number, result in enumerate(pool.map(call, range(32))):
            np.testing.assert_array_equal(result, 2 * ramp(1000) + np.float32(number))


@needs_simulator
def test_one_launch_a_call(device):
    x, y = on_device(ramp(30, 40)), on_device(ramp(40))
    F(x.T[1:], y[:, None][1:, 0][0:1])
    for call in [lambda: F(x, x), lambda: F(x, y), lambda: F(x.T[::2], 1.0)]:
        assert n_launches(device, call) == 1


@needs_simulator
def test_empty_arrays_launch_nothing(device):
    x = on_device(ramp(0, 4))
    assert F(x, 1.0).shape == (0, 4)
    assert F(x[:, :0], x[:, :0]).shape == (0, 0)
    assert n_launches(device, lambda: F(x, 1.0)) == 0
    assert n_launches(device, lambda: F(1.0, 2.0, out=x)) == 0


def test_sixty_four_dimensions():
    x = ramp(2, 1, 3)
    many = (slice(None),) * 2 + (None,) * 60
    assert_same(lambda x: F(x[many], x[many][..., ::-1]), x=x)
    assert_same(lambda x: F(x[many].T, x[many].T), x=x)


@st.composite
def views(draw, dtype, shape):
    """Indices that make a view of this shape from an array that is made for them."""
    steps = [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in shape]
    order = draw(st.permutations(range(len(shape))))
    extents = [n * abs(step) + 1 for n, step in zip(shape, steps, strict=True)]
    drops = [draw(st.booleans()) and n > 1 for n in shape]
    base = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 9, extents).astype(dtype)
    stored = np.ascontiguousarray(base.transpose(order))

    def view(array):
        array = array.transpose(*np.argsort(order).tolist())
        array = array[tuple(slice(None, None, step) for step in steps)]
        array = array[
            tuple(slice(0, 1 if drop else n) for n, drop in zip(shape, drops, strict=True))
        ]
        return array

    return stored, view


@settings(deadline=None, max_examples=60)
@given(
    st.data(),
    st.lists(st.integers(0, 5), max_size=4).map(tuple),
    st.sampled_from(["bool", "int8", "uint16", "int64", "float16", "float32", "complex64"]),
    st.sampled_from(["int8", "float64", "complex64"]),
)
def test_any_strides_and_dtypes(every, data, shape, one, other):
    x, x_view = data.draw(views(one, shape))
    y, y_view = data.draw(views(other, shape))
    first = data.draw(st.integers(0, len(shape)))
    cut = (0,) * first
    assert_same(lambda x, y: every(x_view(x), y_view(y)[cut]), x=x, y=y)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple))
def test_any_output_that_may_overlap(every, data, shape):
    x, x_view = data.draw(views("int32", shape))
    m, m_view = data.draw(views("bool", shape))
    axis = data.draw(st.integers(0, len(shape) - 1))
    before = (slice(None),) * axis
    back, ahead = (*before, slice(None, -1)), (*before, slice(1, None))
    flip = (*before, slice(None, None, -1))

    def call(x, m):
        v = x_view(x)
        w = m_view(m)
        places = data_places(v, back, ahead, flip)
        return every(v[back], v[ahead][flip], out=places, where=w[back] if masked else True)

    masked = data.draw(st.booleans())
    which = data.draw(st.sampled_from(["back", "ahead", "flip"]))

    def data_places(v, back, ahead, flip):
        return {"back": v[back], "ahead": v[ahead], "flip": v[back][flip]}[which]

    assert_same(call, x=x, m=m)
