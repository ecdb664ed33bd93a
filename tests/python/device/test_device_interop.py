"""Arrays of other libraries become device arrays and the other way round, without a copy."""

import gc
import types
import weakref

import cuda_sources
import ml_dtypes
import numpy as np
import pytest
from foreign_arrays import (
    CLASSES,
    Both,
    Dlpack,
    Handmade,
    Interface,
    Unversioned,
    Versioned,
    ramp,
)
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

DTYPES = [np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64]
DTYPES += [np.complex64, np.complex128]

pytestmark = pytest.mark.usefixtures("device")


# --- views ---


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(kind, dtype):
    values = ramp((2, 3), dtype)
    view = cuda.as_device_array(kind(values))
    assert (view.dtype, view.shape) == (values.dtype, (2, 3))
    np.testing.assert_array_equal(view.copy_to_host(), values)


def test_bfloat16_needs_dlpack_to_have_a_name():
    values = ramp(4, ml_dtypes.bfloat16)
    for kind in (Dlpack, Both):
        assert cuda.as_device_array(kind(values)).dtype == ml_dtypes.bfloat16


def test_records_are_described():
    values = np.array([(1, 2.5), (3, 4.5)], "i4,f4")
    view = cuda.as_device_array(Interface(values))
    np.testing.assert_array_equal(view.copy_to_host(), values)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(
    "index",
    [np.s_[:], np.s_[::2, 1:], np.s_[::-1], np.s_[1, ::-2], np.s_[0, 0], np.s_[:0], np.s_[:, None]],
    ids=str,
)
def test_views_share_memory_whatever_the_strides(kind, index):
    values = ramp((3, 4))
    owner = kind(cuda.to_device(values)[index])
    view = cuda.as_device_array(owner)
    np.testing.assert_array_equal(view.copy_to_host(), values[index])
    view[...] = 7
    np.testing.assert_array_equal(owner.copy_to_host(), np.full_like(values[index], 7))


def test_arrays_without_elements_have_no_address():
    for kind in CLASSES:
        view = cuda.as_device_array(kind(np.zeros((0, 3), np.int16)))
        assert view.shape == (0, 3) and view.dtype == np.int16
        assert view.copy_to_host().shape == (0, 3)
    empty = Interface(np.zeros((0, 3)), data=(0, False), strides=None)
    assert cuda.as_device_array(empty).size == 0


def test_device_arrays_come_back_as_they_are():
    x = cuda.zeros(3)
    address = x.__cuda_array_interface__["data"]
    assert cuda.as_device_array(x).__cuda_array_interface__["data"] == address


def test_the_owner_lives_as_long_as_its_views():
    owner = Interface(ramp(4))
    alive = weakref.ref(owner)
    part = cuda.as_device_array(owner)[1:][::2]
    del owner
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal(part.copy_to_host(), [1, 3])
    del part
    gc.collect()
    assert alive() is None


def test_views_of_one_memory_are_known_to_overlap():
    x = cuda.to_device(ramp(2000))
    one, other = cuda.as_device_array(Interface(x)), cuda.as_device_array(Interface(x))
    one.copy_to_device(other[::-1])
    np.testing.assert_array_equal(x.copy_to_host(), ramp(2000)[::-1])


# --- what can't be ---


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"mask": "a mask"}, TypeError, "has a mask, which device arrays do not have"),
        ({"version": 1}, TypeError, "is of version 1; expected 2 or 3"),
        ({"version": None}, TypeError, "is of version 0"),
        ({"typestr": ">f8"}, TypeError, "has non-native byte order"),
        ({"typestr": "|O"}, TypeError, "can't hold values of dtype object"),
        ({"typestr": "nonsense"}, TypeError, "nonsense"),
        ({"typestr": None}, TypeError, "has no 'typestr'"),
        ({"shape": [3]}, TypeError, r"has shape \[3\]; expected a tuple of int"),
        ({"shape": (-3,)}, ValueError, r"has the shape \(-3,\)"),
        ({"strides": (8, 8)}, ValueError, "has 2 strides for 1 axes"),
        ({"strides": (4,)}, ValueError, "not aligned: float64 needs .* multiples of 8"),
        ({"data": 64}, TypeError, "has data 64; expected an address"),
        ({"data": (-1, False)}, TypeError, "has data"),
        ({"data": (0, False)}, ValueError, "not on a CUDA device that this process knows"),
        ({"stream": 0}, ValueError, "has stream 0; expected None, 1"),
        ({"stream": "s"}, ValueError, "has stream 's'"),
    ],
    ids=str,
)
def test_interfaces_that_can_not_be(changes, error, message):
    with pytest.raises(error, match=message):
        cuda.as_device_array(Interface(ramp(3), **changes))


def test_memory_of_the_host_is_refused():
    values = ramp(3)
    fake = Interface(ramp(3), data=(values.ctypes.data, False))
    with pytest.raises(ValueError, match=r"'Interface' is not on a CUDA device.*cuda\.to_device"):
        cuda.as_device_array(fake)


def test_objects_that_are_no_device_arrays():
    for other in (np.zeros(3), [1, 2], 3.5, None, memoryview(b"abc")):
        with pytest.raises(TypeError, match="is not a device array"):
            cuda.as_device_array(other)
    wrong = types.SimpleNamespace(__cuda_array_interface__=[1])
    with pytest.raises(TypeError, match=r"is \[1\]; expected a dict"):
        cuda.as_device_array(wrong)


def test_what_an_array_raises_is_raised():
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("it requires grad")

    with pytest.raises(RuntimeError, match="it requires grad"):
        cuda.as_device_array(Broken())

    class Refusing(Dlpack):
        def __dlpack__(self, **keywords):
            raise BufferError("detach it first")

    with pytest.raises(BufferError, match="detach it first"):
        cuda.as_device_array(Refusing(ramp(3)))


def test_dlpack_of_a_device_that_is_not_there():
    class Far(Dlpack):
        def __dlpack_device__(self):
            return (2, 77)

    with pytest.raises(ValueError, match="is on CUDA device 77, which this process does not have"):
        cuda.as_device_array(Far(ramp(3)))

    class OfNobody(Dlpack):
        def __dlpack_device__(self):
            return "cuda"

    with pytest.raises(TypeError, match="has device 'cuda'; expected a type and a number"):
        cuda.as_device_array(OfNobody(ramp(3)))


@pytest.mark.parametrize("given", [3, None, "capsule"])
def test_dlpack_that_gives_no_capsule(given):
    class Odd(Dlpack):
        def __dlpack__(self, **keywords):
            return given

    with pytest.raises(TypeError, match="expected a capsule with a tensor"):
        cuda.as_device_array(Odd(ramp(3)))


def test_read_only_memory_is_not_written():
    x = cuda.to_device(ramp(3))
    address = x.__cuda_array_interface__["data"][0]
    view = cuda.as_device_array(Interface(x, data=(address, True)))
    np.testing.assert_array_equal(view.copy_to_host(), ramp(3))
    assert view.__cuda_array_interface__["data"] == (address, True)
    for write in (lambda: view.fill(1), lambda: view.copy_to_device(ramp(3))):
        with pytest.raises(ValueError, match="memory is read-only"):
            write()
    with pytest.raises(ValueError, match="memory is read-only"):
        view[0] = 1
    again = cuda.as_device_array(Dlpack(view))  # DLPack reports it as well
    with pytest.raises(ValueError, match="memory is read-only"):
        again.fill(1)
    np.testing.assert_array_equal(x.copy_to_host(), ramp(3))


# --- capsules made by hand ---


@pytest.mark.parametrize("kind", [Unversioned, Versioned])
@pytest.mark.parametrize("strides", [None, (3, 1), (1, 2)], ids=str)
def test_the_deleter_is_called_once(kind, strides):
    owner = Handmade(kind, strides)
    view = cuda.as_device_array(owner)
    assert view.strides == (24, 8) if strides is None else tuple(8 * n for n in strides)
    part = view[0]
    del view
    gc.collect()
    assert owner.n_deleted == 0
    assert part.copy_to_host()[0] == 0
    del part
    gc.collect()
    assert owner.n_deleted == 1


def test_offsets_and_managed_memory():
    view = cuda.as_device_array(Handmade(byte_offset=8, ndim=1, managed=True))
    np.testing.assert_array_equal(view.copy_to_host(), [1, 2])


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"lanes": 4}, TypeError, "type code 2 with 64 bits and 4 lanes"),
        ({"bits": 128}, TypeError, "type code 2 with 128 bits and 1 lanes"),
        ({"code": 10, "bits": 8}, TypeError, "type code 10 with 8 bits"),
        ({"data": 4096}, ValueError, "not on a CUDA device that this process knows"),
        ({"byte_offset": 4}, ValueError, "not aligned"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [Unversioned, Versioned])
def test_tensors_that_can_not_be(kind, fields, error, message):
    owner = Handmade(kind, **fields)
    with pytest.raises(error, match=message):
        cuda.as_device_array(owner)
    gc.collect()
    assert owner.n_deleted == 1


def test_versions_to_come_are_not_read():
    with pytest.raises(TypeError, match="has version 2; expected 1"):
        cuda.as_device_array(Handmade(major=2))


# --- out ---


def test_capsules_of_device_arrays():
    x = cuda.to_device(ramp((3, 4)))
    assert x.__dlpack_device__() == (2, x.device.id)
    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    copied = cuda.as_device_array(Wrapped(x[::2].__dlpack__(copy=True), x))
    np.testing.assert_array_equal(copied.copy_to_host(), ramp((3, 4))[::2])
    copied.fill(0)
    np.testing.assert_array_equal(x.copy_to_host(), ramp((3, 4)))


class Wrapped:
    """A producer with one capsule."""

    def __init__(self, capsule, array):
        self.capsule = capsule
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        return self.capsule


@pytest.mark.parametrize("is_used", [True, False])
def test_a_capsule_keeps_the_memory_used_or_not(is_used):
    with cuda.simulator(memory="1 MiB"):
        x = cuda.zeros(90_000)
        capsule = x[1:].__dlpack__(max_version=(1, 1))
        view = cuda.as_device_array(Wrapped(capsule, x)) if is_used else None
        del x
        gc.collect()
        with pytest.raises(npp.DeviceMemoryError):
            cuda.zeros(90_000)
        del capsule, view
        gc.collect()
        cuda.zeros(90_000)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"stream": 0}, ValueError, "stream must be None, -1 .*, found 0"),
        ({"stream": -2}, ValueError, "found -2"),
        ({"stream": "s"}, ValueError, "found 's'"),
        ({"dl_device": (1, 0)}, BufferError, "dl_device"),
        ({"max_version": 3}, TypeError, "max_version"),
    ],
    ids=str,
)
def test_requests_that_are_refused(keywords, error, message):
    with pytest.raises(error, match=message):
        cuda.zeros(3).__dlpack__(**keywords)


def test_values_that_dlpack_has_no_words_for():
    with pytest.raises(BufferError, match="can't represent values of dtype datetime64"):
        cuda.zeros(3, "M8[s]").__dlpack__()
    packed = cuda.zeros(3, np.dtype([("a", "i1"), ("b", "i4")]))
    with pytest.raises(BufferError, match="can't represent values of dtype"):
        packed.__dlpack__()
    with pytest.raises((RuntimeError, BufferError)):  # no implicit copy to the host
        np.from_dlpack(cuda.zeros(3))


@needs_simulator
def test_other_devices_are_told_apart(device):
    with cuda.simulator() as other:
        x = cuda.to_device(ramp(3))
    for kind in (Interface, Dlpack):
        assert cuda.as_device_array(kind(x)).device.id == other.id
    kernel = cuda.kernel(cuda_sources.INCREMENT, "increment")
    with pytest.raises(ValueError, match="parameter 1 of 'increment' is an array on"):
        kernel[1, 32](Interface(x), 3)
    assert cuda.current_device() is device
