"""`python -m numpy_plugin simulator run`: a program with the simulated driver as its libcuda."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from numpy_plugin import _core, cuda
from numpy_plugin._cuda.faults import memory_bytes
from numpy_plugin._errors.exceptions import CudaError

__all__ = ["Machine", "command_of", "run"]

_DRIVER = "libcuda.so.1"
# Names of the stand-in for nvJitLink, which must be in the process before NVIDIA's: a library that
# is loaded is not searched for.
_LINKERS = ("libnvJitLink.so.12", "libnvJitLink.so.13")
_NVIDIA_LINKER = "libnvJitLink_nvidia.so"  # which the stand-in calls
_MOST_DEVICES = 64  # of a machine

# A terminal sends these to the program as well.
_OF_TERMINALS = (signal.SIGINT, signal.SIGQUIT)
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Simulated devices, as the arguments of `cuda.simulator()`, and what they report.

    Attributes:
        report: the findings that are written to the standard error: "faults" of kernels, "errors"
            of calls, "leaks" of memory.
    """

    arch: str = "sm_90"
    memory: str = "1 GiB"
    checks: Sequence[str] = ("all",)
    faults: Mapping[str, float] = field(default_factory=dict)
    max_steps: int | None = None
    devices: int = 1
    multiprocessors: int | None = None
    report: Sequence[str] = ("faults",)

    def require_valid(self) -> None:
        """Make such devices, once: raise what `cuda.simulator()` raises."""
        if self.devices > _MOST_DEVICES:
            raise ValueError(f"devices must be 1 to {_MOST_DEVICES}, found {self.devices}")
        given = {name: getattr(self, name) for name in _OF_DEVICES}
        cuda.simulator(**given, checks=self._checks())

    def _checks(self) -> Sequence[str]:
        return () if list(self.checks) == ["none"] else self.checks

    def environment(self) -> dict[str, str]:
        """Return the variables that the simulator reads."""
        options = {
            "arch": self.arch,
            "memory": memory_bytes(self.memory),
            "checks": ",".join(self._checks()) or "none",
            **self.faults,
            "max_steps": self.max_steps,
            "multiprocessors": self.multiprocessors,
            "report": ",".join(self.report),
        }
        return {
            "NUMPY_PLUGIN_CUDA": "simulator",
            "NUMPY_PLUGIN_SIMULATED_DEVICES": str(self.devices),
            "NUMPY_PLUGIN_SIMULATOR_OPTIONS": " ".join(
                f"{name}={value}" for name, value in options.items() if value is not None
            ),
        }


_OF_DEVICES = ("arch", "memory", "faults", "max_steps", "devices", "multiprocessors")


def run(command: Sequence[str], machine: Machine) -> int:
    """Run a program to its end and return its exit status; end as it did if a signal ended it."""
    try:
        machine.require_valid()
    except (CudaError, ValueError) as error:
        return _fail(str(error), 2)
    with _directory_with_libraries() as directory:
        environment = {**os.environ, **machine.environment(), **_of_loader(directory)}
        try:
            status = _run_to_the_end(command, environment)
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            return _fail(f"{command[0]} can't be run: {error.strerror}", 127 if is_missing else 126)
    if status < 0:
        _end_by(-status)
    return status


def _fail(text: str, status: int) -> int:
    print(f"python -m numpy_plugin simulator run: error: {text}", file=sys.stderr)
    return status


def command_of(program: str, arguments: Sequence[str]) -> list[str]:
    """Return the command of a program: a file of Python is run by this interpreter."""
    if program.endswith((".py", ".pyz")) or Path(program).is_dir():
        return [sys.executable, program, *arguments]
    return [program, *arguments]


@contextmanager
def _directory_with_libraries() -> Iterator[Path]:
    """Make a directory of this user alone in which the simulator has the driver's name.

    Where nvJitLink is installed, its names are there, too: what it makes is machine code.
    """
    directory = Path(tempfile.mkdtemp(prefix="numpy_plugin_simulator_"))
    simulator = Path(cuda.SIMULATOR_PATH)
    try:
        (directory / _DRIVER).symlink_to(simulator)
        if linker := _core.find_nvjitlink():
            (directory / _NVIDIA_LINKER).symlink_to(linker)
            for name in _LINKERS:
                (directory / name).symlink_to(simulator.with_name("libnumpy_plugin_nvjitlink.so"))
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _of_loader(directory: Path) -> dict[str, str]:
    """Return the dynamic linker's variables that find the libraries, before those of others."""
    others = os.environ.get("LD_LIBRARY_PATH", "")
    variables = {"LD_LIBRARY_PATH": f"{directory}:{others}" if others else str(directory)}
    if (directory / _NVIDIA_LINKER).is_symlink():
        # By name: a path may contain spaces, which separate the entries.
        loaded = (*_LINKERS, os.environ.get("LD_PRELOAD", ""))
        variables["LD_PRELOAD"] = " ".join(filter(None, loaded))
    return variables


def _run_to_the_end(command: Sequence[str], environment: dict[str, str]) -> int:
    """Return the exit status, or the negative number of the signal that ended the program."""
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        if process is None:
            early.append(number)
        else:
            process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in _PASSED_ON}
    before |= {number: signal.signal(number, lambda *_: None) for number in _OF_TERMINALS}
    try:
        process = subprocess.Popen(command, env=environment)
        for number in early:
            process.send_signal(number)
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_by(number: int) -> None:
    """End this process by a signal, without a core dump: the program's own is the useful one."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
