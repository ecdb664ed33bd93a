"""Declarations of golden files that need more than a source and a signature: each a function.

A scene takes an entry's name and source and returns all that a user reads.
"""

import functools
import importlib.util
import linecache
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from golden_entries import SIGNATURE, names_for, shown_text
from kernel_source import define

import numpy_plugin as npp

# The text, and whether it is that of warnings.
Shown = tuple[str, bool]


def timed(function):
    """A decorator as people write them."""

    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def itself(name: str, source: str) -> Shown:
    """The source declares its kernel."""
    file = f"{name}.py"
    return shown_text(lambda: define(source, file, timed=timed, **names_for(source)), file)


def import_file(path: Path, **names: object) -> ModuleType:
    """Import a file, with names that it does not define itself."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    vars(module).update({"np": np, "npp": npp, **names})
    specification.loader.exec_module(module)
    return module


def edited_file(name: str, source: str) -> Shown:
    """The file has got another line since it was imported, and Python has not read it since."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"{name}.py"
        path.write_text(source)
        function = import_file(path).f
        path.write_text("import math\n" + source)
        linecache.clearcache()
        return shown_text(lambda: npp.vectorize([SIGNATURE])(function), str(path))


def prompt(name: str, source: str) -> Shown:
    """What is piped into Python has no source: on all versions, unlike what is typed."""
    typed = "".join(line[4:] + "\n" for line in source.splitlines())
    program = f"import numpy_plugin as npp\n{typed}\n"
    done = subprocess.run(
        [sys.executable], input=program, capture_output=True, text=True, env={**os.environ}
    )
    return done.stderr.partition("numpy_plugin.KernelError: ")[2].rstrip("\n"), False


def cell(name: str, source: str) -> Shown:
    """A cell of a notebook."""
    pytest.importorskip("IPython")
    from notebook import notebook

    with notebook(npp=npp, sigs=[SIGNATURE]) as run_cell:
        return str(run_cell(source)), False


def second_type(name: str, source: str) -> Shown:
    """The module's number is another when a type is compiled that comes later."""
    file = f"{name}.py"
    namespace = define(source, file)
    f = npp.vectorize(namespace["f"])
    f(np.float32(1), np.float32(1))
    namespace["K"] = 3.0
    return shown_text(lambda: f(1.0, 1.0), file)


SCENES = {
    "itself": itself,
    "edited file": edited_file,
    "prompt": prompt,
    "cell": cell,
    "second type": second_type,
}
