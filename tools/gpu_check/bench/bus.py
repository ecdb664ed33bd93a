"""Rates of copies between host and device, and of calls on host arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import numpy_plugin as npp
from gpu_check.bench.libraries import Library
from gpu_check.bench.rows import Call, Rows
from gpu_check.probes.arrays import kernel
from gpu_check.settings import scaled
from numpy_plugin import cuda

N_BYTES = scaled(1 << 28, 1 << 14)


def measure(rows: Rows) -> None:
    """Add the rows."""
    for kind, make_host in (("pageable", pageable), ("pinned", pinned)):
        rows.rate(f"to the device, {kind}", N_BYTES, to_device(make_host))
        rows.rate(f"to the host, {kind}", N_BYTES, to_host(make_host))
    shape = (N_BYTES // 4096, 1024)
    rows.rate("x[:, :10] float32 to the host", shape[0] * 40, columns_to_host(shape))
    for n in (scaled(1 << 16, 1 << 9), scaled(1 << 20, 1 << 10), N_BYTES // 8):
        offload(rows, n)


def pageable() -> Any:
    """Return host memory of malloc."""
    return np.ones(N_BYTES, np.uint8)


def pinned() -> Any:
    """Return pinned host memory."""
    host = cuda.pinned_array(N_BYTES, np.uint8)
    host[:] = 1
    return host


def to_device(make_host: Callable[[], Any]) -> Callable[[Library], Call]:
    """Return what makes a library's copy to the device."""

    def make(library: Library) -> Call:
        host, x = make_host(), library.ones(N_BYTES, "uint8")
        if library.name == "ours":
            return lambda: x.copy_to_device(host)
        if library.name == "cupy":
            return lambda: x.set(host)
        source = library.xp.as_tensor(host)
        return lambda: x.copy_(source)

    return make


def to_host(make_host: Callable[[], Any]) -> Callable[[Library], Call]:
    """Return what makes a library's copy to the host."""

    def make(library: Library) -> Call:
        host, x = make_host(), library.ones(N_BYTES, "uint8")
        if library.name == "ours":
            return lambda: x.copy_to_host(host)
        if library.name == "cupy":
            return lambda: x.get(out=host)
        to = library.xp.as_tensor(host)
        return lambda: to.copy_(x)

    return make


def columns_to_host(shape: tuple[int, int]) -> Callable[[Library], Call | None]:
    """Return what makes the copy of a few columns."""

    def make(library: Library) -> Call | None:
        if library.name == "torch":
            return None
        x = library.ones(shape, "float32")
        return (lambda: x[:, :10].copy_to_host()) if library.name == "ours" else x[:, :10].get

    return make


def offload(rows: Rows, n: int) -> None:
    """Add rows of a call on host arrays: forced to the device, on the CPU, and as decided."""
    f = kernel("float64", 2, "return x + y;")
    g = kernel("float64", 2, "return x + y;", target="cuda")
    x, out = np.ones(n), np.ones(n)

    def on_device(library: Library) -> Call:
        if library.name == "ours":
            return lambda: g(x, x, out=out)
        if library.name == "cupy":
            cp = library.xp
            return lambda: cp.add(cp.asarray(x), cp.asarray(x)).get(out=out)
        th = library.xp
        host = th.as_tensor(x)
        return lambda: th.add(host.to("cuda"), host.to("cuda")).cpu()

    def on_cpu(library: Library) -> Call | None:
        return (lambda: f(x, x, out=out)) if library.name == "ours" else None

    def decided(library: Library) -> Call | None:
        if library.name != "ours":
            return None

        def call() -> None:
            with npp.offload():
                f(x, x, out=out)

        return call

    rows.rate(f"add of {n} host float64, on the device", 24 * n, on_device)
    rows.rate(f"add of {n} host float64, on the CPU", 24 * n, on_cpu)
    rows.rate(f"add of {n} host float64, as decided", 24 * n, decided)
