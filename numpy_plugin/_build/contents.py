"""The parts of a built module that are text: names, docstrings, identities, exceptions, the stub."""

from __future__ import annotations

import inspect
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._build.declarations import Declarations, DeclaredUfunc

__all__ = ["exception_source", "exceptions", "stub", "table_rows"]


def table_rows(declarations: Declarations) -> list[tuple[np.ufunc, str, str, str, bool]]:
    """Return the rows of the module's table, as `_core.built_table` takes them."""
    return [
        (
            declared.ufunc,
            declared.name,
            _doc(declared),
            _identity(declarations, declared),
            isinstance(declared.made_from[1], str),
        )
        for declared in declarations.ufuncs
    ]


def _doc(declared: DeclaredUfunc) -> str:
    """Return the docstring with the call in its first line, as ufuncs of this package have it."""
    doc = declared.ufunc.__doc__ or ""
    return declared.name + doc.removeprefix(declared.ufunc.__name__)


def _identity(declarations: Declarations, declared: DeclaredUfunc) -> str:
    """Return the identity as a Python expression; empty where there is none."""
    identity: Any = declared.made_from[1]
    if identity is None or isinstance(identity, str):
        return ""
    value = identity.item() if isinstance(identity, np.generic) else identity
    if isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, (float, complex)):
        return f"{type(value).__name__}({str(value)!r})"
    raise ValueError(
        f"{declarations.source}: the identity of ufunc '{declared.name}' is a "
        f"{type(identity).__name__}; expected a bool, an int, a float or a complex"
    )


def exceptions(declarations: Declarations) -> str:
    """Return the exceptions of all ufuncs as a Python expression; empty where none can raise."""
    rows = {
        declared.name: [
            [_exception_row(*row) for row in loop]
            for loop in _core.raised_exceptions(declared.ufunc)
        ]
        for declared in declarations.ufuncs
    }
    return repr(rows) if any(any(loops) for loops in rows.values()) else ""


def _exception_row(
    kind: Any, arguments: list[list[Any]], file: str, line: int, function: str
) -> tuple[str, str, list[list[Any]], str, int, str]:
    module, name = ("builtins", kind) if isinstance(kind, str) else _name_of(kind)
    # The directories of the machine that built it are nothing to users of the module.
    return module, name, arguments, Path(file).name, line, function


def _name_of(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def exception_source() -> str:
    """Return the Python source with which a built module makes exceptions."""
    package = files("numpy_plugin")
    texts = [
        package.joinpath(*place).read_text(encoding="utf-8")
        for place in (("_errors", "raised.py"), ("_build", "raising.py"))
    ]
    lines = "".join(texts).splitlines(keepends=True)
    own = ("from __future__", "from numpy_plugin")
    return "".join(line for line in lines if not line.startswith(own))


def stub(declarations: Declarations) -> str:
    """Return the text of the module's `.pyi`."""
    names = [declared.name for declared in declarations.ufuncs]
    doc = _module_doc(declarations)
    head = f'"""{doc}"""\n\n' if doc else ""
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    variables = "".join(f"{name}: np.ufunc\n" for name in names)
    return f"{head}import numpy as np\n\n__all__ = [\n{listed}]\n\n{variables}"


def _module_doc(declarations: Declarations) -> str:
    doc = inspect.getdoc(declarations.module) or ""
    return doc.partition("\n")[0].replace('"', "'").replace("\\", "\\\\")
