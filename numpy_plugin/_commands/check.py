"""`python -m numpy_plugin check`: the kernels of a program for another package, declared here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy_plugin._check.changes import diff, missing_names
from numpy_plugin._check.kernels import declare, find_kernels
from numpy_plugin._check.program import Program, read_program
from numpy_plugin._check.values import Values
from numpy_plugin._commands import report

__all__ = ["check", "run"]


def check(program: Program) -> dict[str, Any]:
    """Declare the kernels of one program; return everything that `check` prints."""
    values = Values(program)
    kernels = []
    for site in find_kernels(program):
        verdict = declare(site, values)
        kernels.append(
            {"line": site.line, "name": site.name, "maker": site.maker, **verdict._asdict()}
        )
    missing = [each._asdict() for each in missing_names(program)]
    return {
        "file": str(program.path),
        "kernels": kernels,
        "missing": missing,
        "diff": diff(program) if kernels or missing else "",
    }


def run(files: Sequence[Path], *, as_json: bool = False) -> int:
    """Check some programs; return 0 if all their kernels work, else 1."""
    found = []
    for file in files:
        try:
            found.append(check(read_program(file)))
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            found.append({"file": str(file), "error": str(error)})
    if as_json:
        report.line(json.dumps(found, indent=2))
    else:
        for each in found:
            _print(each)
    return 0 if all(map(_works, found)) else 1


def _works(found: dict[str, Any]) -> bool:
    is_read = "error" not in found
    return is_read and not found["missing"] and all(map(_has_worked, found["kernels"]))


def _has_worked(kernel: dict[str, str]) -> bool:
    return kernel["outcome"] == "works"


def _print(found: dict[str, Any]) -> None:
    if "error" in found:
        report.line(f"{found['file']}: cannot be read: {found['error']}")
        return
    if not found["kernels"] and not found["missing"]:
        report.line(f"{found['file']}: no kernels of Numba, CuPy or PyCUDA")
        return
    change = " with the change below" if found["diff"] else ""
    rows = [_row(each, change) for each in found["kernels"]]
    rows += [_missing_row(each) for each in found["missing"]]
    report.table(found["file"], ["line", "kernel", "made by", "result", ""], rows, words=True)
    for kernel in found["kernels"]:
        if "\n" in kernel["message"]:
            report.line(f"\n{kernel['name']}:\n{kernel['message']}")
    if found["diff"]:
        report.line("\n" + found["diff"])
    report.line()


def _row(kernel: dict[str, Any], change: str) -> list[str]:
    outcome = kernel["outcome"] + (change if kernel["outcome"] == "works" else "")
    return [str(kernel["line"]), kernel["name"], kernel["maker"], outcome, kernel["why"]]


def _missing_row(missing: dict[str, Any]) -> list[str]:
    return [str(missing["line"]), missing["name"], "", "can't", missing["why"]]
