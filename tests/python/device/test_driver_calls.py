"""Driver calls of ufuncs on device arrays, counted by a driver that stands for a real one."""

import json

import pytest
from machines.counting_driver import EXECUTING, run_with_driver

ARRAYS = """
import json
import types

f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;")


class Foreign:
    def __init__(self, stream, n=10):
        self.array = cuda.to_device(np.arange(n, dtype=np.float32))
        self.stream = stream

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, "stream": self.stream}


def counted(function, *arguments, **keywords):
    for _ in range(3):
        function(*arguments, **keywords)
    return driver.calls(function, *arguments, **keywords)


def make_stream():
    made = ctypes.c_void_p()
    non_blocking = 1
    assert driver.library.cuStreamCreate(ctypes.byref(made), non_blocking) == 0
    return made.value
"""

COUNTS = """
own, out = cuda.to_device(np.arange(10, dtype=np.float32)), cuda.zeros(10, np.float32)
calls = {"own": counted(f, own, own), "own, out=": counted(f, own, own, out=out)}
for name, stream in {"legacy": 1, "their": make_stream()}.items():
    a, b, c = (Foreign(stream) for _ in range(3))
    cuda.synchronize()
    calls[name] = counted(f, a, b)
    calls[name + ", out="] = counted(f, a, b, out=c)
    result = f(a, b)
    calls[name + ", result"] = counted(f, result, a)
    calls[name + ", stream="] = counted(f, own, own, out=out, stream=stream)
    expected = np.arange(10) ** 2 + np.arange(10)
    assert (result.copy_to_host() == expected).all() and (c.array.copy_to_host() == expected).all()


class Imported:
    # As torch's from_dlpack.
    def __init__(self, exporter):
        self.capsule = exporter.__dlpack__(stream=current)


class Tensor(Foreign):
    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=Imported)


for name, current in {"legacy": 1, "their": make_stream()}.items():
    a, b = Tensor(current), Tensor(current)
    cuda.synchronize()
    calls[name + ", imported"] = counted(f, a, b)
    imported = f(a, b)
    driver.reset()
    del imported
    calls[name + ", released"] = driver.names()
mixed = Foreign(2), Foreign(1), Foreign(1)
cuda.synchronize()
calls["two streams"] = counted(f, mixed[0], mixed[1], out=mixed[2])
calls["where="] = counted(f, own, own, out=out, where=own > 3)
print(json.dumps(calls))
"""


@pytest.fixture(scope="module")
def calls():
    return json.loads(run_with_driver(ARRAYS + COUNTS))


@pytest.mark.parametrize(
    ("call", "most"),
    {
        "own, out=": 2,
        "own": 3,
        "legacy, out=": 5,
        "legacy": 5,
        "legacy, result": 4,
        "their, out=": 6,
        "their": 7,
        "their, result": 7,
        "legacy, stream=": 2,
        "legacy, imported": 5,
        "legacy, released": 2,
        "their, imported": 6,
        "their, released": 3,
    }.items(),
)
def test_calls_make_no_more_driver_calls(calls, call, most):
    assert len(calls[call]) <= most, calls[call]
    assert "cuEventCreate" not in calls[call]
    assert not {"cuStreamSynchronize", "cuStreamQuery", "cuEventQuery"} & set(calls[call])


def test_operands_on_two_streams_take_one_event_a_stream(calls):
    assert calls["two streams"].count("cuEventRecord") <= 3
    assert "cuEventCreate" not in calls["two streams"]


def test_no_event_is_made_in_steady_state(calls):
    assert all("cuEventCreate" not in names for names in calls.values())


DEFAULT_POOL = """
x = cuda.zeros(1000)
del x
print(*(name for name in driver.names() if "Pool" in name))
"""


def test_the_default_pool_of_the_process_is_left_alone():
    names = run_with_driver(DEFAULT_POOL).split()
    assert "cuMemPoolCreate" in names
    assert "cuDeviceGetDefaultMemPool" not in names


LENT = """
spin = cuda.kernel('''
extern "C" __global__ void spin(unsigned long long address) {
  float* x = (float*)address;
  for (int i = 0; i < 20000; ++i) x[i % 8] += 1;
}''', "spin")
x = cuda.zeros(8, np.float32)
stream = make_stream()
capsule = x.__dlpack__(stream=stream)
spin[1, 1, stream](x.__cuda_array_interface__["data"][0])
"""
LEASE = """
driver.reset()
del capsule, x
again = cuda.full(8, 2.0, np.float32)
names = driver.names()
print(*names)
cuda.synchronize()
"""


def test_memory_of_a_dlpack_consumer_is_freed_after_its_work():
    names = run_with_driver(ARRAYS + LENT + LEASE).split()
    waited, freed = names.index("cuStreamWaitEvent"), names.index("cuMemFreeAsync")
    assert names.index("cuEventRecord") < waited < freed


STREAM_GONE = """
lib = driver.library
assert lib.cuStreamDestroy_v2(ctypes.c_void_p(stream)) == 0
driver.reset()
del capsule, x
names = driver.names()
cuda.synchronize()
assert names.index("cuCtxSynchronize") < names.index("cuMemFreeAsync"), names

stream = make_stream()
a = Foreign(stream)
result = f(a, a)
view = cuda.as_device_array(a)
own = cuda.stream()
f(view, view, out=view, stream=own)
assert lib.cuStreamDestroy_v2(ctypes.c_void_p(stream)) == 0
f(result, result, out=result)
f(view, result, out=result, stream=cuda.stream())
del view
assert np.isfinite(result.copy_to_host()).all()


class Stream:
    def __init__(self):
        self.ptr = make_stream()

    def __del__(self):
        assert lib.cuStreamDestroy_v2(ctypes.c_void_p(self.ptr)) == 0


current = Stream()
sys.modules["cupy"] = types.SimpleNamespace(
    cuda=types.SimpleNamespace(get_current_stream=lambda: current))
capsule = cuda.zeros(8, np.float32).__dlpack__(stream=current.ptr)
current = None
gc.collect()
driver.reset()
del capsule
gc.collect()
names = driver.names()
assert names.index("cuMemFreeAsync") < names.index("cuStreamDestroy_v2"), names
assert "cuCtxSynchronize" not in names, names
print("done")
"""


def test_a_stream_that_is_gone_is_not_used():
    assert run_with_driver(ARRAYS + LENT + STREAM_GONE) == "done\n"


CURRENT = """
x = cuda.to_device(np.arange(10, dtype=np.float32))
f(x, x)
current, popped = ctypes.c_void_p(), ctypes.c_void_p()
driver.library.cuCtxGetCurrent(ctypes.byref(current))
assert driver.library.cuCtxPopCurrent_v2(ctypes.byref(popped)) == 0
driver.library.cuCtxGetCurrent(ctypes.byref(popped))
assert popped.value is None
print(*driver.calls(f, x, x, out=x))
driver.library.cuCtxGetCurrent(ctypes.byref(popped))
assert popped.value == current.value
"""


def test_a_thread_without_a_context_keeps_the_primary_one():
    assert run_with_driver(ARRAYS + CURRENT).split()[:2] == ["cuCtxGetCurrent", "cuCtxSetCurrent"]


STREAMS = """
class Protocol:
    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


class Torch:
    def __init__(self, handle):
        self.cuda_stream = handle


class CuPy:
    def __init__(self, handle):
        self.ptr = handle


x, out = cuda.to_device(np.arange(10, dtype=np.float32)), cuda.zeros(10, np.float32)
handle = make_stream()
expected = np.arange(10) ** 2 + np.arange(10)
for stream in [handle, Protocol(handle), Torch(handle), CuPy(handle), Torch(0), CuPy(1),
               cuda.legacy_default, cuda.per_thread_default, cuda.stream(),
               cuda.external_stream(handle)]:
    out.fill(0)
    f(x, x, out=out, stream=stream)
    assert (out.copy_to_host(stream=stream) == expected).all()
    assert (cuda.to_device(np.ones(3), stream=stream).copy_to_host() == 1).all()
for stream in [cuda.legacy_default, cuda.per_thread_default, cuda.external_stream(handle)]:
    with stream as entered:
        assert cuda.current_stream().handle == entered.handle
        assert (f(x, x).copy_to_host() == expected).all()
    assert cuda.current_stream().handle != entered.handle
assert repr(cuda.legacy_default) == "<cuda.legacy_default>"
for wrong, error in [("text", TypeError), (True, TypeError), (-1, ValueError), (1.5, TypeError)]:
    try:
        f(x, x, stream=wrong)
    except error as caught:
        assert "stream" in str(caught), caught
    else:
        raise AssertionError(wrong)
class Wrong:
    def __cuda_stream__(self):
        return 1, 2
for wrong, error in [(Wrong(), TypeError), (0, ValueError), (None, ValueError)]:
    try:
        cuda.external_stream(wrong)
    except error as caught:
        assert "expected" in str(caught), caught
    else:
        raise AssertionError(wrong)
del x, out
print("done")
"""


def test_streams_of_every_kind_are_taken():
    assert run_with_driver(ARRAYS + STREAMS) == "done\n"


@pytest.mark.parametrize("settings", [EXECUTING, "capability=90 version=13050"])
def test_nothing_is_left_when_arrays_are_gone(settings):
    program = """
x = cuda.to_device(np.arange(10, dtype=np.float32))
y = f(f(x, x), x, stream=make_stream())
del x, y
left = driver.leaks()
assert left.pop("allocation", 0) == 0, left
assert left.pop("pushed context", 0) == 0, left
print("done")
"""
    assert run_with_driver(ARRAYS + program, settings) == "done\n"


TWO_CONTEXTS = """
x = cuda.to_device(np.arange(10, dtype=np.float32))
f(x, x)
simulator = ctypes.CDLL(next(path for path in open("/proc/self/maps").read().split()
                             if path.endswith("libnumpy_plugin_simulator.so")))
theirs, current, address = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
assert simulator.cuCtxCreate_v2(ctypes.byref(theirs), 0, 1) == 0
for _ in range(2):
    names = driver.calls(f, x, x, out=x)
    driver.library.cuCtxGetCurrent(ctypes.byref(current))
    assert current.value == theirs.value, "the other library's context is not restored"
print(*names)
assert driver.library.cuMemAlloc_v2(ctypes.byref(address), 40) == 0


class OfTheirContext:
    __cuda_array_interface__ = {
        "shape": (10,), "typestr": "<f4", "data": (address.value, False), "version": 3, "stream": 1,
    }


try:
    f(OfTheirContext(), x)
except ValueError as error:
    print(error)
print(*f(x, 0.0).copy_to_host()[:3])
"""


def test_the_context_of_another_library_is_restored_and_its_memory_refused():
    names, refused, result = run_with_driver(ARRAYS + TWO_CONTEXTS).splitlines()
    expected = ["cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuLaunchKernel", "cuCtxPopCurrent_v2"]
    assert names.split() == expected
    assert refused.startswith("the memory belongs to another CUDA context than the primary one")
    assert result == "0.0 6.0 42.0"


EXIT = """
import threading
x = cuda.to_device(np.arange(1 << 16, dtype=np.float32))
streams = [cuda.stream() for _ in range(4)]
with cuda.graph() as graph:
    f(x, x, out=x)


def work():
    for i in range(200):
        f(x, x, stream=streams[i % 4])
        f(Foreign(1), Foreign(2))
        graph.launch(streams[i % 4])


threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
work()
print("end", flush=True)
"""


def test_the_process_ends_with_work_in_flight():
    assert run_with_driver(ARRAYS + EXIT) == "end\n"


FORK = """
import os
x = cuda.to_device(np.arange(10, dtype=np.float32))
f(x, x)
child = os.fork()
if child == 0:
    calls = driver.calls(lambda: None)
    try:
        f(x, x)
    except npp.CudaError as error:
        assert "forked" in str(error), error
        del x
        assert set(driver.names()) <= {"cuGetErrorName"}, driver.names()
        assert f(np.float32(3), np.float32(2)) == 9
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
print(*f(x, x).copy_to_host()[:3])
"""


def test_a_forked_child_makes_no_driver_call():
    assert run_with_driver(ARRAYS + FORK) == "0.0 2.0 6.0\n"


FILLS = """
calls = {}
for dtype in "?bhilBHILefdFD":
    for value in (0, 1, 3.7):
        value = np.dtype(dtype).type(value)
        full = lambda: cuda.full(1000, value, dtype)
        full()
        calls[f"{dtype} {value}"] = driver.calls(full)
        assert (full().copy_to_host() == value).all()
calls["ones"] = driver.calls(lambda: cuda.ones(1000))
graphed = cuda.zeros(1000)
with cuda.graph() as graph:
    graphed.fill(1.5)
for _ in range(2):
    graphed.fill(0)
    graph.launch()
    assert (graphed.copy_to_host() == 1.5).all()
print(json.dumps(calls))
"""


def test_fills_of_every_dtype_are_one_operation():
    for fill, names in json.loads(run_with_driver("import json\n" + FILLS)).items():
        work = [name for name in names if name.startswith(("cuMemset", "cuMemcpy", "cuLaunch"))]
        assert len(work) == 1, (fill, work)
