"""Numba's own type objects, in programs that go on importing them from Numba."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin.numba import cuda

numba = pytest.importorskip("numba", reason="Numba is not installed")

from numba import complex64, float32, float64, int64, types, void  # noqa: E402


@pytest.mark.parametrize(
    ("signatures", "expected"),
    [
        ([float32(float32, int64)], ["flf"]),
        (float64(float64, float64), ["ddd"]),
        ([npp.float64(float64, npp.int64), "float32(float32, float32)"], ["dld", "fff"]),
        ([types.boolean(types.int8, complex64)], ["bF?"]),
    ],
)
def test_signatures_of_ufuncs(signatures, expected):
    function = (lambda x, y: x == y) if "?" in expected[0] else (lambda x, y: x)
    ufunc = npp.vectorize(signatures)(function)
    assert [item.replace("->", "") for item in ufunc.types] == expected


@pytest.mark.parametrize(
    "signatures",
    [
        [void(float64[:], float64, float64[:])],
        [(float64[:], float64, float64[:])],
        [(types.Array(float64, 1, "C"), npp.float64, float64[::1])],
    ],
)
def test_signatures_of_gufuncs(signatures):
    @npp.guvectorize(signatures, "(n),()->(n)")
    def add(a, x, out):
        for i in range(a.shape[0]):
            out[i] = a[i] + x

    assert add(np.arange(3.0), 1.0).tolist() == [1, 2, 3]


@pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")
@pytest.mark.parametrize("signature", [void(float32[:], int64), (float32[:], int64)])
def test_device_kernels(signature):
    @cuda.jit(signature)
    def scale(a, n):
        block = cuda.shared.array(32, float32)
        i = cuda.threadIdx.x
        block[i] = a[i]
        cuda.syncthreads()
        a[i] = block[31 - i] * float32(n)

    with cuda.simulator():
        a = np.arange(32, dtype=np.float32)
        scale[1, 32](a, 2)
    assert a.tolist() == [2.0 * (31 - i) for i in range(32)]


def test_types_without_a_counterpart():
    with pytest.raises(npp.SignatureError, match="unicode_type"):
        npp.vectorize([types.unicode_type(float64)])


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("char", "i1"), ("uchar", "u1"), ("long_", "i8"), ("size_t", "u8"), ("ssize_t", "i8")],
)
def test_names_of_c_in_texts(name, dtype):
    double = npp.vectorize([f"{name}({name})"])(lambda x: x + x)
    assert double(np.array([3], dtype)).dtype == np.dtype(dtype)
    assert double.types == [f"{np.dtype(dtype).char}->{np.dtype(dtype).char}"]


def test_signatures_of_numbas_functions():
    from numpy_plugin.numba import complex128, float64, jit, njit

    assert len(njit((float64[:], float64[:]))(lambda a, b: a[0] + b[0]).signatures) == 1
    assert njit((float64,))(lambda x: x).signatures == [(numba.float64,)]
    assert njit([(float64,), complex128(complex128)])(lambda x: x).signatures[1] == (
        numba.complex128,
    )
    assert jit(float64(float64), nopython=True)(lambda x: x + 1)(1) == 2.0
    of_a_value = jit(numba.typeof((1, 0.5))(complex128, float64))(lambda z, x: (1, z.real * x))
    assert of_a_value(2 + 1j, 3) == (1, 6.0)
    assert of_a_value.signatures == [(numba.complex128, numba.float64)]
    assert njit(lambda x: x + 1)(1) == njit(cache=False)(lambda x: x + 1)(1) == 2
