"""Machine instructions of a cubin, by NVIDIA's `nvdisasm`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

__all__ = ["disassemble", "find_nvdisasm"]


def find_nvdisasm() -> str | None:
    """Return the program's path: from PATH, a toolkit, or the pip package; None if not found."""
    directories = [
        Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ
    ]
    directories.append(Path("/usr/local/cuda"))
    candidates = [directory / "bin" / "nvdisasm" for directory in directories]
    import sysconfig

    site_packages = Path(sysconfig.get_paths()["purelib"])
    candidates += sorted(site_packages.glob("nvidia/*/bin/nvdisasm"), reverse=True)
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return str(candidate)
    return shutil.which("nvdisasm")


def disassemble(cubin: bytes, name: str = "") -> str:
    """Return the instructions of one function of a cubin, or of all.

    Raises:
        RuntimeError: there is no `nvdisasm`, or it rejects the cubin.
    """
    program = find_nvdisasm()
    if program is None:
        raise RuntimeError(
            "no nvdisasm, which shows machine instructions; install it with pip install "
            "nvidia-cuda-nvdisasm, or set CUDA_HOME to a CUDA toolkit"
        )
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        result = subprocess.run(
            [program, "--print-code", "--no-dataflow", file.name],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    if result.returncode != 0:
        raise RuntimeError(f"{program!r} can't read the cubin: {result.stderr.strip()}")
    return _section(result.stdout, name) if name else result.stdout


def _section(text: str, name: str) -> str:
    """Return the part of a listing for one function; the whole listing if there is none."""
    parts = re.split(r"^(?=[ \t]*\.section[ \t]|//-+ \.text\.)", text, flags=re.MULTILINE)
    wanted = [part for part in parts if re.search(rf"\.text\.{re.escape(name)}\b", part)]
    return "".join(wanted) or text
