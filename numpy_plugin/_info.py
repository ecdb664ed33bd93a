"""`python -m numpy_plugin info`: versions, compilers, NVRTC, cache, threads and GPU."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from typing import Any

import numpy as np

from numpy_plugin import CompilerError, __version__, _core, _report
from numpy_plugin._toolkit import find_nvrtc

__all__ = ["collect", "host_compiler", "nvrtc", "run", "version_of"]


def collect() -> dict[str, Any]:
    """Return all that `info` prints, ready for JSON."""
    cache = _core.cache_info()
    return {
        "versions": {
            "numpy_plugin": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "host_compiler": host_compiler(),
        "nvrtc": nvrtc(),
        "cache": {
            "directory": cache["directory"],
            "reason": cache["reason"],
            "n_entries": len(cache["entries"]),
            "n_bytes": sum(entry["n_bytes"] for entry in cache["entries"]),
        },
        "n_threads": _core.n_threads(),
        "device": _core.device_info(),
        "why_no_device": _core.why_no_device(),
    }


def host_compiler() -> dict[str, Any]:
    """Return the C++ compiler's command and version, or the error that says there is none."""
    try:
        return _core.host_compiler()
    except CompilerError as error:
        return {"error": str(error)}


def nvrtc() -> dict[str, Any]:
    """Return NVRTC's version, path and architectures, or the error that says there is none."""
    find_nvrtc()
    try:
        return _core.nvrtc_info()
    except CompilerError as error:
        return {"error": str(error)}


def version_of(package: str) -> str | None:
    """Return an installed package's version; None where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(*, as_json: bool = False) -> int:
    """Print what this installation found; the exit status."""
    found = collect()
    if as_json:
        _report.line(json.dumps(found, indent=2))
    else:
        _report.table("this installation", ["what", "found"], _rows(found), words=True)
    return 0


def _rows(found: dict[str, Any]) -> list[list[str]]:
    compiler, nvrtc, cache, device = (
        found[key] for key in ("host_compiler", "nvrtc", "cache", "device")
    )
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
    entries = f"{cache['n_entries']} entries, {cache['n_bytes']:,} bytes"
    rows += [["cache", cache["directory"] or cache["reason"]], ["", entries]]
    rows.append(["threads", str(found["n_threads"])])
    rows.append(["GPU", found["why_no_device"] or str(device["name"])])
    if device is not None:
        rows += [["", f"{key} {value}"] for key, value in device.items() if key != "name"]
    return rows


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
