"""Paths that are not UTF-8: each error arrives with its path, and no UnicodeDecodeError instead."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from golden_scenes import import_file
from machines.cuda_packages import PACKAGES
from machines.fresh_process import end_of
from machines.hidden_paths import TOOLKITS, hiding

import numpy_plugin as npp
from numpy_plugin import _core, cuda


@pytest.fixture
def odd(tmp_path) -> Path:
    """A directory with a byte that is no UTF-8 in its name."""
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    directory.mkdir()
    return directory


def names_the_directory(text: str) -> bool:
    """Whether a text has the directory, the odd byte as an escape or as Python has it in paths."""
    return any(name in text for name in ("d\\xff", "d\udcff", "d\\udcff"))


def declare(**options):
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 0.125;", **options)


def script(path: Path, text: bytes) -> str:
    path.write_bytes(b"#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def check_the_next_declaration(monkeypatch):
    monkeypatch.undo()
    assert declare()(1.0) == 1.125


def test_a_compiler_that_is_not_there(odd, monkeypatch, empty_cache):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(odd / "c++"))
    with pytest.raises(npp.CompilerError, match="NUMPY_PLUGIN_CXX") as caught:
        declare()
    assert names_the_directory(str(caught.value))
    check_the_next_declaration(monkeypatch)


def test_a_compiler_that_fails(odd, monkeypatch, empty_cache):
    command = script(odd / "c++", b"printf 'no d\\377 here\\n' >&2; exit 1\n")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", command)
    with pytest.raises(npp.CompilerError, match="exited with status 1") as caught:
        declare()
    assert names_the_directory(str(caught.value))
    assert names_the_directory(caught.value.log)
    check_the_next_declaration(monkeypatch)


def test_a_compiler_in_such_a_directory_works(odd, monkeypatch, empty_cache):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", script(odd / "c++", b'exec g++ "$@"\n'))
    assert declare()(1.0) == 1.125
    assert names_the_directory(_core.host_compiler()["command"])


@pytest.mark.parametrize("is_there", [True, False])
def test_a_temporary_directory(odd, monkeypatch, empty_cache, is_there):
    monkeypatch.setenv("TMPDIR", str(odd if is_there else odd / "nowhere"))
    if is_there:
        assert declare()(1.0) == 1.125
    else:
        with pytest.raises(Exception, match="nowhere") as caught:
            declare()
        assert not isinstance(caught.value, UnicodeError)
        assert names_the_directory(str(caught.value))
    check_the_next_declaration(monkeypatch)


def test_a_cache_directory(odd, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(odd / "cache"))
    assert declare()(1.0) == 1.125
    assert len(_core.cache_info()["entries"]) >= 1
    (odd / "file").write_text("no directory")
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(odd / "file"))
    assert declare(preamble="// another")(1.0) == 1.125
    assert names_the_directory(_core.cache_info()["reason"])


def test_a_kernel_of_such_a_file(odd):
    path = odd / "wrong.py"
    path.write_text("def f(x):\n    return x << 1\n")
    function = import_file(path).f
    with pytest.raises(npp.KernelError, match="'<<' needs integers") as caught:
        npp.vectorize(["float32(float32)"])(function)
    assert caught.value.diagnostics[0].file == str(path)
    assert names_the_directory(str(caught.value))


def test_a_warning_of_such_a_file(odd):
    path = odd / "strange.py"
    path.write_text("def f(x):\n    x == 1.0\n    return x\n")
    function = import_file(path).f
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert npp.vectorize(["float32(float32)"])(function)(np.float32(2)) == 2
    (item,) = caught
    assert item.category is npp.KernelWarning
    assert item.filename == str(path)


def test_an_exception_of_such_a_file(odd):
    path = odd / "raising.py"
    path.write_text("def f(x):\n    assert x > 0, 'too small'\n    return x\n")
    positive = npp.vectorize(["float32(float32)"])(import_file(path).f)
    with pytest.raises(AssertionError, match="too small") as caught:
        positive(np.float32(-1))
    frame = caught.traceback[-1]
    assert names_the_directory(str(frame.path))
    assert positive(np.float32(1)) == 1


def test_a_body_in_such_a_file(odd):
    path = odd / "body.py"
    call = 'npp.vectorize(["float64(float64)"], name="g", args="x", body="return xx;")\n'
    path.write_text(call)
    with pytest.raises(npp.CompilerError, match="unknown name 'xx'") as caught:
        import_file(path)
    assert names_the_directory(str(caught.value))
    assert caught.value.diagnostics[0].file == str(path)


def declared_error(**code: object) -> Exception:
    def call(x):
        return g(x)

    with pytest.raises((npp.CompilerError, OSError, ValueError)) as caught, cuda.simulator():
        g = npp.declare_device("g", "int32(int32)", **code)
        f = npp.vectorize(["int32(int32)"])(call)
        f(cuda.to_device(np.ones(2, np.int32)))
    assert not isinstance(caught.value, UnicodeError)
    return caught.value


def test_a_source_of_a_device_function(odd):
    path = odd / "g.cpp"
    path.write_text("int g(int x) {\n  return (x;\n}")
    for argument in ("cpu", "source"):
        error = declared_error(**{"cpu": "int g(int x) { return x; }", argument: path})
        assert isinstance(error, npp.CompilerError)
        assert "g.cpp" in str(error)


def test_compiled_code_of_a_device_function(odd):
    path = odd / "g.ptx"
    path.write_text(".version 7.0\n.target sm_75\nnonsense\n")
    error = declared_error(cpu="int g(int x) { return x; }", link=path)
    assert "g.ptx" in str(error)
    library = odd / "libg.so"
    library.write_text("no library")
    error = declared_error(cpu=library)
    assert isinstance(error, OSError)
    missing = declared_error(cpu=odd / "missing.cpp")
    assert isinstance(missing, FileNotFoundError)


def test_a_header_of_a_preamble(odd, monkeypatch):
    (odd / "wrong.hpp").write_text("double helper(double x) { return x + unknown; }\n")
    monkeypatch.setenv("CPATH", str(odd))
    with pytest.raises(npp.CompilerError) as caught:
        npp.vectorize(
            ["float64(float64)"],
            args="x",
            body="return helper(x);",
            preamble='#include "wrong.hpp"',
        )
    assert "wrong.hpp" in str(caught.value) + caught.value.log
    check_the_next_declaration(monkeypatch)


def test_an_include_directory_of_a_cuda_source(odd):
    (odd / "wrong.hpp").write_text("__device__ int helper() { return unknown; }\n")
    source = '#include "wrong.hpp"\n__global__ void f(int* x) { x[0] = helper(); }'
    with cuda.simulator(), pytest.raises(npp.CompilerError) as caught:
        cuda.kernel(source, "f", options=[f"-I{odd}"])[1, 1](np.zeros(1, np.int32))
    assert names_the_directory(str(caught.value) + caught.value.log)
    (odd / "wrong.hpp").write_text("__device__ int helper() { return 7; }\n")
    x = np.zeros(1, np.int32)
    with cuda.simulator():
        cuda.kernel(source, "f", options=[f"-I{odd}"])[1, 1](x)
    assert x[0] == 7


WITHOUT_NVRTC = """
import numpy_plugin as npp
f = npp.vectorize(["float64(float64)"], args="x", body="return x;")
try:
    npp.inspect(f).ptx()
except npp.CompilerError as error:
    print(ascii(str(error)))
"""


def test_a_toolkit_that_is_not_there(odd):
    paths = dict.fromkeys(("CUDA_HOME", "CUDA_PATH"), str(odd / "cuda"))
    done = end_of(WITHOUT_NVRTC, **hiding(TOOLKITS, str(PACKAGES)) | paths)
    assert done.returncode == 0, done.stderr
    assert names_the_directory(done.stdout.encode().decode("unicode_escape"))


@pytest.mark.parametrize("command", [["info"], ["cache"]])
def test_commands(odd, command):
    paths = dict.fromkeys(("HOME", "TMPDIR", "NUMPY_PLUGIN_CACHE_DIR", "CUDA_HOME"), str(odd))
    done = subprocess.run(
        [sys.executable, "-m", "numpy_plugin", *command],
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert names_the_directory(done.stdout)
