"""`profile`: what each source line does on the simulated GPU, in counts that follow from the code.

Numbers of instructions depend on NVRTC; those of accesses, branches and barriers do not.
"""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda
from numpy_plugin._inspection.profile import profiled

TURN = """
__global__ void turn(const float* x, float* out, int step) {
  __shared__ float held[1024];
  const int i = threadIdx.x;
  held[i * step] = x[i * step];
  __syncthreads();
  if (i % 2)
    out[i] = 2 * held[i * step];
}"""


@cuda.kernel
def turn(x, out, step):
    held = cuda.shared.array(1024, npp.float32)
    i = cuda.threadIdx.x
    held[i * step] = x[i * step]
    cuda.syncthreads()
    if i % 2 == 1:
        out[i] = 2 * held[i * step]


KERNELS = {"CUDA C++": cuda.kernel(TURN, "turn"), "Python": turn}


def at(profile, text):
    """Return the only line with this text."""
    (line,) = [line for line in profile.lines if text in line.text]
    return line


def float_arrays():
    return np.arange(1024, dtype=np.float32), np.zeros(256, np.float32)


@pytest.mark.parametrize("language", KERNELS)
@pytest.mark.parametrize(("step", "n_sectors", "n_passes"), [(1, 4, 1), (2, 8, 2), (32, 32, 32)])
def test_sectors_and_bank_conflicts_of_strides(language, step, n_sectors, n_passes):
    found = KERNELS[language][1, 32].profile(*float_arrays(), step)
    line = at(found, "= x[i * step]")
    assert (line.requests, line.bytes, line.sectors) == (1, 4 * 32, n_sectors)
    assert line.sectors_per_request == n_sectors
    assert (line.shared_requests, line.shared_passes) == (1, n_passes)
    assert line.bank_conflicts == n_passes - 1
    assert found.launches == 1


@pytest.mark.parametrize("language", KERNELS)
def test_branches_by_lane_parity_diverge(language):
    found = KERNELS[language][3, 64].profile(*float_arrays(), 1)
    n_warps = 3 * 2
    assert at(found, "if ").divergent_branches == n_warps
    assert found.total.divergent_branches == n_warps
    inside = at(found, "out[i] =")
    assert (inside.requests, inside.bytes) == (n_warps, 4 * 16 * n_warps)
    assert at(found, "syncthreads").warp_instructions == n_warps
    assert at(found, "syncthreads").instructions == 32 * n_warps


def test_branches_that_whole_warps_take_do_not_diverge():
    found = cuda.kernel(TURN.replace("i % 2", "i / 32 % 2"), "turn")[1, 64].profile(
        *float_arrays(), 1
    )
    assert found.total.divergent_branches == 0
    assert at(found, "out[i] =").requests == 1


def test_trips_of_loops():
    source = """
__global__ void sums(const volatile int* x, int* out, int n) {
  int total = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    total += x[j];
#pragma unroll 1
  for (int j = 0; j < threadIdx.x; ++j)
    total -= x[j];
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}"""
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    found = cuda.kernel(source, "sums")[2, 32].profile(x, out, 7)
    alike, by_thread = at(found, "total += x[j]"), at(found, "total -= x[j]")
    assert (alike.requests, alike.bytes, alike.sectors) == (2 * 7, 2 * 7 * 32 * 4, 2 * 7)
    assert (by_thread.requests, by_thread.bytes) == (2 * 31, 2 * sum(range(32)) * 4)


def test_a_ufunc_from_python_has_the_lines_of_the_file():
    @npp.vectorize(["float32(float32, int32)"])
    def power(x, n):
        total = x
        for _ in range(n):
            total = total * x
        return total

    x, n = np.ones(64, np.float32), np.arange(64, dtype=np.int32)
    found = npp.inspect(power).profile(x, n)
    user, library = found.lines[:-1], found.lines[-1]
    assert {line.kernel for line in found.lines} == {"power"}
    assert {line.file for line in user} == {__file__}
    product = at(found, "total = total * x")
    assert product.line == power.__wrapped__.__code__.co_firstlineno + 4
    assert product.text == " " * 12 + "total = total * x"
    assert (library.file, library.line, library.text) == ("(library)", 0, "")
    # The package's code loads the operands and stores the result.
    assert (library.requests, library.sectors, library.bytes) == (6, 6 * 4, 3 * 64 * 4)
    assert found.total.requests == 6
    assert found.device == "numpy_plugin simulator (sm_90)"


@pytest.mark.parametrize(("step", "n_sectors"), [(1, 4), (2, 8), (32, 32)])
def test_sectors_of_a_ufuncs_operands(step, n_sectors):
    negated = npp.vectorize(["float32(float32)"])(lambda x: -x)
    with cuda.simulator():
        x = cuda.zeros(64 * step, np.float32)
        found = npp.inspect(negated).profile(x[::step])
    assert found.total.sectors == 2 * (n_sectors + 4)


def test_a_cpp_body():
    row_sum = npp.guvectorize(
        ["void(float32[:], float32[:])"],
        "(n)->()",
        name="row_sum",
        args="x",
        outs="out",
        body="""
float total = 0;
for (int64_t i = 0; i < x.shape(0); ++i)
  total += x(i);
out(0) = total;
""",
    )
    found = npp.inspect(row_sum).profile(np.ones((32, 8), np.float32))
    assert {line.file for line in found.lines} == {"<body of 'row_sum'>", "(library)"}
    assert at(found, "total += x(i)").bytes == 32 * 8 * 4
    assert at(found, "out(0) = total").bytes == 32 * 4


def test_numpys_ufuncs_and_their_methods_have_no_line_of_the_user():
    found = npp.inspect(np.add).profile(np.ones(256), method="reduce")
    assert [line.file for line in found.lines] == ["(library)"]
    assert repr(found).splitlines()[2].strip() == "'add.reduce'"
    assert found.total.bytes >= 256 * 8


def test_a_reduction():
    squares = npp.reduction(lambda x, y: x * x + y * y, lambda a, b: a + b)
    found = npp.inspect(squares).profile(np.ones((4, 64)), np.ones(64), axis=1)
    assert at(found, "x * x + y * y").file == __file__
    assert found.total.bytes >= 2 * 4 * 64 * 8


def test_functions_of_the_library_belong_to_the_line_that_calls_them():
    source = """
__global__ void density(const float* x, float* out) {
  const int i = threadIdx.x;
  out[i] = x[i];
  out[i] += normcdff(x[i]);
}"""
    found = cuda.kernel(source, "density")[1, 32].profile(*float_arrays())
    assert {line.file for line in found.lines} == {"<source of 'density'>"}
    plain, called = at(found, "out[i] = x[i]"), at(found, "normcdff")
    assert called.warp_instructions > plain.warp_instructions + 10


def test_the_total_is_what_explain_counts():
    @npp.vectorize(["float64(float64, float64)"])
    def trips(x, y):
        while x < y:
            x += 1.0
        return x

    operands = np.arange(100.0) % 7, np.full(100, 5.0)
    explained = npp.inspect(trips).explain(*operands)
    total = npp.inspect(trips).profile(*operands).total
    assert total.instructions == explained.instructions
    assert total.divergent_branches == explained.divergent_branches > 0
    assert total.sectors == explained.transactions
    assert total.bytes == explained.bytes_loaded + explained.bytes_stored


def test_keywords_of_the_call():
    negated = npp.vectorize(["float32(float32)", "float64(float64)"])(lambda x: -x)
    x, mask = np.arange(64, dtype=np.float32), np.arange(64) < 32
    look = npp.inspect(negated)
    assert look.profile(x).total.bytes == 2 * 64 * 4
    assert look.profile(x, dtype=np.float64).total.bytes == 64 * (4 + 8)
    assert look.profile(x, where=mask).total.bytes == 2 * 32 * 4 + 64
    assert look.profile(x, arch="sm_75").device == "numpy_plugin simulator (sm_75)"


def test_a_launch_by_forall_and_on_a_stream():
    with cuda.simulator():
        on_stream = turn[1, 32, cuda.stream()].profile(*float_arrays(), 1)
        by_forall = turn.forall(32).profile(*float_arrays(), 1)
    assert at(on_stream, "= x[i * step]").requests == 1
    assert at(by_forall, "= x[i * step]").requests == 256 // 32


def test_operands_and_the_current_device_stay_as_they_are():
    fill = cuda.kernel("__global__ void fill(int* x) { x[threadIdx.x] = 7; }", "fill")
    with cuda.simulator() as device:
        held, host = cuda.zeros(32, np.int32), np.zeros(32, np.int32)
        n_launches = device.counters.launches
        assert fill[1, 32].profile(held).total.bytes == 32 * 4
        assert fill[1, 32].profile(host).total.bytes == 32 * 4
        npp.inspect(np.add).profile(held, 1, method=None)
        assert device.counters.launches == n_launches
        assert not held.copy_to_host().any()
        assert not host.any()
        assert host.flags.writeable
        assert cuda.current_device() is device


@pytest.mark.parametrize("operands", [(), (1.0, 2.0, 3.0)])
def test_a_wrong_number_of_operands_fails_as_the_call(operands):
    @npp.vectorize(["float32(float32)"])
    def half(x):
        return x / 2

    with pytest.raises(TypeError) as called:
        half(*operands)
    with pytest.raises(TypeError) as profiled:
        npp.inspect(half).profile(*operands)
    assert str(profiled.value) == str(called.value)


@pytest.mark.parametrize("arguments", [(), (np.ones(3), np.ones(3), 1), (*float_arrays(), "one")])
def test_wrong_arguments_fail_as_the_launch(arguments):
    launch = KERNELS["CUDA C++"][1, 32]
    with cuda.simulator(), pytest.raises(TypeError) as launched:
        launch(*arguments)
    with pytest.raises(TypeError) as profiled:
        launch.profile(*arguments)
    assert str(profiled.value) == str(launched.value)


def test_keywords_and_methods_that_it_does_not_take():
    look = npp.inspect(np.add)
    for name in ("out", "stream"):
        with pytest.raises(TypeError, match=f"calls? with copies and takes no {name}="):
            look.profile(1.0, 2.0, **{name: None})
    with pytest.raises(ValueError, match="unknown method 'outer'"):
        look.profile(1.0, 2.0, method="outer")
    with pytest.raises(ValueError, match="sm_12"):
        look.profile(1.0, 2.0, arch="sm_12")


def test_a_fault_of_the_kernel_is_raised():
    with pytest.raises(npp.SimulatorError, match="source of 'turn'>:5"):
        KERNELS["CUDA C++"][1, 32].profile(*float_arrays(), 1000)


def test_a_profile_ends_with_an_error():
    fill = cuda.kernel("__global__ void fill(int* x) { x[threadIdx.x] = 7; }", "fill")
    with cuda.simulator() as device:
        x = cuda.zeros(32, np.int32)
        with pytest.raises(npp.SimulatorError):
            profiled(device, lambda: fill[1, 64](x))
        fill[1, 32](x)
        assert _core.end_profile(device) == []
        assert len(profiled(device, lambda: fill[1, 32](x)).lines) > 0


def test_the_table_has_the_lines_with_their_indentation():
    shown = repr(KERNELS["CUDA C++"][1, 32].profile(*float_arrays(), 2)).splitlines()
    assert shown[0] == "1 launch on numpy_plugin simulator (sm_90)"
    names = "line instructions of warps divergent sectors/request bank conflicts source"
    assert shown[1].split() == names.split()
    assert shown[2].strip() == "'turn', <source of 'turn'>"
    inside = next(row for row in shown if row.endswith("    out[i] = 2 * held[i * step];"))
    assert inside.split()[0] == "8"
    assert shown[-1].startswith("total")
