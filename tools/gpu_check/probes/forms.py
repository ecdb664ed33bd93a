"""Elementwise and generalized kernels in every launch form, against NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np

import numpy_plugin as npp
from gpu_check.probes.arrays import Host, on_simulator, same_bits, some
from gpu_check.probes.probe import probe
from gpu_check.settings import IS_SMALL
from numpy_plugin import _core, cuda

DTYPES = ("float32", "int8", "int16", "float16", "float64", "complex64")[: 1 if IS_SMALL else None]
ROWS, COLUMNS = (256, 1024) if IS_SMALL else (1200, 2048)
VIEWS = (
    np.s_[:],
    np.s_[:, :-2],
    np.s_[:, 1:],
    np.s_[:, :32],
    np.s_[::2, ::3],
    np.s_[::-1],
    np.s_[:, ::-1],
)
ELEMENTWISE = {"contiguous", "rows", "short_rows", "transposed", "strided"}


def blend(x: Any, y: Any) -> Any:
    """A product and a sum: fused, it would have other bits."""
    return x * y + x


def expected(x: Host, y: Host) -> Host:
    """Return NumPy's values."""
    with np.errstate(all="ignore"):
        return np.asarray(x * y + x)


@probe
def forms() -> object:
    """Each dtype in each form, with a mask, and where the operands are not aligned."""
    seen = set()
    for dtype in DTYPES:
        f = npp.vectorize([f"{dtype}({dtype}, {dtype})"], target="cuda")(blend)
        host = some((ROWS, COLUMNS), dtype)
        square, flat = host[:ROWS, :ROWS], host.ravel()
        pairs = [(host[view], host[view]) for view in VIEWS]
        pairs += [(square.T, square), (flat[1:], flat[:-1]), (host, host[:, :1]), (host, host[0])]
        device = cuda.to_device(host)
        views = [(device[view], device[view]) for view in VIEWS]
        views += [(device[:ROWS, :ROWS].T, device[:ROWS, :ROWS])]
        views += [(device.ravel()[1:], device.ravel()[:-1])]
        views += [(device, device[:, :1]), (device, device[0])]
        for (x, y), (a, b) in zip(views, pairs, strict=True):
            same_bits(f(x, y), expected(a, b))
            seen.add(_core.explain_launch(f, (x, y), {})[0])
        masked(f, device, host)
    assert seen >= ELEMENTWISE, f"only {sorted(seen)} were launched"
    return f"{len(DTYPES)} dtypes, {len(VIEWS) + 4} layouts"


def masked(f: Any, device: cuda.DeviceArray, host: Host) -> None:
    """Compare calls with `where=`, in contiguous memory and with strides."""
    mask = np.random.default_rng(2).random(host.shape) < 0.5
    for view in (np.s_[:], np.s_[:, ::2]):
        found, wanted = cuda.zeros(host.shape, host.dtype), np.zeros_like(host)
        f(device[view], device[view], out=found[view], where=cuda.to_device(mask)[view])
        np.copyto(wanted[view], expected(host[view], host[view]), where=mask[view])
        same_bits(found, wanted)


@probe
def generalized() -> object:
    """Kernels with core dimensions, whose forms have the bits of the simulator."""
    n = 32 if IS_SMALL else 400

    @npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,k),(k,n)->(m,n)")
    def product(a: Any, b: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                out[i, j] = total

    @npp.guvectorize(["void(float32[:], float32[:], float32[:])"], "(3),(3)->(3)")
    def cross(a: Any, b: Any, out: Any) -> None:
        out[0] = a[1] * b[2] - a[2] * b[1]
        out[1] = a[2] * b[0] - a[0] * b[2]
        out[2] = a[0] * b[1] - a[1] * b[0]

    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def total(a: Any, out: Any) -> None:
        out[0] = 0.0
        for i in range(a.shape[0]):
            out[0] += a[i]

    a, b = some((n, 65), "float64"), some((65, n), "float64", 2)
    c, d = some((n * n, 3), "float32"), some((n * n, 3), "float32", 2)
    for f, operands in ((product, (a, b)), (cross, (c, d)), (total, (b,))):

        def call(f: Any = f, operands: Any = operands) -> Any:
            return f(*map(cuda.to_device, operands))

        same_bits(call(), on_simulator(call))
    return None
