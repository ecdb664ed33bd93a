"""Device kernels written in Python: what they compute, take and refuse, on the simulator."""

import math

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


@cuda.kernel("void(float32[:], float32[:], float32)")
def axpy(x, out, a):
    """out += a * x"""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + out[i]


@cuda.kernel
def increment_2d(a):
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:
        a[x, y] += 1


@npp.device
def global_thread():
    return cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x


@cuda.kernel("void(int64[:,:])")
def places(out):
    i = global_thread()
    out[i, 0], out[i, 1], out[i, 2] = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    out[i, 3], out[i, 4], out[i, 5] = cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    out[i, 6], out[i, 7], out[i, 8] = cuda.blockDim.x, cuda.gridDim.x, cuda.gridsize(1)
    out[i, 9], out[i, 10] = cuda.laneid, cuda.warpsize
    _, out[i, 11], out[i, 12] = cuda.grid(3)


def test_host_arrays_go_there_and_back():
    x, out = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    assert axpy[4, 32](x, out, 2) is None
    np.testing.assert_array_equal(out, 2 * x + 1)


def test_device_arrays_are_changed_in_place():
    x, out = cuda.to_device(np.ones(50, np.float32)), cuda.zeros(50, np.float32)
    axpy[1, 64](x, out, np.float32(0.5))
    axpy.forall(50)(x, out, True * 2)
    np.testing.assert_array_equal(out.copy_to_host(), np.float32(2.5))


def test_forall_types_a_kernel_without_a_signature():
    @cuda.kernel
    def double(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 2

    for dtype in (np.float32, np.int64):
        a = np.arange(300, dtype=dtype)
        double.forall(a.size)(a)
        assert a.tolist() == list(range(0, 600, 2))
    with pytest.raises(TypeError, match="launch of 'double': n must be an int, found 'a'"):
        cuda.kernel(double.__wrapped__).forall("a")
    with pytest.raises(ValueError, match="launch of 'double': n must be at least 0, found -1"):
        double.forall(-1)


@pytest.mark.parametrize("dtype", [np.int16, np.uint64, np.float32, np.complex128])
def test_kernels_without_a_signature_are_typed_for_each_launch(dtype):
    a = np.zeros((20, 30), dtype)
    increment_2d[(2, 2), (16, 16)](a)
    np.testing.assert_array_equal(a, np.ones((20, 30), dtype))


def test_kernels_call_functions_of_every_header():
    special = pytest.importorskip("scipy.special")

    @cuda.kernel("void(int64[:], float64[:])")
    def functions(whole, number):
        i = cuda.grid(1)
        whole[i] = math.gcd(whole[i], 6)
        number[i] = special.j0(number[i])

    whole, number = np.array([3, 4, 7]), np.zeros(3)
    functions[1, 3](whole, number)
    assert whole.tolist() == [3, 2, 1]
    np.testing.assert_allclose(number, 1, rtol=1e-15)


def test_arrays_have_any_strides():
    a = cuda.to_device(np.zeros((40, 60)))
    increment_2d[(4, 4), (16, 16)](a[::2, ::-3])
    increment_2d[(4, 4), (16, 16)](a.T)
    expected = np.ones((40, 60))
    expected[::2, ::-3] += 1
    np.testing.assert_array_equal(a.copy_to_host(), expected)


def test_threads_know_their_place():
    out = np.full((40, 13), -1, np.int64)
    places[2, 20](out)
    i = np.arange(40)
    np.testing.assert_array_equal(out[:, 0], i % 20)
    np.testing.assert_array_equal(out[:, 3], i // 20)
    np.testing.assert_array_equal(out[:, [1, 2, 4, 5, 11, 12]], 0)
    np.testing.assert_array_equal(out[:, 6:9], np.broadcast_to([20, 2, 40], (40, 3)))
    np.testing.assert_array_equal(out[:, 9], i % 20)
    np.testing.assert_array_equal(out[:, 10], 32)


def test_a_thread_far_from_all_others_knows_its_place():
    @cuda.kernel("void(int64[:])")
    def last(out):
        x, y, z = cuda.grid(3)
        sx, sy, sz = cuda.gridsize(3)
        if x == sx - 1 and y == sy - 1 and z == sz - 1:
            out[0] = x + 100 * y + 10000 * z

    out = np.zeros(1, np.int64)
    last[(2, 3, 2), (3, 2, 4)](out)
    assert out[0] == 5 + 100 * 5 + 10000 * 7


def test_thread_indices_are_plain_numbers():
    @cuda.kernel("void(float32[:])")
    def scaled(out):
        i = cuda.grid(1)
        out[i] = i * np.float32(0.5)

    out = np.zeros(4, np.float32)
    scaled[1, 4](out)
    np.testing.assert_array_equal(out, [0, 0.5, 1, 1.5])
    assert "double" not in scaled.source


def test_a_kernel_keeps_the_functions_names():
    assert axpy.name == axpy.__name__ == "axpy"
    assert axpy.__doc__ == "out += a * x"
    assert isinstance(axpy, cuda.FunctionKernel)
    assert isinstance(axpy, cuda.Kernel)


def test_the_code_of_a_kernel_can_be_seen():
    assert "npp::grid_index<0>()" in axpy.source
    assert ".entry" in axpy.ptx
    assert axpy.resources.name == "axpy"
    assert axpy.resources.n_registers > 0


def test_specialize_fixes_the_types():
    fixed = increment_2d.specialize(np.zeros((2, 2), np.float32))
    assert "float, 2" in fixed.source
    with pytest.raises(TypeError, match="parameter 1 of 'increment_2d' is float32\\[:,:\\], found"):
        fixed[1, 1](np.zeros((2, 2)))


def test_a_kernel_without_types_has_no_code():
    @cuda.kernel
    def untyped(a):
        a[0] = 1

    with pytest.raises(TypeError, match="'untyped' has no types yet: declare a signature"):
        untyped.ptx  # noqa: B018
    untyped[1, 1](np.zeros(2))
    assert "double, 1" in untyped.source


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(3), np.zeros(3, "f"), 1), "parameter 1 of 'axpy' is float32[:], found an array"),
        ((np.zeros((3, 1), "f"),) * 2 + (1,), "found an array of 2 dimensions"),
        ((np.zeros(3, ">f4"),) * 2 + (1,), "found an array of >f4"),
        ((1.0, np.zeros(3, "f"), 1), "parameter 1 of 'axpy' is float32[:], found float"),
        ((np.zeros(3, "f"), np.zeros(3, "f"), "s"), "parameter 3 of 'axpy' is float32, found str"),
        ((np.zeros(3, "f"), np.zeros(3, "f"), np.ones(1, "f")), "is float32, found ndarray"),
        ((np.zeros(3, "f"),), "takes 3 arguments (float32[:], float32[:], float32), found 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(TypeError) as caught:
        axpy[1, 1](*arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("text",), "argument 1 of 'increment_2d' is a str; expected an array or a number"),
        ((np.zeros(()),), "argument 1 of 'increment_2d' is an array without dimensions"),
        ((np.zeros(3, "S3"),), "is of dtype |S3"),
        ((), "'increment_2d' takes 1 argument, found 0"),
    ],
)
def test_arguments_without_a_type_are_refused(arguments, message):
    with pytest.raises(TypeError) as caught:
        increment_2d[1, 1](*arguments)
    assert message in str(caught.value)


def test_scalars_that_c_has_not_are_passed_by_value():
    @cuda.kernel
    def store(out, value):
        out[0] = value

    for dtype, value in (("c8", 1 - 2j), ("c16", 3j), ("f2", 0.5), ("?", True), ("u1", 200)):
        out = np.zeros(1, dtype)
        store[1, 1](out, out.dtype.type(value))
        assert out[0] == value
    fixed = cuda.kernel(store.__wrapped__, "void(complex64[:], complex64)")
    fixed[1, 1](out := np.zeros(1, "c8"), 1.5 + 1j)
    assert out[0] == 1.5 + 1j
    with pytest.raises(TypeError, match="parameter 2 of 'store' is complex64, found numpy"):
        fixed[1, 1](out, np.float64(1))
    with pytest.raises(TypeError, match=r"is complex64\[:\], found numpy\.complex64"):
        fixed[1, 1](out[0], 1j)


@pytest.mark.parametrize(
    "signature",
    [
        "void(int32[:], int8)",
        npp.void(npp.int32[:], npp.int8),
        (npp.int32[:], npp.int8),
        [npp.int32[:], np.int8],
    ],
)
def test_spellings_of_a_signature(signature):
    @cuda.kernel(signature)
    def store(out, value):
        out[0] = value

    store[1, 1](out := np.zeros(1, np.int32), -7)
    assert out[0] == -7
    with pytest.raises(OverflowError, match="parameter 2 of 'store' is int8"):
        store[1, 1](out, 300)


def test_a_signature_has_no_result():
    with pytest.raises(npp.SignatureError, match="a device kernel returns nothing"):
        cuda.kernel("float32(float32)")(axpy.__wrapped__)


def test_names_of_cuda_do_not_get_into_the_way():
    @cuda.kernel("void(float64[:])")
    def sin(threadIdx):
        threadIdx[cuda.threadIdx.x] = 1

    sin[1, 3](out := np.zeros(3))
    np.testing.assert_array_equal(out, 1)


def test_an_access_out_of_bounds_is_found():
    @cuda.kernel("void(float32[:])")
    def beyond(x):
        x[cuda.grid(1)] = 1

    with pytest.raises(npp.SimulatorError) as caught:
        beyond[1, 128](np.zeros(100, np.float32))
    assert "beyond" in str(caught.value)
    assert "thread (100,0,0)" in str(caught.value)
    assert "a copy of parameter 1 of 'beyond'" in str(caught.value)


def test_sources_and_functions_are_told_apart():
    with pytest.raises(TypeError, match="a CUDA C\\+\\+ source needs its kernel's name"):
        cuda.kernel("__global__ void f() {}")
    with pytest.raises(RuntimeError, match="is for functions passed to cuda"):
        cuda.grid(1)
