"""Run probes: `RESULTS.json [NAME...]` each in a process; `--here NAME...` in this one.

A context that a fault has broken costs one probe, and so does one that hangs.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from gpu_check.probes.probe import PROBES, Missing
from gpu_check.settings import part, step_seconds
from numpy_plugin import cuda

MODULES = (
    "faults",
    "forms",
    "functions",
    "huge",
    "kernels",
    "libraries",
    "memory",
    "reductions",
    "selection",
)
#: What a probe's process prints before its result.
MARK = "RESULT "
#: Processes at a time, each with a context on the GPU.
AT_A_TIME = 8
MOST_SECONDS = 75.0


def here(name: str) -> dict[str, Any]:
    """Run a probe in this process, and return its result."""
    begin = time.monotonic()
    result: dict[str, Any] = {"probe": name, "status": "ok"}
    try:
        with cuda.gpus[0]:
            result["said"] = PROBES[name]()
    except Missing as error:
        result |= {"status": "skip", "said": str(error)}
    except Exception as error:
        result |= {"status": "FAIL", "said": f"{type(error).__name__}: {error}"[:1500]}
        sys.excepthook(type(error), error, error.__traceback__)
    return result | {"seconds": round(time.monotonic() - begin, 2)}


def in_a_process(name: str, seconds: float) -> dict[str, Any]:
    """Run a probe in a process of its own; what it prints is printed when it ends."""
    begin = time.monotonic()
    command = [sys.executable, "-m", "gpu_check.probes", "--here", name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
        printed, said = done.stdout + done.stderr, f"ended with {done.returncode}"
    except subprocess.TimeoutExpired as error:
        printed, said = str(error.stderr or ""), "hangs, or has too little time"
    lines = [line for line in printed.splitlines() if line.startswith(MARK)]
    if not lines:
        result = {"probe": name, "status": "FAIL", "said": f"{said}: {printed[-1500:]}"}
    else:
        result = json.loads(lines[-1].removeprefix(MARK))
        if done.returncode not in (0, 1):
            result |= {"status": "FAIL", "said": f"{said}, after: {result['said']}"}
    if result["status"] == "FAIL":
        print(f"-- {name}\n{textwrap.indent(printed, '   ')}")
    return {"seconds": round(time.monotonic() - begin, 2), **result}


def line(result: dict[str, Any]) -> str:
    """Return a result as the report shows it."""
    said = " ".join(str(result["said"]).split()) if result["said"] is not None else ""
    return f"{result['status']:4} {result['probe']} {result['seconds']:.1f} s {said}".rstrip()


def run_all(path: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Run probes side by side; the file has all results so far."""
    found: list[dict[str, Any]] = []
    end = time.monotonic() + step_seconds(600)
    n_processes = min(AT_A_TIME, len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(n_processes) as pool:

        def run(name: str) -> dict[str, Any]:
            left = max(1.0, min(MOST_SECONDS, end - time.monotonic()))
            return in_a_process(name, left)

        for done in as_completed([pool.submit(run, name) for name in names]):
            found.append(done.result())
            path.write_text(json.dumps(found, indent=1), encoding="utf-8")
            print(line(found[-1]), flush=True)
    return found


def main(words: list[str]) -> int:
    """Run what the command line names; return whether a probe failed."""
    for module in MODULES:
        importlib.import_module(f"gpu_check.probes.{module}")
    if words[0] == "--here":
        found = []
        for name in words[1:]:
            found.append(here(name))
            print(MARK + json.dumps(found[-1], default=str))
            print(line(found[-1]), flush=True)
    else:
        found = run_all(Path(words[0]), words[1:] or part(list(PROBES)))
    return int(any(result["status"] == "FAIL" for result in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
