"""First calls of ufuncs that compile for their operands: from many threads, and around forks."""

import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from long_runs import in_long_runs

import numpy_plugin as npp

DTYPES = ["i4", "i8", "f4", "f8"]
N_THREADS = 32
N_ROUNDS, QUICK_ROUNDS = 20, 6


def make():
    return npp.vectorize(lambda x, y: x * 3 + y)


def errors_of_threads(calls):
    """Make all calls at once, each in a thread of its own; return what they raised."""
    barrier = threading.Barrier(len(calls))
    errors = []

    def run(call):
        barrier.wait()
        try:
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.fixture
def many_switches():
    """Threads that are interrupted far more often than Python does by itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def check_call(f, dtype):
    x = np.arange(5).astype(dtype)
    result = f(x, x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, [0, 4, 8, 12, 16])


def check_reduce(f, dtype):
    assert f.reduce(np.ones(3, dtype), dtype=dtype) == 13


@pytest.mark.parametrize("n_rounds", [QUICK_ROUNDS, *in_long_runs(N_ROUNDS)])
@pytest.mark.parametrize("check", [check_call, check_reduce])
def test_many_threads_at_once(check, n_rounds, many_switches):
    for _ in range(n_rounds):
        f = make()
        calls = [lambda f=f, i=i: check(f, DTYPES[i % len(DTYPES)]) for i in range(N_THREADS)]
        assert errors_of_threads(calls) == []
        assert len(npp.inspect(f).signatures) == len(DTYPES)


# Blocks while a file exists, before it compiles; creates another one to report that.
COMPILER = """#!/bin/sh
case "$*" in *-shared*)
  while [ -n "$SLOW" ] && [ -e {waits} ]; do touch {waiting}; sleep 0.02; done
esac
exec {compiler} "$@"
"""


class SlowCompiler:
    """A real compiler that, for processes with $SLOW, waits until it is let go."""

    def __init__(self, directory):
        self.path = directory / "slow_compiler"
        self.waits, self.waiting = directory / "waits", directory / "waiting"
        self.waits.touch()
        compiler = next(path for name in ("g++", "c++", "clang++") if (path := shutil.which(name)))
        self.path.write_text(
            COMPILER.format(waits=self.waits, waiting=self.waiting, compiler=compiler)
        )
        self.path.chmod(0o755)

    def wait_until_it_waits(self):
        limit = time.monotonic() + 60
        while not self.waiting.exists():
            assert time.monotonic() < limit
            time.sleep(0.01)

    def let_go(self):
        self.waits.unlink()


@pytest.fixture
def slow_compiler(tmp_path, monkeypatch):
    compiler = SlowCompiler(tmp_path)
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(compiler.path))
    monkeypatch.setenv("SLOW", "1")
    return compiler


def test_a_compilation_lets_threads_with_other_operands_go_on(slow_compiler, monkeypatch):
    f = npp.vectorize(lambda x, y: x * 3 + y, cache=False)
    monkeypatch.delenv("SLOW")
    check_call(f, "f8")
    monkeypatch.setenv("SLOW", "1")
    thread = threading.Thread(target=check_call, args=(f, "i4"))
    thread.start()
    try:
        slow_compiler.wait_until_it_waits()
        check_call(f, "f8")
        assert f(np.float64(1), 2) == 5  # asks the promoter, which has the loop
        assert npp.inspect(f).signatures == ["float64(float64, float64)"]
    finally:
        slow_compiler.let_go()
        thread.join()
    assert len(npp.inspect(f).signatures) == 2


@pytest.fixture
def run_program(tmp_path):
    """Run a program from a file, as kernels need their source; it prints `done` at its end."""

    def run(program):
        path = tmp_path / "program.py"
        path.write_text(PRELUDE + program + "print('done')\n")
        command = [sys.executable, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert result.stdout == "done\n", result.stderr

    return run


PRELUDE = """
import os, signal, sys, threading, time
import numpy as np
import numpy_plugin as npp

def make(**options):
    return npp.vectorize(lambda x, y: x * 3 + y, **options)

def check(f, dtype):
    assert f(np.ones(3, dtype), np.ones(3, dtype)).tolist() == [4, 4, 4]

def status_of_child(run):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits for ever is killed
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]

def beside(run):
    thread = threading.Thread(target=run)
    thread.start()
    return thread
"""


def test_a_fork_while_another_thread_compiles(slow_compiler, run_program):
    program = f"""
from pathlib import Path
waits, waiting = Path({str(slow_compiler.waits)!r}), Path({str(slow_compiler.waiting)!r})
f, other = make(cache=False), make(cache=False)
thread = beside(lambda: check(f, "f8"))
while not waiting.exists():
    time.sleep(0.01)

def in_child():
    del os.environ["SLOW"]
    check(f, "f8")
    check(f, "f4")
    check(other, "f8")

assert status_of_child(in_child) == 0
waits.unlink()
thread.join()
check(f, "f8")
assert status_of_child(lambda: check(f, "f8")) == 0
"""
    run_program(program)


def test_forks_at_any_moment_of_first_calls(run_program):
    program = """
import random
random.seed(1)
for dtype in ("f8", "f4", "i8"):
    check(make(), dtype)  # from here on it is in the cache
for _ in range(30):
    f = make()
    thread = beside(lambda: [check(f, dtype) for dtype in ("f8", "f4", "i8")])
    time.sleep(random.random() * 0.004)
    assert status_of_child(lambda: [check(f, dtype) for dtype in ("f4", "f8")]) == 0
    thread.join()
"""
    run_program(program)


@pytest.mark.parametrize("seed", [0, 1, *in_long_runs(*range(2, 40))])
def test_forks_during_the_first_compilation_of_a_process(run_program, empty_cache, seed):
    program = f"""
import random
random.seed({seed})
thread = beside(lambda: check(make(cache=False), "f8"))
for _ in range(4):
    time.sleep(random.random() * 0.06)
    assert status_of_child(lambda: check(make(cache=False), "f8")) == 0
thread.join()
"""
    run_program(program)


def test_forks_while_nvrtc_compiles(nvrtc, run_program):
    program = """
def compile_for_device():
    f = npp.vectorize(["f8(f8)"], cache=False)(lambda x: x * 2 + 1)
    assert ".visible .entry" in npp.inspect(f).ptx()

compile_for_device()
for i in range(4):
    thread = beside(compile_for_device)
    time.sleep(0.02 * i)
    assert status_of_child(compile_for_device) == 0
    thread.join()
"""
    run_program(program)
