"""`python -m numpy_plugin check`: the kernels of a program for another package, declared here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy_plugin._check.changes import diff, missing_names
from numpy_plugin._check.kernels import declare, find_kernels
from numpy_plugin._check.modules import Modules
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


def run(paths: Sequence[Path], *, as_json: bool = False) -> int:
    """Check programs and those in directories.

    Returns:
        0 if nothing is against running them, 1 if something is, 2 if something could not be read.
    """
    modules = Modules()
    found = []
    for path, is_named in _files(paths):
        try:
            each = check(read_program(path, modules))
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            each = {"file": str(path), "error": str(error)}
        if is_named or "error" in each or each["kernels"] or each["missing"]:
            found.append(each)
            if not as_json:
                _print(each)
    counts = _counts(found)
    if as_json:
        report.line(json.dumps(found, indent=2))
    else:
        _print_summary(counts)
    if counts["can't"] or counts["missing"]:
        return 1
    return 2 if counts["not checked"] or counts["not read"] else 0


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Yield files, and those of directories that are not hidden; and whether a file was named."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        for file in sorted(path.rglob("*.py")):
            if not any(part.startswith(".") for part in file.relative_to(path).parts):
                yield file, False


def _counts(found: Sequence[dict[str, Any]]) -> Counter[str]:
    """Return the numbers of kernels by outcome, of names that are missing, and of files."""
    counts: Counter[str] = Counter()
    for each in found:
        counts["not read"] += "error" in each
        counts["missing"] += len(each.get("missing", ()))
        for kernel in each.get("kernels", ()):
            counts["found"] += 1
            counts[kernel["outcome"]] += 1
            counts["changed"] += kernel["outcome"] == "works" and bool(each["diff"])
    return counts


def _print_summary(counts: Counter[str]) -> None:
    parts = [
        f"{counts['found']} kernels found",
        f"{counts['works']} work" + (", with the changes above" if counts["changed"] else ""),
        "{} can't".format(counts["can't"]),
        f"{counts['not checked']} not checked",
    ]
    if counts["missing"]:
        parts.append(f"{counts['missing']} names missing")
    if counts["not read"]:
        parts.append(f"{counts['not read']} files not read")
    report.line("; ".join(parts))


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
