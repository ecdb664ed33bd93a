"""`simulator run` where nvJitLink is installed: programs that link get what the driver runs."""

import ctypes
import json
import os
import subprocess
import sys

import pytest
from device_parts import LTO_IR, MACHINE_CODE, PTX, compile_source

from numpy_plugin import _core
from numpy_plugin.__main__ import main

NVIDIAS = _core.find_nvjitlink()
needs_nvjitlink = pytest.mark.skipif(not NVIDIAS, reason="nvJitLink is not installed")

UNRECOGNIZED_OPTION, MISSING_ARCH, INVALID_INPUT, PTX_COMPILE = 1, 2, 3, 4
UNRECOGNIZED_INPUT, LTO_NOT_ENABLED = 8, 18

CALLER = """
extern "C" __device__ float scale(float x);
extern "C" __global__ void kernel(float* x) { *x = scale(*x); }
"""
CALLEE = 'extern "C" __device__ float scale(float x) { return 3 * x; }'

# Reads cases, links each, and runs what comes of it on 2.0: 6.0, or an error and its log.
PROGRAM = """
import ctypes, json, sys
from pathlib import Path

Pointer = ctypes.c_void_p
driver = ctypes.CDLL("libcuda.so.1")
linker = ctypes.CDLL("libnvJitLink.so.13")

def call(library, name, *arguments):
    status = getattr(library, name)(*arguments)
    if status != 0:
        raise RuntimeError(name, status)

def text(link, name):
    size = ctypes.c_size_t()
    call(linker, f"nvJitLinkGet{name}Size", link, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    call(linker, f"nvJitLinkGet{name}", link, data)
    return data.raw

def link(options, parts):
    link = Pointer()
    words = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    call(linker, "nvJitLinkCreate", ctypes.byref(link), len(options), words)
    try:
        for part in parts:
            data = Path(part).read_bytes()
            size = ctypes.c_size_t(len(data))
            call(linker, "nvJitLinkAddData", link, 10, data, size, part.encode())
        call(linker, "nvJitLinkComplete", link)
        return text(link, "LinkedPtx" if "-ptx" in options else "LinkedCubin")
    except RuntimeError as error:
        raise RuntimeError(*error.args, text(link, "ErrorLog").rstrip(b"\\0").decode()) from None
    finally:
        call(linker, "nvJitLinkDestroy", ctypes.byref(link))
        assert link.value is None

def result_of(image):
    module, kernel = Pointer(), Pointer()
    call(driver, "cuModuleLoadData", ctypes.byref(module), image)
    call(driver, "cuModuleGetFunction", ctypes.byref(kernel), module, b"kernel")
    address, value = ctypes.c_uint64(), ctypes.c_float(2)
    call(driver, "cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4))
    call(driver, "cuMemcpyHtoD_v2", address, ctypes.byref(value), ctypes.c_size_t(4))
    arguments = (Pointer * 1)(ctypes.addressof(address))
    call(driver, "cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
    call(driver, "cuMemcpyDtoH_v2", ctypes.byref(value), address, ctypes.c_size_t(4))
    return value.value

def answer(case):
    try:
        return result_of(link(*case))
    except RuntimeError as error:
        return list(error.args)

version = [ctypes.c_uint(), ctypes.c_uint()]
call(linker, "nvJitLinkVersion", *map(ctypes.byref, version))
context = Pointer()
call(driver, "cuInit", 0)
call(driver, "cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call(driver, "cuCtxSetCurrent", context)
answers = {name: answer(case) for name, case in json.loads(sys.argv[1]).items()}
answers["version"] = [number.value for number in version]
unknown = Pointer(12345)
answers["unknown"] = linker.nvJitLinkComplete(unknown)
answers["null"] = linker.nvJitLinkGetLinkedCubinSize(unknown, None)
print(json.dumps(answers))
"""


def simulator_run(*words, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-m", "numpy_plugin", "simulator", "run", *map(str, words)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """A program's answers by case: the kernel's result, or the failed call, its code and log."""
    directory = tmp_path_factory.mktemp("linked")

    def file_of(name, content):
        path = directory / name
        path.write_bytes(content)
        return str(path)

    ptx = [
        file_of(f"{name}.ptx", compile_source(source, PTX))
        for name, source in (("caller", CALLER), ("callee", CALLEE))
    ]
    lto_ir = [
        file_of(f"{name}.ltoir", compile_source(source, LTO_IR))
        for name, source in (("caller", CALLER), ("callee", CALLEE))
    ]
    cubin = file_of("callee.cubin", compile_source(CALLEE, MACHINE_CODE))
    broken = file_of("broken.ptx", b".version 8.0\n.target sm_75\n.address_size 64\nnonsense;\n")
    arch = "-arch=sm_90"
    cases = {
        "PTX": [[arch], ptx],
        "LTO-IR": [[arch, "-lto", "-O3"], lto_ir],
        "both": [[arch, "-lto"], [lto_ir[0], ptx[1]]],
        "PTX of LTO-IR": [[arch, "-lto", "-ptx"], lto_ir],
        "no architecture": [["-lto"], ptx],
        "unknown option": [[arch, "-no-such-option"], ptx],
        "machine code": [[arch], [ptx[0], cubin]],
        "broken": [[arch], [broken]],
        "nothing": [[arch], []],
        "a function too few": [[arch], ptx[:1]],
        "LTO-IR without -lto": [[arch], lto_ir],
    }
    program = directory / "program.py"
    program.write_text(PROGRAM)
    done = simulator_run(program, json.dumps(cases))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@needs_nvjitlink
@pytest.mark.parametrize("case", ["PTX", "LTO-IR", "both", "PTX of LTO-IR"])
def test_what_is_linked_runs(answers, case):
    assert answers[case] == 6.0


@needs_nvjitlink
def test_the_version_is_the_installed_ones(answers):
    library = ctypes.CDLL(NVIDIAS)
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    assert library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)) == 0
    assert answers["version"] == [major.value, minor.value]


@needs_nvjitlink
@pytest.mark.parametrize(
    ("case", "call", "code", "log"),
    [
        ("no architecture", "Create", MISSING_ARCH, None),
        ("unknown option", "Create", UNRECOGNIZED_OPTION, None),
        ("machine code", "AddData", UNRECOGNIZED_INPUT, "machine code only"),
        ("broken", "AddData", PTX_COMPILE, "line 4"),
        ("nothing", "Complete", INVALID_INPUT, "nothing to link"),
        ("a function too few", "Complete", PTX_COMPILE, "scale"),
        ("LTO-IR without -lto", "AddData", LTO_NOT_ENABLED, "the option -lto"),
    ],
)
def test_failures_have_nvjitlinks_codes_and_a_log(answers, case, call, code, log):
    found = answers[case]
    assert found[:2] == [f"nvJitLink{call}", code]
    if log is None:
        assert len(found) == 2
    else:
        assert log in found[2]


@needs_nvjitlink
def test_handles_and_pointers_are_checked(answers):
    assert (answers["unknown"], answers["null"]) == (INVALID_INPUT, INVALID_INPUT)


@needs_nvjitlink
def test_failures_are_reported_where_asked_for():
    text = """
import ctypes
ctypes.CDLL("libcuda.so.1").cuInit(0)
ctypes.CDLL("libnvJitLink.so.13").nvJitLinkComplete(ctypes.c_void_p(5))
"""
    done = simulator_run("--report-api-errors", "-c", text)
    assert done.stderr.startswith("simulator: nvJitLinkComplete failed")


@needs_nvjitlink
def test_libraries_linked_with_nvjitlink_find_their_versions_of_its_functions():
    text = """
import ctypes
library = ctypes.CDLL("libnvJitLink.so.12")
for version in ("12_0", "12_9", "13_0"):
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    function = getattr(library, "__nvJitLinkVersion_" + version)
    assert function(ctypes.byref(major), ctypes.byref(minor)) == 0
    print(major.value)
"""
    done = simulator_run("-c", text)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) == 3


@needs_nvjitlink
def test_other_libraries_are_loaded_first_as_well():
    text = "import os; print(os.environ['LD_PRELOAD'])"
    done = simulator_run("-c", text, LD_PRELOAD="libc.so.6")
    assert done.stdout.split() == ["libnvJitLink.so.12", "libnvJitLink.so.13", "libc.so.6"]


def test_nothing_stands_in_for_a_linker_that_is_not_installed(monkeypatch, capfd):
    monkeypatch.setattr(_core, "find_nvjitlink", lambda: "")
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    text = """
import os
print("LD_PRELOAD" in os.environ, os.listdir(os.environ["LD_LIBRARY_PATH"].split(":")[0]))
"""
    assert main(["simulator", "run", "-c", text]) == 0
    assert capfd.readouterr().out.split(maxsplit=1) == ["False", "['libcuda.so.1']\n"]
