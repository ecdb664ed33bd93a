"""Every case compiled by NVRTC for every architecture, with no GPU and no driver."""

import importlib.util
import multiprocessing
import os
import pathlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import cuda_sources
import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core

# Examples of device kernels, and one that creates its ufuncs in a function.
WITHOUT_UFUNCS = {
    "b05_transpose",
    "b07_histogram",
    "c01_raw_kernels",
    "c02_python_kernels",
    "c03_link_device_code",
    "c04_streams",
    "c05_memory_check",
}
# With local arrays. Where a kernel uses local memory anyway, ptxas keeps to few registers for
# occupancy and spills one or two, with and without 64-bit divisions.
WITH_LOCAL_ARRAYS = {"b04_permutations"}
EXAMPLES = sorted((pathlib.Path(__file__).parents[3] / "examples").glob("*.py"))


def architectures():
    try:
        return _core.nvrtc_info()["architectures"]
    except npp.CompilerError as error:
        return [pytest.param("", marks=pytest.mark.skip(reason=str(error)))]


def ufuncs_of(path):
    """The ufuncs at an example's module level, those in its dicts, lists and tuples included."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {}
    for name, item in vars(module).items():
        if isinstance(item, (list, tuple)):
            named = {f"{name}[{index}]": part for index, part in enumerate(item)}
        elif isinstance(item, dict):
            named = {f"{name}[{key!r}]": part for key, part in item.items()}
        else:
            named = {name: item}
        found.update({key: part for key, part in named.items() if type(part) is np.ufunc})
    return found


def all_ufuncs():
    """The ufuncs of all examples; a call gives a signature to those without."""
    found = {(path.stem, name): f for path in EXAMPLES for name, f in ufuncs_of(path).items()}
    for f in found.values():
        if not npp.inspect(f).signatures:
            f(*[np.ones(1, np.float32)] * f.nin)
    return found


@pytest.fixture(scope="module")
def cases():
    found = all_ufuncs()
    others = {path.stem for path in EXAMPLES} - {stem for stem, _ in found}
    assert others == WITHOUT_UFUNCS
    assert len(EXAMPLES) >= 13
    return found


def compile_all(arch):
    for f in all_ufuncs().values():
        npp.inspect(f).resources(arch=arch)


@pytest.fixture(scope="module")
def compiled(request, cases):
    """The cases, compiled into the cache by a process a core: in one, NVRTC makes one at a time."""
    items = [item for item in request.session.items if "compiled" in item.fixturenames]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), context) as pool:
        # Failures are reported by the test that encounters them.
        pool.map(compile_all, [item.callspec.params["arch"] for item in items])
    return cases


def check_resources(cases, arch):
    for (stem, name), f in cases.items():
        resources = npp.inspect(f).resources(arch=arch)
        assert len(resources) >= len(npp.inspect(f).signatures), (stem, name)
        for row in resources:
            assert 0 < row.n_registers <= 255, (stem, name, row)
            most = 16 if stem in WITH_LOCAL_ARRAYS and row.n_registers <= 64 else 0
            assert max(row.spill_store_bytes, row.spill_load_bytes) <= most, (stem, name, row)


@pytest.mark.parametrize("first", [0, 1])
def test_some_cases_compile_for_the_oldest_and_some_for_the_newest(cases, nvrtc, first):
    check_resources(dict(list(cases.items())[first::4]), nvrtc["architectures"][-first])


@pytest.mark.slow
@pytest.mark.parametrize("arch", architectures())
def test_every_case_compiles(compiled, arch):
    check_resources(compiled, arch)


RAW_KERNELS = [
    (cuda_sources.INCREMENT, "increment"),
    (cuda_sources.QUADRATIC_FORMULA, "quadratic_formula"),
    (cuda_sources.TRANSPOSE, "tiled_transpose<double>"),
    (cuda_sources.HISTOGRAM, "histogram"),
    (cuda_sources.TREE_SUM, "tree_sum"),
]


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
@pytest.mark.parametrize(("source", "name"), RAW_KERNELS, ids=[name for _, name in RAW_KERNELS])
def test_every_raw_kernel_compiles(source, name, arch):
    if arch not in architectures():
        pytest.skip(f"no NVRTC that knows {arch}")
    native = _core.RawKernel(source, name, [])
    assert native.cubin(arch)[:4] == b"\x7fELF"
    assert native.lowered_name(arch) in native.ptx(arch)
    assert native.resources(arch)[1] > 0


def test_ptx_names_the_architecture_and_the_kernels(cases):
    f = cases["a04_gaussian_pdf", "gaussian_pdf"]
    text = npp.inspect(f).ptx("float32(float32, float32, float32)", arch="sm_75")
    assert ".target sm_75" in text
    assert ".visible .entry npp_contiguous_0" in text
    instructions = [line for line in text.splitlines() if not line.startswith(".global")]
    assert any(".f32" in line for line in instructions)
    wide = [line for line in instructions if ".f64" in line]
    assert not wide, "a float32 kernel that computes in float64"


def test_cubin_is_an_elf_file(cases):
    f = cases["a04_gaussian_pdf", "gaussian_pdf"]
    assert npp.inspect(f).cubin("ddd->d", arch="sm_90").startswith(b"\x7fELF")


def test_unknown_architecture_lists_the_known_ones(cases):
    f = cases["a04_gaussian_pdf", "gaussian_pdf"]
    with pytest.raises(npp.CompilerError, match=r"sm_12345.*sm_90"):
        npp.inspect(f).ptx("ddd->d", arch="sm_12345")
    assert "sm_90" in npp.inspect(f).ptx("ddd->d", arch="sm_90")


def test_a_mistake_that_only_nvrtc_finds_is_mapped_to_the_body():
    f = npp.vectorize(
        ["float64(float64)"],
        args="x",
        preamble="inline double twice(double v) { return 2 * v; }\n"
        "#ifdef __CUDACC_RTC__\n#define MISSING not_there\n#else\n#define MISSING twice\n#endif",
        body="double t = x;\nreturn MISSING(t);",
    )
    assert f(2.0) == 4.0
    with pytest.raises(npp.CompilerError, match="not_there") as caught:
        npp.inspect(f).ptx()
    assert "line 2" in str(caught.value)
    assert "not_there" in caught.value.log


def test_parallel_compilations_agree(cases):
    f = npp.vectorize(["float64(float64)"], args="x", body="return exp(x) + 1;", cache=False)
    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda _: npp.inspect(f).ptx(arch="sm_80"), range(8)))
    assert len(set(texts)) == 1
