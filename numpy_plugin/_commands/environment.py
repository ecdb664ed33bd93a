"""The machine and the versions that a measurement is of."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path
from typing import Any

import numpy_plugin
from numpy_plugin._commands import info

__all__ = ["environment", "processor"]


def environment() -> dict[str, Any]:
    """Return the conditions of the measurement: processor, date, versions."""
    compiler = info.host_compiler()
    device = info.nvrtc()
    versions = {name: info.version_of(name) for name in ("numpy", "scipy", "numba")}
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy_plugin": numpy_plugin.__version__,
        **{name: version for name, version in versions.items() if version is not None},
        "host compiler": compiler.get("version"),
        "NVRTC": device.get("version"),
    }


def processor() -> str:
    """Return the processor's name as the system reports it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    names = [
        row.split(":", 1)[1].strip() for row in text.splitlines() if row.startswith("model name")
    ]
    return names[0] if names else platform.machine()
