"""Sorts, masks, indices and counts, against NumPy."""

from __future__ import annotations

import numpy as np

from gpu_check.probes.arrays import N_RUNS, Host, same_bits, some
from gpu_check.probes.probe import probe
from gpu_check.settings import IS_SMALL, scaled
from numpy_plugin import cuda


@probe
def sorts() -> object:
    """Stable ones of each size of key, with NaNs, along rows as well."""
    dtypes = (
        ["int16", "float32"]
        if IS_SMALL
        else ["uint8", "int16", "int64", "float16", "float32", "float64", "complex128"]
    )
    for dtype in dtypes:
        for n in (1000, scaled(3_000_003, 5000)):
            host = some(n, dtype, n)
            if host.dtype.kind == "f":
                host[::7] = np.nan
            x = cuda.to_device(host)
            for _ in range(min(N_RUNS, 3)):
                same_bits(np.argsort(x, stable=True), np.argsort(host, stable=True))
                same_bits(np.sort(x), np.sort(host))
    rows = some((64, 300), "float32")
    same_bits(np.sort(cuda.to_device(rows), axis=0), np.sort(rows, axis=0))
    same_bits(
        np.argsort(cuda.to_device(rows), axis=1, stable=True), np.argsort(rows, axis=1, stable=True)
    )
    return f"{len(dtypes)} dtypes"


@probe
def masks_and_indices() -> object:
    """Elements that masks and index arrays select, and stores to them."""
    for dtype in ("int8", "float64"):
        host = some(scaled(2_000_003), dtype)
        indices = np.random.default_rng(6).integers(-host.size, host.size, host.size // 2)
        x, mask, index = cuda.to_device(host), cuda.to_device(host > 0), cuda.to_device(indices)
        same_bits(x[mask], host[host > 0])
        same_bits(x[index], host[indices])
        same_bits(np.nonzero(x)[0], np.nonzero(host)[0])
        x[mask], host[host > 0] = 3, 3
        same_bits(x, host)
    try:
        cuda.to_device(host)[cuda.to_device(np.array([0, host.size]))]
        cuda.synchronize()
    except IndexError:
        return None
    raise AssertionError("an index beyond the end was taken")


@probe
def counts() -> object:
    """`add.at` in NumPy's order, `bincount`, `histogram`, `unique` and `searchsorted`."""
    keys = np.random.default_rng(7).integers(0, 1000, scaled(1 << 20))
    k = cuda.to_device(keys)
    for dtype, value in (("int16", 1), ("float64", 0.1), ("float32", 0.1)):
        host = np.zeros(1000, dtype)
        x = cuda.to_device(host)
        np.add.at(x, k, host.dtype.type(value))
        np.add.at(host, keys, host.dtype.type(value))
        same_bits(x, host)
    same_bits(cuda.bincount(k), np.bincount(keys))
    same_bits(cuda.unique(k), np.unique(keys))
    values = some(scaled(100_000), "float64")
    edges = np.linspace(-60, 60, 41)
    same_bits(cuda.histogram(cuda.to_device(values), bins=40, range=(-60, 60))[0], counted(values))
    same_bits(
        cuda.searchsorted(cuda.to_device(edges), cuda.to_device(values)),
        np.searchsorted(edges, values),
    )
    return None


def counted(values: Host) -> Host:
    """Return NumPy's histogram."""
    return np.histogram(values, bins=40, range=(-60, 60))[0]
