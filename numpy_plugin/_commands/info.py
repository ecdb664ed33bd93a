"""`python -m numpy_plugin info`: versions, compilers, CUDA's libraries, driver, devices, cache."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from typing import Any

import numpy as np

from numpy_plugin import CompilerError, __version__, _core, config, cuda
from numpy_plugin._commands import report

__all__ = [
    "collect",
    "cublas",
    "device_row",
    "driver",
    "host_compiler",
    "nvrtc",
    "run",
    "simulator",
    "version_of",
]


def collect() -> dict[str, Any]:
    """Return everything that `info` prints, ready for JSON."""
    cache = _core.cache_info()
    return {
        "versions": {
            "numpy_plugin": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "host_compiler": host_compiler(),
        "nvrtc": nvrtc(),
        "cublas": cublas(),
        "cache": {
            "directory": cache["directory"],
            "reason": cache["reason"],
            "n_entries": len(cache["entries"]),
            "n_bytes": sum(entry["n_bytes"] for entry in cache["entries"]),
        },
        "n_threads": _core.n_threads(),
        "driver": driver(),
        "devices": [device_row(device) for device in cuda.gpus],
        "simulator": simulator(),
    }


def host_compiler() -> dict[str, Any]:
    """Return the C++ compiler's command and version, or the error if there is none."""
    try:
        return _core.host_compiler()
    except CompilerError as error:
        return {"error": str(error)}


def nvrtc() -> dict[str, Any]:
    """Return the version, path and architectures of the driver's NVRTC, or why there is none."""
    try:
        return _core.nvrtc_info(_driver_number())
    except CompilerError as error:
        return {"error": str(error)}


def cublas() -> dict[str, Any]:
    """Return the version and path of the driver's cuBLAS, or why there is none."""
    if all(device.is_simulated for device in cuda.gpus):
        return {"error": "not used: there is no GPU"}
    try:
        return _core.cublas_info(_driver_number())
    except ValueError as error:  # of the environment
        return {"error": str(error)}


def _driver_number() -> int:
    """Return the driver's version, 13020 for CUDA 13.2; 0 without a driver."""
    major, minor = _core.driver_version() or (0, 0)
    return 1000 * major + 10 * minor


def driver() -> dict[str, Any]:
    """Return the version of the driver in use, and why it has no device, if so."""
    version = _core.driver_version()
    return {
        "version": version and ".".join(map(str, version)),
        "why_no_device": _core.why_no_device(),
    }


def device_row(device: cuda.Device) -> dict[str, Any]:
    """Return the description of a device."""
    return {
        "name": device.name,
        "arch": device.arch,
        "memory_bytes": device.memory,
        "multiprocessors": device.multiprocessors,
        "is_simulated": device.is_simulated,
    }


def simulator() -> dict[str, Any]:
    """Return the path of the simulated driver, or why there is none, and whether it is selected."""
    return {
        "path": cuda.SIMULATOR_PATH,
        "error": _core.why_no_simulator(),
        "is_selected": config.cuda == "simulator",
    }


def version_of(package: str) -> str | None:
    """Return an installed package's version; None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(*, as_json: bool = False) -> int:
    """Print what this installation found, and return the exit status."""
    found = collect()
    if as_json:
        report.line(json.dumps(found, indent=2))
    else:
        report.table("this installation", ["what", "found"], _rows(found), words=True)
    return 0


def _rows(found: dict[str, Any]) -> list[list[str]]:
    compiler, nvrtc, cache = (found[key] for key in ("host_compiler", "nvrtc", "cache"))
    rows = [[name, version] for name, version in found["versions"].items()]
    if "error" in compiler:
        rows.append(["host compiler", _first_line(compiler["error"])])
    else:
        rows += [["host compiler", compiler["command"]], ["", compiler["version"]]]
    if "error" in nvrtc:
        rows.append(["NVRTC", _first_line(nvrtc["error"])])
    else:
        architectures = " ".join(nvrtc["architectures"])
        rows += [["NVRTC", nvrtc["version"]], ["", nvrtc["path"]], ["architectures", architectures]]
    cublas = found["cublas"]
    if "error" in cublas:
        rows.append(["cuBLAS", _first_line(cublas["error"])])
    else:
        rows += [["cuBLAS", cublas["version"]], ["", cublas["path"]]]
    entries = f"{cache['n_entries']} entries, {cache['n_bytes']:,} bytes"
    rows += [["cache", cache["directory"] or cache["reason"]], ["", entries]]
    rows.append(["threads", str(found["n_threads"])])
    return rows + _cuda_rows(found)


def _cuda_rows(found: dict[str, Any]) -> list[list[str]]:
    driver, simulator = found["driver"], found["simulator"]
    rows = []
    if driver["version"]:
        is_simulated = simulator["is_selected"] and bool(found["devices"])
        suffix = " (simulated)" if is_simulated else ""
        rows.append(["CUDA driver", driver["version"] + suffix])
    if not found["devices"]:
        rows.append(["GPU", _first_line(driver["why_no_device"])])
    for device in found["devices"]:
        rows.append(["simulated GPU" if device["is_simulated"] else "GPU", device["name"]])
        memory = f"{device['memory_bytes'] / 2**30:.1f} GiB"
        rows.append(
            ["", f"{device['arch']}, {device['multiprocessors']} multiprocessors, {memory}"]
        )
    state = "selected by NUMPY_PLUGIN_CUDA" if simulator["is_selected"] else "not selected"
    rows.append(["simulator", _first_line(simulator["error"]) or simulator["path"]])
    if not simulator["error"]:
        rows.append(["", state])
    return rows


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
