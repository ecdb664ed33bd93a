"""Device kernels as people write them elsewhere, and what is said of names that are not here."""

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

TILE = 8
WEIGHTS = np.array([[1.0, -2.0, 1.0], [0.5, 0.0, 0.5]])

pytestmark = pytest.mark.usefixtures("device")


def test_products_of_matrices_tile_by_tile():
    @cuda.kernel
    def multiply(a, b, c):
        left = cuda.shared.array(shape=(TILE, TILE), dtype=npp.float64)
        right = cuda.shared.array(shape=(TILE, TILE), dtype=npp.float64)
        x, y = cuda.grid(2)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        total = 0.0
        for i in range((a.shape[1] + TILE - 1) // TILE):
            left[ty, tx] = 0
            right[ty, tx] = 0
            if y < a.shape[0] and tx + i * TILE < a.shape[1]:
                left[ty, tx] = a[y, tx + i * TILE]
            if x < b.shape[1] and ty + i * TILE < b.shape[0]:
                right[ty, tx] = b[ty + i * TILE, x]
            cuda.syncthreads()
            for j in range(TILE):
                total += left[ty, j] * right[j, tx]
            cuda.syncthreads()
        if y < c.shape[0] and x < c.shape[1]:
            c[y, x] = total

    random = np.random.default_rng(4)
    a, b = random.integers(-9, 9, (13, 20)), random.integers(-9, 9, (20, 11))
    c = np.zeros((13, 11))
    multiply[(2, 2), (TILE, TILE)](a.astype(float), b.astype(float), c)
    np.testing.assert_array_equal(c, a @ b)


def test_constant_arrays_are_named_or_copied():
    @cuda.kernel("void(float64[:], float64[:])")
    def smooth(x, out):
        weights = cuda.const.array_like(WEIGHTS)
        i = cuda.grid(1)
        if 0 < i < x.size - 1:
            out[i] = 0
            for j in range(3):
                out[i] += weights[0, j] * x[i - 1 + j] + WEIGHTS[1, j]

    x = np.arange(50.0) ** 2
    out = np.zeros(50)
    smooth[2, 32](x, out)
    np.testing.assert_array_equal(out[1:-1], x[:-2] - 2 * x[1:-1] + x[2:] + 1)
    with pytest.raises(RuntimeError, match="is for kernels"):
        cuda.const.array_like(WEIGHTS)


def test_shared_and_local_arrays_of_three_dimensions():
    @cuda.kernel("void(int32[:,:,:])")
    def turn(a):
        block = cuda.shared.array((2, 3, 4), npp.int32)
        own = cuda.local.array(shape=(1, 2, 2), dtype=npp.int32)
        x, y, z = cuda.grid(3)
        block[x, y, z] = a[x, y, z]
        own[0, 1, z % 2] = z
        cuda.syncthreads()
        a[x, y, z] = 100 * block[1 - x, 2 - y, 3 - z] + own[0, 1, z % 2] + own[0, 0, 0]

    a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    expected = 100 * a[::-1, ::-1, ::-1] + np.arange(4)
    turn[1, (2, 3, 4)](a)
    np.testing.assert_array_equal(a, expected)


def test_pi_by_random_numbers():
    @cuda.kernel("void(int64, int64[:])")
    def inside(n, hits):
        n_own = np.int64(0)
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            x = npp.random.uniform(1, 2 * i)
            y = npp.random.uniform(1, 2 * i + 1)
            if x * x + y * y < 1:
                n_own += 1
        cuda.atomic.add(hits, 0, n_own)

    hits = np.zeros(1, np.int64)
    inside[2, 64](2000, hits)
    x, y = npp.random.uniform(1, np.arange(4000)).reshape(-1, 2).T
    assert hits[0] == np.count_nonzero(x * x + y * y < 1)


def mistake(body):
    source = f"def k(a):\n    {body}\n"
    with pytest.raises(npp.KernelError) as caught:
        cuda.kernel(define(source, cuda=cuda, WEIGHTS=WEIGHTS)["k"], "void(float64[:])")
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("a[0] = cuda.threadIdx", "cuda.threadIdx has three components", "hint: cuda.threadIdx.x"),
        ("a[0] = cuda.warpSize", "cuda has no 'warpSize'", "did you mean 'cuda.warpsize'?"),
        ("cuda.sync_threads()", "cuda has no 'sync_threads'", "did you mean 'cuda.syncthreads'?"),
        ("cuda.atomic.addd(a, 0, 1)", "cuda.atomic has no 'addd'", "'cuda.atomic.add'?"),
        ("cuda.atomic.nanmaxx(a, 0, 1)", "has no 'nanmaxx'", "'cuda.atomic.nanmax'?"),
        ("cuda.atomic.compare_and_swap(a, 0, 1, 2)", "takes 3 arguments", "(a, old, value)"),
        ("cuda.atomic.compare_and_swap(a, 1, 2)", "takes arrays of uint32, uint64, int32", ""),
        (
            "cuda.random.uniform(a, 0)",
            "cuda.random.uniform cannot",
            "numpy_plugin.random.uniform(seed",
        ),
        ("cuda.synchronize()", "cuda.synchronize cannot be called", "cuda.syncthreads() waits"),
        ("b = cuda.to_device(a)", "cuda.to_device cannot be called", "before the launch"),
        (
            "b = cuda.device_array(3)",
            "cuda.device_array cannot be",
            "cuda.shared.array(shape, dtype)",
        ),
        ("b = np.zeros(len(a))", "np.zeros needs constant sizes", "cuda.local.array(shape, dtype)"),
        ("a[0] = print(a[0])", "print returns nothing", "in a statement of its own"),
        ("b = cuda.const.array_like(a)", "takes one NumPy array from outside", "np.array([...])"),
        ("b = cuda.const.array_like(WEIGHTS, 1)", "takes one NumPy array from outside", ""),
        ("b = cuda.const.array_like(WEIGHTS); b[0, 0] = 1", "cannot be written", ""),
    ],
)
def test_mistakes(body, message, hint):
    text = mistake(body)
    assert message in text
    assert hint in text


def test_decorators_of_other_packages_are_named():
    with pytest.raises(AttributeError, match=r"no attribute 'jit'; cuda\.kernel makes kernels"):
        cuda.jit  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        cuda.nothing  # noqa: B018
