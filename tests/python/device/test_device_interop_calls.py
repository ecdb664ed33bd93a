"""Calls on arrays of other libraries: whose kernel runs, what comes back, who waits for whom."""

import gc
import sys
import types
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from foreign_arrays import (
    CLASSES,
    Both,
    Dlpack,
    Handmade,
    Interface,
    OfModule,
    OldDlpack,
    OldestDlpack,
    ramp,
)

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


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


class Counting(Dlpack):
    """A producer that knows no keyword but the stream, and counts requests."""

    def __dlpack__(self, **keywords):
        self.calls.append(keywords)
        if keywords.keys() > {"stream"}:
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**keywords)


def test_a_producer_is_asked_once_an_operand(add):
    owner = Counting(ramp(3))
    add(owner, 1.0)
    assert len(owner.calls) == 2
    add(owner, owner)
    add(Counting(ramp(3)), owner)
    assert [set(call) for call in owner.calls[2:]] == [{"stream"}] * 3


def test_both_protocols_are_not_asked_where_one_names_the_stream():
    owner = Both(ramp(3))
    cuda.as_device_array(owner)
    assert owner.calls == ["interface"]
    old = Both(ramp(3), version=2)
    cuda.as_device_array(old)
    assert [call["max_version"] for call in old.calls if call != "interface"] == [(1, 1)]


@pytest.fixture
def streams():
    """Another library's stream, a stream of the package, and a kernel; copies are slow."""
    with cuda.simulator(faults={"copy_delay": 0.1}):
        kernel = cuda.kernel(ADD_ONE, "add_one")
        kernel[1, 32](cuda.zeros(3), 3)  # compiled and loaded before the measurement
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


def updated(ufunc, x):
    ufunc.at(x, [0, 0], 1.0)
    return x


#: Methods on fives, and what they give.
METHODS = {
    "reduce": (lambda f, x: f.reduce(x), 5000),
    "accumulate": (lambda f, x: f.accumulate(x), 5 * np.arange(1, 1001)),
    "reduceat": (lambda f, x: f.reduceat(x, [0, 998]), [4990, 10]),
    "outer": (lambda f, x: f.outer(x, 3.0), [8] * 1000),
    "at": (updated, [7] + [5] * 999),
}


@pytest.fixture(scope="module")
def plus():
    return npp.vectorize(["dd->d"], args="x, y", body="return x + y;", identity=0)


@pytest.mark.parametrize("name", METHODS)
def test_methods_begin_after_the_work_on_the_stream_that_is_named(plus, name, streams):
    theirs, mine, _ = streams
    call, expected = METHODS[name]
    x = cuda.zeros(1000)
    call(plus, Interface(x))  # compiled and loaded before the measurement
    x.fill(0)
    cuda.synchronize()
    work_on(x, theirs)
    with mine:
        found = call(plus, Interface(x, stream=theirs.handle))
        np.testing.assert_array_equal(found.copy_to_host(), expected)


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


@pytest.mark.parametrize("kind", CLASSES)
def test_calls_on_foreign_arrays_are_explained(add, kind):
    found = npp.inspect(add).explain(kind(ramp(3)), 1.0)
    assert found.place == cuda.current_device().name
    assert (found.elements, found.bytes_to_device, found.launch.form) == (3, 0, "contiguous")


@pytest.mark.skipif(len(cuda.gpus) > 0, reason="a thread has a device there")
def test_dlpack_in_a_thread_without_a_device(add):
    x = Dlpack(ramp(3))
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(add, x, x).result()
    np.testing.assert_array_equal(result.copy_to_host(), 11 * ramp(3))


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


def test_consumers_wait_for_the_work_on_an_array(streams):
    theirs, mine, _ = streams
    x = cuda.zeros(1000)
    cuda.synchronize()
    with mine:
        work_on(x, mine)
        x.__dlpack__(stream=theirs.handle)
    np.testing.assert_array_equal(values_on(x, theirs), 5)


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
