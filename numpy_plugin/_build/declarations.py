"""The ufuncs that a Python file declares, checked for what modules of ufuncs cannot have."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core
from numpy_plugin._frontend.changes import changed_names
from numpy_plugin._kernels.elementwise import ElementwiseKernel
from numpy_plugin._kernels.raw import RawKernel, RawModule
from numpy_plugin._kernels.reduction import ReductionKernel
from numpy_plugin._reduction.reduction import Reduction

__all__ = ["Declarations", "DeclaredUfunc", "read_declarations"]

_OTHER_KINDS = (ElementwiseKernel, RawKernel, RawModule, Reduction, ReductionKernel)


class DeclaredUfunc(NamedTuple):
    """A public ufunc of the file."""

    name: str
    ufunc: np.ufunc

    @property
    def made_from(self) -> tuple[dict[str, Any], Any, dict[str, str]]:
        """The declaration as plain data, the identity and the attributes."""
        made: tuple[dict[str, Any], Any, dict[str, str]] = self.ufunc.__dict__["_made_from"]
        return made


class Declarations(NamedTuple):
    """A file that was run, and the ufuncs that it declares."""

    source: Path
    module: ModuleType
    ufuncs: list[DeclaredUfunc]


def read_declarations(source: Path) -> Declarations:
    """Run a Python file and return its public ufuncs.

    Public are the names of `__all__`, or else those without a leading underscore of ufuncs that the
    file itself declares.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there are no ufuncs, or one of them can't be compiled ahead of time.
    """
    module = _run(source)
    ufuncs = [DeclaredUfunc(name, ufunc) for name, ufunc in _public_ufuncs(source, module)]
    if not ufuncs:
        raise ValueError(
            f"{source} declares no public ufunc\n"
            "  hint: declare one with @npp.vectorize([...]), under a name without a leading '_'"
        )
    rebound = _rebound_names(source)
    for declared in ufuncs:
        reason = _obstacle(declared, rebound)
        if reason:
            raise ValueError(f"{source}: ufunc '{declared.name}' {reason}")
    return Declarations(source, module, ufuncs)


def _run(source: Path) -> ModuleType:
    """Run the file under a name of its own, as a program that is next to its own modules."""
    if not source.is_file():
        raise FileNotFoundError(f"there is no file {str(source)!r}; expected a Python file")
    name = f"_built_{source.stem}"
    spec = importlib.util.spec_from_file_location(name, source)
    if spec is None or spec.loader is None:
        raise ValueError(f"{str(source)!r} is not a Python file; its name must end with .py")
    module = importlib.util.module_from_spec(spec)
    directory = str(source.resolve().parent)
    sys.path.insert(0, directory)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(directory)
        del sys.modules[name]
    return module


def _public_ufuncs(source: Path, module: ModuleType) -> Iterator[tuple[str, np.ufunc]]:
    listed = getattr(module, "__all__", None)
    for name, value in vars(module).items():
        is_public = name in listed if listed is not None else not name.startswith("_")
        if not is_public:
            continue
        if isinstance(value, _OTHER_KINDS):
            raise ValueError(
                f"{source}: '{name}' is a {type(value).__name__}, and modules have ufuncs only\n"
                f"  hint: declare it in another file, or name it '_{name}'"
            )
        if isinstance(value, np.ufunc) and "_made_from" in value.__dict__:
            if listed is not None or value.__dict__.get("__module__") == module.__name__:
                yield name, value


def _rebound_names(source: Path) -> dict[str, str]:
    """Return the names that functions of the file assign by `global`, and these functions."""
    found = {}
    for function in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for statement in ast.walk(function):
                if isinstance(statement, ast.Global):
                    found.update(dict.fromkeys(statement.names, function.name))
    return found


def _obstacle(declared: DeclaredUfunc, rebound: dict[str, str]) -> str:
    """Return why a ufunc cannot be compiled ahead of time; empty where it can."""
    if "records" in declared.made_from[0]:
        return "has operands that are records; pass their fields as operands of their own"
    return (
        _core.obstacle_to_building(declared.ufunc)
        or _obstacle_in_state(declared, rebound)
        or _obstacle_in_parameters(declared.ufunc)
        or _obstacle_in_exceptions(declared.ufunc)
    )


def _obstacle_in_state(declared: DeclaredUfunc, rebound: dict[str, str]) -> str:
    hint = "; a built module has the value that it was built with: make {0} an operand"
    kernels = declared.made_from[0].get("syntax") or ()
    for kernel in kernels:
        for name, _ in kernel[4]:
            root = name.partition(".")[0]
            if root in rebound:
                setter = f"which {rebound[root]}() changes"
                return f"reads the module's state '{root}', {setter}{hint.format(root)}"
    for name in changed_names(declared.ufunc):
        return f"reads '{name}', which has changed since the declaration{hint.format(name)}"
    return ""


def _obstacle_in_parameters(ufunc: np.ufunc) -> str:
    function = ufunc.__dict__.get("__wrapped__")
    if not isinstance(function, FunctionType):
        return ""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is not parameter.empty:
            return (
                f"has a default for '{parameter.name}', and NumPy's ufuncs have no defaults; "
                "leave it out"
            )
    return ""


def _obstacle_in_exceptions(ufunc: np.ufunc) -> str:
    for row in _core.raised_exceptions(ufunc):
        for kind, *_ in row:
            if isinstance(kind, type) and _is_hidden(kind):
                return (
                    f"raises {kind.__qualname__}, which the built module cannot import; "
                    "define the class in a module of its own"
                )
    return ""


def _is_hidden(kind: type) -> bool:
    found: object = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not kind or kind.__module__ == "__main__"
