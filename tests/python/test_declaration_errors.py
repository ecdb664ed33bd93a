"""Mistakes in declarations: the whole text that a person reads, the place in their own call."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

GOLDEN = Path(__file__).parent / "golden" / "diagnostics"
ENTRIES = sorted(path.stem for path in GOLDEN.glob("D*.txt"))
NAMES = {"sigs": ["float32(float32)"], "cuda": cuda}


def read_entry(name: str) -> dict[str, str]:
    sections: dict[str, str] = {}
    title = ""
    for line in (GOLDEN / f"{name}.txt").read_text().splitlines(keepends=True):
        if line.startswith("--- "):
            title = line[4:].strip()
            sections[title] = ""
        else:
            sections[title] += line
    return sections


def error_of(source: str, file: str = "user.py") -> Exception:
    """Return the error with which a program fails."""
    with pytest.raises((ValueError, TypeError)) as caught:
        define(source, file, **NAMES)
    return caught.value


def shown_text(source: str, name: str) -> str:
    """Return the text of a program's error, or of its warning, which is at the program's line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            define(source, f"{name}.py", **NAMES)
        except (ValueError, TypeError) as error:
            return str(error)
    (warning,) = caught
    assert warning.category is npp.KernelWarning
    assert (warning.filename, warning.lineno) == (f"{name}.py", 1)
    return str(warning.message)


@pytest.mark.parametrize("name", ENTRIES)
def test_text(name):
    entry = read_entry(name)
    assert shown_text(entry["source"], name) == entry["text"].rstrip("\n")


def test_the_golden_files_are_there():
    assert len(ENTRIES) == 15


HINTS = [
    (name, title.removeprefix("applied: "))
    for name in ENTRIES
    for title in read_entry(name)
    if title.startswith("applied: ")
]


@pytest.mark.parametrize(("name", "part"), HINTS)
def test_hints_work(name, part):
    entry = read_entry(name)
    hint = entry["text"].partition("  hint: ")[2]
    applied = entry[f"applied: {part}"]
    assert part in hint or part in ("int8", "uint64")  # ends of a range
    assert part in applied
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = define(applied, f"{name}_applied.py", **NAMES)["f"]
    assert type(made) is np.ufunc


def test_every_hint_is_applied():
    followed = {name for name, _ in HINTS}
    assert {name for name in ENTRIES if "  hint: " in read_entry(name)["text"]} == followed
