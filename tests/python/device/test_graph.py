"""Calls recorded into a graph: on a driver that counts, and on the simulated device."""

import numpy as np
import pytest
from machines.counting_driver import run_with_driver
from machines.device_under_test import device_under_test

import numpy_plugin as npp
from numpy_plugin import cuda

N = 1000


@pytest.fixture(scope="module")
def blend():
    return npp.vectorize(
        ["float64(float64, float64)"], args="x, y", body="return x * y + x;", cache=True
    )


@pytest.fixture(autouse=True)
def device():
    with device_under_test() as simulated:
        yield simulated


def ramp():
    return np.arange(N, dtype=np.float64)


def test_a_block_runs_at_each_launch_and_not_before(blend):
    x, y = cuda.to_device(ramp()), cuda.zeros(N)
    with cuda.graph() as graph:
        blend(x, 2.0, out=y)
        np.add(y, x, out=y)
    assert graph.n_nodes == 2
    assert not y.copy_to_host().any()
    for start in (1.0, 5.0):
        x.fill(start)
        graph.launch()
        np.testing.assert_array_equal(y.copy_to_host(), np.full(N, 4 * start))


def test_arrays_of_the_block_live_as_long_as_the_graph(blend):
    x, out = cuda.to_device(ramp()), cuda.zeros(N)
    with cuda.graph() as graph:
        blend(blend(x, 1.0), 1.0, out=out)
        blend(x, 5.0)  # dropped at once
        kept = x * 3.0
        kept[::2] = x[1::2]
    other = cuda.full(N, -1.0)  # would take the memory if it had been freed
    graph.launch()
    np.testing.assert_array_equal(out.copy_to_host(), 4 * ramp())
    expected = 3 * ramp()
    expected[::2] = ramp()[1::2]
    np.testing.assert_array_equal(kept.copy_to_host(), expected)
    assert (other.copy_to_host() == -1).all()


def test_launches_are_ordered_with_other_work(blend):
    x, y = cuda.zeros(N), cuda.zeros(N)
    with cuda.graph() as graph:
        np.add(x, 1.0, out=x)
    stream = cuda.stream()
    for _ in range(3):
        graph.launch(stream)
        stream.synchronize()
        np.add(y, x, out=y)
        graph.launch()
    np.testing.assert_array_equal(x.copy_to_host(), np.full(N, 6.0))
    np.testing.assert_array_equal(y.copy_to_host(), np.full(N, 1.0 + 3 + 5))


def test_kernels_of_users_are_recorded():
    increment = cuda.kernel(
        'extern "C" __global__ void increment(int* x) { x[threadIdx.x] += 1; }', "increment"
    )
    x = cuda.zeros(32, np.int32)
    with cuda.graph() as graph:
        increment[1, 32](x)
        increment[1, 32](x)
    del increment
    graph.launch()
    graph.launch()
    assert (x.copy_to_host() == 4).all()


def test_a_deleted_ufunc_stays_in_the_graph():
    x = cuda.ones(N)
    with cuda.graph() as graph:
        npp.vectorize(["float64(float64)"], args="x", body="return x + 41;")(x, out=x)
    graph.launch()
    assert (x.copy_to_host() == 42).all()


def test_generalized_ufuncs_are_recorded():
    row_sum = npp.guvectorize(
        ["void(float64[:], float64[:])"],
        "(n)->()",
        args="x",
        outs="y",
        body="y(0) = 0; for (long i = 0; i < x.shape(0); ++i) y(0) += x(i);",
    )
    x, y = cuda.to_device(ramp().reshape(10, -1)), cuda.zeros(10)
    with cuda.graph() as graph:
        row_sum(x, out=y)
    graph.launch()
    np.testing.assert_array_equal(y.copy_to_host(), ramp().reshape(10, -1).sum(1))


WAITS = {
    "copy_to_host": lambda x: x.copy_to_host(),
    "to_device": lambda x: cuda.to_device(np.ones(3)),
    "copy_to_device": lambda x: x.copy_to_device(np.ones(N)),
    "item": lambda x: x[0].item(),
    "stream": lambda x: cuda.current_stream().synchronize(),
    "query": lambda x: cuda.current_stream().query(),
}


@pytest.mark.parametrize("wait", WAITS)
def test_nothing_waits_in_the_block(blend, wait):
    x = cuda.to_device(ramp())
    with (
        pytest.raises(RuntimeError, match=r"a graph is being recorded.*before or after the block"),
        cuda.graph() as graph,
    ):
        blend(x, 2.0, out=x)
        WAITS[wait](x)
    np.testing.assert_array_equal(x.copy_to_host(), ramp())
    with pytest.raises(RuntimeError, match="nothing is recorded"):
        graph.launch()
    np.testing.assert_array_equal(blend(x, 2.0).copy_to_host(), 3 * ramp())


def test_an_exception_of_the_block_leaves_nothing(blend):
    x = cuda.to_device(ramp())
    with pytest.raises(ZeroDivisionError), cuda.graph():
        blend(x, 2.0, out=x)
        raise ZeroDivisionError
    np.testing.assert_array_equal(x.copy_to_host(), ramp())
    with cuda.graph() as graph:
        blend(x, 2.0, out=x)
    graph.launch()
    np.testing.assert_array_equal(x.copy_to_host(), 3 * ramp())


def test_wrong_uses(blend):
    graph = cuda.graph()
    with pytest.raises(RuntimeError, match="nothing is recorded: make the calls in"):
        graph.launch()
    x = cuda.zeros(3)
    inside = r"cuda\.graph\(\) inside of another's block"
    with pytest.raises(RuntimeError, match=inside), cuda.graph(), cuda.graph():
        pass
    with graph:
        blend(x, 1.0, out=x)
    assert repr(graph) == "<graph of 1 nodes>"
    with pytest.raises(RuntimeError, match="the graph is recorded already"), graph:
        pass
    with pytest.raises(TypeError, match="stream must be"):
        graph.launch("fast")
    graph.launch()


def test_an_empty_block_is_a_graph():
    with cuda.graph() as graph:
        pass
    graph.launch()
    assert graph.n_nodes == 0


COUNTED = """
f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;")
x, y = cuda.to_device(np.arange(10, dtype=np.float32)), cuda.zeros(10, np.float32)


class Foreign:
    def __init__(self, stream):
        self.array = cuda.to_device(np.arange(10, dtype=np.float32))
        self.stream = stream

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, "stream": self.stream}


a, b = Foreign(1), Foreign(1)
with cuda.graph() as graph:
    f(x, y, out=y)
    f(f(y, x), x, out=y)
with cuda.graph() as theirs:
    f(a, a, out=b)
for each in (graph, theirs):
    each.launch()
    print(*driver.calls(each.launch))
cuda.synchronize()
print(*b.array.copy_to_host())
del graph, theirs, each, a, b, x, y
print(driver.leaks())
"""


def test_a_replay_is_one_driver_call():
    own, foreign, result, leaks = run_with_driver(COUNTED).splitlines()
    assert own == "cuGraphLaunch"
    assert foreign == "cuGraphLaunch"
    assert result == " ".join(f"{x * x + x:.1f}" for x in range(10))
    assert "graph" not in leaks
    assert "allocation" not in leaks


THEIR_CAPTURE = """
f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;")
x, y = cuda.to_device(np.arange(10, dtype=np.float32)), cuda.zeros(10, np.float32)
stream, graph, executable = (ctypes.c_void_p() for _ in range(3))
lib = driver.library
assert lib.cuStreamCreate(ctypes.byref(stream), 1) == 0


class Foreign:
    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, "stream": stream.value}


a, b = Foreign(x), Foreign(y)
f(a, a, out=b)
cuda.synchronize()
y.fill(0)
cuda.synchronize()
for mode in (0, 1, 2):
    assert lib.cuStreamBeginCapture_v2(stream, mode) == 0
    f(a, a, out=b)
    assert lib.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0, mode
assert lib.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)) == 0
assert not y.copy_to_host().any()
assert lib.cuGraphLaunch(executable, stream) == 0
cuda.synchronize()
print(*y.copy_to_host())
"""


def test_calls_are_recorded_in_captures_of_other_libraries():
    assert run_with_driver(THEIR_CAPTURE).split() == [f"{x * x + x:.1f}" for x in range(10)]


BESIDE = """
lib = driver.library
f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;")
gone = npp.vectorize(["float32(float32)"], args="x", body="return x + 1;")
ramp = np.arange(10, dtype=np.float32)
x, y, other = cuda.to_device(ramp), cuda.zeros(10, np.float32), cuda.ones(10, np.float32)
theirs = ctypes.c_void_p()
assert lib.cuStreamCreate(ctypes.byref(theirs), 1) == 0


class OfOldVersion:
    # Its library works on the legacy default stream.
    __cuda_array_interface__ = {**x.__cuda_array_interface__, "version": 2, "stream": None}


class Unknown:
    # Makes the stream that it is told wait, as DLPack has it.
    def __dlpack_device__(self):
        return x.__dlpack_device__()

    def __dlpack__(self, stream=None, **keywords):
        asked.append(stream)
        return x.__dlpack__(stream=stream, **keywords)


class Named:
    __cuda_array_interface__ = {**other.__cuda_array_interface__, "stream": theirs.value}


@npp.vectorize(["float32(float32)"])
def printing(x):
    if x == 9:
        print("nine is", x)
    return x


def legacy_work():
    # As CuPy and torch on the null stream.
    address = ctypes.c_ulonglong(other.__cuda_array_interface__["data"][0])
    assert lib.cuMemsetD32Async(address, 0, ctypes.c_size_t(10), ctypes.c_void_p(1)) == 0


asked = []
gone(x)
view = cuda.as_device_array(Named())
f(view, view, out=view, stream=theirs.value)
pinned = cuda.pinned_array(1000)
with cuda.graph() as graph:
    legacy_work()
    f(OfOldVersion(), Unknown(), out=y)
    np.add(printing(y), x, out=y)
    del gone, view, pinned
    gc.collect()
    legacy_work()
assert asked == [-1], asked
assert not other.copy_to_host().any()
for _ in range(2):
    graph.launch()
    cuda.synchronize()
    assert (y.copy_to_host() == ramp * ramp + 2 * ramp).all()
print("done")
"""


def test_other_work_goes_on_beside_a_recording():
    assert run_with_driver(BESIDE) == "done\n"


WAITS_FOR_LEGACY = """
f = npp.vectorize(["float32(float32)"], args="x", body="return x + 1;")
x, y = cuda.zeros(10, np.float32), cuda.zeros(10, np.float32)


def of_old_version(array):
    interface = {**array.__cuda_array_interface__, "version": 2, "stream": None}
    return type("OfOldVersion", (), {"__cuda_array_interface__": interface})()


a, b = of_old_version(x), of_old_version(y)
with cuda.graph() as graph:
    f(a, out=b)
graph.launch()
print(*driver.calls(graph.launch))
"""


def test_arrays_without_a_stream_order_launches_with_the_legacy_one():
    assert run_with_driver(WAITS_FOR_LEGACY) == "cuGraphLaunch\n"


UNLOADED = """
f = npp.vectorize(["float32(float32)"], args="x", body="return x + 1;")
x = cuda.zeros(10, np.float32)
f(x)
cuda.synchronize()
driver.reset()
del f
gc.collect()
before = driver.names()
cuda.synchronize()
print(*before, "and", *driver.names())
"""


def test_code_that_is_used_no_more_is_unloaded_when_the_device_is_waited_for():
    before, _, after = run_with_driver(UNLOADED).partition(" and ")
    assert not {"cuCtxSynchronize", "cuModuleUnload"} & set(before.split())
    names = after.split()
    assert names.index("cuCtxSynchronize") < names.index("cuModuleUnload")
