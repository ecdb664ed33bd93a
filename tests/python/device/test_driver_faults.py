"""Each driver call of each kind of call fails once: nothing changes or leaks, the next works."""

import pytest
from machines.counting_driver import run_with_driver

KINDS = """
import itertools

N = 1 << 15
X = np.arange(N, dtype=np.float64) % 1000
f = npp.vectorize(["float64(float64, float64)"], args="x, y", body="return x * y + x;")
g = npp.guvectorize(
    ["void(float64[:], float64[:])"], "(n)->()", args="x", outs="y",
    body="y(0) = 0; for (long i = 0; i < x.shape(0); ++i) y(0) += x(i);",
)


@npp.vectorize(["float64(float64)"])
def positive(x):
    if x < 0:
        raise ValueError("negative")
    return x + 1


class Foreign:
    def __init__(self, array, stream):
        self.array, self.stream = array, stream

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, "stream": self.stream}


x, other, out = cuda.to_device(X), cuda.to_device(X), cuda.zeros(N)
kernel = cuda.kernel('extern "C" __global__ void k(double* x) { x[0] += 1; }', "k")
a, b = Foreign(x, 1), Foreign(other, 2)
with cuda.graph() as graph:
    f(x, x, out=out)


def make_graph():
    with cuda.graph() as made:
        f(x, x, out=out)
        f(x, 2.0)
    made.launch()
    return out


def pinned():
    host = cuda.pinned_array(N)
    host[:] = 1
    return cuda.to_device(host)


KINDS = {
    "call": lambda: f(x, other),
    "out": lambda: f(x, other, out=out),
    "where": lambda: f(x, other, out=out, where=x > 3),
    "foreign": lambda: f(a, b),
    "stream": lambda: f(x, other, stream=cuda.stream()),
    "generalized": lambda: g(x.reshape(-1, 8)),
    "overlap": lambda: f(x[:-1], x[1:], out=out[1:]),
    "casts": lambda: f(x.astype(np.float32), other),
    "raising": lambda: positive(x),
    "immediate": lambda: immediate(),
    "host": lambda: spin(X),
    "to_device": lambda: cuda.to_device(X),
    "to_host": lambda: x.copy_to_host(),
    "strided": lambda: x[::3].copy_to_host(),
    "copy": lambda: x[::2].copy(),
    "fill": lambda: cuda.ones(N),
    "kernel": lambda: kernel[1, 1](out),
    "graph": make_graph,
    "replay": lambda: graph.launch(),
    "pinned": pinned,
    "info": lambda: cuda.memory_info(),
    "trim": lambda: cuda.trim(),
    "event": lambda: cuda.event().record(),
    "dlpack": lambda: x.__dlpack__(stream=2),
    "synchronize": lambda: cuda.synchronize(),
}
spin = npp.vectorize(["float64(float64)"], target="cuda")(positive.__wrapped__)


def immediate():
    with cuda.errors("immediate"):
        return positive(x)


# The test ends with its own process: what is left is freed there.
def objects():
    left = driver.leaks()
    counted = ("allocation", "capture", "pushed context", "stream")
    return {name: left.get(name, 0) for name in counted}


# Failures of these are no failures of the call: a later one reports the state of the device.
QUIET = {
    "cuCtxGetCurrent", "cuCtxPopCurrent_v2", "cuEventDestroy_v2", "cuGetErrorName",
    "cuGetErrorString", "cuGraphDestroy", "cuGraphExecDestroy", "cuGraphGetNodes",
    "cuMemFreeAsync", "cuMemFreeHost", "cuMemPoolGetAttribute", "cuMemPoolSetAttribute",
    "cuModuleUnload", "cuPointerGetAttributes", "cuStreamDestroy_v2", "cuStreamIsCapturing",
    "cuThreadExchangeStreamCaptureMode",
}


def tried(kind, call):
    for _ in range(2):
        call()
    cuda.synchronize()
    driver.reset()
    result = call()
    names = driver.names()
    del result
    cuda.synchronize()
    out.fill(0)
    before = objects()
    numbers = {}
    failed = 0
    for name in names:
        numbers[name] = n = numbers.get(name, 0) + 1
        if n > 3:
            continue
        driver.reset()
        driver.fail(name, n)
        try:
            result = call()
        except (npp.CudaError, npp.DeviceMemoryError) as error:
            failed += 1
            assert "CUDA_ERROR_OPERATING_SYSTEM" in str(error), error
            del error
        else:
            del result
            assert name in QUIET or n > 1, f"{kind}: {name} fails unnoticed"
        driver.reset()
        cuda.synchronize()
        assert np.array_equal(x.copy_to_host(), X), (kind, name)
        assert np.array_equal(other.copy_to_host(), X), (kind, name)
        call()
        assert np.array_equal(f(x, other).copy_to_host(), X * X + X), (kind, name)
        after = objects()
        # A lost release is the driver's leak, not this package's.
        lost = {"allocation": name == "cuMemFreeAsync", "stream": name == "cuStreamDestroy_v2",
                "capture": name == "cuStreamEndCapture"}
        for what in before:
            assert after[what] <= before[what] + lost.get(what, 0), (kind, name, n, before, after)
        before = after
    return failed


for kind, call in KINDS.items():
    print(kind, tried(kind, call))
"""


@pytest.fixture(scope="module")
def failures():
    lines = run_with_driver(KINDS).splitlines()
    return {line.split()[0]: int(line.split()[1]) for line in lines}


def test_every_kind_of_call_reports_failures_and_recovers(failures):
    assert len(failures) == 25
    assert all(count > 0 for count in failures.values()), failures
