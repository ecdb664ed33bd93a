"""Programs in Numba's spelling, with one changed import."""

import math
import sys

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import numba
from numpy_plugin.numba import (
    boolean,
    cuda,
    f4,
    float32,
    float64,
    guvectorize,
    i8,
    int32,
    int64,
    types,
    vectorize,
    void,
)

TPB = 16

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")


@pytest.fixture(autouse=True)
def device():
    with cuda.simulator():
        yield


def test_ufuncs():
    @vectorize([float32(float32, float32), "float64(float64, float64)"], target="cuda", cache=True)
    def discriminant(b, c):
        return math.sqrt(b * b - 4 * c)

    assert type(discriminant) is np.ufunc
    assert discriminant(np.array([5.0, 3.0]), 2.0).tolist() == [math.sqrt(17.0), 1.0]

    @guvectorize([(float64[:], int64, float64[:])], "(n),()->(n)", nopython=True)
    def shift(a, k, out):
        for i in range(a.shape[0]):
            out[i] = a[(i + k) % a.shape[0]]

    assert shift([1.0, 2.0, 3.0], 1).tolist() == [2.0, 3.0, 1.0]


@cuda.jit(device=True, inline=True)
def clamp(x, low, high):
    return min(max(x, low), high)


@cuda.jit("float64(float64)", device=True)
def half(x):
    return x / 2


def test_device_functions_in_kernels():
    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        if i < out.size:
            out[i] = half(clamp(x[i], 0.0, 1.0))

    x = np.array([-1.0, 0.5, 4.0])
    out = np.zeros(3)
    kernel[2, 2](x, out)  # host arrays are copied to the device and back
    assert out.tolist() == [0.0, 0.25, 0.5]


@pytest.mark.parametrize(
    "signature",
    [
        "void(float32[:,:], float32[:,:], float32[:,:])",
        void(f4[:, ::1], f4[:, ::1], f4[:, ::1]),
        [void(float32[:, :], float32[:, :], float32[:, :])],
        ["(float32[:,:], float32[:,:], float32[:,:])", "(f8[:,:], f8[:,:], f8[:,:])"],
        (types.Array(float32, 2, "C"),) * 3,
        None,
    ],
    ids=["str", "object", "list", "several", "types", "none"],
)
def test_a_product_through_shared_memory(signature):
    @cuda.jit(signature, fastmath=False, lineinfo=True)
    def product(a, b, c):
        rows = cuda.shared.array((TPB, TPB), dtype=float32)
        columns = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
        x, y = cuda.grid(2)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        total = float32(0.0)
        for tile in range((a.shape[1] + TPB - 1) // TPB):
            rows[ty, tx] = 0
            columns[ty, tx] = 0
            if y < a.shape[0] and tx + tile * TPB < a.shape[1]:
                rows[ty, tx] = a[y, tx + tile * TPB]
            if x < b.shape[1] and ty + tile * TPB < b.shape[0]:
                columns[ty, tx] = b[ty + tile * TPB, x]
            cuda.syncthreads()
            for k in range(TPB):
                total += rows[ty, k] * columns[k, tx]
            cuda.syncthreads()
        if y < c.shape[0] and x < c.shape[1]:
            c[y, x] = total

    generator = np.random.default_rng(7)
    a = generator.integers(0, 5, (20, 18)).astype(np.float32)
    b = generator.integers(0, 5, (18, 17)).astype(np.float32)
    c = cuda.device_array((20, 17), np.float32)
    product[(2, 2), (TPB, TPB)](cuda.to_device(a), cuda.to_device(b), c)
    np.testing.assert_array_equal(c.copy_to_host(), a @ b)


def test_atomics_and_streams():
    @cuda.jit(void(int32[:], int32[:]), max_registers=32, cache=True, debug=False)
    def count(values, bins):
        for i in range(cuda.grid(1), values.shape[0], cuda.gridsize(1)):
            cuda.atomic.add(bins, values[i] % bins.shape[0], 1)

    values = np.arange(1000, dtype=np.int32)
    stream = cuda.stream()
    with cuda.defer_cleanup():
        bins = cuda.to_device(np.zeros(8, np.int32), stream=stream)
        count[4, 64, stream, 0](cuda.to_device(values, stream), bins)
        count.forall(len(values), tpb=128, stream=stream)(values, bins)
        stream.synchronize()
    assert bins.copy_to_host().tolist() == [250] * 8


def test_atomic_extremes_of_nan():
    """Numba stores what compares as larger or smaller, so nan is neither stored nor replaced."""

    @cuda.jit
    def update(values, largest, smallest):
        i = cuda.grid(1)
        cuda.atomic.max(largest, i % 2, values[i])
        cuda.atomic.min(smallest, i % 2, values[i])

    values = np.array([1.0, 1.0, math.nan, math.nan, 3.0, 3.0, -2.0, -2.0])
    for dtype in ("float32", "float64"):
        largest, smallest = (cuda.to_device(np.array([0.0, math.nan], dtype)) for _ in "ab")
        update[1, 8](cuda.to_device(values.astype(dtype)), largest, smallest)
        np.testing.assert_array_equal(largest.copy_to_host(), [3, math.nan])
        np.testing.assert_array_equal(smallest.copy_to_host(), [-2, math.nan])
    counts = cuda.to_device(np.array([5, -5]))
    update[1, 8](cuda.to_device(np.arange(8)), counts, cuda.to_device(np.array([9, 9])))
    assert counts.copy_to_host().tolist() == [6, 7]


def test_reductions():
    add = cuda.reduce(lambda a, b: a + b)
    largest = cuda.Reduce(lambda a, b: max(a, b))
    values = np.arange(1.0, 5001.0)
    assert add(values) == 12502500.0
    assert add(cuda.to_device(values), size=10, init=5.0) == 60.0
    result = cuda.device_array(1)
    assert largest(cuda.to_device(values), res=result, stream=cuda.stream()) is None
    assert result.copy_to_host().tolist() == [5000.0]
    with pytest.raises(TypeError, match="only 1-dimensional arrays are reduced"):
        add(np.ones((2, 2)))


def test_arrays_and_devices():
    pinned = cuda.pinned_array_like(np.zeros((2, 3), np.float32, "F"))
    assert (pinned.shape, pinned.dtype, pinned.flags.f_contiguous) == ((2, 3), np.float32, True)
    array = cuda.device_array((2, 3), np.int64, None, "F")
    assert cuda.is_cuda_array(array)
    assert not cuda.is_cuda_array(pinned)
    same = cuda.as_cuda_array(array)
    assert same.__cuda_array_interface__["data"] == array.__cuda_array_interface__["data"]
    with pytest.raises(NotImplementedError, match="order="):
        cuda.device_array(3, strides=(16,))
    assert cuda.is_available()
    assert cuda.get_current_device() == cuda.current_context().device
    assert list(cuda.list_devices()) == list(cuda.gpus)
    cuda.close()


def test_detect(capsys):
    assert cuda.detect()
    assert capsys.readouterr().out.startswith("Found 1 CUDA devices\nid 0 ")


def test_select_device_until_close():
    outer = cuda.get_current_device()
    with cuda.simulator():
        assert cuda.select_device(0).device == cuda.get_current_device()
        with pytest.raises(IndexError):
            cuda.select_device(9)
        assert cuda.select_device(0).device == cuda.get_current_device()
        cuda.close()
        assert cuda.get_current_device() != outer
    assert cuda.get_current_device() == outer


def test_types():
    assert (i8, boolean, types.c16) == (npp.int64, npp.bool_, npp.complex128)
    assert repr(types.Array(float32, 2, "C")) == "float32[:,:]"
    for name in types.__all__:
        assert hasattr(types, name)
        is_of_types = name in ("Array", "NPDatetime", "NPTimedelta")
        assert is_of_types or getattr(numba, name) is getattr(types, name)


def test_types_of_dates():
    elapsed = npp.vectorize([types.NPTimedelta("s")(types.NPDatetime("s"), types.NPDatetime("s"))])(
        lambda t, u: t - u
    )
    days = np.array(["2000-01-02", "2000-01-01"], "M8[D]")
    assert elapsed(*days) == np.timedelta64(86400, "s")
    assert (types.NPDatetime(""), types.NPTimedelta("")) == (npp.datetime64, npp.timedelta64)


def test_options_without_a_counterpart():
    with pytest.raises(TypeError, match=r"cuda\.jit has no argument 'link'") as caught:
        cuda.jit(link=["code.cu"])
    assert "npp.declare_device" in str(caught.value)
    with pytest.raises(TypeError, match="did you mean 'fastmath'"):
        cuda.jit(fastmaths=True)


def test_copies_name_the_host_array_as_numba_does():
    values, host = np.arange(3.0), np.empty(3)
    assert cuda.to_device(values).copy_to_host(ary=host) is host
    assert host.tolist() == [0.0, 1.0, 2.0]


def names_of_star(package):
    names = {}
    exec(f"from {package} import *", names)
    return names


def test_star_imports_have_all_of_numbas_names():
    pytest.importorskip("numba")
    ours, numbas = names_of_star("numpy_plugin.numba"), names_of_star("numba")
    assert ours.keys() >= numbas.keys()
    assert ours["prange"] is numbas["prange"]
    assert ours["vectorize"] is not numbas["vectorize"]


def test_star_imports_without_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    names = names_of_star("numpy_plugin.numba")
    assert {"vectorize", "cuda", "float64"} <= names.keys()
    assert "njit" not in names
