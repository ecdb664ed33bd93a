"""`python -m numpy_plugin bench`: measure this package's performance against its targets.

Start-up and NVRTC are measured in separate processes (`bench_process`), everything else here,
alternating with the code it is compared to. Of the machine only its processor's name is recorded.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core, cuda, inspect, vectorize
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands import bench_process, demo, info, report
from numpy_plugin._commands.environment import environment

__all__ = ["HEADERS", "Measurement", "measure", "run", "script", "show"]

N_VALUES = 1_000_000
ROUNDS = 15
PROCESSES = 7


class Measurement(NamedTuple):
    """One number, and its target, if any.

    Attributes:
        name: what was measured.
        value: the number.
        unit: "ms", "times" for a ratio, or a rate.
        target: the limit; None for numbers that are only reported.
        is_upper: whether the target is the largest value allowed, or the smallest.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    is_upper: bool = True

    @property
    def outcome(self) -> str:
        """Return whether the target is met, as a word; empty if there is none."""
        if self.target is None:
            return ""
        is_met = self.value <= self.target if self.is_upper else self.value >= self.target
        return "met" if is_met else "missed"

    def cells(self) -> list[str]:
        """Return the row of the table."""
        target = ""
        if self.target is not None:
            target = f"at {'most' if self.is_upper else 'least'} {self.target:g}"
        return [self.name, f"{self.value:.2f}", self.unit, target, self.outcome]


HEADERS = ["what", "measured", "unit", "target", "outcome"]

Step = Callable[[], list[Measurement]]


def run(*, as_json: bool = False) -> int:
    """Measure, print, and return the exit status."""
    steps: list[Step] = [
        start_up,
        errors,
        one_element,
        device_call,
        partial(against_others, "float64"),
        partial(against_others, "float32"),
        parallel,
        nvrtc,
    ]
    show(measure(steps, as_json=as_json), as_json=as_json)
    return 0


def measure(steps: Sequence[Step], *, as_json: bool) -> list[Measurement]:
    """Run all steps with a progress bar; print nothing else if JSON is requested."""
    measurements: list[Measurement] = []
    with (
        contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout),
        report.progress("measuring", len(steps)) as advance,
    ):
        for step in steps:
            measurements += step()
            advance()
    return measurements


def show(measurements: Sequence[Measurement], *, as_json: bool) -> dict[str, Any]:
    """Print a table or JSON; return the JSON's data."""
    record: dict[str, Any] = {
        "environment": environment(),
        "measurements": [as_record(m) for m in measurements],
    }
    if as_json:
        report.line(json.dumps(record, indent=2))
    else:
        report.table("benchmark", HEADERS, [m.cells() for m in measurements])
    return record


def as_record(measurement: Measurement) -> dict[str, Any]:
    """Return a measurement as plain data."""
    return {**measurement._asdict(), "outcome": measurement.outcome}


def child(what: str, cache: str) -> dict[str, float]:
    """Run one measurement of `bench_process` in a new process and return its numbers."""
    return script(what, bench_process.__file__, what, NUMPY_PLUGIN_CACHE_DIR=cache)


def script(name: str, *arguments: str, **environment: str) -> dict[str, float]:
    """Run a script that prints numbers as JSON, with additional environment variables."""
    result = subprocess.run(
        [sys.executable, "-P", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise RuntimeError(f"the measurement {name!r} failed:\n{result.stderr}")
    numbers: dict[str, float] = json.loads(result.stdout)
    return numbers


def start_up() -> list[Measurement]:
    """Measure the import, and the time from declaration to first result, in new processes."""
    imports, cold, warm = [], [], []
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as cache:
            first = child("first_result", cache)
            second = child("first_result", cache)
        imports += [first["import_ms"], second["import_ms"]]
        cold.append(first["first_result_ms"])
        warm.append(second["first_result_ms"])
    return [
        Measurement("import, over NumPy's", statistics.median(imports), "ms", 30),
        Measurement("declare to first result, cold", statistics.median(cold), "ms", 120),
        Measurement("declare to first result, cached", statistics.median(warm), "ms", 5),
    ]


def errors() -> list[Measurement]:
    """Measure the time from a wrong declaration to its error message, in new processes."""
    with tempfile.TemporaryDirectory() as cache:
        runs = [child("errors", cache) for _ in range(PROCESSES)]
    rows = [
        ("the front end", "kernel_ms", 50),
        ("the host's compiler", "body_ms", 100),
        ("NVRTC", "nvrtc_ms", 100),
    ]
    return [
        Measurement(
            f"a wrong declaration to its error, by {who}",
            statistics.median(run[name] for run in runs),
            "ms",
            target,
        )
        for who, name, target in rows
    ]


@vectorize(["float64(float64, float64)"], target="cpu")
def add(x: float, y: float) -> float:
    """x plus y, like np.add, to compare the cost of a call."""
    return x + y


def one_element() -> list[Measurement]:
    """Compare a call on one element with np.add."""
    x, y = np.ones(1), np.ones(1)
    n_calls = 20_000
    timers = {
        "ours": timeit.Timer("f(x, y)", globals={"f": add, "x": x, "y": y}),
        "np.add": timeit.Timer("f(x, y)", globals={"f": np.add, "x": x, "y": y}),
    }
    times = median_times(
        {name: partial(timer.timeit, n_calls) for name, timer in timers.items()}, ROUNDS
    )
    return [
        Measurement(
            "call on one element, over np.add", times["ours"] / times["np.add"], "times", 1.15
        )
    ]


def device_call() -> list[Measurement]:
    """Compare a call on device arrays, up to the launch, with np.add on the host.

    The kernels don't run during the measurement: an earlier copy keeps the simulated device busy.
    """
    if "error" in info.nvrtc():
        return []
    n_calls, host = 200, np.ones(8, np.float32)
    function = inspect(add).python
    assert function is not None
    f = vectorize(["float32(float32, float32)"])(function)
    with cuda.simulator(memory="1 MiB", faults={"copy_delay": 1.0}), cuda.stream() as stream:
        x, y, z, copied = (cuda.ones(8, np.float32) for _ in range(4))
        pinned = cuda.pinned_array(8, np.float32)
        f(x, y, out=z)
        stream.synchronize()
        timers = {
            "ours": timeit.Timer("f(x, y, out=z)", globals={"f": f, "x": x, "y": y, "z": z}),
            "np.add": timeit.Timer("f(x, y)", globals={"f": np.add, "x": host, "y": host}),
        }
        copied.copy_to_device(pinned)
        times = median_times(
            {name: partial(timer.timeit, n_calls) for name, timer in timers.items()}, ROUNDS
        )
        if stream.query():
            raise RuntimeError("the simulated device was not kept busy while calls were timed")
        stream.synchronize()
    ratio = times["ours"] / times["np.add"]
    return [Measurement("call on device arrays up to the launch, over np.add", ratio, "times", 5)]


def against_others(name: str) -> list[Measurement]:
    """Compare gaussian_pdf on a million values with SciPy, the NumPy expression and Numba."""
    operands = demo.make_operands(N_VALUES)[name]
    times = median_times(demo.contestants(operands), ROUNDS)
    ours = times.pop("numpy_plugin")
    targets = {"Numba @vectorize": 3.0, "NumPy expression": 1.5}
    rows = [Measurement(f"gaussian_pdf {name}, 1e6 values", ours * 1e3, "ms")]
    rows += [
        Measurement(f"faster than {way}, {name}", seconds / ours, "times", targets.get(way), False)
        for way, seconds in times.items()
    ]
    return rows


def parallel() -> list[Measurement]:
    """Compare the parallel target with the single-threaded one."""
    x, mean, sigma = demo.make_operands(N_VALUES)["float64"]
    function = inspect(demo.gaussian_pdf).python
    assert function is not None
    signature = "float64(float64, float64, float64)"
    one = vectorize([signature], target="cpu")(function)
    many = vectorize([signature], target="parallel")(function)
    times = median_times(
        {"cpu": lambda: one(x, mean, sigma), "parallel": lambda: many(x, mean, sigma)}, ROUNDS
    )
    label = f"parallel over cpu, float64, {_core.n_threads()} threads"
    return [Measurement(label, times["cpu"] / times["parallel"], "times")]


def nvrtc() -> list[Measurement]:
    """Measure compilation for GPUs, after the first one in a process."""
    if "error" in info.nvrtc():
        report.line("NVRTC not found: not measured")
        return []
    with tempfile.TemporaryDirectory() as cache:
        found = child("nvrtc", cache)
    return [
        Measurement("NVRTC, first in a process", found["first_ms"], "ms"),
        Measurement("NVRTC to PTX, float32", found["ptx_ms"], "ms", 40),
        Measurement("NVRTC to cubin, float32", found["cubin_ms"], "ms", 80),
        Measurement("two kernels on two threads", found["speed_up"], "times", 1.5, False),
    ]
