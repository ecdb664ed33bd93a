"""The golden files of Python kernels' errors: how they are read, and their kernels declared.

A case has sections, each below a line `--- title`:

- `signature` (of `vectorize`, with `layout` of `guvectorize`), or `kernel` (the signature of
  `cuda.kernel`), or `how`: the name of a function of `golden_scenes.py` that declares the source;
- `source`: the wrong kernel, `f` or the last function;
- `text`: all that a user reads of the error, or `warning` where it is warnings;
- `applied: <part of the hint>`: the source again, with that part of the hint followed. A comment
  `# signature: ...`, `# layout: ...` or `# writable_args=...` says what the declaration then has.
"""

import ast
import re
import warnings
from dataclasses import dataclass

import pytest
from golden_sections import GOLDEN, Sections, applied_parts, read_cases
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

SIGNATURE = "float32(float32, float32)"


@dataclass
class Entry:
    """One case."""

    name: str
    sections: Sections

    @property
    def source(self) -> str:
        return self.sections["source"]

    @property
    def is_warning(self) -> bool:
        return "warning" in self.sections

    @property
    def text(self) -> str:
        return self.sections["warning" if self.is_warning else "text"].rstrip("\n")

    @property
    def signature(self) -> str:
        given = self.sections.get("signature") or self.sections.get("kernel") or SIGNATURE
        return given.strip()

    @property
    def how(self) -> str:
        return self.sections.get("how", "").strip()

    @property
    def applied(self) -> Sections:
        return applied_parts(self.sections)

    def hints(self) -> list[str]:
        return re.findall(r"^  hint: (.*)$", self.text, re.MULTILINE)


ENTRIES = {
    name: Entry(name, sections)
    for name, sections in read_cases(*sorted(GOLDEN.glob("kernels/*.txt"))).items()
}


def names_for(source: str) -> dict[str, object]:
    """Return the modules that a source uses without importing them."""
    names: dict[str, object] = {"cuda": cuda, "sigs": [SIGNATURE]}
    if "special" in source:
        names["special"] = pytest.importorskip("scipy.special")
    return names


def option(source: str, name: str) -> str:
    """Return what a comment of an applied source says of the declaration, else ""."""
    found = re.search(rf"^# {name}(?:: |=)(.*)$", source, re.MULTILINE)
    return found.group(1) if found else ""


def declare(entry: Entry, function, source: str = ""):
    """Declare a kernel as its entry says; an applied source may say otherwise."""
    signature = option(source, "signature") or entry.signature
    layout = option(source, "layout") or entry.sections.get("layout", "").strip()
    if "kernel" in entry.sections:
        return cuda.kernel(signature)(function)
    if not layout:
        return npp.vectorize([signature])(function)
    writable = ast.literal_eval(option(source, "writable_args") or "()")
    return npp.guvectorize([signature], layout, writable_args=writable)(function)


def kernel_function(namespace: dict[str, object]):
    """Return the kernel of a source: `f`, or `k` of device kernels."""
    return namespace["f"] if "f" in namespace else namespace["k"]


def shown_text(action, file: str) -> tuple[str, bool]:
    """Return an action's error or its warnings as text, and whether these are warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            action()
        except npp.KernelError as error:
            assert not caught
            return str(error), False
    assert all(item.category is npp.KernelWarning for item in caught)
    assert all(item.filename == file for item in caught)
    return "\n\n".join(str(item.message) for item in caught), True


def declared_text(entry: Entry) -> tuple[str, bool]:
    """Return what a user reads who declares an entry's kernel, and whether it is warnings."""
    file = f"{entry.name}.py"
    function = kernel_function(define(entry.source, file, **names_for(entry.source)))
    return shown_text(lambda: declare(entry, function), file)
