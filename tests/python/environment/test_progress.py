"""Progress of long compilations: on a terminal, with rich and without it, and nowhere else."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

import pytest

from numpy_plugin import _progress

PROGRAM = """
import sys
if "without-rich" in sys.argv:
    sys.modules["rich"] = sys.modules["rich.console"] = None
import numpy_plugin as npp
f = npp.vectorize(["float64(float64)"], name="slow", args="x", body="return x + 0.125;")
print("result", f(1.0), flush=True)
"""


@pytest.fixture
def slow_compiler(tmp_path, empty_cache, monkeypatch):
    """A compiler that waits for a file; returns the file."""
    real = next(path for name in ("g++", "c++", "clang++") if (path := shutil.which(name)))
    go = tmp_path / "go"
    script = tmp_path / "slow_compiler"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *--version*) ;; *)\n'
        f"  while [ ! -e {go} ]; do sleep 0.05; done ;;\nesac\n"
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(script))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    return go


def read_until(terminal, pattern, seconds=60.0):
    """What a terminal shows until the pattern comes, or the end."""
    shown = b""
    limit = time.monotonic() + seconds
    while not re.search(pattern, shown) and time.monotonic() < limit:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    return shown


@pytest.mark.parametrize("words", [[], ["without-rich"]], ids=["rich", "plain"])
def test_a_terminal_shows_what_is_compiled(slow_compiler, words):
    if not words:
        pytest.importorskip("rich")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", PROGRAM, *words]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        shown = read_until(ours, rb"compiling 'slow' for float64\(float64\) with .*: [1-9] s")
        assert b": " in shown and b"compiling 'slow'" in shown, shown
        slow_compiler.write_text("")
        rest = read_until(ours, rb"result 1\.125")
        assert b"result 1.125" in rest
        cleared = rest[: rest.index(b"result")]
        assert b"\x1b[2K" in cleared if not words else re.search(rb"\r +\r", cleared), cleared
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def wait_for_compiler_and_end(process, go):
    """Let the program compile for longer than progress takes to appear."""
    time.sleep(1.3)
    go.write_text("")
    return process.communicate(timeout=60)


def test_a_pipe_gets_nothing(slow_compiler):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert wait_for_compiler_and_end(process, slow_compiler) == (b"result 1.125\n", b"")


def test_it_can_be_turned_off(slow_compiler, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_PROGRESS", "off")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    assert wait_for_compiler_and_end(process, slow_compiler)[0] == b"result 1.125\n"
    assert read_until(ours, b"nothing", seconds=0.5) == b""
    os.close(ours)


class Shell:
    kernel = object()


def test_notebooks_show_a_line(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_is_notebook", lambda: True)
    row = ("'f' for float64(float64[:])", "g++ 12", 2.4)
    assert _progress.show_progress([row, row])
    assert _progress.show_progress([]) is False
    shown = capsys.readouterr().err
    assert shown.startswith("\rcompiling 'f' for float64(float64[:]) with g++ 12 and 1 more: 2 s ")
    assert shown.endswith(" \r")


def test_a_notebook_is_known_by_its_kernel(monkeypatch):
    class Interactive:
        @staticmethod
        def get_ipython():
            return Shell()

    monkeypatch.setitem(sys.modules, "IPython", Interactive)
    assert _progress._is_notebook()
    monkeypatch.delattr(Shell, "kernel")
    assert not _progress._is_notebook()
