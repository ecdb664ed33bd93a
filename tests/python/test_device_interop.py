"""Arrays of other libraries: classes that are like theirs, over a simulated device's memory."""

import ctypes
import gc
import sys
import types
import weakref

import ml_dtypes
import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

DTYPES = [np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64]
DTYPES += [np.complex64, np.complex128]


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator() as made:
        yield made


class Base:
    """An array of another library over a device array's memory."""

    def __init__(self, array, **changes):
        self.array = cuda.to_device(array)
        self.changes = changes
        self.calls = []

    def copy_to_host(self):
        return self.array.copy_to_host()


class Interface(Base):
    """One with __cuda_array_interface__ alone."""

    @property
    def __cuda_array_interface__(self):
        self.calls.append("interface")
        return {**self.array.__cuda_array_interface__, "stream": None, **self.changes}


class Dlpack(Base):
    """One with DLPack alone, which remembers what it was asked."""

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.calls.append(keywords)
        return self.array.__dlpack__(**keywords)


class OldDlpack(Dlpack):
    """Of the first years of DLPack: no keyword but the stream."""

    def __dlpack__(self, stream=None):
        return super().__dlpack__(stream=stream)


class OldestDlpack(Dlpack):
    """Of the time before streams."""

    def __dlpack__(self):
        return super().__dlpack__()


class Both(Interface, Dlpack):
    """As CuPy's arrays: both protocols, and ufuncs looked up by their names."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return f"hijacked {ufunc.__name__}"

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=Both)


class OfModule(Dlpack):
    """As torch's tensors: their library's own module makes them."""


OfModule.__module__ = "library_of_the_test.core"

CLASSES = [Interface, Dlpack, OldDlpack, OldestDlpack, Both]


def ramp(shape, dtype=np.float64):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


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
        ({"mask": object()}, TypeError, "has a mask, which device arrays do not have"),
        ({"version": 1}, TypeError, "is of version 1; expected 2 or 3"),
        ({"version": None}, TypeError, "is of version 0"),
        ({"typestr": ">f8"}, TypeError, "byte order of other machines"),
        ({"typestr": "|O"}, TypeError, "can't hold values of dtype object"),
        ({"typestr": "nonsense"}, TypeError, "nonsense"),
        ({"typestr": None}, TypeError, "has no 'typestr'"),
        ({"shape": [3]}, TypeError, r"has shape \[3\]; expected a tuple of int"),
        ({"shape": (-3,)}, ValueError, r"has the shape \(-3,\)"),
        ({"strides": (8, 8)}, ValueError, "has 2 strides for 1 axes"),
        ({"strides": (4,)}, ValueError, "not aligned: float64 takes .* multiples of 8"),
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
        with pytest.raises(TypeError, match="is no array of a device"):
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
    again = cuda.as_device_array(Dlpack(view))  # and DLPack says so, too
    with pytest.raises(ValueError, match="memory is read-only"):
        again.fill(1)
    np.testing.assert_array_equal(x.copy_to_host(), ramp(3))


# --- capsules made by hand ---


class Tensor(ctypes.Structure):
    """A tensor of DLPack, as its header has it."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Unversioned(ctypes.Structure):
    """What a capsule of the name `dltensor` holds."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER))


class Versioned(ctypes.Structure):
    """What a capsule of the name `dltensor_versioned` holds."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


CAPSULE_NAMES = {Unversioned: b"dltensor", Versioned: b"dltensor_versioned"}


class Handmade:
    """A producer whose capsules call a deleter that counts."""

    def __init__(self, kind=Versioned, strides=None, managed=False, **fields):
        self.array = cuda.to_device(ramp((2, 3)))
        self.managed = managed
        self.n_made = self.n_deleted = 0
        self.shape = (ctypes.c_int64 * 2)(2, 3)
        self.strides = None if strides is None else (ctypes.c_int64 * 2)(*strides)
        self.record = kind(deleter=DELETER(self.delete))
        tensor = self.record.tensor
        tensor.data = self.array.__cuda_array_interface__["data"][0]
        tensor.device_type, tensor.device_id = self.__dlpack_device__()
        tensor.ndim, tensor.code, tensor.bits, tensor.lanes = 2, 2, 64, 1
        tensor.shape = ctypes.addressof(self.shape)
        tensor.strides = None if strides is None else ctypes.addressof(self.strides)
        if kind is Versioned:
            self.record.major = 1
        for name, value in fields.items():
            setattr(self.record if hasattr(self.record, name) else tensor, name, value)

    def delete(self, address):
        assert address == ctypes.addressof(self.record)
        self.n_deleted += 1

    def __dlpack_device__(self):
        return (13 if self.managed else 2, self.array.device.id)

    def __dlpack__(self, **keywords):
        self.n_made += 1
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.record), CAPSULE_NAMES[type(self.record)], None)


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


# --- streams ---


@pytest.fixture(scope="module")
def add():
    """A ufunc that CuPy has, too, with another meaning."""
    return npp.vectorize(["dd->d"], name="add", args="x, y", body="return x + 10 * y;")


ADD_ONE = """
extern "C" __global__ void add_one(double* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1;
}
"""


def test_dlpack_is_told_the_stream_that_goes_on():
    owner = Dlpack(ramp(3))
    cuda.as_device_array(owner)
    assert owner.calls == [{"stream": cuda.current_stream().handle, "max_version": (1, 1)}]
    mine = cuda.stream()
    cuda.as_device_array(owner, mine)
    assert owner.calls[-1]["stream"] == mine.handle


def test_newer_keywords_are_left_out_where_a_producer_does_not_know_them():
    owner = OldDlpack(ramp(3))
    cuda.as_device_array(owner)
    assert owner.calls == [{"stream": cuda.current_stream().handle}]
    oldest = OldestDlpack(ramp(3))
    cuda.as_device_array(oldest)
    assert oldest.calls == [{}]


def test_both_protocols_are_not_asked_where_one_names_the_stream():
    owner = Both(ramp(3))
    cuda.as_device_array(owner)
    assert owner.calls == ["interface"]
    old = Both(ramp(3), version=2)
    cuda.as_device_array(old)
    assert [call["max_version"] for call in old.calls if call != "interface"] == [(1, 1)]


@pytest.fixture
def streams():
    """Another library's stream, one of ours, and a kernel, on a device with slow copies."""
    with cuda.simulator(faults={"copy_delay": 0.1}):
        kernel = cuda.kernel(ADD_ONE, "add_one")
        kernel[1, 32](cuda.zeros(3), 3)  # compiled and loaded before anything is timed
        yield cuda.stream(), cuda.stream(), kernel


def fives():
    values = cuda.pinned_array(1000)
    values[:] = 5
    return values


def work_on(array, stream):
    """Keep a stream busy for a while; what does not wait for it comes before."""
    array.copy_to_device(fives(), stream)


def values_on(array, stream):
    """Return the values that a stream comes to see, when all is done."""
    seen = cuda.pinned_array(1000)
    array.copy_to_host(seen, stream)
    cuda.synchronize()
    return seen


def test_work_begins_after_that_of_the_stream_that_is_named(streams):
    theirs, mine, kernel = streams
    x = cuda.zeros(1000)
    cuda.synchronize()
    work_on(x, theirs)
    kernel[1, 32, mine](Interface(x, stream=theirs.handle), 1000)
    np.testing.assert_array_equal(values_on(x, mine), 6)


def test_work_begins_after_that_of_a_dlpack_producer(streams):
    theirs, mine, kernel = streams
    x = cuda.zeros(1000)
    cuda.synchronize()
    work_on(x, theirs)
    kernel[1, 32, mine](Dlpack(x), 1000)
    np.testing.assert_array_equal(values_on(x, mine), 6)


def test_the_stream_that_is_named_goes_on_after_the_work(streams):
    theirs, mine, kernel = streams
    x, other = cuda.zeros(1000), cuda.zeros(1000)
    cuda.synchronize()
    work_on(other, mine)
    kernel[1, 32, mine](Interface(x, stream=theirs.handle), 1000)
    np.testing.assert_array_equal(values_on(x, theirs), 1)


def test_what_is_written_is_waited_for_where_no_stream_is_known(streams):
    theirs, mine, kernel = streams
    x, other = cuda.zeros(1000), cuda.zeros(1000)
    cuda.synchronize()
    work_on(other, mine)
    kernel[1, 32, mine](Interface(x, stream=None), 1000)
    assert mine.query()
    np.testing.assert_array_equal(values_on(x, theirs), 1)


def test_what_is_only_read_is_kept_where_no_stream_is_known(add, streams):
    _, mine, _ = streams
    owner, other = Interface(np.zeros(1000)), cuda.zeros(1000)
    add(cuda.zeros(3), 1.0)
    alive = weakref.ref(owner)
    cuda.synchronize()
    with mine:
        work_on(other, mine)
        result = add(owner, 1.0)
        del owner
        assert alive() is not None and not mine.query()
        mine.synchronize()
    assert alive() is None
    np.testing.assert_array_equal(result.copy_to_host(), 10)


def test_the_thread_waits_for_work_on_a_view_that_goes(streams):
    _, mine, kernel = streams
    x, other = cuda.zeros(1000), cuda.zeros(1000)
    view = cuda.as_device_array(Interface(x), mine)
    cuda.synchronize()
    work_on(other, mine)
    kernel[1, 32, mine](view, 1000)
    assert not mine.query()
    del view
    assert mine.query()


@pytest.mark.parametrize("stream", [1, 2])
def test_the_default_streams_of_cuda(stream):
    view = cuda.as_device_array(Interface(ramp(3), stream=stream))
    np.testing.assert_array_equal(view.copy_to_host(), ramp(3))


def test_torch_tells_its_stream_when_asked(monkeypatch):
    asked = []

    class Tensor(Dlpack):
        device = "cuda:0"

    def current_stream(device):
        asked.append(device)
        return types.SimpleNamespace(cuda_stream=0)

    Tensor.__module__ = "torch"
    fake = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=current_stream))
    monkeypatch.setitem(sys.modules, "torch", fake)
    view = cuda.as_device_array(Tensor(ramp(3)))
    assert asked == ["cuda:0"]
    np.testing.assert_array_equal(view.copy_to_host(), ramp(3))


def test_torchs_stream_goes_on_after_the_work(add, streams, monkeypatch):
    theirs, mine, _ = streams
    stream = types.SimpleNamespace(cuda_stream=theirs.handle)
    fake = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=lambda _: stream))
    monkeypatch.setitem(sys.modules, "torch", fake)

    class Tensor(Dlpack):
        device = "cuda:0"

    Tensor.__module__ = "torch"
    x, other = cuda.zeros(1000), cuda.zeros(1000)
    add(cuda.zeros(3), 1.0)
    cuda.synchronize()
    with mine:
        work_on(other, mine)
        add(1.0, 1.0, out=Tensor(x))
    np.testing.assert_array_equal(values_on(x, theirs), 11)


# --- calls of ufuncs ---


@pytest.fixture(scope="module")
def divmod_():
    return npp.vectorize(["dd->dd"], args="x, y", outs="q, r", body="q = floor(x / y); r = x;")


@pytest.mark.parametrize("kind", CLASSES)
def test_our_kernel_runs_whatever_its_name(add, kind):
    x = kind(ramp((2, 3)))
    expected = 11 * ramp((2, 3))
    for found in (add(x, x), add(x, cuda.to_device(ramp((2, 3))))):
        np.testing.assert_array_equal(found.copy_to_host(), expected)
    np.testing.assert_array_equal(add(x, 1.0).copy_to_host(), ramp((2, 3)) + 10)
    assert x.array.copy_to_host().tolist() == ramp((2, 3)).tolist()


def test_results_are_arrays_of_the_callers_library(add, divmod_, monkeypatch):
    assert type(add(Both(ramp(3)), 1.0)) is Both
    assert type(add(cuda.to_device(ramp(3)), Both(ramp(3)))) is cuda.DeviceArray
    made = types.SimpleNamespace(from_dlpack=OfModule)
    monkeypatch.setitem(sys.modules, "library_of_the_test", made)
    assert type(add(OfModule(ramp(3)), 1.0)) is OfModule
    quotient, whole = divmod_(Both(ramp(3)), 2.0)
    assert (type(quotient), type(whole)) == (Both, Both)
    np.testing.assert_array_equal(quotient.copy_to_host(), [0, 0, 1])
    assert type(add(Interface(ramp(3)), 1.0)) is cuda.DeviceArray


def test_libraries_as_numba_take_the_interface(add, monkeypatch):
    class Numbas(Interface):
        pass

    Numbas.__module__ = "numba_of_the_test.cuda.devicearray"
    numba = types.SimpleNamespace(cuda=types.SimpleNamespace(as_cuda_array=Numbas))
    monkeypatch.setitem(sys.modules, "numba_of_the_test", numba)
    assert type(add(Numbas(ramp(3)), 1.0)) is Numbas


def test_results_lie_where_they_were_computed(add):
    taken = []

    class Taking(Both):
        def __array_namespace__(self):
            return types.SimpleNamespace(from_dlpack=taken.append)

    add(Taking(ramp(3)), 1.0)
    np.testing.assert_array_equal(cuda.as_device_array(taken[0]).copy_to_host(), ramp(3) + 10)


@pytest.mark.parametrize("kind", CLASSES)
def test_arrays_of_other_libraries_as_out(add, divmod_, kind):
    x, out = kind(ramp(3)), kind(np.zeros(3))
    assert add(x, 1.0, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), ramp(3) + 10)
    assert add(cuda.to_device(ramp(3)), 2.0, out) is out
    np.testing.assert_array_equal(out.copy_to_host(), ramp(3) + 20)
    assert add(x, x, out=x) is x  # the same elements
    np.testing.assert_array_equal(x.copy_to_host(), 11 * ramp(3))
    assert divmod_(out, 2.0, out=(None, out))[1] is out


def test_shifted_memory_is_computed_elsewhere_first(add):
    x = cuda.to_device(ramp(6))
    add(Interface(x[:-1]), 0.0, out=Interface(x[1:]))
    np.testing.assert_array_equal(x.copy_to_host(), [0, 0, 1, 2, 3, 4])


def test_read_only_memory_is_no_out(add):
    x = cuda.to_device(ramp(3))
    address = x.__cuda_array_interface__["data"][0]
    read_only = Interface(x, data=(address, True))
    np.testing.assert_array_equal(add(read_only, 1.0).copy_to_host(), ramp(3) + 10)
    with pytest.raises(ValueError, match="read-only"):
        add(1.0, 1.0, out=read_only)
    np.testing.assert_array_equal(x.copy_to_host(), ramp(3))


def test_strides_and_masks_of_foreign_operands(add):
    values = ramp((3, 4))
    x = Interface(cuda.to_device(values)[::-1, ::2])
    np.testing.assert_array_equal(add(x, 1.0).copy_to_host(), values[::-1, ::2] + 10)
    out = cuda.zeros((3, 2))
    mask = values[:, ::2] > 3
    add(x, 1.0, out=out, where=Interface(mask))
    np.testing.assert_array_equal(out.copy_to_host(), np.where(mask, values[::-1, ::2] + 10, 0))
    with pytest.raises(TypeError, match="has a mask"):
        add(Interface(values, mask=object()), 1.0)


def test_ufuncs_of_numpy_beside_a_device_array():
    x = cuda.to_device(ramp(3))
    assert type(np.add(x, Dlpack(ramp(3)))) is cuda.DeviceArray
    np.testing.assert_array_equal((x * Dlpack(ramp(3))).copy_to_host(), ramp(3) ** 2)


def let_go():
    """Wait until nothing is kept any more for the work of this thread's stream."""
    cuda.current_stream().synchronize()
    gc.collect()


def test_owners_are_let_go_after_the_call(add):
    owner, out = Interface(ramp(3)), Interface(ramp(3))
    alive = weakref.ref(owner), weakref.ref(out)
    add(owner, 1.0, out=out)
    del owner, out
    let_go()
    assert [one() for one in alive] == [None, None]
    counted = Handmade()
    add(counted, 1.0)
    let_go()
    assert counted.n_deleted == 1
    with pytest.raises(ValueError, match="shapes"):
        add(counted, cuda.zeros(7))
    let_go()
    assert counted.n_deleted == counted.n_made > 1


def test_arrays_of_the_host_with_dlpack_stay_there(add):
    class OnHost:
        def __init__(self, values):
            self.values = values

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **keywords):
            return self.values.__dlpack__(**keywords)

        def __array__(self, dtype=None, copy=None):
            return self.values

    assert type(add(OnHost(ramp(3)), 1.0)) is np.ndarray


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
        ({"stream": 0}, ValueError, "stream is None, -1 .*, found 0"),
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
    with pytest.raises(BufferError, match="can't have values of dtype datetime64"):
        cuda.zeros(3, "M8[s]").__dlpack__()
    packed = cuda.zeros(3, np.dtype([("a", "i1"), ("b", "i4")]))
    with pytest.raises(BufferError, match="can't have values of dtype"):
        packed.__dlpack__()
    with pytest.raises((RuntimeError, BufferError)):  # nothing is copied to the host by itself
        np.from_dlpack(cuda.zeros(3))


def test_consumers_wait_for_the_work_on_an_array(streams):
    theirs, mine, _ = streams
    x = cuda.zeros(1000)
    cuda.synchronize()
    with mine:
        work_on(x, mine)
        x.__dlpack__(stream=theirs.handle)
    np.testing.assert_array_equal(values_on(x, theirs), 5)


def test_other_devices_are_told_apart(device):
    with cuda.simulator() as other:
        x = cuda.to_device(ramp(3))
    for kind in (Interface, Dlpack):
        assert cuda.as_device_array(kind(x)).device.id == other.id
    kernel = cuda.kernel(ADD_ONE, "add_one")
    with pytest.raises(ValueError, match="parameter 1 of 'add_one' is an array on"):
        kernel[1, 32](Interface(x), 3)
    assert cuda.current_device() is device


# --- the libraries themselves ---


@pytest.fixture
def gpu():
    with cuda.gpus[0] as made:
        yield made


@pytest.mark.gpu
def test_cupys_arrays(gpu, add):
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(1000, dtype=cupy.float64)
    found = add(x, x)
    assert type(found) is cupy.ndarray
    np.testing.assert_array_equal(cupy.asnumpy(found), 11 * np.arange(1000.0))
    with cupy.cuda.Stream(non_blocking=True):
        y = cupy.full(1000, 2.0)
        out = cupy.empty(1000)
        for _ in range(10):
            assert add(y, 1.0, out=out) is out
            y = out + 1
        np.testing.assert_array_equal(cupy.asnumpy(y), 112)
    turned = cupy.arange(12.0).reshape(3, 4).T[::-1]
    np.testing.assert_array_equal(cupy.asnumpy(add(turned, 0.0)), cupy.asnumpy(turned))


@pytest.mark.gpu
def test_torchs_tensors(gpu, add):
    torch = pytest.importorskip("torch")
    x = torch.arange(1000, dtype=torch.float64, device="cuda")
    found = add(x, x)
    assert type(found) is torch.Tensor and found.is_cuda
    np.testing.assert_array_equal(found.cpu().numpy(), 11 * np.arange(1000.0))
    with torch.cuda.stream(torch.cuda.Stream()):
        y = torch.full((1000,), 2.0, dtype=torch.float64, device="cuda")
        out = torch.empty_like(y)
        for _ in range(10):
            assert add(y, 1.0, out=out) is out
            y = out + 1
        np.testing.assert_array_equal(y.cpu().numpy(), 112)
    with pytest.raises((RuntimeError, BufferError, TypeError), match="grad"):
        add(torch.ones(3, dtype=torch.float64, device="cuda", requires_grad=True), 1.0)
    half = npp.vectorize(["bfloat16(bfloat16)"], args="x", body="return x;")
    ones = torch.ones(3, dtype=torch.bfloat16, device="cuda")
    assert half(ones).dtype == torch.bfloat16
