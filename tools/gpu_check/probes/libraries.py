"""Arrays and streams of CuPy, torch, JAX and Numba, where they are installed."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np

from gpu_check.probes.arrays import kernel
from gpu_check.probes.probe import Missing, imported, probe
from gpu_check.settings import IS_SMALL, scaled
from numpy_plugin import cuda

N = scaled(1 << 22)
N_CALLS = 5 if IS_SMALL else 50


def add() -> Any:
    """Return a sum with an identity, which can be reduced."""
    return kernel("float32", 2, "return x + y;", identity=0)


@probe
def cupy() -> object:
    """Calls between CuPy's own on two streams; a stream that is destroyed before the result."""
    cp, f = imported("cupy"), add()
    for stream in (cp.cuda.Stream.null, cp.cuda.Stream(non_blocking=True)):
        with stream:
            a = cp.arange(N, dtype="float32")
            out = cp.empty_like(a)
            for _ in range(N_CALLS):
                f(a, 1, out=out)
                a = out * 1
            result, total = f(a, 0), f.reduce(a[:1000] * 0 + 1)
            assert type(result) is cp.ndarray, type(result)
            assert float(result[-1]) == N - 1 + N_CALLS, float(result[-1])
            assert float(total) == 1000, float(total)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        result = f(cp.ones(N, dtype="float32"), 1)
    stream.synchronize()
    del stream
    f(cp.ones(4, dtype="float32"), 1)
    del result
    gc.collect()
    cuda.synchronize()
    return cp.__version__


@probe
def pinned_on_their_stream() -> object:
    """Pinned memory of a temporary that a stream of CuPy copies is not used again too early."""
    cp, n = imported("cupy"), scaled(1 << 26)
    stream = cp.cuda.Stream(non_blocking=True)
    for value in range(1, 4):
        host = cuda.pinned_array(n, np.float32)
        host[:] = value
        x = cuda.to_device(host, stream=stream)
        del host
        gc.collect()
        cuda.pinned_array(n, np.float32)[:] = -1
        stream.synchronize()
        assert (x.copy_to_host() == value).all(), value
    return None


@probe
def torch() -> object:
    """Calls between torch's own on its default stream and on another."""
    th, f = imported("torch"), add()
    for stream in (th.cuda.default_stream(), th.cuda.Stream()):
        with th.cuda.stream(stream):
            a = th.arange(N, dtype=th.float32, device="cuda")
            out = th.empty_like(a)
            for _ in range(N_CALLS):
                f(a, 1, out=out)
                a = out * 1
            result = f(a, 0)
            assert isinstance(result, th.Tensor), type(result)
            assert float(result[-1]) == N - 1 + N_CALLS, float(result[-1])
    return th.__version__


@probe
def torch_captures() -> object:
    """torch.cuda.graph records calls, reductions, scans and calls with a temporary."""
    th, f = imported("torch"), add()
    a, out = th.ones(N, device="cuda"), th.zeros(N, device="cuda")
    b, total = th.ones(N, device="cuda"), th.zeros((), device="cuda")
    calls: dict[str, tuple[Callable[[], object], Callable[[], bool]]] = {
        "call": (lambda: f(a, 2, out=out), lambda: float(out[-1]) == 3),
        "reduce": (lambda: f.reduce(a, out=total), lambda: float(total) == N),
        "accumulate": (lambda: f.accumulate(a, out=out), lambda: float(out[-1]) == N),
        "overlap": (
            lambda: f(b[:-1], b[1:], out=b[1:]),
            lambda: (float(b[1]), float(b[2])) in ((2, 2), (3, 4)),  # of one call, and of two
        ),
    }
    found = {name: captured(th, *each) for name, each in calls.items()}
    assert all(said.startswith("ok") for said in found.values()), found
    return found


def captured(th: Any, call: Callable[[], object], is_right: Callable[[], bool]) -> str:
    """Return how a graph of torch records a call that was never made, or else one that was."""
    cold = replayed(th, call, is_right)
    if cold == "ok":
        return cold
    call()
    return f"{replayed(th, call, is_right)} once it was called; before: {cold}"


def replayed(th: Any, call: Callable[[], object], is_right: Callable[[], bool]) -> str:
    """Return what is wrong with a call that is recorded and replayed; else "ok"."""
    th.cuda.synchronize()
    try:
        graph = th.cuda.CUDAGraph()
        with th.cuda.graph(graph):
            call()
        graph.replay()
        th.cuda.synchronize()
    except Exception as error:
        first = error
        while isinstance(first.__context__, Exception):
            first = first.__context__
        return repr(first)[:110]
    return "ok" if is_right() else "wrong values"


@probe
def cupy_captures() -> object:
    """A stream of CuPy records a call and a reduction."""
    cp, f = imported("cupy"), add()
    a, out = cp.ones(N, dtype="float32"), cp.zeros(N, dtype="float32")
    total = cp.zeros((), dtype="float32")
    f(a, 2, out=out)
    f.reduce(a, out=total)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        f(a, 3, out=out)
        f.reduce(a, out=total)
        graph = stream.end_capture()
        graph.launch(stream)
    stream.synchronize()
    assert float(out[-1]) == 4 and float(total) == N, (float(out[-1]), float(total))
    return None


@probe
def jax() -> object:
    """An array of JAX on the GPU, from which a device array is returned."""
    numpy_of_jax, f = imported("jax.numpy"), add()
    a = numpy_of_jax.ones(1000, "float32")
    place = next(iter(a.devices())).platform
    result = f(cuda.as_device_array(a), 1) if place != "cpu" else None
    assert result is None or float(result[-1]) == 2
    return f"on {place}: {type(f(a, 1)).__name__}"


@probe
def numba_cuda() -> object:
    """An array of Numba-CUDA, on its default stream and on another."""
    nc, f = imported("numba.cuda"), add()
    theirs, ours = nc.current_context().device.name, cuda.gpus[0].name
    if getattr(theirs, "decode", lambda: theirs)() != ours:
        raise Missing(f"Numba's first device is {theirs!r}, not {ours!r}")
    result = f(nc.to_device(np.ones(1000, "float32")), 1)
    assert float(result.copy_to_host()[-1]) == 2
    stream = nc.stream()
    a = nc.to_device(np.ones(1000, "float32"), stream=stream)
    assert float(f(a, 1).copy_to_host()[-1]) == 2
    return type(result).__module__
