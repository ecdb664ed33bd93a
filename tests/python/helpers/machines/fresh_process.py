"""Programs run by a new Python, for what is decided once in a process."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["run_python"]


def run_python(program: str, **environment: str) -> str:
    """Return what the program prints, without numbers of threads from this environment."""
    variables = {key: value for key, value in os.environ.items() if "NUM_THREADS" not in key}
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**variables, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()
