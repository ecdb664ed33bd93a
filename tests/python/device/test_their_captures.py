"""Calls in captures that another library begins on the stream of its arrays."""

import json

import pytest
from machines.counting_driver import run_with_driver

THEIRS = """
import json
import threading
import types

lib = driver.library
blend = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;")
plus = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x + y;", identity=0)
N = 1 << 16


def make_stream(flags=1):
    made = ctypes.c_void_p()
    assert lib.cuStreamCreate(ctypes.byref(made), flags) == 0
    return made


class Theirs:
    # An array of another library, whose work nothing orders but its stream.
    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.array.shape, "typestr": self.array.dtype.str, "version": 3,
                "data": (self.array.offset, False), "strides": self.array.strides,
                "stream": stream.value}


class Memory:
    # Of theirs, of which this package knows nothing.
    def __init__(self, values, address=None):
        self.shape, self.dtype, self.strides = values.shape, values.dtype, values.strides
        self.offset = address
        if address is None:
            made = ctypes.c_ulonglong()
            assert lib.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(values.nbytes)) == 0
            self.offset = made.value
            self.write(values)

    def part(self, key):
        whole = np.lib.stride_tricks.as_strided(np.zeros(1, self.dtype), self.shape, self.strides)
        part = whole[key]
        return Memory(part, self.offset + part.__array_interface__["data"][0]
                      - whole.__array_interface__["data"][0])

    def write(self, values):
        values = np.broadcast_to(values, self.shape).astype(self.dtype, order="C")
        assert lib.cuMemcpyHtoD_v2(ctypes.c_ulonglong(self.offset), values.ctypes.data_as(
            ctypes.c_void_p), ctypes.c_size_t(values.nbytes)) == 0

    def values(self):
        values = np.empty(self.shape, self.dtype)
        assert lib.cuMemcpyDtoH_v2(values.ctypes.data_as(ctypes.c_void_p), ctypes.c_ulonglong(
            self.offset), ctypes.c_size_t(values.nbytes)) == 0
        return values


class Tensor(Theirs):
    # Results become arrays of its library, as with torch and CuPy.
    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=Imported)


class Imported(Tensor):
    def __init__(self, exporter):
        self.capsule = exporter.__dlpack__(stream=stream.value)
        address = exported(self.capsule)
        super().__init__(Memory(np.zeros(exporter.shape, exporter.dtype), address))


def exported(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.c_void_p.from_address(pointer(capsule, b"dltensor")).value


def ramp(n=N):
    return (np.arange(n) % 7).astype(np.float32)


def captured(call, mode=0):
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    cuda.synchronize()
    assert lib.cuStreamBeginCapture_v2(stream, mode) == 0
    try:
        result = call()
    finally:
        ended = lib.cuStreamEndCapture(stream, ctypes.byref(graph))
    assert ended == 0, f"cuStreamEndCapture returned {ended}"
    no_flags = ctypes.c_ulonglong(0)
    assert lib.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, no_flags) == 0
    return graph, executable, result


def launch(executable):
    assert lib.cuGraphLaunch(executable, stream) == 0
    assert lib.cuStreamSynchronize(stream) == 0


def destroy(graph, executable):
    assert lib.cuGraphExecDestroy(executable) == 0
    assert lib.cuGraphDestroy(graph) == 0


cuda.zeros(1)
stream = make_stream(FLAGS)
x, out, one = Memory(ramp()), Memory(np.zeros(N, np.float32)), Memory(np.zeros((), np.float32))
a, b, total = Theirs(x), Theirs(out), Theirs(one)
"""

CALLS = """
scan = np.cumsum(ramp(), dtype=np.float32)
twice = cuda.kernel('''extern "C" __global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}''', "twice")


@npp.vectorize(["float32(float32)"])
def checked(x):
    if x > 100:
        raise ValueError("too large")
    return x + 1


@npp.vectorize(["float32(float32)"])
def printing(x):
    if x == -1:
        print("no such value", x)
    return x + 2


def in_scope():
    with cuda.external_stream(stream.value):
        plus(cuda.sort(a), 3, out=b)
        plus(cuda.as_device_array(b), cuda.sort(a), out=b)
        plus(b, 3, out=b)
        plus(b, cuda.full(N, -3, np.float32), out=b)


def overlap():
    first, last = out.part(np.s_[:-1]), out.part(np.s_[1:])
    blend(Theirs(first), Theirs(last), out=Theirs(first))


CALLS = {
    "plain": (lambda: blend(a, a, out=b), ramp() * ramp() + ramp()),
    "reduction": (lambda: plus.reduce(a, out=total), ramp().sum()),
    "scan": (lambda: plus.accumulate(a, out=b), scan),
    "overlapping out=": (overlap, ramp()[:-1] * ramp()[1:] + ramp()[:-1]),
    "intermediate": (lambda: plus(blend(a, a), 1, out=b), ramp() * ramp() + ramp() + 1),
    "raises": (lambda: checked(a, out=b), ramp() + 1),
    "prints": (lambda: printing(a, out=b), ramp() + 2),
    "kernel": (lambda: twice[N // 256, 256, stream.value](b, N), 2 * ramp()),
    "scope": (in_scope, 2 * np.sort(ramp()) + 3),
}
found = {}
for name, (call, expected) in CALLS.items():
    outcomes = []
    for mode in (0, 1, 2, 0):
        writes_itself = name in ("overlapping out=", "kernel")
        out.write(ramp() if writes_itself else np.zeros(N, np.float32))
        one.write(0)
        try:
            graph, executable, _ = captured(call, mode)
            for _ in range(1 if writes_itself else 2):
                launch(executable)
            result = one.values() if name == "reduction" else out.values()[:np.size(expected)]
            outcomes.append("right" if (result == expected).all() else "wrong")
            destroy(graph, executable)
        except Exception as error:
            outcomes.append(f"{type(error).__name__}: {error}")
    found[name] = outcomes
print(json.dumps(found))
"""


def with_stream(program, flags=1):
    """Return the program with their stream of these flags; 1: non-blocking, as torch's."""
    return THEIRS.replace("FLAGS", str(flags)) + program


def run_captures(program, flags=1):
    return json.loads(run_with_driver(with_stream(program, flags)).splitlines()[-1])


@pytest.fixture(scope="module", params=[1, 0], ids=["non-blocking", "blocking"])
def outcomes(request):
    return run_captures(CALLS, request.param)


@pytest.mark.parametrize("name", [
    "plain", "reduction", "scan", "overlapping out=", "intermediate", "raises", "prints",
    "kernel", "scope",
])  # fmt: skip
def test_calls_are_captured_in_every_mode_first_or_later(outcomes, name):
    assert outcomes[name] == ["right"] * 4


RESULTS = """
found = {}
graph, executable, result = captured(lambda: blend(Tensor(x), Tensor(x)))
other = cuda.full(N, -1, np.float32)  # would take the memory if it were free
launch(executable)
found["result"] = bool((result.array.values() == ramp() * ramp() + ramp()).all())
del result
gc.collect()
another = cuda.full(N, -2, np.float32)
launch(executable)
cuda.synchronize()
found["others"] = bool((other.copy_to_host() == -1).all() and (another.copy_to_host() == -2).all())
before = driver.leaks()["allocation"]
destroy(graph, executable)
cuda.synchronize()
found["freed"] = before - driver.leaks()["allocation"]

kept = cuda.zeros(N, np.float32)
old = [blend(Tensor(x), Tensor(x)), blend(a, a), Imported(kept)]
view = cuda.as_device_array(a)


def drop():
    global plus_one, view, old
    old.clear()
    del view
    gc.collect()
    plus_one = None
    gc.collect()
    plus(a, 1, out=b)


plus_one = npp.vectorize(["float32(float32)"], args="x", body="return x + 1;")
plus_one(a, out=b)
graph, executable, _ = captured(drop)
launch(executable)
found["dropped in the capture"] = bool((out.values() == ramp() + 1).all())
before = driver.leaks()["allocation"]
destroy(graph, executable)
assert lib.cuStreamDestroy_v2(stream) == 0
driver.reset()
cuda.synchronize()
found["waits at its end"] = driver.names().count("cuCtxSynchronize") == 1
found["freed with the graph"] = before - driver.leaks()["allocation"] >= 1
stream = make_stream()

def elsewhere():
    own = cuda.zeros(N, np.float32)
    calls = {
        "kernel": lambda: twice[N // 256, 256](b, N),
        "view": lambda: cuda.as_device_array(a),
        "sort": lambda: cuda.sort(a),
        "stream=": lambda: plus(a, 1, out=own, stream=cuda.stream()),
        "scope": lambda: plus(a, 1, out=own),
    }
    for name, call in calls.items():
        with cuda.stream() if name == "scope" else cuda.gpus[0]:
            try:
                call()
            except RuntimeError as error:
                assert "the stream of an array is being captured" in str(error), error
            else:
                raise AssertionError(name)
    plus(a, 3, out=b)


twice = cuda.kernel(
    'extern "C" __global__ void twice(float* x, int n) { x[threadIdx.x] *= 2; }', "twice")
graph, executable, _ = captured(elsewhere)
launch(executable)
found["after refusals of other streams"] = bool((out.values() == ramp() + 3).all())

pinned = cuda.pinned_array(N, np.float32)
pinned[:] = 5


def upload():
    global pinned
    moved = cuda.to_device(pinned, stream=stream.value)
    pinned = None
    gc.collect()
    plus(moved, a, out=b)


graph, executable, _ = captured(upload)
again = cuda.pinned_array(N, np.float32)
again[:] = 6
launch(executable)
found["pinned memory"] = bool((out.values() == ramp() + 5).all())


def upload_pageable():
    try:
        cuda.to_device(ramp(), stream=stream.value)
    except RuntimeError as error:
        found["refused"] = str(error)
    plus(a, 2, out=b)


graph, executable, _ = captured(upload_pageable)
launch(executable)
found["after a refusal"] = bool((out.values() == ramp() + 2).all())


@npp.vectorize(["float32(float32)"])
def checked(x):
    if x > 5:
        raise ValueError("too large")
    return x


graph, executable, _ = captured(lambda: checked(a, out=b))
calm = cuda.zeros(3, np.float32)
checked(calm, stream=cuda.stream())
launch(executable)
cuda.synchronize()
found["exceptions of the graph"] = "apart"

def beside():
    try:
        fresh = npp.vectorize(["float32(float32)"], args="x", body="return 3 * x;")
        own = cuda.stream()
        pinned = cuda.pinned_array(N, np.float32)
        fresh(cuda.to_device(ramp()), stream=own).copy_to_host(pinned, stream=own)
        event = cuda.event()
        event.record(own)
        event.synchronize()
        own.synchronize()
        assert own.query() and event.query()
        seen.append((pinned == 3 * ramp()).all())
    except Exception as error:
        seen.append(repr(error))


def in_threads():
    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    plus(a, 4, out=b)


seen = []
graph, executable, _ = captured(in_threads)
launch(executable)
found["other threads"] = bool(seen == [True] and (out.values() == ramp() + 4).all())
print(json.dumps(found))
"""


def test_a_graph_keeps_what_it_uses_until_it_is_destroyed():
    found = run_captures(RESULTS)
    refusal = found.pop("refused")
    assert "nothing can wait for it here" in refusal and "the capture of the stream" in refusal
    assert found.pop("freed") == 1
    assert found.pop("exceptions of the graph") == "apart"
    assert all(found.values()), found
