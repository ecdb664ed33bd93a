"""What type checkers know of the public functions. It is read by them and not run."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import array_api, cuda

# --- ufuncs ---


@npp.vectorize
def bare(x: float, y: float) -> float:
    return x + y


@npp.vectorize(["float32(float32, float32)", npp.float64(npp.float64, npp.float64), np.int64])
def declared(x: float, y: float) -> float:
    return x * y


@npp.vectorize("ff->f", target="cpu", fastmath=True, cache=False, name="product", identity=1)
def one_signature(x: float, y: float) -> float:
    return x * y


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", writable_args=(0,))
def total(a: npt.NDArray[np.float64], out: npt.NDArray[np.float64]) -> None:
    out[0] = a[0]


@npp.guvectorize([(npp.float64[:], npp.float64[:])], "(n)->(n)")
def of_a_tuple(a: Any, out: Any) -> None:
    out[0] = a[0]


@npp.guvectorize("(n)->(n)")
def lazy_total(a: Any, out: Any) -> None:
    out[0] = a[0]


@npp.fuse
def fused(x: Any) -> Any:
    return np.exp(np.sin(x))


@npp.fuse(signatures=["float64(float64)"])
def fused_with_types(x: Any) -> Any:
    return np.exp(np.sin(x))


with_body = npp.vectorize(["float64(float64)"], args="x", body="return x;", doc="itself")
with_results = npp.vectorize(
    npp.float64(npp.float64), args=["x"], outs=["q", "r"], body="q = x; r = x;", math="libm"
)
with_core_dimensions = npp.guvectorize(
    "d->d", "(n)->(n)", args="a", outs="b", body="b(0) = a(0);", preamble="", link=[b"", "a.ptx"]
)
composed = npp.compose(np.sin, with_body, name="sine", target="auto")

assert_type(bare, np.ufunc)
assert_type(declared, np.ufunc)
assert_type(one_signature, np.ufunc)
assert_type(total, np.ufunc)
assert_type(of_a_tuple, np.ufunc)
assert_type(lazy_total, np.ufunc)
assert_type(fused, np.ufunc)
assert_type(fused_with_types, np.ufunc)
assert_type(with_body, np.ufunc)
assert_type(with_results, np.ufunc)
assert_type(with_core_dimensions, np.ufunc)
assert_type(composed, np.ufunc)
assert_type(npp.random.uniform, np.ufunc)
assert_type(npp.random.normal, np.ufunc)
assert_type(npp.random.bits, np.ufunc)

# --- what kernels call ---


@npp.device
def square(x: float) -> float:
    return x * x


scale = npp.declare_device("scale", "float64(float64)", cpu="double scale(double x) { return x; }")

assert_type(square(2.0), float)
assert_type(scale, npp.DeclaredFunction)
assert_type(scale.signature, str)

# --- looking inside ---

inside = npp.inspect(declared)
explained = npp.inspect(npp.reduction(abs, max)).explain([1.0])
assert_type(explained.launch.form, str)
assert_type(inside.source("cpu", "float32(float32, float32)"), str)
assert_type(inside.signatures, list[str])
profiled = inside.profile(1.0, 2.0, arch="sm_75")
assert_type(profiled.total.sectors_per_request, float)
assert_type([(line.text, line.bank_conflicts) for line in profiled.lines], list[tuple[str, int]])

# --- devices ---


@cuda.kernel("void(float32[:], int64)")
def kernel(out: Any, n: int) -> None:
    i = cuda.grid(1)
    if i < n:
        out[i] = 1


@cuda.kernel
def lazy_kernel(out: Any) -> None:
    out[0] = 1


raw = cuda.kernel('extern "C" __global__ void one(float* x) { x[0] = 1; }', "one", ["-DN=8"])


def on_a_device(values: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
    array = cuda.to_device(values)
    assert_type(array, cuda.DeviceArray)
    assert_type(array.shape, tuple[int, ...])
    assert_type(array.dtype, np.dtype[Any])
    assert_type(array.T, cuda.DeviceArray)
    assert_type(array + 1, cuda.DeviceArray)
    assert_type(2 * -array, cuda.DeviceArray)
    assert_type(array > 0, cuda.DeviceArray)
    assert_type(array[1:], cuda.DeviceArray)
    assert_type(divmod(array, 2), tuple[cuda.DeviceArray, cuda.DeviceArray])
    assert_type(array.reshape(2, -1), cuda.DeviceArray)
    assert_type(array.astype("float64"), cuda.DeviceArray)
    assert_type(array.sum(axis=(0, 1), keepdims=True), cuda.DeviceArray)
    assert_type(array.clip(0, max=1).round(2), cuda.DeviceArray)
    assert_type(array.nonzero(), tuple[cuda.DeviceArray, ...])
    assert_type(array.real, cuda.DeviceArray)
    assert_type(float(array.mean()), float)
    assert_type(cuda.random.normal(1, shape=(2, 3)), cuda.DeviceArray)
    assert_type(cuda.eye(3), cuda.DeviceArray)
    assert_type(array_api.asarray([1, 2], dtype=array_api.float32), cuda.DeviceArray)
    assert_type(cuda.zeros((2, 3), np.float32), cuda.DeviceArray)
    assert_type(cuda.is_available(), bool)
    stream = cuda.stream()
    assert_type(stream, cuda.Stream)
    with stream:
        kernel[8, 128](array, 1000)
        kernel.forall(1000, tpb=64)(array, 1000)
        assert_type(kernel[10, 100].profile(array, 1000).launches, int)
        lazy_kernel[8, 128, stream](array)
        raw[1, 1](array)
    with cuda.simulator(memory="16 MiB"):
        cuda.synchronize()
    with cuda.current_device():
        pass
    return array.copy_to_host()


# --- errors ---

try:
    pass
except (npp.SignatureError, npp.KernelError, npp.CompilerError) as error:
    for diagnostic in error.diagnostics:
        assert_type(diagnostic, npp.Diagnostic)
        assert_type(diagnostic.line, int)
        assert_type(diagnostic.message, str)
except npp.CudaError as error:
    assert_type(error.code, int)
