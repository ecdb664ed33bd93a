"""Reductions, scans and segments: on every run, the bits of the simulator or of NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gpu_check.probes.arrays import N_RUNS, Host, kernel, on_simulator, same_bits, some
from gpu_check.probes.probe import probe
from gpu_check.settings import IS_SMALL, scaled
from numpy_plugin import cuda


def reduced(host: Host, axis: int | None) -> tuple[Any, ...]:
    """Return the reductions of an array's copy on this thread's device."""
    x, mask = cuda.to_device(host), cuda.to_device(host > 0)
    return (
        np.add.reduce(x, axis=axis),
        np.add.reduce(x, axis=axis, where=mask, initial=0),
        np.maximum.reduce(x, axis=axis),
        x.argmax(axis=axis),
        x.var(axis=axis),
    )


@probe
def reductions() -> object:
    """The tree of a reduction is fixed: the simulator's bits, on every run."""
    rows, columns = (30, 500) if IS_SMALL else (300, 5000)
    flat = (scaled(1 << 20, 5000) + 5,)
    shapes = ((flat, 0), ((3, 2049), None), ((rows, columns), 1), ((columns, rows), 0))
    for dtype in ["float32"] if IS_SMALL else ["float32", "float64", "float16", "int32"]:
        for shape, axis in shapes:
            host = some(shape, dtype)
            wanted = on_simulator(partial(reduced, host, axis))
            for _ in range(N_RUNS):
                for found, value in zip(reduced(host, axis), wanted, strict=True):
                    same_bits(found, value)
    f = kernel("float32", 2, "return x * y + x;", identity=None)
    host = some(scaled(100_000, 500), "float32") / 1000
    wanted = on_simulator(lambda: f.reduce(cuda.to_device(host)))
    same_bits(f.reduce(cuda.to_device(host)), wanted)
    return f"{N_RUNS} runs each"


@probe
def scans() -> object:
    """Blocks wait for those before them: sums of several lengths, on many runs."""
    for n in (scaled(4096 * 128 * 3 + 7, 1 << 15), scaled(1 << 26, 5000)):
        host = (np.arange(n, dtype=np.int64) * 2654435761 % 1000).astype(np.int32)
        x, wanted = cuda.to_device(host), np.cumsum(host, dtype=np.int32)
        for _ in range(N_RUNS):
            same_bits(np.cumsum(x, dtype=np.int32), wanted)
    for shape, axis in (((37, scaled(70_000, 3000)), 1), ((scaled(70_000, 300), 37), 0)):
        rows = some(shape, "float32")

        def call(rows: Host = rows, axis: int = axis) -> Any:
            return np.add.accumulate(cuda.to_device(rows), axis=axis)

        wanted = on_simulator(call)
        for _ in range(N_RUNS):
            same_bits(call(), wanted)
    return f"{N_RUNS} runs each"


@probe
def segments() -> object:
    """`reduceat` checks its indices on the device; wrong ones are NumPy's error."""
    host = np.random.default_rng(4).integers(0, 9, scaled(1 << 22))
    starts = np.sort(np.random.default_rng(5).choice(host.size, host.size // 50, replace=False))
    x = cuda.to_device(host)
    same_bits(np.add.reduceat(x, cuda.to_device(starts)), np.add.reduceat(host, starts))
    wrong = np.array([0, host.size], np.int64)
    for indices in (wrong, cuda.to_device(wrong)):
        try:
            np.add.reduceat(x, indices)
        except IndexError:
            continue
        raise AssertionError("an index beyond the end was taken")
    return None
