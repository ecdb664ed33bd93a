"""Seconds of a process's first steps, with an empty cache of kernels and with a full one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from gpu_check.bench.rows import Rows
from gpu_check.settings import IS_SMALL

CALLS = {
    "add": "np.add(x, 1.0)",
    "sum": "np.sum(x)",
    "sort": "np.sort(x)",
    "matmul": "np.matmul(x.reshape(100, 100), x.reshape(100, 100))",
}
PROGRAM = """
import time
times = [time.perf_counter()]
def step():
    times.append(time.perf_counter())
import numpy as np
from numpy_plugin import cuda
step()
x = cuda.ones(10000, np.float32)
cuda.synchronize()
step()
for _ in range(2):
    {call}
    cuda.synchronize()
    step()
print(*(round(b - a, 5) for a, b in zip(times, times[1:])))
"""


def measure(rows: Rows) -> None:
    """Add two rows a call."""
    for name in list(CALLS)[: 1 if IS_SMALL else None]:
        with tempfile.TemporaryDirectory(prefix="numpy_plugin_start_") as directory:
            for state in ("empty cache", "full cache"):
                if rows.is_over:
                    return
                rows.add(f"{name}, {state}", "s", **seconds_of(name, directory))


def seconds_of(name: str, cache: str) -> dict[str, Any]:
    """Return the seconds of the import, of the first array, of the first call and of the second."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=CALLS[name])],
        env={**os.environ, "NUMPY_PLUGIN_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return {"first": done.stderr[-200:]}
    names = ("import", "context", "first", "second")
    return dict(zip(names, map(float, done.stdout.split()), strict=True))
