"""Wrong calls on device arrays: NumPy's errors where it has words for them, and ours."""

from __future__ import annotations

import decimal

import numpy as np
import pytest
from device_calls import assert_same, assert_same_error, on_device
from machines.device_under_test import device_under_test, needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

# NumPy's, of the calls on the host.
pytestmark = pytest.mark.filterwarnings("ignore:'where' used without 'out'")


@pytest.fixture(scope="module", autouse=True)
def device():
    with device_under_test(memory="64 MiB") as made:
        yield made


F = npp.vectorize(
    ["int8(int8, int8)", "float32(float32, float32)", "float64(float64, float64)"],
    name="saxpy",
    args="x, y",
    body="return 2 * x + y;",
    target="cpu",
)
TWO = npp.vectorize(
    ["float64, float64(float64)"],
    name="two",
    args="x",
    outs="q, r",
    body="q = x * x; r = -x;",
    target="cpu",
)


def ramp(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)


WRONG_ARGUMENTS = [
    lambda x, z: F(x),
    lambda x, z: F(x, x, z, z),
    lambda x, z: F(x, x, z, out=z),
    lambda x, z: F(x, x, out=(z, z)),
    lambda x, z: F(x, x, out=()),
    lambda x, z: F(x, x, out=[z]),
    lambda x, z: F(x, x, out=3.0),
    lambda x, z: F(x, x, "text"),
    lambda x, z: F(x, x, outt=z),
    lambda x, z: F(x, x, extobj=[1, 2, 3]),
    lambda x, z: F(x, x, order="Q"),
    lambda x, z: F(x, x, order=3),
    lambda x, z: F(x, x, casting="quiet"),
    lambda x, z: F(x, x, casting=3),
    lambda x, z: F(x, x, subok=3),
    lambda x, z: F(x, x, subok=None),
    lambda x, z: F(x, x, axis=0),
    lambda x, z: F(x, x, axes=[(0,), (0,), (0,)]),
    lambda x, z: F(x, x, keepdims=True),
    lambda x, z: F(x, x, dtype="f4", signature="ff->f"),
    lambda x, z: F(x, x, sig="ff->f", signature="ff->f"),
    lambda x, z: F(x, x, dtype="no dtype"),
    lambda x, z: F(x, x, dtype="c8"),
    lambda x, z: F(x, x, signature="ff"),
    lambda x, z: F(x, x, signature="FF->F"),
    lambda x, z: F(x, x, signature=("f4", "f4")),
    lambda x, z: F(x, x, signature=3),
    lambda x, z: F(x, x, signature=None),
    lambda x, z: F(x, x, dtype=None, signature="ff->f"),
    lambda x, z: TWO(x, out=x),
    lambda x, z: TWO(x, out=(x,)),
    lambda x, z: TWO(x, out=(x, x, x)),
    lambda x, z: TWO(x, x, out=(x, x)),
]


@pytest.mark.parametrize("call", WRONG_ARGUMENTS)
def test_arguments_that_no_ufunc_takes(call):
    assert_same_error(call, x=ramp(3), z=ramp(3))


@pytest.mark.parametrize(
    ("one", "other", "out"),
    [
        ((3,), (4,), (3,)),
        ((2, 3), (2,), (2, 3)),
        ((3,), (3,), (4,)),
        ((3,), (3,), ()),
        ((2, 3), (3,), (3,)),
        ((2, 3), (3,), (1, 3)),
        ((2, 3), (3,), (2, 1)),
        ((0,), (3,), (0,)),
        ((3,), (3,), (0,)),
    ],
    ids=str,
)
def test_shapes_that_do_not_fit(one, other, out):
    arrays = {"x": ramp(*one), "y": ramp(*other), "z": ramp(*out)}
    assert_same_error(lambda x, y, z: F(x, y, out=z), **arrays)
    assert_same_error(lambda x, y, z: F(x, y, z), **arrays)


def test_two_outputs_of_two_shapes():
    assert_same_error(lambda x, y: TWO(x, out=(x, y)), x=ramp(3), y=ramp(4))
    assert_same_error(
        lambda x, y: TWO(x, out=(None, y)), x=ramp(3, dtype="f8"), y=ramp(1, dtype="f8")
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda x, z: F(x, x, out=z),
        lambda x, z: F(z, z, out=z),
        lambda x, z: F(z, 1.5, out=x),
        lambda x, z: F(x, 1j, out=x),
        lambda x, z: F(x, x, casting="no", dtype="f8"),
        lambda x, z: F(x, z, casting="no"),
        lambda x, z: F(x, x, casting="safe", dtype="f4"),
        lambda x, z: F(x, 2, casting="equiv"),
        lambda x, z: F(z, 2.5, casting="equiv"),
        lambda x, z: F(x, x, dtype="i1"),
        lambda x, z: F(x, x, where=z),
        lambda x, z: F(x, x, out=x, where=x),
        lambda x, z: F(x, x, where=3.0),
        lambda x, z: F(x, x, where="text"),
    ],
)
@pytest.mark.parametrize("one", ["float64", "complex128"])
@pytest.mark.parametrize("other", ["int8", "int64"])
def test_dtypes_that_can_not_be_cast(call, one, other):
    assert_same(call, x=ramp(3, dtype=one), z=ramp(3, dtype=other))


@pytest.mark.parametrize(
    "operand", ["text", b"bytes", None, object(), decimal.Decimal(3), np.datetime64(0, "s"), ...]
)
def test_operands_that_are_no_numbers(operand):
    assert_same_error(lambda x: F(x, operand), x=ramp(3))
    assert_same_error(lambda x: F(operand, x, out=x), x=ramp(3))


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]", "S3", "U2", "i4,f4", "g"])
def test_device_arrays_that_hold_no_numbers(dtype):
    assert_same_error(lambda x: F(x, x), x=np.zeros(3, dtype))


def test_an_object_array_is_no_operand():
    with pytest.raises(TypeError, match="ufunc 'saxpy' not supported for the input types"):
        F(on_device(ramp(3)), np.array([object()] * 3))


@pytest.mark.parametrize("number", [128, -129, 300, 2**63, 2**64, -(2**70)])
def test_whole_numbers_that_do_not_fit(number):
    assert_same_error(lambda x: F(x, number), x=ramp(3, dtype="int8"))
    assert_same_error(lambda x: F(number, x), x=ramp(3, dtype="int8"))


@pytest.mark.parametrize("number", [2**40, 2**64, -(2**70)])
def test_large_whole_numbers_that_do_fit(number):
    assert_same(lambda x: F(x, number), x=ramp(3, dtype="float64"))


class Theirs:
    """Makes calls itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        return ("theirs", method, len(inputs), sorted(named))


class Nobodys:
    __array_ufunc__ = None


class Silent:
    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        return NotImplemented


def test_other_types_that_make_calls():
    x = on_device(ramp(3))
    assert F(x, Theirs()) == ("theirs", "__call__", 2, [])
    assert F(Theirs(), x, out=x) == ("theirs", "__call__", 2, ["out"])
    assert F.outer(x, Theirs()) == ("theirs", "outer", 2, [])
    with pytest.raises(TypeError, match="operand 'Nobodys' does not support ufuncs"):
        F(x, Nobodys())
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        F(Silent(), x)


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "operand",
    [ramp(3), [1.0, 2.0], (1.0,), ramp(1), np.ma.array([1.0, 2.0]), ramp(3).view(Subclass)],
    ids=lambda value: type(value).__name__,
)
def test_arrays_of_the_host_beside_device_arrays(operand):
    x = on_device(ramp(3))
    advice = r"is a host array and others are on a device; .*cuda\.to_device"
    with pytest.raises(TypeError, match="operand 2 of 'saxpy' " + advice):
        F(x, operand)
    with pytest.raises(TypeError, match="operand 1 of 'saxpy' " + advice):
        F(operand, x)


def test_an_array_of_the_host_as_output_or_mask():
    x = on_device(ramp(3))
    host = ramp(3)
    advice = r"output 1 of 'saxpy' is a host array .*copy_to_host\(out\)|return arrays"
    for call in (lambda: F(x, x, out=host), lambda: F(x, x, host), lambda: F(x, 1, np.float32(2))):
        with pytest.raises(TypeError, match=advice):
            call()
    np.testing.assert_array_equal(host, ramp(3))
    with pytest.raises(TypeError, match="operand 1 of 'saxpy' is a host array"):
        F(host, host, out=x)
    with pytest.raises(TypeError, match="where of 'saxpy' is a host array"):
        F(x, x, where=np.ones(3, bool))
    with pytest.raises(TypeError, match="operand 1 of 'saxpy' is a host array"):
        F(host, host, where=on_device(np.ones(3, bool)))


def test_a_target_on_the_device_takes_arrays_of_the_host():
    there = npp.vectorize(
        ["float32(float32, float32)"],
        name="there",
        args="x, y",
        body="return x + y;",
        target="cuda",
    )
    x, host = on_device(ramp(3)), ramp(3)
    np.testing.assert_array_equal(there(x, host).copy_to_host(), host + host)
    np.testing.assert_array_equal(there(host, x).copy_to_host(), host + host)
    mask = np.array([True, False, True])
    assert there(x, np.float32([1, 1, 1]), out=x, where=mask) is x
    np.testing.assert_array_equal(x.copy_to_host(), [1, 1, 3])
    with pytest.raises(TypeError, match="output 1 of 'there' is a host array"):
        there(x, x, out=host)


@needs_simulator
def test_operands_of_two_devices():
    x = on_device(ramp(3))
    with cuda.simulator(memory="1 MiB", arch="sm_80") as other:
        y = on_device(ramp(3))
        message = r"the operands of 'saxpy' are on several devices: '.*\(sm_90\)' and '.*\(sm_80\)'"
        for call in (
            lambda: F(x, y),
            lambda: F(x, x, out=y),
            lambda: F(x, x, out=x, where=on_device(np.ones(3, bool))),
        ):
            with pytest.raises(ValueError, match=message):
                call()
        with pytest.raises(ValueError, match="the stream is of device"):
            F(x, x, stream=cuda.stream())
        assert F(y, y).device is other
        assert F(x, x).device is x.device


def test_a_device_that_was_removed():
    with cuda.simulator(memory="1 MiB"):
        x = on_device(ramp(3))
        F(x, x)
    # The array keeps it alive.
    np.testing.assert_array_equal(F(x, x).copy_to_host(), 3 * ramp(3))
    assert F(x, x).device is x.device
    y = on_device(ramp(3))
    np.testing.assert_array_equal(F(y, y).copy_to_host(), 3 * ramp(3))


@pytest.mark.parametrize("stream", ["text", True, 2.0, ramp(3)], ids=str)
def test_a_stream_that_is_none(stream):
    x = on_device(ramp(3))
    for call in (lambda: F(x, x, stream=stream), lambda: F(ramp(3), 1.0, stream=stream)):
        with pytest.raises(TypeError, match=r"stream must be a cuda\.Stream, a stream of another"):
            call()


def test_too_many_dimensions():
    x = on_device(ramp(2))[(None,) * 40]
    with pytest.raises((ValueError, IndexError), match="64"):
        F(x[(None,) * 40], 1.0)


class Huge:
    """One element, seen many times: an array of another library."""

    def __init__(self, array, shape):
        self.array, self.shape = array, shape

    @property
    def __cuda_array_interface__(self):
        whole = self.array.__cuda_array_interface__
        return {**whole, "shape": self.shape, "strides": (0,) * len(self.shape)}


def test_more_elements_than_can_be_counted_or_held():
    x = on_device(ramp(1))
    tall, wide = Huge(x, (1 << 40, 1)), Huge(x, (1, 1 << 40))
    with pytest.raises(ValueError, match="iterator is too large"):
        F(tall, wide)
    with pytest.raises(ValueError, match=r"doesn't match the broadcast shape"):
        F(tall, wide, out=x)
    with pytest.raises(MemoryError):
        F(tall, 1.0)
    np.testing.assert_array_equal(F(x, x).copy_to_host(), 3 * ramp(1))


def test_a_failed_call_changes_nothing():
    with cuda.simulator(memory="1 MiB") as small:
        x, z = on_device(ramp(1 << 16)), on_device(ramp(1 << 16))
        many = on_device(ramp(1 << 10))[:, None]
        F(x, 1.0, out=z)
        cuda.synchronize()
        launches = small.counters.launches
        calls = [
            (ValueError, lambda: F(x, many[:3], out=z)),
            (TypeError, lambda: F(x, "text", out=z)),
            (TypeError, lambda: F(x, np.float64(1), out=z, casting="no")),
            (OverflowError, lambda: F(x, 10**400, out=z)),
            (OverflowError, lambda: F(x, 10**400)),
            (MemoryError, lambda: F(x, many)),
        ]
        for _ in range(5):
            for error, call in calls:
                with pytest.raises(error):
                    call()
        cuda.synchronize()
        assert small.counters.launches == launches
        expected = 2 * ramp(1 << 16) + 1
        np.testing.assert_array_equal(z.copy_to_host(), expected)
        np.testing.assert_array_equal(F(x, 1.0).copy_to_host(), expected)


def test_no_memory_for_a_temporary():
    with cuda.simulator(memory="1 MiB"):
        x = on_device(ramp(3 << 16))
        with pytest.raises(MemoryError):
            F(x, 1.0, out=x[::-1])
        np.testing.assert_array_equal(x.copy_to_host(), ramp(3 << 16))
        F(x, 1.0, out=x)
        np.testing.assert_array_equal(x.copy_to_host(), 2 * ramp(3 << 16) + 1)


def test_a_launch_that_fails():
    with cuda.simulator(faults={"launch": 1}):
        x = on_device(ramp(3))
        with pytest.raises(npp.CudaError):  # by the call, or by whatever waits for it
            F(x, x).copy_to_host()
