"""All PTX that NVRTC emits loads: a kernel for each of CUDA's functions, and for the rest."""

from __future__ import annotations

import concurrent.futures
import itertools

import ptx_inventory
import ptx_kernels
import pytest
from ptx_inventory import Declaration, Unit
from ptx_tools import Nvrtc, SimulatedDriver, pip_nvrtc, toolkit_directory, toolkit_nvrtc

HALF_HEAD = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>"

NVRTCS = {"pip": pip_nvrtc, "toolkit": toolkit_nvrtc}
FLAGS = ["", "-fmad=false"]
RARE_FLAGS = ["-use_fast_math", "-lineinfo", "-rdc=true"]
RUNS = [
    *itertools.product(NVRTCS, (75, 90, 120), FLAGS),
    *itertools.product(NVRTCS, (90,), RARE_FLAGS),
]


def run_of(name: str, arch: int, flag: str):
    is_usual = name == "pip" and arch == 90 and flag == "-fmad=false"  # this package's
    marks = [] if is_usual else [pytest.mark.slow]
    return pytest.param(name, arch, flag, marks=marks, id=f"{name}-{arch}{flag}")


@pytest.fixture(scope="module")
def simulated_driver():
    driver = SimulatedDriver("sm_120")
    yield driver
    driver.close()


def nvrtc_named(name: str) -> Nvrtc:
    found = NVRTCS[name]()
    if found is None:
        pytest.skip(f"no NVRTC with CUDA's headers from {name}")
    return found


def units_of(nvrtc: Nvrtc, arch: int) -> list[Unit]:
    declared = ptx_inventory.declarations_in
    return [
        Unit.of("", ptx_inventory.built_in_declarations()),
        Unit.of("", declared(nvrtc.include, ptx_inventory.INTRINSIC_HEADERS)),
        Unit.of(HALF_HEAD, declared(nvrtc.include, ptx_inventory.HALF_HEADERS)),
        ptx_kernels.unit(arch),
    ]


@pytest.mark.parametrize(("name", "arch", "flag"), [run_of(*run) for run in RUNS])
def test_all_that_nvrtc_emits_loads(simulated_driver, name, arch, flag):
    nvrtc = nvrtc_named(name)
    units = units_of(nvrtc, arch)
    options = [flag] if flag else []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiled = list(
            pool.map(lambda unit: unit.compile(nvrtc, f"compute_{arch}", options), units)
        )
    n_kernels = sum(len(unit.kernels) for unit in units)
    left_out = set().union(*(names for _, names in compiled))
    assert n_kernels > 2000
    # Only old architectures lack functions, which were introduced with newer ones.
    assert len(left_out) <= (60 if arch < 90 else 0), left_out

    complaints: dict[str, str] = {}
    for ptx, _ in compiled:
        complaints.update(ptx_inventory.complaints(simulated_driver.load, ptx))
    assert not complaints


def test_a_function_that_is_not_known_is_named(simulated_driver):
    nvrtc = nvrtc_named("pip")
    fine = ptx_kernels.entry("fine", "int* a", "a[i] = i;")
    new = ptx_kernels.assembly_entry("new", "cvt.rs.f16x2.f32 %0, %0, %1, %1;", "int", "r")
    unit = Unit("", dict([fine, new]))
    ptx, left_out = unit.compile(nvrtc, "compute_90", [])
    assert not left_out
    found = ptx_inventory.complaints(simulated_driver.load, ptx)
    assert found == {
        "asm_new": "unknown instruction 'cvt.rs.f16x2.f32': '.rs' is no modifier of 'cvt'"
    }


def test_the_declarations_are_those_of_the_toolkit():
    directory = toolkit_directory()
    if directory is None or not (directory / "include/crt/math_functions.h").exists():
        pytest.skip("no CUDA toolkit with the headers of the functions that NVRTC has built in")
    nvrtc = nvrtc_named("toolkit")
    declared = ptx_inventory.declarations_in(directory / "include", ptx_inventory.BUILT_IN_HEADERS)
    known = set(ptx_inventory.built_in_declarations())
    new = [declaration for declaration in declared if declaration not in known]
    unit = Unit.of("", new)
    _, left_out = unit.compile(nvrtc, "compute_120", [])
    # Functions missing in NVRTC are for the host.
    assert set(unit.kernels) == left_out


def test_declarations_are_read_from_headers():
    text = """
    /* float wrong(float); */
    __SM_DECL__ unsigned int __f(unsigned mask, const float *p, int width=32) __DEF_IF_HOST
    extern __DEVICE_FUNCTIONS_DECL__ __device_builtin__ float acosf(const float x) __THROW;
    __device__ static inline void g(__half &h) { return h(1); }
    float host(float x);
    """
    assert ptx_inventory.declarations_of(text) == [
        Declaration("unsigned int", "__f", ("unsigned", "const float *", "int")),
        Declaration("float", "acosf", ("float",)),
        Declaration("void", "g", ("__half &",)),
    ]


def test_a_declaration_is_read_as_it_is_written():
    declaration = Declaration("unsigned long long", "f", ("const int *", "double"))
    assert Declaration.parse(str(declaration)) == declaration
    assert declaration.kernel("k") == (
        'extern "C" __global__ void k(int* a0, double* a1, unsigned long long* result)'
        " { int i = threadIdx.x; result[i] = f(a0 + i, a1[i]); }"
    )
