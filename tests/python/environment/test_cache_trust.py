"""Nobody else's code is run: which directories the cache trusts, and how it loads what it found."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap

import pytest
from long_runs import in_long_runs
from machines.fresh_process import end_of

import numpy_plugin as npp
from numpy_plugin import _core

NOBODY = 65534

is_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give a directory to another user"
)


def plus_one():
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 1;")


@pytest.fixture
def foreign(tmp_path):
    """A directory of another user's, in which this one has a directory."""
    parent = tmp_path / "foreign"
    parent.mkdir(mode=0o755)
    (parent / "cache").mkdir(mode=0o700)
    os.chown(parent, NOBODY, NOBODY)
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_uid == os.geteuid() and above.stat().st_mode & 0o001 == 0:
            above.chmod(0o755)
    return parent


@is_root
def test_a_directory_below_another_user_s_is_not_used(foreign, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(foreign / "cache"))
    assert plus_one()(1.0) == 2
    assert list((foreign / "cache").iterdir()) == []
    reason = _core.cache_info()["reason"]
    assert f"'{foreign}' belongs to user {NOBODY}" in reason
    assert "NUMPY_PLUGIN_CACHE_DIR" in reason


@is_root
def test_nothing_is_made_below_another_user_s_directory(foreign, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(foreign / "a" / "b"))
    assert plus_one()(1.0) == 2
    assert not (foreign / "a").exists()


@is_root
def test_a_link_in_another_user_s_directory_is_not_followed(foreign, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir(mode=0o700)
    (foreign / "link").symlink_to(tmp_path / "own")
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(foreign / "link" / "cache"))
    assert plus_one()(1.0) == 2
    assert list((tmp_path / "own").iterdir()) == []


@pytest.mark.parametrize(("mode", "is_used"), [(0o1777, True), (0o777, False), (0o775, False)])
def test_above_the_directory_others_write_to_sticky_ones_alone(
    mode, is_used, tmp_path, monkeypatch
):
    parent = tmp_path / "parent"
    parent.mkdir()
    parent.chmod(mode)
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(parent / "cache"))
    assert plus_one()(1.0) == 2
    assert _core.cache_info()["is_usable"] is is_used
    if not is_used:
        assert f"'{parent}' can be written to by other users" in _core.cache_info()["reason"]


@is_root
def test_nothing_is_compiled_in_another_user_s_directory(foreign, tmp_path, monkeypatch):
    (foreign / "tmp").mkdir(mode=0o700)
    log, compiler = tmp_path / "log", tmp_path / "compiler"
    real = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    compiler.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {real} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(compiler))
    monkeypatch.setenv("TMPDIR", str(foreign / "tmp"))
    plus_one = npp.vectorize(["float64(float64)"], args="x", body="return x + 1;", cache=False)
    assert plus_one(1.0) == 2
    assert " /tmp/numpy_plugin_" in log.read_text()
    assert str(foreign) not in log.read_text()


LOADED_FROM = """
    import numpy_plugin as npp
    f = npp.vectorize(["float64(float64)"], name="one_more", args="x", body="return x + 1;")
    assert f(1.0) == 2
    print(open("/proc/self/maps").read())
"""


@pytest.mark.parametrize("is_cached", [False, True])
def test_code_is_loaded_from_memory(is_cached, empty_cache):
    for _ in range(2 if is_cached else 1):
        maps = end_of(LOADED_FROM).stdout
    assert "/memfd:numpy_plugin one_more" in maps
    assert str(empty_cache) not in maps


def test_objects_loaded_one_after_the_other_are_not_taken_for_each_other(empty_cache):
    """The descriptors of files in memory are used again, and the dynamic linker goes by names."""
    made = [
        npp.vectorize(["float64(float64)"], args="x", body=f"return x + {number};")
        for number in range(5)
    ]
    assert [f(0.0) for f in made] == [0, 1, 2, 3, 4]


@is_root
def test_where_there_is_no_proc_a_private_file_is_loaded(empty_cache):
    hide = "mount -t tmpfs none /proc && exec "
    program = textwrap.dedent(LOADED_FROM).replace(
        'print(open("/proc/self/maps").read())', "print(1)"
    )
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare")
    if subprocess.run(["unshare", "-m", "sh", "-c", hide + "true"], check=False).returncode != 0:
        pytest.skip("no mount can be made here")
    for _ in range(2):
        child = subprocess.run(
            ["unshare", "-m", "sh", "-c", hide + '"$0" -c "$1"', sys.executable, program],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (child.stdout, child.returncode) == ("1\n", 0), child.stderr


# Swaps the directory with one that contains the attacker's code under the entry's name.
ATTACK = """
    import os, sys
    os.setgid(65534), os.setuid(65534)
    os.chdir(sys.argv[1])
    print("ready", flush=True)
    while True:
        for one, other in (("cache", "aside"), ("evil", "cache"), ("cache", "evil"),
                           ("aside", "cache")):
            try:
                os.rename(one, other)
            except OSError:
                pass
"""


@is_root
@pytest.mark.parametrize("n_calls", [8, *in_long_runs(30)])
def test_a_directory_exchanged_between_check_and_load_runs_nothing(
    n_calls, foreign, tmp_path, monkeypatch
):
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    marker, source = tmp_path / "marker", tmp_path / "evil.cpp"
    source.write_text(
        "#include <fcntl.h>\n__attribute__((constructor)) void run() "
        f'{{ open("{marker}", O_CREAT | O_WRONLY, 0600); }}\n'
    )
    os.chown(foreign, 0, 0)  # while the cache is filled
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(foreign / "cache"))
    plus_one()
    (entry,) = (foreign / "cache").glob("*.so")
    (foreign / "evil").mkdir(mode=0o755)
    evil = str(foreign / "evil" / entry.name)
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", evil], check=True)
    for path in (foreign, foreign / "evil", evil):
        os.chown(path, NOBODY, NOBODY)
    attacker = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(ATTACK), str(foreign)], stdout=subprocess.PIPE
    )
    assert attacker.stdout.readline() == b"ready\n"
    try:
        for _ in range(n_calls):
            assert plus_one()(1.0) == 2
    finally:
        attacker.send_signal(signal.SIGKILL)
        attacker.wait()
    assert not marker.exists()
