"""Ctrl-C while something long runs: KeyboardInterrupt soon, nothing left, the next call works."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from long_runs import in_long_runs

# Each defines `long_work`, which takes at least a minute, and `short_work`, which returns 3.0,
# where that is not f(2.0, 0); PROGRAM has functions for that.
WORK = {
    "cpu": """
        f = mapped("cpu")
        x = np.full(10_000_000, 2.0)
        long_work = lambda: f(x, 100_000)
    """,
    "parallel": """
        f = mapped("parallel")
        x = np.full(10_000_000, 2.0)
        long_work = lambda: f(x, 100_000)
    """,
    "lazy": """
        @npp.vectorize
        def f(x, n):
            for i in range(int(n)):
                x = np.sin(x) + 1
            return x + 1
        x = np.full(10_000_000, 2.0)
        long_work = lambda: f(x, 100_000)
    """,
    "raising": """
        @npp.vectorize(["float64(float64, int64)"])
        def f(x, n):
            if n < 0:
                raise ValueError("n is negative")
            for i in range(n):
                x = np.sin(x) + 1
            return x + 1
        x = np.full(10_000_000, 2.0)
        long_work = lambda: f(x, 100_000)
    """,
    "strided and broadcast": """
        f = mapped("cpu")
        x = np.full((3000, 3000), 2.0)[:, ::3]
        long_work = lambda: f(x, np.full((3000, 1), 100_000))
    """,
    "reduce": """
        f = folded("cpu")
        x = np.full(10_000_000, 2.0)
        long_work = lambda: f.reduce(x)
    """,
    "accumulate": """
        f = folded("cpu")
        x = np.full(10_000_000, 2.0)
        long_work = lambda: f.accumulate(x)
    """,
    "converted on threads": """
        f = mapped("parallel")
        x = np.full(10_000_000, 2.0, ">f8")
        long_work = lambda: f(x, 100_000)
    """,
    "masked on threads": """
        f = mapped("parallel")
        x, out = np.full(10_000_000, 2.0), np.empty(10_000_000)
        mask = np.arange(x.size) % 3 == 0
        long_work = lambda: f(x, 100_000, out=out, where=mask)
    """,
    "rows on threads": """
        f = mapped("parallel")
        x = np.full((30_000, 300), 2.0)[:, ::2]
        long_work = lambda: f(x, 100_000)
    """,
    "reduce lines on threads": """
        f = folded("parallel")
        x = np.full((100_000, 100), 2.0)
        long_work = lambda: f.reduce(x, axis=1)
    """,
    "accumulate lines on threads": """
        f = folded("parallel")
        x = np.full((100_000, 100), 2.0)
        long_work = lambda: f.accumulate(x, axis=1)
    """,
    "generalized on threads": """
        f = summed("parallel")
        x = np.full((100_000, 100), 2.0)
        long_work = lambda: f(x, 100_000)
        short_work = lambda: f([2.0], 0)
    """,
    "generalized": """
        f = summed("cpu")
        x = np.full((100_000, 100), 2.0)
        long_work = lambda: f(x, 100_000)
        short_work = lambda: f([2.0], 0)
    """,
    "map": """
        f = mapped("cpu")
        x = np.full(100_000, 2.0)
        long_work = lambda: list(map(f, [x] * 1000, [10_000] * 1000))
    """,
    "compiling": """
        def declare(n):
            return npp.vectorize(["float64(float64)"], args="x", cache=False,
                                 body="double t = x;" + "t = sin(t) * x;" * n + "return 3 + 0 * t;")
        long_work = lambda: declare(40_000)
        short_work = lambda: declare(1)(2.0)
    """,
    "simulator": """
        f = mapped("auto")
        x = npp.cuda.to_device(np.full(100_000, 2.0))
        f(x[:32], 0)
        long_work = lambda: f(x, 100_000).copy_to_host()
        short_work = lambda: f(x[:1], 0).copy_to_host()[0]
    """,
}

# A process started in the background, as by nohup, ignores SIGINT, and so do its children.
PROGRAM = """
import signal
import numpy as np
import numpy_plugin as npp

signal.signal(signal.SIGINT, signal.default_int_handler)

BODY = "double t = x; for (long i = 0; i < n; ++i) t = sin(t) + 1; return t + 1;"
FOLD = "double t = y; for (int i = 0; i < 10000; ++i) t = sin(t); return x + 1 + 0 * t;"

def mapped(target):
    return npp.vectorize(["float64(float64, int64)"], args="x, n", target=target, body=BODY)

def folded(target):
    return npp.vectorize(["float64(float64, float64)"], args="x, y", target=target, body=FOLD)

def summed(target):
    @npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->()", target=target)
    def f(x, n, out):
        total = 0.0
        for i in range(x.size):
            value = x[i]
            for _ in range(n):
                value = np.sin(value)
            total += value
        out[0] = total + 1
    return f

short_work = lambda: f(2.0, 0)
{work}
assert short_work() == 3
print("begins", flush=True)
try:
    long_work()
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(short_work(), flush=True)
"""


def start(work, directory, program):
    program.write_text(PROGRAM.format(work=textwrap.dedent(WORK[work])))
    environment = {"TMPDIR": str(directory), "NUMPY_PLUGIN_NUM_THREADS": "3"}
    if work == "simulator":
        environment["NUMPY_PLUGIN_CUDA"] = "simulator"
    return subprocess.Popen(
        [sys.executable, program],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def living_processes_of_session(session):
    rows = subprocess.run(["ps", "-eo", "sess=,stat="], capture_output=True, text=True, check=True)
    found = [row.split() for row in rows.stdout.splitlines()]
    return [state for number, state in found if number == str(session) and state[0] != "Z"]


# One of each kind of loop, and of each way to wait for threads, a compiler and a device.
QUICK = [
    "raising",
    "strided and broadcast",
    "accumulate",
    "masked on threads",
    "reduce lines on threads",
    "generalized on threads",
    "map",
    "compiling",
    "simulator",
]


@pytest.mark.parametrize(
    "work", [*QUICK, *in_long_runs(*(name for name in WORK if name not in QUICK))]
)
def test_interrupt(work, tmp_path, request):
    if work == "simulator":
        request.getfixturevalue("nvrtc")
    directory = tmp_path / "temporary"
    directory.mkdir()
    process = start(work, directory, tmp_path / "program.py")
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    assert process.stdout.readline() == "begins\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    try:
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begin < 15
        assert (process.stdout.read(), process.stderr.read()) == ("3.0\n", "")
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        watchdog.cancel()
    assert list(directory.iterdir()) == []
    assert living_processes_of_session(process.pid) == []
