"""The run on the machine: one step after another, each under a limit, and the report of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from gpu_check.report_text import Report
from gpu_check.settings import IS_SMALL, SECONDS_IN_ALL
from gpu_check.steps import Step, steps

__all__ = ["run"]

#: JAX would take most of the memory, and every process a thread of OpenBLAS for each core.
VARIABLES = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "OPENBLAS_NUM_THREADS": "1"}
#: Small runs are tests, which share a machine with others.
PATIENCE = 6 if IS_SMALL else 1
#: Less than this is no time for a step.
LEAST_SECONDS = 5.0


def run(results: Path) -> int:
    """Run all steps, write the report after each, and return whether one went wrong."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    end = time.monotonic() + SECONDS_IN_ALL
    report = Report(results / "report.txt")
    with (
        open(results / "log.txt", "a+", encoding="utf-8", errors="replace") as log,
        tempfile.TemporaryDirectory(prefix="numpy_plugin_gpu_check_") as cache,
    ):
        variables = {"NUMPY_PLUGIN_CACHE_DIR": cache, **os.environ, **VARIABLES}
        for step in steps(results):
            print(f"== {step.name}, at most {step.most:.0f} s", flush=True)
            report.add(step, *outcome(step, end - time.monotonic(), log, variables))
    print(report.essence())
    return int(report.is_wrong)


def outcome(step: Step, left: float, log: IO[str], variables: Mapping[str, str]) -> tuple[str, str]:
    """Run a step, if it can be; return how it ended and what it printed."""
    reason = step.missing()
    if reason:
        return f"skipped: {reason}", ""
    if left < LEAST_SECONDS:
        return "skipped: no time left", ""
    log.write(f"== {step.name}\n")
    log.flush()
    start, begin = log.tell(), time.monotonic()
    ended = wait(step, min(PATIENCE * step.most, left), log, variables)
    log.seek(start)
    text = log.read()
    return f"{ended} after {time.monotonic() - begin:.0f} s", text


def wait(step: Step, seconds: float, log: IO[str], variables: Mapping[str, str]) -> str:
    """Return how a step's processes end, which are all stopped at its limit."""
    own = {**variables, **step.variables, "GPU_CHECK_STEP_SECONDS": f"{seconds - 4:.0f}"}
    options: dict[str, Any] = {"stdout": log, "stderr": subprocess.STDOUT, "env": own}
    try:
        process = subprocess.Popen(
            step.command, stdin=subprocess.DEVNULL, process_group=0, **options
        )
    except OSError as error:
        return f"FAILED to start: {error}"
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return "STOPPED at its limit"
    finally:
        stop(process.pid)
        process.wait()
    return "ok" if status == 0 else f"FAILED with {status}"


def stop(group: int) -> None:
    """End what is left of a step's processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
