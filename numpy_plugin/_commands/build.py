"""`python -m numpy_plugin build`: an extension module of ufuncs, compiled ahead of time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from numpy_plugin._build.declarations import read_declarations
from numpy_plugin._build.module import build, write_stub
from numpy_plugin._commands import report
from numpy_plugin._errors.exceptions import CompilerError, KernelError

__all__ = ["run"]


def run(
    source: Path,
    output: Path,
    levels: Sequence[str] | None,
    arch: Sequence[str],
    *,
    stub_only: bool,
) -> int:
    """Build a module, or write its stub, and return the exit status."""
    try:
        if stub_only:
            write_stub(read_declarations(source), output)
            report.line(f"wrote {output}.pyi")
        else:
            report.line(f"built {build(source, output, levels=levels, arch=arch)}")
    except (CompilerError, KernelError, OSError, ValueError) as error:
        report.line(f"error: {error}")
        return 1
    return 0
