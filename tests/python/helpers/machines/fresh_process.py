"""Programs run by a new Python, for what is decided once in a process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

__all__ = ["end_of", "run_python"]


def end_of(
    program: str, *words: str, python: tuple[str, ...] = (), **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """Return how a program ends and what it prints.

    Args:
        program: may be indented.
        words: its arguments.
        python: options of Python's own.
        environment: variables in addition to those of this process; None removes one.
    """
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-P", *python, "-c", textwrap.dedent(program), *words],
        env={name: text for name, text in variables.items() if text is not None},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_python(program: str, **environment: str) -> str:
    """Return what the program prints, without numbers of threads from this environment."""
    unset = dict.fromkeys(name for name in os.environ if "NUM_THREADS" in name)
    found = end_of(program, **{**unset, **environment})
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()
