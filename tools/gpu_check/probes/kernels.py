"""Kernels that raise, that take shared memory, that are recorded, and calls of many threads."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import numpy_plugin as npp
from gpu_check.probes.arrays import kernel, same_bits
from gpu_check.probes.probe import probe
from gpu_check.settings import IS_SMALL, scaled
from numpy_plugin import cuda


def must_be_positive(x: float) -> float:
    """Raise for negative numbers."""
    if x < 0:
        raise ValueError("negative")
    return x


@probe
def raising() -> object:
    """An exception comes late, without its element, or at once, with it."""
    f = npp.vectorize(["float64(float64)"], target="cuda")(must_be_positive)
    x = cuda.to_device(np.array([1.0, -1.0]))
    try:
        f(x).copy_to_host()
        cuda.synchronize()
    except ValueError:
        pass
    else:
        raise AssertionError("no late exception")
    with cuda.errors("immediate"):
        try:
            f(x)
        except ValueError as error:
            assert getattr(error, "element", None) == (1,), error
        else:
            raise AssertionError("no immediate exception")
    same_bits(f(x[:1]), np.array([1.0]))
    return None


SHARED = """
extern __shared__ float d[];
extern "C" __global__ void k(float* out) {
  __shared__ float s[8192];
  s[threadIdx.x] = 1; d[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x] + d[threadIdx.x];
}"""


@probe
def shared_memory() -> object:
    """Static shared memory beside dynamic, up to the device's limit and beyond."""
    k = cuda.kernel(SHARED, "k")
    limit = cuda.current_device().attribute(97)  # of a block that asks for it, in bytes
    for n_bytes in (8 << 10, 32 << 10, limit - (32 << 10)):
        out = cuda.zeros(32, np.float32)
        k[1, 32, 0, n_bytes](out)
        assert (out.copy_to_host() == 3).all(), n_bytes
    try:
        k[1, 32, 0, limit + 4](cuda.zeros(32, np.float32))
    except (ValueError, npp.CudaError) as error:
        return str(error).splitlines()[0][:100]
    raise AssertionError("more shared memory than the device has was taken")


@probe
def graphs() -> object:
    """A recorded call and a recorded reduction run at every launch."""
    host = np.arange(scaled(100_000))
    x: Any = cuda.to_device(host)
    y: Any = cuda.zeros(host.size, host.dtype)
    total: Any = cuda.zeros((), host.dtype)
    with cuda.graph() as graph:
        np.add(x, 1, out=y)
        np.add.reduce(y, out=total)
        np.cumsum(y, out=x)
    for _ in range(4):
        graph.launch()
        assert int(total) == (host + 1).sum(), "the sum"
        host = np.cumsum(host + 1)
        same_bits(x, host)
    return f"{graph.n_nodes} nodes"


@probe
def matrix_products() -> object:
    """Products by cuBLAS, where there is one, and by this package's kernel."""
    a = np.random.default_rng(9).standard_normal((3, 40, 57) if IS_SMALL else (3, 130, 257))
    for dtype, tolerance in (("f4", 1e-4), ("f8", 1e-12), ("F", 1e-4)):
        host = a.astype(dtype)
        x = cuda.to_device(host)
        found = np.matmul(x, x.transpose(0, 2, 1)).copy_to_host()
        np.testing.assert_allclose(
            found, host @ host.transpose(0, 2, 1), rtol=tolerance, atol=tolerance * 300
        )
    return str(cuda.current_device().cublas)


@probe
def threads() -> object:
    """Eight threads call one ufunc, each on its own arrays."""
    f = kernel("float32", 2, "return x * y + x;")
    n, wrong = scaled(100_000), []

    def work(i: int) -> None:
        for _ in range(5 if IS_SMALL else 100):
            x = cuda.full(n, i, np.float32)
            found: Any = np.max(f(x, x)).copy_to_host()
            if float(found) != i * i + i:
                wrong.append(i)

    made = [threading.Thread(target=work, args=(i,)) for i in range(1, 9)]
    for thread in made:
        thread.start()
    for thread in made:
        thread.join()
    assert not wrong, f"threads {sorted(set(wrong))}"
    return None
