"""The golden files of Python kernels' errors: how they are read, and their kernels declared.

A file has sections, each below a line `--- title`:

- `signature` (of `vectorize`, with `layout` of `guvectorize`), or `kernel` (the signature of
  `cuda.kernel`), or `how`: the name of a function of `golden_scenes.py` that declares the source;
- `source`: the wrong kernel, `f` or the last function;
- `text`: all that a person reads;
- `applied: <part of the hint>`: the source again, with that part of the hint followed. A comment
  `# signature: ...` or `# writable: 0` says what the declaration has then.
"""

import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

GOLDEN = Path(__file__).parent / "golden" / "diagnostics"
# The entries of Python kernels; those of declarations and C++ bodies have other forms.
ENTRIES = sorted(
    path.stem
    for path in GOLDEN.glob("*.txt")
    if re.fullmatch(r"[NSVTLRCAGOK]\d+|extra_\w+", path.stem)
)
SIGNATURE = "float32(float32, float32)"


@dataclass
class Entry:
    """One golden file."""

    name: str
    sections: dict[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return self.sections["source"]

    @property
    def text(self) -> str:
        return self.sections["text"].rstrip("\n")

    @property
    def signature(self) -> str:
        return self.sections.get("signature", SIGNATURE).strip()

    @property
    def how(self) -> str:
        return self.sections.get("how", "").strip()

    @property
    def applied(self) -> dict[str, str]:
        start = "applied: "
        return {
            title.removeprefix(start): text
            for title, text in self.sections.items()
            if title.startswith(start)
        }

    def hints(self) -> list[str]:
        return re.findall(r"^  hint: (.*)$", self.text, re.MULTILINE)


def read_entry(name: str) -> Entry:
    entry = Entry(name)
    title = ""
    for line in (GOLDEN / f"{name}.txt").read_text().splitlines(keepends=True):
        if line.startswith("--- "):
            title = line[4:].strip()
            entry.sections[title] = ""
        else:
            entry.sections[title] += line
    return entry


def names_for(source: str) -> dict[str, object]:
    """Return the modules that a source uses without importing them."""
    names: dict[str, object] = {"cuda": cuda, "sigs": [SIGNATURE]}
    if "special" in source:
        names["special"] = pytest.importorskip("scipy.special")
    return names


def option(source: str, name: str) -> str:
    """Return what a comment of an applied source says of the declaration, else ""."""
    found = re.search(rf"^# {name}: (.*)$", source, re.MULTILINE)
    return found.group(1) if found else ""


def declare(entry: Entry, function, source: str = ""):
    """Declare a kernel as its entry says; `source` may say otherwise."""
    if "kernel" in entry.sections:
        return cuda.kernel(option(source, "signature") or entry.sections["kernel"].strip())(
            function
        )
    signature = option(source, "signature") or entry.signature
    layout = option(source, "layout") or entry.sections.get("layout", "").strip()
    if not layout:
        return npp.vectorize([signature])(function)
    writable = option(source, "writable")
    options = {"writable_args": (int(writable),)} if writable else {}
    return npp.guvectorize([signature], layout, **options)(function)


def kernel_function(namespace: dict[str, object]):
    """Return the kernel of a source: `f`, or `k` of device kernels."""
    return namespace["f"] if "f" in namespace else namespace["k"]


def shown_text(action, file: str) -> str:
    """Return the error's text of an action, or those of its warnings; they are at `file`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            action()
        except npp.KernelError as error:
            return str(error)
    assert all(issubclass(warning.category, npp.KernelWarning) for warning in caught)
    assert all(warning.filename == file for warning in caught)
    return "\n\n".join(str(warning.message) for warning in caught)


def declared_text(entry: Entry, source: str, file: str) -> str:
    """Return what a person reads who declares a source of an entry's kernel."""
    function = kernel_function(define(source, file, **names_for(source)))
    return shown_text(lambda: declare(entry, function, source), file)


def call_once(made) -> None:
    """Call a ufunc with small operands of its first types, or launch a kernel."""
    if not isinstance(made, np.ufunc):
        return
    *inputs, _ = made.types[0].partition("->")[0], None
    sizes: dict[str, int] = {}
    layout = made.signature or ",".join("()" * made.nin)
    operands = []
    cores = re.findall(r"\(([^)]*)\)", layout)
    for code, core in zip(inputs[0], cores, strict=False):
        names = [name for name in core.replace(" ", "").split(",") if name]
        shape = [int(n) if n.isdigit() else sizes.setdefault(n, 4) for n in names]
        operands.append(np.ones((2, *shape), code))
    with np.errstate(all="ignore"):
        made(*operands)
