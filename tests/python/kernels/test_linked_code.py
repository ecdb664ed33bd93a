"""Every form of compiled code: linked by nvJitLink, run on the simulator where it has PTX."""

import functools
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from device_parts import LTO_IR, MACHINE_CODE, PTX, compile_source
from long_runs import one_in

import numpy_plugin as npp
from numpy_plugin import cuda

SOURCE = 'extern "C" __device__ float bar(float x, float y) { return x * y + x; }'
SIGNATURE = "float32(float32, float32)"
NVCC = shutil.which("nvcc", path="/usr/local/cuda/bin") or shutil.which("nvcc")
# Other code is compiled already; LTO-IR is compiled when linked.
EXACT_PTX = (PTX[0], [*PTX[1], "-fmad=false"])
FATBIN_KINDS = {PTX[0]: 1, MACHINE_CODE[0]: 2}


@pytest.fixture(autouse=True)
def nvjitlink():
    """Skips where there is none that links what this NVRTC makes."""
    pathfinder = pytest.importorskip("cuda.pathfinder")
    try:
        pathfinder.load_nvidia_dynamic_lib("nvJitLink")
    except pathfinder.DynamicLibNotFoundError:
        pytest.skip("nvJitLink is not installed")


def part(form, source=SOURCE) -> bytes:
    return compile_source(source, form)


def fatbin(form) -> bytes:
    """A fatbin with one entry, not compressed, for sm_90."""
    code = part(form)
    code += bytes(-len(code) % 8)
    entry = (FATBIN_KINDS[form[0]], 0x101, 64, len(code), 0, 0, 8, 1, 90, 0, 0, 0x11, 0)
    entry = struct.pack("<HHIQIIHHIIIQQ", *entry).ljust(64, b"\0")
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry + code)) + entry + code


@functools.cache
def by_nvcc(*options: str) -> bytes:
    """What nvcc makes of the source."""
    if NVCC is None:
        pytest.skip("there is no nvcc")
    with tempfile.TemporaryDirectory() as directory:
        source, out = Path(directory, "bar.cu"), Path(directory, "bar.out")
        source.write_text(SOURCE)
        subprocess.run([NVCC, *options, "-rdc=true", source, "-o", out], check=True)
        return out.read_bytes()


FORMS = {
    "PTX": lambda: part(PTX),
    "LTO-IR": lambda: part(LTO_IR),
    "cubin": lambda: part(MACHINE_CODE),
    "fatbin": lambda: fatbin(MACHINE_CODE),
    "object": lambda: by_nvcc("-c", "-arch=sm_90"),
    "object with LTO-IR": lambda: by_nvcc("-c", "-arch=lto_90"),
    "library": lambda: by_nvcc("-lib", "-arch=sm_90"),
    "fatbin with LTO-IR": lambda: by_nvcc("-fatbin", "-arch=lto_90"),
}


def ufunc_of(code, **options):
    bar = npp.declare_device("bar", SIGNATURE, link=code)

    @npp.vectorize([SIGNATURE], **options)
    def kernel(x, y):
        return bar(x, y) * y + x

    return kernel


def fill_of(code):
    bar = npp.declare_device("bar", SIGNATURE, link=code)

    @cuda.kernel("void(float32[:], float32[:])")
    def fill(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = bar(x[i], out[i]) * out[i] + x[i]

    return fill


CUBINS = {
    "ufunc": lambda code: npp.inspect(ufunc_of(code)).cubin(form="contiguous"),
    "kernel": lambda code: fill_of(code)._native.cubin("sm_90"),
}


@pytest.mark.parametrize(("form", "linked"), one_in(2, FORMS, CUBINS))
def test_nvjitlink_links_every_form(form, linked):
    cubin = CUBINS[linked](FORMS[form]())
    assert cubin.startswith(b"\x7fELF")
    assert (b".text.bar" in cubin) == ("LTO-IR" not in form)  # otherwise it is inlined
    assert b"bar" in cubin or "LTO-IR" in form


@pytest.mark.parametrize("form", ["cubin", "fatbin", "object", "library"])
def test_a_simulated_device_refuses_machine_code(form):
    code = FORMS[form]()
    x = np.ones(3, np.float32)
    with cuda.simulator(memory="16 MiB"):
        for call in (
            lambda: ufunc_of(code)(cuda.to_device(x), 1),
            lambda: fill_of(code)[1, 3](x, x),
        ):
            with pytest.raises(npp.CompilerError, match="machine code only"):
                call()


@pytest.mark.parametrize(
    "make",
    [lambda: part(LTO_IR), lambda: part(EXACT_PTX), lambda: fatbin(EXACT_PTX)],
    ids=["LTO-IR", "PTX", "fatbin"],
)
def test_linked_code_has_the_cpus_bits(make):
    """Nothing is contracted when LTO-IR becomes code."""
    code = make()
    x, y = np.random.default_rng(5).normal(size=(2, 4096)).astype(np.float32)
    with cuda.simulator(memory="16 MiB"):
        found = ufunc_of(code)(cuda.to_device(x), cuda.to_device(y)).copy_to_host()
        out = y.copy()
        fill_of(code)[32, 128](x, out)
    np.testing.assert_array_equal(found, (x * y + x) * y + x)
    np.testing.assert_array_equal(out, found)


def entries(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.linked"))


def test_what_was_linked_is_found_again(empty_cache):
    code = part(PTX)
    cubin = npp.inspect(ufunc_of(code)).cubin()
    (entry,) = entries(empty_cache)
    file = entry.stat().st_ino  # its time is that of its last use
    assert npp.inspect(ufunc_of(code)).cubin() == cubin
    assert entry.stat().st_ino == file
    other = ufunc_of(part(PTX, SOURCE.replace("+", "-")))
    assert npp.inspect(other).cubin() != cubin
    assert len(entries(empty_cache)) == 2


def test_an_entry_that_was_changed_is_linked_again(empty_cache):
    code = part(PTX)
    cubin = npp.inspect(ufunc_of(code)).cubin()
    (entry,) = entries(empty_cache)
    whole = entry.read_bytes()
    entry.write_bytes(whole.replace(b".text.bar", b".text.baz"))
    assert npp.inspect(ufunc_of(code)).cubin() == cubin
    assert entry.read_bytes() == whole


def test_the_cache_can_be_left_out(empty_cache):
    npp.inspect(ufunc_of(part(PTX), cache=False)).cubin()
    assert entries(empty_cache) == []


def test_what_cannot_be_linked_is_not_kept(empty_cache):
    calls = 'extern "C" __device__ float more(float);\n'
    calls += 'extern "C" __device__ float bar(float x, float y) { return more(x) * y; }'
    for _ in range(2):
        with pytest.raises(npp.CompilerError, match="'more'"):
            npp.inspect(ufunc_of(part(PTX, calls))).cubin()
    assert entries(empty_cache) == []
