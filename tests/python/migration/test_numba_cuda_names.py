"""Every public name of numba.cuda is there, or its error says what to write instead."""

import importlib
import json
import runpy
import subprocess
import sys

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import numba
from numpy_plugin.numba import cuda
from numpy_plugin.numba.cuda.absent import _INSTEAD

# dir(numba.cuda) of Numba 0.68, without submodules that only Numba itself uses.
NAMES = """
activemask all_sync any_sync as_cuda_array atomic ballot_sync BaseCUDAMemoryManager blockDim
blockIdx brev cbrt cg close clz compile compile_for_current_device compile_ptx
compile_ptx_for_current_device const cuda_error cudadrv CudaSupportError current_context
declare_device default_stream defer_cleanup detect device_array device_array_like devicearray
driver eq_sync errors event event_elapsed_time extending external_stream ffs fma fp16
from_cuda_array_interface get_current_device GetIpcHandleMixin gpus grid gridDim gridsize
HostOnlyCUDAMemoryManager implementation In InOut IpcHandle is_available is_cuda_array
is_float16_supported is_supported_version jit KernelRuntimeError laneid lanemask_lt
legacy_default_stream libdevice list_devices local managed_array mapped mapped_array
mapped_array_like MappedMemory match_all_sync match_any_sync MemoryInfo MemoryPointer nanosleep
nvvm open_ipc_array Out per_thread_default_stream pinned pinned_array pinned_array_like
PinnedMemory popc profile_start profile_stop profiling random Reduce reduce reduction
require_context runtime select_device selp set_memory_manager shared shfl_down_sync shfl_sync
shfl_sync_intrinsic shfl_up_sync shfl_xor_sync stream synchronize syncthreads syncthreads_and
syncthreads_count syncthreads_or syncwarp test threadfence threadfence_block threadfence_system
threadIdx to_device types vote_sync_intrinsic warpsize
char2 double3 float32x4 float4 int64x2 longlong1 uchar4 uint16x3 ulong2 ushort1
"""

# Numba-CUDA, where it is installed, takes the place of the module.
NAMES_OF_NUMBA = """
import json, sys, types
sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "NumbaCudaFinder"]
from numba import cuda
public = [name for name in dir(cuda) if not name.startswith("_")]
print(json.dumps([n for n in public if not isinstance(getattr(cuda, n), types.ModuleType)]))
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_a_name_is_there_or_has_a_hint(name):
    if name in _INSTEAD:
        with pytest.raises(AttributeError, match=rf"has no '{name}'\n  hint: "):
            getattr(cuda, name)
    else:
        assert getattr(cuda, name) is not None
        assert name in dir(cuda)


def module_of_numba(name):
    """Import a module of the version whose names are above; skip the test for others."""
    version = pytest.importorskip("numba", reason="Numba is not installed").__version__
    if not version.startswith("0.68."):
        pytest.skip(f"the names are those of Numba 0.68, found {version}")
    return importlib.import_module(name)


def test_the_names_are_those_of_numba():
    """Numba's own modules are named only where programs use them."""
    module_of_numba("numba")
    printed = subprocess.check_output([sys.executable, "-P", "-c", NAMES_OF_NUMBA], text=True)
    functions = set(json.loads(printed)) - {"alias", "cuda_paths", "prepare_shape_strides_dtype"}
    assert sorted(functions - set(dir(cuda)) - set(_INSTEAD)) == []


def test_libdevice_has_numbas_functions_and_types():
    table = module_of_numba("numba.cuda.libdevicefuncs")
    missing = []
    for name, (result, args) in table.functions.items():
        own = name.removeprefix("__nv_")
        if own not in dir(cuda.libdevice):
            missing.append(own)
            continue
        types = f"{result}({', '.join(str(item.ty) for item in args)})"
        assert getattr(cuda.libdevice, own).signature.replace("uint", "int") == types
    two_results = "fast_sincosf frexp frexpf modf modff remquo remquof sincos sincosf sincospi"
    assert missing == sorted([*two_results.split(), "sincospif", "float2half_rn", "half2float"])
    assert len(dir(cuda.libdevice)) == len(table.functions) - len(missing)
    for own in missing:
        with pytest.raises(AttributeError, match=rf"no function '{own}'\n  hint: "):
            getattr(cuda.libdevice, own)


def test_every_hint_is_needed():
    assert sorted(set(_INSTEAD) - set(NAMES.split())) == []
    assert set(dir(cuda)) & set(_INSTEAD) == set()


def test_other_names_of_numba_stay_numbas(monkeypatch):
    with pytest.raises(AttributeError, match=r"numpy_plugin\.numba nor Numba has 'njitt'"):
        numba.njitt  # noqa: B018
    with pytest.raises(AttributeError, match=r"did you mean 'to_device'\?"):
        cuda.to_devise  # noqa: B018
    assert not hasattr(numba, "__path_of_numba__")
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError, match=r"no 'njit': it may be Numba's.*\n  hint: pip install"):
        from numpy_plugin.numba import njit  # noqa: F401


def test_one_import_line_for_the_names_of_both():
    from numpy_plugin.numba import float64, njit, prange, vectorize

    @vectorize([float64(float64)])
    def half(x):
        return x / 2

    @njit
    def sum_of_halves(values):
        total = 0.0
        for i in prange(len(values)):
            total += half(values[i])
        return total

    assert type(half) is np.ufunc
    assert sum_of_halves(np.arange(4.0)) == 3.0


def test_settings_of_njit_are_numbas(monkeypatch):
    settings = importlib.import_module("numba.core.config")
    assert numba.config.ENABLE_CUDASIM is settings.ENABLE_CUDASIM
    monkeypatch.setattr(settings, "THREADING_LAYER", "default")
    numba.config.THREADING_LAYER = "workqueue"
    assert settings.THREADING_LAYER == numba.config.THREADING_LAYER == "workqueue"
    assert not hasattr(settings, "CUDA_THINGS")
    with pytest.raises(AttributeError, match="CUDA_THINGS"):
        numba.config.CUDA_THINGS  # noqa: B018
    monkeypatch.setitem(sys.modules, "numba.core.config", None)
    with pytest.raises(AttributeError, match="no 'THREADING_LAYER': it may be Numba's"):
        numba.config.THREADING_LAYER = "tbb"


@pytest.fixture(scope="module")
def device():
    with cuda.simulator(multiprocessors=4):
        yield


@pytest.mark.usefixtures("device")
class TestDevices:
    def test_attributes(self):
        found = cuda.get_current_device()
        assert found == cuda.gpus[0] == cuda.gpus.current == cuda.current_context().device
        assert found.id == 0
        assert found.uuid == found.native.uuid
        assert found.compute_capability == (9, 0)
        assert (found.MULTIPROCESSOR_COUNT, found.WARP_SIZE) == (4, 32)
        assert found.MAX_THREADS_PER_BLOCK == 1024
        assert found.supports_float16
        assert repr(found).startswith("<CUDA device 0 '")
        with pytest.raises(AttributeError, match="did you mean 'WARP_SIZE'"):
            found.WARP_SIZES  # noqa: B018

    def test_contexts(self):
        context = cuda.current_context()
        free, total = context.get_memory_info()
        assert 0 < free <= total
        assert cuda.current_context().get_memory_info().total == total
        context.synchronize()
        context.reset()
        with cuda.gpus[0] as selected:
            assert selected == context.device
        assert cuda.gpus.lst == list(cuda.list_devices())
        assert cuda.cuda_error() is None
        assert cuda.require_context(test_every_hint_is_needed) is test_every_hint_is_needed

    def test_pinned_arrays(self):
        array = np.arange(1000.0)
        stream = cuda.stream()
        with cuda.pinned(array, np.empty(0)), stream.auto_synchronize():
            on_device = cuda.to_device(array, stream=stream)
            on_device.copy_to_host(array, stream=stream)
        assert array.tolist() == list(range(1000))
        with cuda.pinned(array):  # the block before has unlocked it
            pass
        with pytest.raises(TypeError, match="only a contiguous NumPy array can be page-locked"):
            cuda.pinned(array[::2]).__enter__()

    @pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")
    def test_mapped_arrays_and_arguments(self):
        @cuda.jit
        def double(source, target):
            i = cuda.grid(1)
            if i < target.size:
                target[i] = 2 * source[i]
                source[i] = 0

        source = np.arange(4.0)
        target = cuda.mapped_array(4)
        double[1, 4](cuda.In(source), cuda.Out(target))
        assert (source.tolist(), target.tolist()) == ([0, 1, 2, 3], [0, 2, 4, 6])
        double[1, 4](cuda.InOut(source), cuda.mapped_array_like(target))
        assert source.tolist() == [0, 0, 0, 0]
        assert cuda.mapped_array((2, 3), np.int8, order="F").flags.f_contiguous

    def test_arrays_by_description(self):
        array = cuda.to_device(np.arange(3))
        assert cuda.to_device(np.arange(3) * 2, to=array) is array
        assert array.copy_to_host().tolist() == [0, 2, 4]
        cuda.to_device(np.arange(3), cuda.stream(), to=array)
        cuda.synchronize()
        same = cuda.from_cuda_array_interface(array.__cuda_array_interface__, owner=array)
        assert same.copy_to_host().tolist() == [0, 1, 2]


@pytest.mark.usefixtures("device")
@pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")
class TestKernels:
    def test_fp16(self):
        @cuda.jit
        def compute(a, b, c, out, compared):
            i = cuda.grid(1)
            if i < a.size:
                x, y, z = a[i], b[i], c[i]
                out[0, i] = cuda.fp16.hadd(x, y)
                out[1, i] = cuda.fp16.hsub(x, y)
                out[2, i] = cuda.fp16.hmul(x, y)
                out[3, i] = cuda.fp16.hdiv(x, y)
                out[4, i] = cuda.fp16.hfma(x, y, z)
                out[5, i] = cuda.fp16.hneg(cuda.fp16.habs(x))
                out[6, i] = cuda.fp16.hmax(x, cuda.fp16.hmin(y, z))
                out[7, i] = cuda.fp16.hsqrt(cuda.fp16.habs(x))
                out[8, i] = cuda.fp16.hfloor(x) + cuda.fp16.hceil(y) + cuda.fp16.htrunc(z)
                out[9, i] = cuda.fp16.hrint(x) + cuda.fp16.hrcp(y)
                compared[0, i] = cuda.fp16.hlt(x, y) and not cuda.fp16.hge(x, y)
                compared[1, i] = cuda.fp16.heq(x, x) and cuda.fp16.hne(x, y)
                compared[2, i] = cuda.fp16.hgt(x, y) or cuda.fp16.hle(y, z)

        generator = np.random.default_rng(1)
        a, b, c = generator.normal(size=(3, 20)).astype(np.float16)
        out = np.zeros((10, 20), np.float16)
        compared = np.zeros((3, 20), bool)
        compute[1, 32](a, b, c, out, compared)
        fused = (a.astype(float) * b.astype(float) + c.astype(float)).astype(np.float16)
        rows = [a + b, a - b, a * b, a / b, fused, -np.abs(a), np.fmax(a, np.fmin(b, c))]
        rows += [np.sqrt(np.abs(a)), np.floor(a) + np.ceil(b) + np.trunc(c), np.rint(a) + 1 / b]
        np.testing.assert_array_equal(out, rows)
        np.testing.assert_array_equal(compared, [a < b, (a == a) & (a != b), (a > b) | (b <= c)])

    def test_functions_of_fp16(self):
        @cuda.jit
        def compute(a, out):
            i = cuda.grid(1)
            if i < a.size:
                x = a[i]
                out[0, i] = cuda.fp16.hsin(x) + cuda.fp16.hcos(x)
                out[1, i] = cuda.fp16.hlog(x)
                out[2, i] = cuda.fp16.hlog2(x)
                out[3, i] = cuda.fp16.hlog10(x)
                out[4, i] = cuda.fp16.hexp(x)
                out[5, i] = cuda.fp16.hexp2(x)
                out[6, i] = cuda.fp16.hexp10(x)
                out[7, i] = cuda.fp16.hrsqrt(x)

        a = np.linspace(0.25, 3, 20).astype(np.float16)
        out = np.zeros((8, 20), np.float16)
        compute[1, 32](a, out)
        x = a.astype(float)
        expected = [np.sin(x) + np.cos(x), np.log(x), np.log2(x), np.log10(x)]
        expected += [np.exp(x), np.exp2(x), 10**x, 1 / np.sqrt(x)]
        np.testing.assert_allclose(out, expected, rtol=2e-3, atol=1e-3)

    def test_vectors(self):
        from numpy_plugin.numba.cuda import int2

        @cuda.jit
        def compute(out):
            v = cuda.float32x4(1, 2, 3, 4.5)
            w = cuda.double3(v.x, v[1], 0.1)
            pair = int2(7.9, v.w)
            out[0] = v.x + v.y * v.z + v.w
            out[1] = w.x + w.y + w.z
            out[2] = pair.x * 10 + pair.y

        out = np.zeros(3)
        compute[1, 1](out)
        assert out.tolist() == [11.5, 3.1, 74.0]
        assert int2(7.9, 4) == (7, 4)
        with pytest.raises(npp.KernelError, match="a tuple of 2 has no 'z'"):

            @cuda.jit("void(float64[:])")
            def wrong(out):
                out[0] = cuda.float2(1, 2).z

    @pytest.mark.parametrize(
        ("body", "message", "hint"),
        [
            ("cuda.device_array(3)", "cuda.device_array cannot be called", "cuda.local.array"),
            ("cuda.to_devise(x)", "cuda has no 'to_devise'", ""),
            ("cuda.libdevice.sincos(x[0])", "cuda.libdevice has no 'sincos'", "math and numpy"),
        ],
    )
    def test_names_in_kernels(self, tmp_path, body, message, hint):
        program = tmp_path / "program.py"
        program.write_text(
            f"from numpy_plugin.numba import cuda\n\ndef kernel(x):\n    v = {body}\n    x[0] = 1\n"
        )
        kernel = runpy.run_path(str(program))["kernel"]
        with pytest.raises(npp.KernelError, match=message) as caught:
            cuda.jit("void(float64[:])")(kernel)
        assert hint in caught.value.diagnostics[0].hint

    def test_libdevice(self):
        @cuda.jit
        def compute(x, out):
            i = cuda.grid(1)
            if i < x.size:
                out[0, i] = cuda.libdevice.sinf(x[i])
                out[1, i] = cuda.libdevice.hypot(x[i], 2.0)
                out[2, i] = cuda.libdevice.fadd_ru(x[i], 1e-9)
                out[3, i] = cuda.libdevice.double2int_rd(x[i])
                out[4, i] = cuda.libdevice.fast_expf(x[i])
                out[5, i] = cuda.libdevice.popcll(12345)
                out[6, i] = cuda.libdevice.isnanf(x[i])
                out[7, i] = cuda.libdevice.powi(x[i], 3)

        x = np.array([0.5, 1.0, 2.5])
        out = np.zeros((8, 3))
        compute[1, 32](x, out)
        single = x.astype(np.float32)
        np.testing.assert_allclose(out[0], np.sin(single), rtol=1e-6)
        np.testing.assert_allclose(out[1], np.hypot(x, 2), rtol=1e-15)
        assert out[2].tolist() == np.nextafter(single, np.float32(9)).tolist()
        assert out[3].tolist() == [0, 1, 2]
        np.testing.assert_allclose(out[4], np.exp(x), rtol=1e-5)
        assert out[5:7].tolist() == [[6.0] * 3, [0.0] * 3]
        np.testing.assert_allclose(out[7], x**3, rtol=1e-15)
        with pytest.raises(AttributeError, match=r"no function 'sincosf'\n  hint: math\.sin and"):
            cuda.libdevice.sincosf  # noqa: B018
        assert "fmaf_rz" in dir(cuda.libdevice)
