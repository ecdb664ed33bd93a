"""The steps of a run, by what is learnt a second: what each runs, needs and shows."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from gpu_check import ncu_lines
from gpu_check.bench.lines import lines
from gpu_check.settings import IS_SMALL, one_of

__all__ = ["Step", "steps"]

TESTS = Path("tests/python")
#: Directories whose tests run on the GPU where NUMPY_PLUGIN_TEST_DEVICE says so.
DEVICE_TESTS = tuple(TESTS / name for name in ("device", "device_methods", "arrays"))
MARKED = "gpu and not slow" if IS_SMALL else "gpu"
TEST_VARIABLES = {"NUMPY_PLUGIN_TEST_DEVICE": "gpu", "NUMPY_PLUGIN_CUBLAS": "off"}


def every_line(text: str) -> list[str]:
    """Return all lines."""
    return text.splitlines()


def lines_with(pattern: str) -> Callable[[str], list[str]]:
    """Return what selects the lines that a pattern is found in, each once."""
    return lambda text: list(
        dict.fromkeys(line for line in text.splitlines() if re.search(pattern, line))
    )


class Step(NamedTuple):
    """A step of the run.

    Attributes:
        name: in the report.
        most: seconds.
        command: what is run, in the folder.
        essence: selects the lines that the report shows.
        room: characters that they have there.
        width: characters of a line.
        programs: that it needs.
        modules: of Python that it needs.
        variables: of the environment.
    """

    name: str
    most: float
    command: Sequence[str]
    essence: Callable[[str], list[str]]
    room: int
    width: int = 200
    programs: Sequence[str] = ()
    modules: Sequence[str] = ()
    variables: Mapping[str, str] = MappingProxyType({})

    def missing(self) -> str:
        """Return why the step can't run; empty where it can."""
        for program in self.programs:
            if shutil.which(program) is None:
                return f"no {program} on PATH"
        for module in self.modules:
            if importlib.util.find_spec(module) is None:
                return f"{module} is not installed"
        return ""


def steps(results: Path) -> list[Step]:
    """Return all steps, which write to a directory."""
    python = (sys.executable, "-m")
    show_probe = lines_with("^(ok|skip|FAIL) ")
    return [
        Step("machine", 15, (*python, "gpu_check.machine"), every_line, 900),
        Step("info", 20, (*python, "numpy_plugin", "info"), lines_with("CUDA|GPU|NVRTC|BLAS"), 700),
        Step(
            "probes",
            110,
            (*python, "gpu_check.probes", str(results / "probes.json")),
            show_probe,
            2600,
            240,
        ),
        Step(
            "bench",
            130,
            (*python, "gpu_check.bench", str(results / "bench.json")),
            lambda text: lines(results / "bench.json"),
            6500,
            140,
        ),
        _tests("device tests", 110, "not gpu and not slow", device_tests(), TEST_VARIABLES),
        _tests("tests marked gpu", 45, MARKED, marked_files(), {}),
        _sanitizer("memcheck", 45, "--track-stream-ordered-races", "all"),
        _sanitizer("racecheck", 35),
        _ncu(40),
    ]


def device_tests() -> list[Path]:
    """Return the directories, or of small runs a file."""
    if not IS_SMALL:
        return list(DEVICE_TESTS)
    files = [path for directory in DEVICE_TESTS for path in sorted(directory.glob("test_*.py"))]
    return [one_of(files)]


def marked_files() -> list[Path]:
    """Return the files with tests marked `gpu`: to collect all takes longer than to run these."""
    mark = "mark.gpu"
    return [path for path in sorted(TESTS.rglob("test_*.py")) if mark in path.read_text("utf-8")]


def _tests(
    name: str, most: float, marks: str, files: list[Path], variables: dict[str, str]
) -> Step:
    options = ["-q", "-p", "no:cacheprovider", "-p", "gpu_check.missing_packages", "--tb=line"]
    if importlib.util.find_spec("pytest_timeout"):
        options += ["--timeout", "60"]
    n_processes = len(os.sched_getaffinity(0)) - 1
    if importlib.util.find_spec("xdist") and n_processes > 1:
        options += ["-n", str(n_processes), "--dist", "loadfile"]
    command = (sys.executable, "-m", "pytest", *options, "-m", marks, *map(str, files))
    show = lines_with(r"^(FAILED|ERROR|missing:) |^=*\s*\d+ (passed|failed|errors?|skipped)")
    return Step(name, most, command, show, 1200, 180, modules=["pytest"], variables=variables)


def _sanitizer(tool: str, most: float, *options: str) -> Step:
    probes = (sys.executable, "-m", "gpu_check.probes", "--here", "sorts", "scans", "reductions")
    command = ("compute-sanitizer", "--tool", tool, *options, "--error-exitcode", "9", *probes)
    return Step(
        tool,
        most,
        command,
        lines_with(r"^=+ (?!COMPUTE-SANITIZER)\S|^(ok|FAIL) "),
        800,
        programs=["compute-sanitizer"],
        variables={"GPU_CHECK_SIZE": "small"},
    )


def _ncu(most: float) -> Step:
    options = ["--clock-control", "none", "--print-summary", "per-kernel", "-c", "60"]
    options += ["--metrics", ",".join(ncu_lines.METRICS.values())]
    command = ("ncu", *options, sys.executable, "-m", "gpu_check.ncu_calls")
    return Step("ncu", most, command, ncu_lines.lines, 1600, 130, programs=["ncu"])
