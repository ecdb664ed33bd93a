"""declare_device: functions defined elsewhere, in every form, called on the CPU and on devices."""

import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from device_parts import LTO_IR, MACHINE_CODE, PTX, compile_source
from machines.counting_driver import run_with_driver
from machines.cuda_packages import installed_library

import numpy_plugin as npp
from numpy_plugin import cuda

C_SOURCE = "int bar(int x, int y) { return 2 * x + y; }"
CUDA_SOURCE = 'extern "C" __device__ int bar(int x, int y) { return 2 * x + y; }'
X = np.arange(-5, 20, dtype=np.int32)
Y = X[::-1].copy()


FORMS = pytest.mark.parametrize("form", [PTX, LTO_IR, MACHINE_CODE], ids=["PTX", "LTO-IR", "cubin"])


def part(form, source=CUDA_SOURCE, capability="90") -> bytes:
    return compile_source(source, form, capability)


def kernel_of(bar):
    @npp.vectorize(["int32(int32, int32)"])
    def kernel(x, y):
        return bar(x, y) + bar(y, 1)

    return kernel


EXPECTED = 2 * X + Y + 2 * Y + 1


def on_simulator(kernel):
    with cuda.simulator(memory="16 MiB"):
        return kernel(cuda.to_device(X), cuda.to_device(Y)).copy_to_host()


@pytest.fixture
def capability(nvrtc):
    """The capability of the GPU, where NVRTC has it: what is linked becomes its machine code."""
    arch = cuda.gpus[0].arch
    if arch not in nvrtc["architectures"]:
        pytest.skip(f"NVRTC {nvrtc['version']} has no {arch}, for which parts are linked")
    return arch.removeprefix("sm_")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A shared library with the function in it."""
    directory = tmp_path_factory.mktemp("library")
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    source = directory / "bar.c"
    source.write_text(C_SOURCE)
    path = directory / "libbar.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, source], check=True)
    return path


def test_a_source_for_each_target():
    bar = npp.declare_device("bar", "int32(int32, int32)", source=CUDA_SOURCE, cpu=C_SOURCE)
    assert repr(bar) == "<declared function bar: int32(int32, int32)>"
    kernel = kernel_of(bar)
    assert np.array_equal(kernel(X, Y), EXPECTED)
    assert np.array_equal(on_simulator(kernel), EXPECTED)


def test_sources_in_files_with_names_of_cpp(tmp_path):
    cuda_file, cpu_file = tmp_path / "bar.cu", tmp_path / "bar.cpp"
    cuda_file.write_text("__device__ long long bar(long long x) { return x - 1; }")
    cpu_file.write_text("#include <cstdint>\nint64_t bar(int64_t x) { return x - 1; }")
    bar = npp.declare_device("bar", "int64(int64)", source=cuda_file, cpu=str(cpu_file))
    kernel = npp.vectorize(["int64(int64)"])(one_argument(bar))
    assert kernel(5) == 4
    with cuda.simulator(memory="16 MiB"):
        assert kernel(cuda.to_device(np.arange(3))).copy_to_host().tolist() == [-1, 0, 1]


def one_argument(bar):
    def kernel(x):
        return bar(x)

    return kernel


def test_a_shared_library_on_the_cpu(library):
    kernel = kernel_of(npp.declare_device("bar", "int32(int32, int32)", cpu=library))
    assert np.array_equal(kernel(X, Y), EXPECTED)
    with pytest.raises(npp.CompilerError, match="'bar' has no code for devices"):
        on_simulator(kernel)


def test_a_library_without_the_function(library):
    with pytest.raises(ValueError, match=r"libbar.so has no function 'baz'"):
        npp.declare_device("baz", "int32(int32, int32)", cpu=library)


@pytest.mark.parametrize("form", [PTX, LTO_IR], ids=["PTX", "LTO-IR"])
def test_compiled_code_is_linked(form, tmp_path):
    if form is LTO_IR:
        installed_library("nvJitLink")
    file = tmp_path / "bar.bin"
    file.write_bytes(part(form))
    bar = npp.declare_device("bar", "int32(int32, int32)", link=[file], cpu=C_SOURCE)
    kernel = kernel_of(bar)
    assert np.array_equal(kernel(X, Y), EXPECTED)
    assert np.array_equal(on_simulator(kernel), EXPECTED)


@pytest.mark.gpu
@FORMS
def test_compiled_code_is_linked_on_a_gpu(form, capability):
    parts = part(form, capability=capability)
    bar = npp.declare_device("bar", "int32(int32, int32)", link=parts, cpu=C_SOURCE)
    with cuda.gpus[0]:
        result = kernel_of(bar)(cuda.to_device(X), cuda.to_device(Y))
    assert np.array_equal(result.copy_to_host(), EXPECTED)


def test_functions_of_two_sources_may_have_helpers_of_one_name():
    helper = "static __device__ float help(float x) {{ return x {}; }}\n"
    both = [
        npp.declare_device(
            name,
            "float32(float32)",
            source=helper.format(operation)
            + f"__device__ float {name}(float x) {{ return help(x); }}",
            cpu=f"static float help(float x) {{ return x {operation}; }}\n"
            f"float {name}(float x) {{ return help(x); }}",
        )
        for name, operation in (("twice", "* 2"), ("more", "+ 1"))
    ]
    twice, more = both

    @npp.vectorize(["float32(float32)"])
    def kernel(x):
        return twice(more(x))

    assert kernel(np.float32(1)) == 4
    with cuda.simulator(memory="16 MiB"):
        assert kernel(cuda.to_device(np.float32([1, 2]))).copy_to_host().tolist() == [4, 6]


def test_a_body_is_linked_with_what_its_preamble_declares():
    scale = 'extern "C" __device__ float scale(float a, float x) { return a * x; }'
    saxpy = npp.vectorize(
        ["float32(float32, float32, float32)"],
        name="saxpy",
        args="a, x, y",
        preamble="#ifdef __CUDACC_RTC__\n"
        'extern "C" __device__ float scale(float a, float x);\n'
        "#else\nstatic inline float scale(float a, float x) { return a * x; }\n#endif",
        body="return scale(a, x) + y;",
        link=part(PTX, scale),
    )

    @npp.vectorize(["float32(float32)"])
    def calls_it(x):
        return saxpy(2, x, 1)

    x = np.arange(4, dtype="float32")
    with cuda.simulator(memory="16 MiB"):
        d = cuda.to_device(x)
        assert np.array_equal(saxpy(2, d, d).copy_to_host(), 3 * x)
        assert np.array_equal(calls_it(d).copy_to_host(), 2 * x + 1)
    assert np.array_equal(saxpy(2, x, x), 3 * x)


def test_arguments_are_cast_as_results_are():
    half = npp.declare_device(
        "half", "float64(float64)", cpu="double half(double x) { return x / 2; }"
    )
    assert npp.vectorize(["float64(int32)"])(one_argument(half))(np.int32(3)) == 1.5
    whole = npp.declare_device("whole", "int64(int64)", cpu="long whole(long x) { return x; }")
    with pytest.warns(npp.KernelWarning, match="float64 passed, int64 declared; truncated"):
        truncated = npp.vectorize(["int64(float64)"])(one_argument(whole))
    assert truncated(-3.7) == -3


def test_declared_functions_are_for_kernels_and_travel():
    bar = npp.declare_device("bar", "int32(int32, int32)", cpu=C_SOURCE)
    with pytest.raises(TypeError, match="'bar' is called in kernels only"):
        bar(1, 2)
    assert pickle.loads(pickle.dumps(bar)).signature == bar.signature
    sent = pickle.loads(pickle.dumps(kernel_of(bar)))
    assert np.array_equal(sent(X, Y), EXPECTED)


def launched_with(bar, device=None):
    """What a kernel of one's own stores that calls the function, and the kernel."""

    @cuda.kernel("void(int32[:])")
    def fill(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = bar(i, 1)

    with device or cuda.simulator(memory="16 MiB"):
        out = cuda.zeros(4, np.int32)
        fill[1, 32](out)
        return out.copy_to_host().tolist(), fill


def test_kernels_of_ones_own_call_sources():
    bar = npp.declare_device("bar", "int32(int32, int32)", source=CUDA_SOURCE)
    assert launched_with(bar)[0] == [1, 3, 5, 7]


@pytest.mark.parametrize("form", [PTX, LTO_IR], ids=["PTX", "LTO-IR"])
def test_kernels_of_ones_own_are_linked(form):
    bar = npp.declare_device("bar", "int32(int32, int32)", link=part(form))
    found, kernel = launched_with(bar)
    assert found == [1, 3, 5, 7]
    assert ".extern .func" in kernel.ptx
    assert "bar" in kernel.ptx


def test_kernels_of_ones_own_call_several_parts():
    calls = 'extern "C" __device__ int more(int);\n'
    calls += 'extern "C" __device__ int bar(int x, int y) { return more(x) + y; }'
    more = part(PTX, 'extern "C" __device__ int more(int x) { return 10 * x; }')
    bar = npp.declare_device("bar", "int32(int32, int32)", link=[part(PTX, calls), more])
    assert launched_with(bar)[0] == [1, 11, 21, 31]
    without = npp.declare_device("bar", "int32(int32, int32)", link=part(PTX, calls))
    with pytest.raises(npp.CompilerError, match="more"):
        launched_with(without)
    with pytest.raises(npp.CompilerError, match="machine code only"):
        launched_with(npp.declare_device("bar", "int32(int32, int32)", link=part(MACHINE_CODE)))


@pytest.mark.gpu
@FORMS
def test_kernels_of_ones_own_are_linked_on_a_gpu(form, capability):
    parts = part(form, capability=capability)
    bar = npp.declare_device("bar", "int32(int32, int32)", link=parts)
    assert launched_with(bar, cuda.gpus[0])[0] == [1, 3, 5, 7]


LINKED = """
from device_parts import LTO_IR, MACHINE_CODE, PTX, compile_source

source = 'extern "C" __device__ int bar(int x, int y) { return 2 * x + y; }'
for form in PTX, LTO_IR, MACHINE_CODE:
    bar = npp.declare_device("bar", "int32(int32, int32)", link=compile_source(source, form))
    x = cuda.zeros(4, np.int32)
    names = driver.calls(npp.vectorize(["int32(int32, int32)"])(lambda x, y: bar(x, y)), x, x)
    print(names.count("cuModuleLoadData"), names.count("cuLaunchKernel"))
"""


def test_a_driver_takes_the_machine_code_of_parts(monkeypatch):
    installed_library("nvJitLink")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "helpers"))
    assert run_with_driver(LINKED, "capability=90 version=13090") == "1 1\n" * 3
