"""What the cache gives back: nothing that depends on a file that has changed, nothing under another
name, and no more than fits."""

import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda


def add_number():
    return npp.vectorize(
        ["float64(float64)"], args="x", preamble="#include <number.hpp>", body="return x + NUMBER;"
    )


def write_number(directory, number):
    directory.mkdir(exist_ok=True)
    (directory / "number.hpp").write_text(f"#define NUMBER {number}\n")
    time.sleep(0.02)  # a compilation does not cache results of files as new as itself


@pytest.fixture
def headers(tmp_path, monkeypatch, empty_cache):
    """A directory that compilers look in, with a header."""
    write_number(tmp_path / "headers", 1)
    monkeypatch.setenv("CPATH", str(tmp_path / "headers"))
    return tmp_path / "headers"


def test_an_edited_header_counts(headers):
    assert add_number()(0.0) == 1
    write_number(headers, 2)
    assert add_number()(0.0) == 2


def test_an_unchanged_header_is_not_compiled_again(headers, compiler_log):
    assert add_number()(0.0) == 1
    before = len(compiler_log())
    assert add_number()(0.0) == 1
    assert len(compiler_log()) == before


def test_a_header_that_a_header_includes_counts(headers):
    (headers / "number.hpp").write_text('#include "deeper name.hpp"\n')
    for number in (3, 4):
        (headers / "deeper name.hpp").write_text(f"#define NUMBER {number}\n")
        time.sleep(0.02)
        assert add_number()(0.0) == number


def test_another_search_path_counts(headers, tmp_path, monkeypatch):
    assert add_number()(0.0) == 1
    write_number(tmp_path / "others", 5)
    monkeypatch.setenv("CPATH", str(tmp_path / "others"))
    assert add_number()(0.0) == 5
    monkeypatch.setenv("CPATH", str(headers))
    assert add_number()(0.0) == 1


def test_a_header_that_comes_before_another_counts(headers, tmp_path, monkeypatch):
    first = tmp_path / "first"
    first.mkdir()
    monkeypatch.setenv("CPATH", f"{first}:{headers}")
    assert add_number()(0.0) == 1
    write_number(first, 6)
    assert add_number()(0.0) == 6


def test_a_header_that_is_gone_is_missed(headers):
    assert add_number()(0.0) == 1
    (headers / "number.hpp").unlink()
    with pytest.raises(npp.CompilerError, match=r"number\.hpp"):
        add_number()


def test_a_question_for_a_file_is_asked_each_time(headers):
    def is_there():
        preamble = "#if __has_include(<late.hpp>)\n#define IS 1\n#else\n#define IS 0\n#endif"
        return npp.vectorize(
            ["float64(float64)"], args="x", preamble=preamble, body="return x + IS;"
        )(0.0)

    assert is_there() == 0
    (headers / "late.hpp").write_text("")
    assert is_there() == 1


KERNEL = '#include "number.hpp"\n__global__ void put(int* x) { *x = NUMBER; }'


@pytest.mark.parametrize("form", ["beside", "-I", "--include-path="])
def test_an_edited_header_of_a_cuda_kernel_counts(form, nvrtc, tmp_path, monkeypatch, empty_cache):
    directory = tmp_path / "headers"
    options = () if form == "beside" else (f"{form}{directory}",)
    write_number(directory, 1)
    monkeypatch.chdir(directory if form == "beside" else tmp_path)

    def number():
        x = np.zeros(1, np.int32)
        cuda.kernel(KERNEL, "put", options=options)[1, 1](x)
        return x[0]

    with cuda.simulator():
        assert (number(), number()) == (1, 1)
        assert any(entry["name"].endswith(".kernel") for entry in _core.cache_info()["entries"])
        write_number(directory, 2)
        assert number() == 2


def test_an_edited_header_of_a_device_kernel_counts(nvrtc, tmp_path, monkeypatch, empty_cache):
    write_number(tmp_path, 1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CPATH", str(tmp_path))
    texts = []
    for number in (1, 2):
        write_number(tmp_path, number)
        f = npp.vectorize(
            ["int32(int32)"],
            args="x",
            preamble='#include "number.hpp"',
            body="return x * 1000003 + NUMBER;",
        )
        texts.append(npp.inspect(f).ptx())
    assert texts[0] != texts[1]


def plus(number):
    return npp.vectorize(["float64(float64)"], args="x", body=f"return x + {number};")


def objects(directory):
    return {path.name: path for path in directory.glob("*.so")}


def test_an_entry_under_another_s_name_is_none(empty_cache):
    assert plus(1)(0.0) == 1
    (first,) = objects(empty_cache).values()
    assert plus(2)(0.0) == 2
    (second,) = (path for path in objects(empty_cache).values() if path != first)
    shutil.copy(first, second)
    assert plus(2)(0.0) == 2


def test_what_was_not_used_for_longest_goes(empty_cache, monkeypatch, compiler_log):
    plus(1)
    (first,) = objects(empty_cache).values()
    plus(2)
    n_bytes = sum(entry["n_bytes"] for entry in _core.cache_info()["entries"])
    assert _core.cache_info()["size_limit"] == 1_000_000_000
    for path in empty_cache.iterdir():
        os.utime(path, (1e9, 1e9))
    assert plus(1)(0.0) == 1  # used again
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_SIZE", str(n_bytes))
    assert plus(3)(0.0) == 3
    assert sum(entry["n_bytes"] for entry in _core.cache_info()["entries"]) <= n_bytes
    before = len(compiler_log())
    assert first.exists()
    assert plus(1)(0.0) == 1
    assert plus(3)(0.0) == 3
    assert len(compiler_log()) == before
    assert plus(2)(0.0) == 2
    assert len(compiler_log()) > before


def test_a_cache_of_no_size_keeps_nothing(empty_cache, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_SIZE", "0 MB")
    assert plus(1)(0.0) == 1
    assert list(empty_cache.iterdir()) == []


@pytest.mark.parametrize("size", ["much", "1 GG", "-1", "nan", "1e400"])
def test_a_size_that_is_none_is_named(size, empty_cache, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_SIZE", size)
    with pytest.raises(ValueError, match=f"NUMPY_PLUGIN_CACHE_SIZE is '{size}'; expected a number"):
        plus(1)
    monkeypatch.delenv("NUMPY_PLUGIN_CACHE_SIZE")
    assert plus(1)(0.0) == 1


def test_many_processes_keep_within_the_limit(empty_cache):
    program = (
        "import sys, numpy_plugin as npp\n"
        "for number in range(4):\n"
        "    f = npp.vectorize(['float64(float64)'], args='x',"
        " body=f'return x + {number} + {sys.argv[1]};')\n"
        "    assert f(0.0) == number + int(sys.argv[1])\n"
    )
    environment = {**os.environ, "NUMPY_PLUGIN_CACHE_SIZE": "50 kB"}
    children = [
        subprocess.Popen([sys.executable, "-c", program, str(n)], env=environment) for n in range(3)
    ]
    assert [child.wait(timeout=120) for child in children] == [0, 0, 0]
    entries = _core.cache_info()["entries"]
    assert all(entry["is_whole"] for entry in entries)
    assert sum(entry["n_bytes"] for entry in entries) <= 50_000


def test_what_killed_writers_left_over_is_swept(empty_cache):
    plus(1)
    (entry,) = objects(empty_cache).values()
    old, young = (entry.with_name(f"{entry.name}.{end}") for end in ("a1b2c3", "d4e5f6"))
    own = empty_cache / "notes.txt"
    for path in (old, young, own):
        path.write_text("x")
        os.utime(path, (1e9, 1e9) if path != young else None)
    plus(2)
    assert (old.exists(), young.exists(), own.exists()) == (False, True, True)


def test_stale_temporary_directories_are_swept(tmp_path, empty_cache):
    names = {
        "old": "numpy_plugin_a1B2c3",
        "young": "numpy_plugin_d4E5f6",
        "other": "numpy_plugin_x",
    }
    for age, name in names.items():
        directory = tmp_path / name
        directory.mkdir(mode=0o700)
        (directory / "npp-generated.cpp").write_text("x")
        if age != "young":
            os.utime(directory, (1e9, 1e9))
    program = (
        "import numpy_plugin as npp\n"
        "npp.vectorize(['float64(float64)'], args='x', body='return x + 7;')"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    left = sorted(path.name for path in tmp_path.glob("numpy_plugin_*"))
    assert left == sorted([names["young"], names["other"]])


def test_an_object_that_cannot_be_loaded_is_replaced(tmp_path, empty_cache, monkeypatch):
    """A compiler that wrote nonsense once; what it is told by is unchanged."""
    real = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    nonsense, log = tmp_path / "nonsense", tmp_path / "log"
    compiler = tmp_path / "compiler"
    compiler.write_text(
        f'#!/bin/sh\necho asked >> {log}\n{real} "$@" || exit\n'
        f"test -e {nonsense} || exit 0\n"
        'while [ $# -gt 0 ]; do if [ "$1" = -o ]; then echo nonsense > "$2"; fi; shift; done\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(compiler))
    nonsense.touch()
    with pytest.raises(RuntimeError, match="can't be loaded"):
        plus(1)
    nonsense.unlink()
    assert plus(1)(0.0) == 1
    n_asked = len(log.read_text().split())
    assert plus(1)(0.0) == 1
    assert len(log.read_text().split()) == n_asked, "the entry was not replaced"
