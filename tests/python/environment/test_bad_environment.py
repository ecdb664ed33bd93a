"""A machine with something wrong: no compiler, broken ones, full disks, others' directories."""

import os
import shutil
import stat
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from machines.cuda_packages import PACKAGES
from machines.fresh_process import end_of
from machines.hidden_paths import TOOLKITS, hiding

import numpy_plugin as npp
from numpy_plugin import _core
from numpy_plugin._cuda import toolkit

REAL_COMPILER = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")


def declare(**options):
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 0.125;", **options)


@pytest.fixture
def use_compiler(tmp_path, monkeypatch, empty_cache):
    """Put a shell script in the compiler's place."""

    def use(script):
        path = tmp_path / "compiler"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(path))
        return path

    return use


def check_that_the_next_call_works(monkeypatch):
    monkeypatch.delenv("NUMPY_PLUGIN_CXX")
    assert declare()(1.0) == 1.125


def test_compiler_that_fails(use_compiler, monkeypatch):
    path = use_compiler("echo 'out of licences' >&2; exit 1\n")
    with pytest.raises(npp.CompilerError, match="exit") as caught:
        declare()
    assert str(path) in str(caught.value)
    assert "out of licences" in caught.value.log
    check_that_the_next_call_works(monkeypatch)


def test_compiler_that_is_killed(use_compiler, monkeypatch):
    use_compiler("kill -9 $$\n")
    with pytest.raises(npp.CompilerError, match=r"signal 9|killed"):
        declare()
    check_that_the_next_call_works(monkeypatch)


def test_compiler_that_writes_nothing(use_compiler, monkeypatch):
    use_compiler(f'case "$*" in *--version*) exec {REAL_COMPILER} --version ;; esac\nexit 0\n')
    with pytest.raises(npp.CompilerError, match="produced no output"):
        declare()
    check_that_the_next_call_works(monkeypatch)


def test_compiler_that_writes_garbage(use_compiler, monkeypatch):
    use_compiler(
        'while [ $# -gt 0 ]; do if [ "$1" = -o ]; then echo garbage > "$2"; fi; shift; done\n'
        "exit 0\n"
    )
    with pytest.raises((npp.CompilerError, RuntimeError)):
        declare()
    check_that_the_next_call_works(monkeypatch)


def test_variable_that_names_no_compiler(monkeypatch, empty_cache):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "/nowhere/c++")
    with pytest.raises(npp.CompilerError, match=r"NUMPY_PLUGIN_CXX.*/nowhere/c\+\+") as caught:
        declare()
    assert "numpy_plugin[compiler]" in str(caught.value)
    check_that_the_next_call_works(monkeypatch)


def test_no_compiler_names_the_remedies(monkeypatch, empty_cache, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    _core.set_package_directories([])  # as if ziglang were not installed
    try:
        with pytest.raises(npp.CompilerError) as caught:
            declare()
    finally:
        toolkit.find_libraries()
    assert "numpy_plugin[compiler]" in str(caught.value)
    assert "NUMPY_PLUGIN_CXX" in str(caught.value)
    monkeypatch.undo()
    assert declare()(1.0) == 1.125


def test_a_cached_kernel_needs_the_compiler_that_the_user_names(empty_cache, monkeypatch):
    assert declare()(1.0) == 1.125
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "/nowhere/c++")
    with pytest.raises(npp.CompilerError, match=r"NUMPY_PLUGIN_CXX.*/nowhere/c\+\+"):
        declare()


def test_a_failed_declaration_registers_nothing(use_compiler, monkeypatch):
    use_compiler("exit 3\n")
    lazy = npp.vectorize(lambda x: x + 1)
    for _ in range(2):
        with pytest.raises(npp.CompilerError):
            lazy(np.ones(2))
    assert npp.inspect(lazy).signatures == []
    monkeypatch.delenv("NUMPY_PLUGIN_CXX")
    np.testing.assert_array_equal(lazy(np.ones(2)), [2, 2])


ONE_CALL = """
    import numpy_plugin as npp
    f = npp.vectorize(["float64(float64)"], args="x", body="return x + 0.125;")
    print(f(1.0))
"""


def test_full_disk():
    """No file can grow: the cache stores nothing and the compiler's own failure is reported."""
    code = """
        import resource, signal
        import numpy_plugin as npp
        f = npp.vectorize(["float64(float64)"], args="x", body="return x + 0.125;")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, hard))
        try:
            npp.vectorize(["float64(float64)"], args="x", body="return x + 0.25;")
        except (npp.CompilerError, RuntimeError) as error:
            print("refused:", type(error).__name__)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        g = npp.vectorize(["float64(float64)"], args="x", body="return x + 0.25;")
        print(f(1.0), g(1.0))
    """
    result = end_of(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0].startswith("refused:")
    assert result.stdout.splitlines()[1] == "1.125 1.25"


def test_too_many_open_files():
    code = """
        import os, resource
        import numpy_plugin as npp
        f = npp.vectorize(["float64(float64)"], args="x", body="return x + 0.125;")
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        for n_free in range(8):
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1]))
            files = []
            try:
                while True:
                    files.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                pass
            for _ in range(n_free):
                os.close(files.pop())
            try:
                npp.vectorize(["float64(float64)"], args="x", cache=False, body="return x + 0.25;")
            except (npp.CompilerError, RuntimeError) as error:
                assert "Too many open files" in str(error) + getattr(error, "log", ""), error
                assert "free space" not in str(error), error
                print("refused")
            for file in files:
                os.close(file)
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        print(npp.vectorize(["float64(float64)"], args="x", body="return x + 0.25;")(1.0))
    """
    result = end_of(code)
    assert result.returncode == 0, result.stderr
    assert "refused" in result.stdout
    assert result.stdout.splitlines()[-1] == "1.25"


def test_signal_of_children_that_the_program_ignores(empty_cache):
    code = """
        import signal
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        import numpy_plugin as npp
        declare = lambda body: npp.vectorize(["float64(float64)"], args="x", body=body)
        print(declare("return x + 0.125;")(1.0))
        try:
            declare("return absent(x);")
        except npp.CompilerError as error:
            print(error.diagnostics[0].message)
    """
    result = end_of(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["1.125", "unknown function 'absent'"]


def test_temporary_directory_that_reads_as_an_option(tmp_path, empty_cache):
    (tmp_path / "-Dx").mkdir()
    for directory in ("-Dx", "./-Dx", str(tmp_path / "-Dx")):
        result = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(ONE_CALL)],
            env={**os.environ, "TMPDIR": directory, "NUMPY_PLUGIN_CACHE_DIR": "/dev/null"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.stdout, result.returncode) == ("1.125\n", 0), result.stderr
    assert list((tmp_path / "-Dx").iterdir()) == []


def test_time_limit_of_a_compilation(use_compiler, monkeypatch):
    real = f'case "$*" in *--version*) exec {REAL_COMPILER} --version ;; esac\n'
    use_compiler(real + "sleep 60\n")
    monkeypatch.setenv("NUMPY_PLUGIN_COMPILE_TIMEOUT", "0.2")
    with pytest.raises(npp.CompilerError, match=r"200 ms; NUMPY_PLUGIN_COMPILE_TIMEOUT sets"):
        declare()
    monkeypatch.delenv("NUMPY_PLUGIN_COMPILE_TIMEOUT")
    check_that_the_next_call_works(monkeypatch)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "1s"])
def test_time_limit_that_is_none(text, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_COMPILE_TIMEOUT", text)
    with pytest.raises(ValueError, match=f"COMPILE_TIMEOUT is '{text}'; expected a number"):
        declare()


def test_cache_directory_whose_name_is_no_text(tmp_path):
    directory = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(directory, 0o700)
    environment = {**os.environ, "NUMPY_PLUGIN_CACHE_DIR": os.fsdecode(directory)}
    for command in (["cache"], ["cache", "--clear"], ["info"]):
        result = subprocess.run(
            [sys.executable, "-m", "numpy_plugin", *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode, result.stderr) == (0, "")
        assert "caf\\udce9" in result.stdout


def test_cache_directory_that_cannot_be_made(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    result = end_of(ONE_CALL, NUMPY_PLUGIN_CACHE_DIR=str(blocker / "cache"))
    assert (result.stdout, result.returncode) == ("1.125\n", 0), result.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory to another user")
def test_cache_directory_of_another_user(tmp_path):
    directory = tmp_path / "foreign"
    directory.mkdir(mode=0o700)
    os.chown(directory, 12345, 12345)
    result = end_of(ONE_CALL, NUMPY_PLUGIN_CACHE_DIR=str(directory))
    assert (result.stdout, result.returncode) == ("1.125\n", 0), result.stderr
    assert list(directory.iterdir()) == []


def test_cache_directory_that_others_may_write(tmp_path):
    directory = tmp_path / "open"
    directory.mkdir()
    directory.chmod(0o777)
    result = end_of(ONE_CALL, NUMPY_PLUGIN_CACHE_DIR=str(directory))
    assert (result.stdout, result.returncode) == ("1.125\n", 0), result.stderr
    assert list(directory.iterdir()) == []


def test_entries_are_private(empty_cache):
    declare()
    entries = [path for path in empty_cache.rglob("*") if path.is_file()]
    assert entries
    for entry in entries:
        assert stat.S_IMODE(entry.stat().st_mode) & 0o077 == 0


def test_a_damaged_entry_is_a_miss(empty_cache):
    declare()
    for entry in empty_cache.rglob("*.so"):
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 0xFF
        entry.write_bytes(data)
    result = end_of(ONE_CALL)
    assert (result.stdout, result.returncode) == ("1.125\n", 0), result.stderr


def test_many_processes_at_once(empty_cache):
    children = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(ONE_CALL)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    assert [child.communicate(timeout=120)[0] for child in children] == ["1.125\n"] * 6
    assert all(entry["is_whole"] for entry in _core.cache_info()["entries"])


def test_cuda_target_without_a_gpu_warns_once():
    if npp.cuda.is_available():
        pytest.skip("this machine has a GPU")
    code = """
        import warnings
        import numpy_plugin as npp
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            f = npp.vectorize(["float64(float64)"], args="x", body="return x + 1;", target="cuda")
            g = npp.vectorize(["float64(float64)"], args="x", body="return x + 2;", target="gpu")
            print(f(1.0), f(2.0), g(1.0))
        print(len(seen), seen[0].category.__name__, seen[0].message)
    """
    result = end_of(code)
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()
    assert first == "2.0 3.0 3.0"
    assert second.startswith("1 RuntimeWarning target='cuda'")
    assert "run on the CPU" in second


def test_nvrtc_absent_names_the_extra_and_the_cpu_goes_on():
    code = """
        import numpy_plugin as npp
        f = npp.vectorize(["float64(float64)"], args="x", body="return x + 1;")
        try:
            npp.inspect(f).ptx()
        except npp.CompilerError as error:
            print("numpy_plugin[cuda]" in str(error))
        print(f(1.0))
    """
    result = end_of(code, **hiding(TOOLKITS, str(PACKAGES)))
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["True", "2.0"]
