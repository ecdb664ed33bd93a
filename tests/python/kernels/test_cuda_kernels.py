"""Raw CUDA kernels: the programs of the cases, on the simulator and, where there is one, a GPU."""

import contextlib
import re

import cuda_sources
import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@pytest.fixture(params=["simulator", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request):
    """The device a test works on: each runs once on either kind."""
    made = cuda.simulator() if request.param == "simulator" else cuda.gpus[0]
    with made:
        yield made


@pytest.mark.parametrize("n", [1, 1000, 1024])
def test_increment(device, n):
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    x = cuda.to_device(np.arange(n, dtype=np.int32))
    increment[(n + 127) // 128, 128](x, n)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(1, n + 1))


def test_quadratic_formula_has_numpys_bits(device):
    kernel = cuda.kernel(cuda_sources.QUADRATIC_FORMULA, "quadratic_formula")
    a, b, c = cuda_sources.quadratic_operands(10_000)
    root = cuda.device_array(a.shape)
    kernel[40, 256](cuda.to_device(a), cuda.to_device(b), cuda.to_device(c), root, a.size)
    np.testing.assert_array_equal(root.copy_to_host(), cuda_sources.quadratic_root(a, b, c))


@pytest.mark.parametrize("name", ["naive_transpose<float>", "tiled_transpose<float>"])
@pytest.mark.parametrize("shape", [(32, 32), (100, 70), (1, 65)])
def test_transpose(device, name, shape):
    values = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    block = (32, 8) if name.startswith("tiled") else (32, 32)
    grid = (-(-shape[1] // 32), -(-shape[0] // 32))
    to = cuda.device_array(shape[::-1], np.float32)
    cuda.kernel(cuda_sources.TRANSPOSE, name)[grid, block](cuda.to_device(values), to, *shape)
    np.testing.assert_array_equal(to.copy_to_host(), values.T)


def test_histogram_with_dynamic_shared_memory(device):
    values = np.random.default_rng(2).uniform(0, 1, 20_000).astype(np.float32)
    counts = cuda.zeros(64, np.uint32)
    histogram = cuda.kernel(cuda_sources.HISTOGRAM, "histogram")
    histogram[4, 128, 0, 64 * 4](cuda.to_device(values), values.size, 0.0, 1.0, counts, 64)
    bins = np.minimum((values * np.float32(64)).astype(int), 63)
    np.testing.assert_array_equal(counts.copy_to_host(), np.bincount(bins, minlength=64))


def test_a_counter_counts_every_thread(device):
    counter = np.zeros(1, np.int32)
    cuda.kernel(cuda_sources.HISTOGRAM, "count_threads")[(64, 1), (64,)](counter)
    assert counter[0] == 4096


@pytest.mark.parametrize("n", [1, 256, 1000])
def test_tree_reduction_has_the_bits_of_its_order(device, n):
    values = np.random.default_rng(n).normal(size=n)
    sums = cuda.device_array(-(-n // 256))
    cuda.kernel(cuda_sources.TREE_SUM, "tree_sum")[len(sums), 256](cuda.to_device(values), sums, n)
    np.testing.assert_array_equal(sums.copy_to_host(), cuda_sources.tree_sums(values))


def test_three_dimensional_grids(device):
    source = """
    __global__ void place(int* out) {
      int x = blockIdx.x * blockDim.x + threadIdx.x;
      int y = blockIdx.y * blockDim.y + threadIdx.y;
      int z = blockIdx.z * blockDim.z + threadIdx.z;
      int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
      out[(z * height + y) * width + x] = 10000 * z + 100 * y + x;
    }"""
    out = cuda.device_array((6, 4, 6), np.int32)
    cuda.kernel(source, "place")[(2, 1, 3), (3, 4, 2)](out)
    z, y, x = np.ogrid[:6, :4, :6]
    np.testing.assert_array_equal(out.copy_to_host(), 10000 * z + 100 * y + x)


def test_printf_goes_to_standard_output(device, capfd):
    source = """
    extern "C" __global__ void say(double x) {
      printf("thread %d of block %d: %s %.2f\\n", threadIdx.x, blockIdx.x, "x is", x);
    }"""
    cuda.kernel(source, "say")[1, 2](2.5)
    cuda.synchronize()
    printed = capfd.readouterr().out.splitlines()
    assert sorted(printed) == [f"thread {i} of block 0: x is 2.50" for i in range(2)]


def test_functions_in_namespaces_and_variables_of_the_source(device):
    source = """
    namespace model {
    __constant__ float weights[2] = {0.5f, 3.0f};
    float weighted(float x, int i) { return x * weights[i]; }
    __global__ void step(float* x) { x[threadIdx.x] = weighted(x[threadIdx.x], threadIdx.x & 1); }
    }"""
    x = np.ones(4, np.float32)
    cuda.kernel(source, "model::step")[1, 4](x)
    np.testing.assert_array_equal(x, np.float32([0.5, 3, 0.5, 3]))


SCALARS = """
struct Pair { int first; double second; };
__global__ void keep(bool b, char c, unsigned char u, short s, int i, long long l, float f,
                     double d, Pair p, double* out) {
  out[0] = b; out[1] = c; out[2] = u; out[3] = s; out[4] = i; out[5] = (double)l; out[6] = f;
  out[7] = d; out[8] = p.first; out[9] = p.second;
}"""
PAIR = np.dtype([("first", np.int32), ("second", np.float64)], align=True)


def test_scalars_arrive_as_the_parameters_types(device):
    keep = cuda.kernel(SCALARS, "keep")
    out = np.zeros(10)
    pair = np.array((7, 0.25), PAIR)[()]
    keep[1, 1](True, -5, 200, -300, -7, -(2**40), 0.1, 3, pair, out)
    assert out.tolist() == [1, -5, 200, -300, -7, -(2**40), float(np.float32(0.1)), 3, 7, 0.25]
    keep[1, 1](
        np.True_,
        np.int8(-6),
        np.uint8(201),
        np.int16(5),
        np.uint32(6),
        np.int64(7),
        np.float32(0.5),
        np.float64(0.1),
        pair,
        out,
    )
    assert out.tolist() == [1, -6, 201, 5, 6, 7, 0.5, 0.1, 7, 0.25]


def test_ctypes_structures_and_numbers(device):
    import ctypes

    class Pair(ctypes.Structure):
        _fields_ = (("first", ctypes.c_int), ("second", ctypes.c_double))

    out = np.zeros(10)
    cuda.kernel(SCALARS, "keep")[1, 1](
        False, 0, 0, 0, ctypes.c_int(-9), 0, ctypes.c_float(1.5), 0, Pair(3, 4.5), out
    )
    assert out.tolist() == [0, 0, 0, 0, -9, 0, 1.5, 0, 3, 4.5]


@pytest.mark.parametrize(
    ("index", "value", "error", "message"),
    [
        (3, 70_000, OverflowError, "parameter 4 of 'keep' is short, which can't hold 70000"),
        (1, -129, OverflowError, "parameter 2 of 'keep' is char, which can't hold -129"),
        (5, 2**64, OverflowError, "parameter 6 of 'keep' is long long, which can't hold 184467"),
        (6, 1e300, OverflowError, "parameter 7 of 'keep' is float, which can't hold 1e"),
        (4, 1.5, TypeError, "parameter 5 of 'keep' is int, found float"),
        (4, np.float32(1), TypeError, "parameter 5 of 'keep' is int, found numpy.float32"),
        (4, np.int64(1), TypeError, "parameter 5 of 'keep' is int, found numpy.int64"),
        (6, np.float64(1), TypeError, "parameter 7 of 'keep' is float, found numpy.float64"),
        (6, True, TypeError, "parameter 7 of 'keep' is float, found bool"),
        (7, 1j, TypeError, "parameter 8 of 'keep' is double, found complex"),
        (8, 5, TypeError, "parameter 9 of 'keep' is Pair of 16 bytes, found int"),
        (8, np.void(b"12345678"), TypeError, "is Pair of 16 bytes, found .* of 8 bytes"),
        (9, "text", TypeError, "parameter 10 of 'keep' is double\\*, found str"),
        (9, None, TypeError, "parameter 10 of 'keep' is double\\*, found NoneType"),
        (0, 2, OverflowError, "parameter 1 of 'keep' is bool, which can't hold 2"),
        (2, -1, OverflowError, "parameter 3 of 'keep' is unsigned char, which can't hold -1"),
        (4, 2**31, OverflowError, "parameter 5 of 'keep' is int, which can't hold 2147483648"),
        (4, np.uint32(2**31), OverflowError, "parameter 5 of 'keep' is int, which can't hold 21"),
        (4, np.zeros(3), TypeError, "parameter 5 of 'keep' is int, found ndarray"),
    ],
)
def test_arguments_that_do_not_fit(index, value, error, message):
    arguments = [True, 1, 1, 1, 1, 1, 1.0, 1.0, np.array((7, 0.25), PAIR)[()], np.zeros(10)]
    arguments[index] = value
    with cuda.simulator() as device, pytest.raises(error, match=message):
        cuda.kernel(SCALARS, "keep")[1, 1](*arguments)
    assert device.counters.launches == 0


def test_a_wrong_number_of_arguments_shows_the_parameters():
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    with cuda.simulator():
        with pytest.raises(TypeError, match=r"takes 2 arguments \(int\*, int\), found 1"):
            increment[1, 32](np.zeros(3, np.int32))
        with pytest.raises(TypeError, match="found 0"):
            increment[1, 32]()


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int16, np.complex64, "S4"])
def test_elements_of_another_type_are_refused(dtype):
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    with cuda.simulator() as device:
        name = re.escape(str(np.dtype(dtype)))
        for array in (np.zeros(4, dtype), cuda.device_array(4, dtype)):
            message = rf"parameter 1 of 'increment' is int\*, found an array of {name}"
            with pytest.raises(TypeError, match=message):
                increment[1, 32](array, 4)
        with pytest.raises(TypeError, match=r"is int\*, found int"):
            increment[1, 32](5, 4)
        assert device.counters.launches == 0
        increment[1, 32](np.zeros(4, np.uint32), 4)


def test_elements_that_numpy_does_not_have_are_not_compared():
    source = """
    struct Point { float x, y; };
    __global__ void move(Point* points, void* raw, float2* pairs) { points[0].y = pairs[0].x; }"""
    points = np.zeros(1, "f4,f4")
    with cuda.simulator():
        cuda.kernel(source, "move")[1, 1](points, np.zeros(3, np.int16), np.ones(1, np.complex64))
    assert points["f1"] == 1


def test_types_are_known_for_every_way_to_name_a_kernel():
    source = """
    template <class T, int N> __global__ void both(T* x) { x[0] = N; }
    __global__ void overloaded(float* x) { x[0] = 4; }
    __global__ void overloaded(int* x) { x[0] = 5; }
    namespace { __global__ void hidden(double* x) { x[0] = 6; } }"""
    with cuda.simulator():
        for name, dtype, value in (
            ("both<short, 3>", np.int16, 3),
            ("static_cast<void (*)(float*)>(overloaded)", np.float32, 4),
            ("static_cast<void (*)(int*)>(overloaded)", np.int32, 5),
            ("hidden", np.float64, 6),
        ):
            kernel = cuda.kernel(source, name)
            x = np.zeros(1, dtype)
            kernel[1, 1](x)
            assert x[0] == value
            with pytest.raises(TypeError, match="found an array of complex64"):
                kernel[1, 1](np.zeros(1, np.complex64))
        with pytest.raises(npp.CompilerError, match=r"'overloaded' is overloaded: .*static_cast"):
            cuda.kernel(source, "overloaded")[1, 1](x)


def test_an_older_standard_has_no_types_and_works():
    kernel = cuda.kernel(cuda_sources.INCREMENT, "increment", options=["-std=c++11"])
    x = np.zeros(4, np.int32)
    with cuda.simulator():
        kernel[1, 32](x, 4)
        np.testing.assert_array_equal(x, 1)
        kernel[1, 32](x, np.uint32(4))
        with pytest.raises(TypeError, match="takes 2 arguments"):
            kernel[1, 32](x)


def test_an_open_bracket_is_the_sources_own_mistake():
    with cuda.simulator(), pytest.raises(npp.CompilerError) as error:
        cuda.kernel("__global__ void f(int* x) {\n  x[0] = 1;\n", "f")[1, 1](np.zeros(1, np.int32))
    assert str(error.value) == (
        "'{' has no '}'\n"
        "  File \"<source of 'f'>\", line 1\n"
        "    __global__ void f(int* x) {\n"
        "                              ^"
    )
    assert "npp" not in str(error.value) + error.value.log


@pytest.mark.parametrize(
    ("configuration", "error", "message"),
    [
        ((0, 32), ValueError, "grid.x is 0; expected 1 to 2147483647"),
        ((1, -1), ValueError, "block.x is -1; expected 1 to 1024"),
        (((1, 70_000), 32), ValueError, "grid.y is 70000; expected 1 to 65535"),
        ((1, (1, 1, 65)), ValueError, "block.z is 65; expected 1 to 64"),
        ((1, (32, 33)), ValueError, "32 x 33 x 1 is 1056 threads; this kernel takes at most 1024"),
        ((1, 32, 0, -4), ValueError, "-4 bytes of dynamic shared memory; expected 0 to"),
        ((1, 32, 0, 10**6), ValueError, "1000000 bytes of dynamic shared memory"),
        ((1.5, 32), TypeError, "grid must be an int, found 1.5"),
        ((True, 32), TypeError, "grid must be an int, found True"),
        (((1, 1, 1, 1), 32), TypeError, "grid has 1 to 3 sizes"),
        (((), 32), TypeError, "grid has 1 to 3 sizes"),
        ((1, 32, "s"), TypeError, "stream must be a cuda.Stream, a stream of another"),
        ((1,), TypeError, r"kernel\[grid, block, stream, shared_bytes\]"),
        ((1, 2, 0, 0, 0), TypeError, r"kernel\[grid, block, stream, shared_bytes\]"),
        (1, TypeError, r"kernel\[grid, block, stream, shared_bytes\]"),
    ],
)
def test_launches_that_are_impossible(configuration, error, message):
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    with cuda.simulator() as device, pytest.raises(error, match=message):
        increment[configuration](np.zeros(3, np.int32), 3)
    assert device.counters.launches == 0


def test_a_kernel_is_not_called_without_a_grid():
    with pytest.raises(TypeError, match=r"kernel\[grid, block\]"):
        cuda.kernel(cuda_sources.INCREMENT, "increment")(1)


def test_more_shared_memory_than_usual(device):
    source = """
    extern __shared__ int cells[];
    __global__ void far(int* out, int last) { cells[last] = 5; out[0] = cells[last]; }"""
    out = np.zeros(1, np.int32)
    cuda.kernel(source, "far")[1, 1, None, 60_000](out, 14_999)
    assert out[0] == 5


def test_static_and_dynamic_shared_memory_together_may_be_more_than_usual(device):
    source = """
    extern __shared__ int cells[];
    __global__ void both(int* out, int last) {
      __shared__ volatile int fixed[10000];
      fixed[9999] = 5;
      cells[last] = fixed[9999] + 1;
      out[0] = cells[last] + fixed[9999];
    }"""
    out = np.zeros(1, np.int32)
    both = cuda.kernel(source, "both")
    for n_bytes in (8_000, 9_152, 9_156, 50_000, 16_384):
        both[1, 1, None, n_bytes](out, n_bytes // 4 - 1)
        assert out[0] == 11
        out[0] = 0


def test_forall_launches_enough_threads():
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    with cuda.simulator() as device:
        x = np.zeros(1000, np.int32)
        increment.forall(x.size)(x, x.size)
        assert device.counters.blocks == 4
    np.testing.assert_array_equal(x, 1)


def test_host_arrays_are_copied_there_and_back(device):
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    every_other = np.zeros(20, np.int32)
    increment[1, 32](every_other[::2], 10)
    np.testing.assert_array_equal(every_other, [1, 0] * 10)
    constant = np.zeros(3, np.int32)
    constant.flags.writeable = False
    increment[1, 32](constant, 3)
    np.testing.assert_array_equal(constant, 0)


def test_objects_with_the_array_interface_are_taken(device):
    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    x = cuda.zeros(8, np.int32)
    cuda.kernel(cuda_sources.INCREMENT, "increment")[1, 32](Foreign(x), 8)
    np.testing.assert_array_equal(x.copy_to_host(), 1)


# --- sources that don't compile ---


def test_compile_errors_show_the_sources_lines():
    source = "__global__ void f(int* x) {\n  x[0] = undefined_name;\n  x[1] = 2\n}\n"
    with cuda.simulator(), pytest.raises(npp.CompilerError) as error:
        cuda.kernel(source, "f")[1, 1](np.zeros(2, np.int32))
    assert str(error.value) == (
        "unknown name 'undefined_name'\n"
        "  File \"<source of 'f'>\", line 2\n"
        "    x[0] = undefined_name;\n"
        "           ^^^^^^^^^^^^^^\n"
        "\n"
        "';' is missing after this\n"
        "  File \"<source of 'f'>\", line 3\n"
        "    x[1] = 2\n"
        "           ^"
    )
    assert [item.line for item in error.value.diagnostics] == [2, 3]
    assert "-arch=compute_90" in error.value.log


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("incremnt", "no kernel 'incremnt'; it has increment; did you mean 'increment'"),
        ("missing", "no kernel 'missing'; it has increment"),
    ],
)
def test_a_name_that_is_not_there_lists_those_that_are(name, message):
    with cuda.simulator(), pytest.raises(npp.CompilerError, match=message):
        cuda.kernel(cuda_sources.INCREMENT, name)[1, 1]()


def test_names_that_are_no_kernel():
    source = "template <class T> __global__ void t(T x) {}\n__device__ void helper() {}\n"
    with cuda.simulator():
        with pytest.raises(npp.CompilerError, match=r"'t' is a template: .* 't<float>'"):
            cuda.kernel(source, "t")[1, 1](1.0)
        with pytest.raises(npp.CompilerError, match="no kernel 'helper'; it has no __global__"):
            cuda.kernel(source, "helper")[1, 1]()
        with pytest.raises(npp.CompilerError, match="it has no __global__ function at all"):
            cuda.kernel("int x;", "f")[1, 1]()


def test_options_reach_the_compiler():
    source = "__global__ void f(int* x) { x[0] = N; }"
    x = np.zeros(1, np.int32)
    with cuda.simulator():
        cuda.kernel(source, "f", options=["-DN=42"])[1, 1](x)
        assert x[0] == 42
        with pytest.raises(npp.CompilerError, match="unrecognized option --no-such"):
            cuda.kernel(source, "f", options=("--no-such",))[1, 1](x)
    fused = "__global__ void f(float* x) { x[0] = x[0] * x[1] + x[2]; }"
    assert "fma" not in cuda.kernel(fused, "f").ptx
    assert "fma" in cuda.kernel(fused, "f", options=["-fmad=true"]).ptx


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5, "f"), TypeError, "source must be a str or a function, not int"),
        (("int x;", ""), TypeError, "name is empty"),
        (("int x;", "f", [5]), TypeError, "each of options must be a str, not int"),
        (("int x;", "f", ["-arch=sm_80"]), ValueError, "the architecture is that of the device"),
    ],
)
def test_declarations_that_can_not_work(arguments, error, message):
    with pytest.raises(error, match=message):
        cuda.kernel(*arguments)


def test_a_header_that_changes_is_read_again(tmp_path):
    (tmp_path / "value.hpp").write_text("#define VALUE 1\n")
    source = '#include "value.hpp"\n__global__ void f(int* x) { x[0] = VALUE; }'
    x = np.zeros(1, np.int32)
    with cuda.simulator():
        for value in (1, 2):
            (tmp_path / "value.hpp").write_text(f"#define VALUE {value}\n")
            cuda.kernel(source, "f", options=[f"-I{tmp_path}"])[1, 1](x)
            assert x[0] == value


# --- what a kernel shows of itself ---


def test_attributes():
    kernel = cuda.kernel(cuda_sources.TREE_SUM, "tree_sum")
    assert kernel.name == "tree_sum"
    assert kernel.source == cuda_sources.TREE_SUM
    assert repr(kernel) == "<CUDA kernel 'tree_sum'>"
    with cuda.simulator(arch="sm_80"):
        assert ".target sm_80" in kernel.ptx
        assert kernel.resources.shared_bytes == 2048
        assert kernel.resources.n_registers > 0
        assert kernel.max_threads == 1024


def test_bounds_of_a_block_are_the_kernels_own():
    source = "__global__ void __launch_bounds__(64) f() {}"
    with cuda.simulator():
        kernel = cuda.kernel(source, "f")
        assert kernel.max_threads == 64
        with pytest.raises(ValueError, match="65 threads; this kernel takes at most 64"):
            kernel[1, 65]()


def test_machine_instructions_need_nvdisasm(monkeypatch):
    from numpy_plugin._inspection import disassembly

    kernel = cuda.kernel(cuda_sources.INCREMENT, "increment")
    if disassembly.find_nvdisasm() is not None:
        assert "EXIT" in kernel.sass
    monkeypatch.setattr(disassembly, "find_nvdisasm", lambda: None)
    with pytest.raises(RuntimeError, match="pip install nvidia-cuda-nvdisasm"):
        _ = kernel.sass


def test_one_kernel_on_several_devices():
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    arrays = []
    for arch in ("sm_75", "sm_90", "sm_120"):
        with cuda.simulator(arch=arch):
            arrays.append(cuda.zeros(4, np.int32))
    for array in arrays:
        increment[1, 4](array, 4)
        np.testing.assert_array_equal(array.copy_to_host(), 1)
    with pytest.raises(ValueError, match="are on several devices"):
        cuda.kernel(cuda_sources.QUADRATIC_FORMULA, "quadratic_formula")[1, 1](
            arrays[0], arrays[1], arrays[2], arrays[0], 1
        )


def test_kernels_compile_without_a_device(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    kernel = cuda.kernel(cuda_sources.INCREMENT, "increment")
    assert ".target sm_90" in kernel.ptx
    with pytest.raises(npp.CudaError, match="NUMPY_PLUGIN_CUDA is off"):
        kernel[1, 1](np.zeros(1, np.int32), 1)


def test_modules_of_devices_that_are_gone_do_no_harm():
    increment = cuda.kernel(cuda_sources.INCREMENT, "increment")
    for _ in range(3):
        with contextlib.closing(contextlib.ExitStack()) as stack:
            stack.enter_context(cuda.simulator())
            x = np.zeros(2, np.int32)
            increment[1, 2](x, 2)
            np.testing.assert_array_equal(x, 1)
    del increment
