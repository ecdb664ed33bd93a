"""np.matmul on device arrays by cuBLAS: a stand-in notes the arguments, on a driver that counts."""

from __future__ import annotations

import numpy as np
import pytest
from machines.counting_driver import DIRECTORY, EXECUTING, run_with_driver, skip_without

from numpy_plugin import _core, cuda
from numpy_plugin._cuda.numpy_ufuncs import device_kernel

STAND_IN = DIRECTORY.parent / "cublas"

#: `calls(f)`: the lines that the stand-in notes; `product(a, b)`: checked np.matmul.
PRELUDE = """
from numpy_plugin import _core
from numpy_plugin._cuda.numpy_ufuncs import device_kernel

cublas = ctypes.CDLL(STAND_IN)
cublas.stand_in_calls.restype = ctypes.c_char_p

def calls(function, *arguments, **named):
    cublas.stand_in_reset()
    function(*arguments, **named)
    return [line for line in cublas.stand_in_calls().decode().splitlines() if "gemm" in line]

def product(a, b, **named):
    return np.matmul(a, b, **named)

def numbers(*shape):
    return cuda.to_device(np.arange(float(np.prod(shape))).reshape(shape) % 7 - 3)

def explain(a, b):
    return _core.explain_launch(device_kernel(np.matmul), (a, b), {})[:2]

def transposed(a):
    return a.transpose(*range(a.ndim - 2), a.ndim - 1, a.ndim - 2)
"""


def run(program: str, settings: str = EXECUTING, **variables: str) -> list[str]:
    library = STAND_IN / "lib64" / "libcublas.so.13"
    skip_without(library)
    prelude = PRELUDE.replace("STAND_IN", repr(str(library)))
    variables = {"CUDA_HOME": str(STAND_IN), "NUMPY_PLUGIN_CUBLAS": "auto"} | variables
    return run_with_driver(prelude + program, settings, **variables).splitlines()


def test_layouts_and_types() -> None:
    """Results in C order are transposed products: the operands change places."""
    lines = run("""
a, b = numbers(3, 4), numbers(4, 5)
expected = a.copy_to_host() @ b.copy_to_host()
batch, one = numbers(2, 3, 4), numbers(4, 5)
def check(expected, *arguments, **named):
    print(*calls(product, *arguments, **named))
    found = product(*arguments, **named).copy_to_host()
    np.testing.assert_array_equal(found, expected)

check(expected, a, b)
check(expected, transposed(transposed(a).copy()), b)
check(expected, a, transposed(transposed(b).copy()))
columns = transposed(cuda.zeros((5, 3)))
check(expected, a, b, out=columns)
wide = numbers(3, 9)[:, 2:6]
check(wide.copy_to_host() @ b.copy_to_host(), wide, b)
check(batch.copy_to_host() @ one.copy_to_host(), batch, one)
check(expected[:1], a[:1], b)
""")
    tail = "types 1 1 1 compute 70 scale 1 0 algorithm -1"
    assert lines == [
        f"gemm NN 5 3 4 leading 5 4 5 strides 0 0 0 products 1 {tail}",
        f"gemm NT 5 3 4 leading 5 3 5 strides 0 0 0 products 1 {tail}",
        f"gemm TN 5 3 4 leading 4 4 5 strides 0 0 0 products 1 {tail}",
        f"gemm TT 3 5 4 leading 4 5 3 strides 0 0 0 products 1 {tail}",
        f"gemm NN 5 3 4 leading 5 9 5 strides 0 0 0 products 1 {tail}",
        f"gemm NN 5 3 4 leading 5 4 5 strides 0 12 15 products 2 {tail}",
        f"gemm NN 5 1 4 leading 5 4 5 strides 0 0 0 products 1 {tail}",
    ]


def test_types_and_streams() -> None:
    lines = run("""
for dtype in "efdFD":
    a = cuda.to_device(np.ones((3, 4), dtype))
    (line,) = calls(product, a, transposed(a))
    print(line[line.index("types"):])
stream = cuda.stream()
a = cuda.to_device(np.ones((3, 4)), stream=stream)
cublas.stand_in_reset()
with stream:
    product(a, transposed(a))
words = cublas.stand_in_calls().decode().split()
print(int(words[1]) == stream.handle)
""")
    assert lines == [
        "types 2 2 2 compute 68 scale 1 0 algorithm -1",
        "types 0 0 0 compute 68 scale 1 0 algorithm -1",
        "types 1 1 1 compute 70 scale 1 0 algorithm -1",
        "types 4 4 4 compute 68 scale 1 0 algorithm -1",
        "types 5 5 5 compute 70 scale 1 0 algorithm -1",
        "True",
    ]


def test_other_products_are_this_packages() -> None:
    lines = run("""
a, b = numbers(3, 4), numbers(4, 5)
both = numbers(6, 8)
for x, y in [(both[::2, ::2], b), (a.astype("i8"), b.astype("i8")),
             (numbers(2, 1, 3, 4), numbers(1, 3, 4, 5)), (a[:, :0], b[:0])]:
    found = []
    assert calls(lambda: found.append(product(x, y))) == []
    expected = x.copy_to_host() @ y.copy_to_host()
    np.testing.assert_array_equal(found[0].copy_to_host(), expected)
    print(explain(x, y)[1].partition("without cuBLAS, ")[2])
print(*explain(a, b))
print(*npp.inspect(np.matmul).explain(a, b).launch[:2])
print(cuda.current_device().cublas)
with cuda.graph() as graph:
    out = product(a, b)
graph.launch()
print((out.copy_to_host() == a.copy_to_host() @ b.copy_to_host()).all())
@npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,k),(k,n)->(m,n)")
def own(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
print(calls(own, a, b))
""")
    assert lines == [
        "because it takes matrices with contiguous rows or columns only",
        "because it has no products of int64",
        "because the matrices of the operands have different layouts",
        "because the matrices are empty",
        "cublas cublas: a product of matrices by cuBLAS 13.1.2",
        "cublas cublas: a product of matrices by cuBLAS 13.1.2",
        "13.1.2",
        "True",
        "[]",
    ]


def test_failures_name_the_status_and_what_to_do() -> None:
    lines = run("""
a, b = numbers(3, 4), numbers(4, 5)
for function, status in [("cublasCreate", 3), ("cublasGemmStridedBatchedEx", 13)]:
    cublas.stand_in_fail(function.encode(), status)
    try:
        product(a, b)
    except (npp.CudaError, npp.DeviceMemoryError) as error:
        print(type(error).__name__, error.name, error)
    cublas.stand_in_fail(b"", 0)
    found = product(a, b).copy_to_host()
    np.testing.assert_array_equal(found, a.copy_to_host() @ b.copy_to_host())
""")
    assert lines == [
        "DeviceMemoryError CUBLAS_STATUS_ALLOC_FAILED cuBLAS failed to start on the device: "
        "CUBLAS_STATUS_ALLOC_FAILED (a failure on request); free device memory, or set "
        "NUMPY_PLUGIN_CUBLAS=off for this package's own kernels",
        "CudaError CUBLAS_STATUS_EXECUTION_FAILED cuBLAS failed to multiply matrices: "
        "CUBLAS_STATUS_EXECUTION_FAILED (a failure on request); set NUMPY_PLUGIN_CUBLAS=off for "
        "this package's own kernels",
    ]


@pytest.mark.parametrize("case", ["off", "older driver", "on"])
def test_where_it_is_not_used(case: str) -> None:
    program = """
a, b = numbers(3, 4), numbers(4, 5)
try:
    print(explain(a, b)[1].partition("without cuBLAS, ")[2])
except ValueError as error:
    print(error)
"""
    if case == "older driver":
        found = run(program, "capability=90 version=12090")
        assert found[0].startswith("because there is no cuBLAS for the driver's CUDA 12: ")
    else:
        assert run(program, NUMPY_PLUGIN_CUBLAS=case) == [
            "because NUMPY_PLUGIN_CUBLAS is off"
            if case == "off"
            else "NUMPY_PLUGIN_CUBLAS is 'on'; expected auto or off"
        ]


def test_the_command_says_where_it_was_found() -> None:
    program = """
from numpy_plugin._commands import info
print(info.cublas())
info.run()
"""
    found, *shown = run(program)
    path = str(STAND_IN / "lib64" / "libcublas.so.13")
    assert found == str({"version": "13.1.2", "path": path})
    rows = [line.split() for line in shown]
    assert ["cuBLAS", "13.1.2"] in rows
    assert [path] in rows
    program = program.replace("info.run()", "")
    (line,) = run(program, NUMPY_PLUGIN_CUBLAS="off")
    assert line == "{'error': 'NUMPY_PLUGIN_CUBLAS is off'}"
    (line,) = run(program, NUMPY_PLUGIN_CUBLAS="on")
    assert "expected auto or off" in line


def test_a_simulated_device_has_none() -> None:
    with cuda.simulator() as device:
        assert device.cublas is None
        a = cuda.to_device(np.ones((3, 4)))
        reason = _core.explain_launch(device_kernel(np.matmul), (a, a.T), {})[1]
    assert reason.endswith("; without cuBLAS, because the device is simulated")


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [("e", 2e-2), ("f", 1e-4), ("d", 1e-12), ("F", 1e-4), ("D", 1e-12)],
)
def test_on_a_gpu(dtype: str, tolerance: float) -> None:
    if cuda.gpus[0].cublas is None:
        pytest.skip("there is no cuBLAS here")
    random = np.random.default_rng(5)
    a, b = (random.standard_normal(shape).astype(dtype) for shape in ((3, 130, 40), (40, 70)))
    found = np.matmul(cuda.to_device(a), cuda.to_device(b)).copy_to_host()
    np.testing.assert_allclose(found, np.matmul(a, b), rtol=tolerance, atol=tolerance)
