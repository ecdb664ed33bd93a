"""Prints what the machine is: GPU, driver, Python's packages, processor."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence

from numpy_plugin._commands.environment import processor

__all__ = ["PACKAGES", "main", "versions"]

QUERY = (
    "name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,pcie.link.gen.max,"
    "pcie.link.width.max,mig.mode.current"
)
PACKAGES = (
    *("numpy", "cupy-cuda13x", "cupy-cuda12x", "torch", "jax", "numba", "numba-cuda"),
    *("nvidia-cuda-nvrtc", "nvidia-cublas", "nvidia-nvjitlink", "pytest", "pytest-xdist"),
    *("pytest-timeout", "hypothesis", "ipython", "scipy", "mpmath"),
)


def versions() -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def last_lines(command: Sequence[str], n: int = 1) -> str:
    """Return the end of what a program prints, or why it can't."""
    if shutil.which(command[0]) is None:
        return f"no {command[0]} on PATH"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "; ".join((done.stdout + done.stderr).strip().splitlines()[-n:])


def main() -> None:
    """Print a line for each part."""
    print(last_lines(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader"]))
    print(last_lines(["nvcc", "--version"]))
    print(last_lines(["g++", "--version"], 9).partition(";")[0])
    print(f"{len(os.sched_getaffinity(0))} cores, {processor()}, {platform.release()}")
    found = versions()
    absent = [package for package in PACKAGES if package not in found]
    print(f"Python {platform.python_version()}", *(f"{a} {b}" for a, b in found.items()), sep=", ")
    print("not installed:", ", ".join(absent))


if __name__ == "__main__":
    main()
