"""The end of a process while threads of it call, compile and launch: no crash, nothing left."""

import os
import subprocess
import sys
import textwrap

import pytest
from long_runs import in_long_runs

# Each defines `work`, which a thread calls repeatedly.
WORK = {
    "cpu": """
        f = npp.vectorize(["float64(float64)"], args="x", body="return x * x;", target="cpu")
        work = lambda: f(x)
    """,
    "parallel": """
        f = npp.vectorize(["float64(float64)"], args="x", body="return x * x;", target="parallel")
        work = lambda: f(x)
    """,
    "raising": """
        @npp.vectorize(["float64(float64)"])
        def f(x):
            if x < 0:
                raise ValueError("x is negative")
            return x
        def work():
            try:
                f(-x - 1)
            except ValueError:
                pass
    """,
    "lazy": """
        def work():
            npp.vectorize(lambda a, b: a * b + 1, cache=False)(x, x)
    """,
    "declare": """
        def work():
            npp.vectorize(["float64(float64)"], args="x", body="return x * x;", cache=False)
    """,
    "simulator": """
        f = npp.vectorize(["float64(float64)"], args="x", body="return x * x;")
        def work():
            f(npp.cuda.to_device(x[:5000])).copy_to_host()
    """,
    "simulator, first calls": """
        def work():
            f = npp.vectorize(lambda a, b: a * b + 1)
            f(npp.cuda.to_device(x[:500]), 2.0).copy_to_host()
    """,
    "simulator, compilations": """
        def work():
            f = npp.vectorize(lambda a, b: a * b + 1, cache=False)
            f(npp.cuda.to_device(x[:500]), 2.0).copy_to_host()
    """,
}

PROGRAM = """
import atexit, ctypes, threading, time

def end_slowly():
    libc = ctypes.CDLL(None)
    sleep = ctypes.cast(libc.usleep, ctypes.c_void_p)
    libc.__cxa_atexit(sleep, ctypes.c_void_p(300_000), None)

{begin}
import numpy as np
import numpy_plugin as npp

x = np.arange(200_000.0)
{work}
work()

def forever():
    while True:
        work()

def some_times():
    for _ in range(5):
        work()

{end}
"""

# The first handler of exit is the last one that runs: it keeps threads at work after all objects of
# the libraries have been destroyed.
BEGINNINGS = {"daemon threads and a slow exit": "end_slowly()"}

ENDS = {
    "daemon threads": """
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
""",
    "daemon threads and a slow exit": """
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
""",
    "daemon threads and exit without the end of Python": """
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
ctypes.CDLL(None).exit(0)
""",
    "daemon threads and atexit": """
atexit.register(work)
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
""",
    "joined threads": """
for _ in range(3):
    threading.Thread(target=some_times).start()
""",
    "an exception": """
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
raise SystemExit(3)
""",
}


def start(work, end, directory, program):
    begin = BEGINNINGS.get(end, "")
    text = PROGRAM.format(begin=begin, work=textwrap.dedent(WORK[work]), end=ENDS[end])
    program.write_text(text)
    environment = {"TMPDIR": str(directory), "NUMPY_PLUGIN_NUM_THREADS": "3"}
    if work.startswith("simulator"):
        environment["NUMPY_PLUGIN_CUDA"] = "simulator"
    return subprocess.Popen(
        [sys.executable, program],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


PAIRS = [
    (work, end, 1)
    for first, work in enumerate(WORK)
    for end in [*ENDS][first % len(ENDS) :] + [*ENDS][: first % len(ENDS)]
]
# Each work with two of the ends, in turn.
QUICK = [pair for number, pair in enumerate(PAIRS) if number % 3 == 0]
OTHERS = [pair for pair in PAIRS if pair not in QUICK]
# Races differ from run to run: the long run has many of the most varied end.
OFTEN = [(work, "daemon threads", 8) for work in WORK]


@pytest.mark.parametrize(("work", "end", "n_processes"), [*QUICK, *in_long_runs(*OTHERS, *OFTEN)])
def test_threads_at_work(work, end, n_processes, tmp_path, request):
    if work.startswith("simulator"):
        request.getfixturevalue("nvrtc")
    expected = 3 if end == "an exception" else 0
    directory = tmp_path / "temporary"
    directory.mkdir()
    processes = [start(work, end, directory, tmp_path / "program.py") for _ in range(n_processes)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (expected, "")
    assert list(directory.iterdir()) == []
