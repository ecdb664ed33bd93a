"""Pinned memory, offloaded calls, allocators of other libraries."""

from __future__ import annotations

import gc

import numpy as np

from gpu_check.probes.arrays import kernel, same_bits, some
from gpu_check.probes.probe import Missing, imported, probe
from gpu_check.settings import scaled
from numpy_plugin import cuda


@probe
def pinned_copies() -> object:
    """Asynchronous copies of temporaries in pinned memory, both ways, on several streams."""
    n = scaled(4_000_000)
    streams = [cuda.stream() for _ in range(3)]
    made = []
    for i, stream in enumerate(streams * 3):
        host = cuda.pinned_array(n, np.float32)
        host[:] = i
        made.append(cuda.to_device(host, stream=stream))
        del host
        gc.collect()
        cuda.pinned_array(n, np.float32)[:] = -1
    for i, x in enumerate(made):
        out = cuda.pinned_array(n, np.float32)
        stream = streams[i % 3]
        x.copy_to_host(out, stream)
        stream.synchronize()
        assert (out == i).all(), f"copy {i}"
    return None


@probe
def offloaded() -> object:
    """Host arrays that a call computes on the device, in pieces."""
    f = kernel("float64", 2, "return sqrt(x * x + y * y);", target="cuda")
    x = some(scaled(20_000_000, 1 << 16), "float64")
    same_bits(f(x, x[::-1]), np.sqrt(x * x + x[::-1] * x[::-1]))
    return None


@probe
def allocators() -> object:
    """Memory of CuPy's and torch's pools."""
    found = {}
    for name in ("cupy", "torch"):
        try:
            imported(name)
        except Missing as error:
            found[name] = str(error)
            continue
        cuda.set_allocator(name)
        try:
            same_bits(np.add(cuda.to_device(np.ones(1000)), 1), np.full(1000, 2.0))
            assert float(np.sum(cuda.ones(100_000))) == 100_000
            cuda.synchronize()
        finally:
            cuda.set_allocator(None)
        found[name] = "ok"
    return found


@probe
def memory_is_given_back() -> object:
    """What arrays used is free again for them, and `trim` gives the pool's memory back."""
    before = cuda.memory_info().used
    for _ in range(50):
        x = cuda.zeros(scaled(50_000_000, 1 << 18), np.int8)
        np.sum(x, dtype=np.int64)
    del x
    cuda.synchronize()
    assert cuda.memory_info().used <= before, (cuda.memory_info(), before)
    cuda.trim()
    assert cuda.memory_info().reserved <= max(before, 64 << 20), cuda.memory_info()
    return None
