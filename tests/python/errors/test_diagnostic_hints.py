"""Hints are right: each golden error's is followed, and the kernel then compiles and runs."""

import ast
import contextlib
import re
import warnings

import numpy as np
import pytest
from golden_entries import ENTRIES, Entry, declare, kernel_function, names_for
from golden_sections import not_applied
from kernel_source import define
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

APPLIED = [(name, part) for name, entry in ENTRIES.items() for part in entry.applied]


def is_code(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def holds(source: str, code: str) -> bool:
    """Whether code is in a source, whitespace aside; its `...` stands for anything."""
    parts = re.sub(r"\s", "", code).split("...")
    return re.search(".+".join(map(re.escape, parts)), re.sub(r"\s", "", source)) is not None


def run(made) -> None:
    """Call a ufunc with small operands of its first types; compile a device kernel."""
    if not isinstance(made, np.ufunc):
        assert made.ptx
        return
    sizes: dict[str, int] = {}
    cores = re.findall(r"\(([^)]*)\)", made.signature or "()" * made.nin)
    inputs = made.types[0].partition("->")[0] if made.types else "f" * made.nin
    operands = []
    for code, core in zip(inputs, cores, strict=False):
        names = [name for name in core.replace(" ", "").split(",") if name]
        shape = [int(item) if item.isdigit() else sizes.setdefault(item, 4) for item in names]
        operands.append(np.ones((2, *shape), code))
    with np.errstate(all="ignore"):
        made(*operands)


def make(entry: Entry, source: str):
    namespace = define(source, f"{entry.name}_applied.py", **names_for(source))
    return namespace["f"] if entry.how else declare(entry, kernel_function(namespace), source)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_hint_is_applied_and_nothing_else(name):
    assert bool(ENTRIES[name].applied) is bool(ENTRIES[name].hints())
    assert not_applied(ENTRIES[name].sections) == []


@pytest.mark.parametrize(("name", "part"), APPLIED)
def test_a_hint_is_of_the_text_and_in_the_source_that_follows_it(name, part):
    entry = ENTRIES[name]
    assert any(part in hint for hint in entry.hints())
    assert not is_code(part) or holds(entry.applied[part], part)


OTHERS = [hint for number, hint in enumerate(APPLIED) if number % 4]


@pytest.mark.parametrize(("name", "part"), [*APPLIED[::4], *in_long_runs(*OTHERS)])
def test_applied(name, part):
    entry = ENTRIES[name]
    source = entry.applied[part]
    on_device = cuda.simulator() if "kernel" in entry.sections else contextlib.nullcontext()
    with on_device, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(make(entry, source))
    kernel_warnings = [item for item in caught if item.category is npp.KernelWarning]
    shown = {str(item.message).partition("\n")[0] for item in kernel_warnings}
    assert entry.text.partition("\n")[0] not in shown
