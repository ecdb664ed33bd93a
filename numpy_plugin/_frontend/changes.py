"""Warnings for captured values that changed after their kernel was declared.

Only ufuncs without signatures are compiled later, with the values at declaration.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.exceptions import issue_warning
from numpy_plugin._errors.place import Place
from numpy_plugin._frontend.bindings import bind_data

__all__ = ["changed_names", "warn_of_changes"]

# A binding's kind, name, number, dtype and items.
_N_VALUE_PARTS = 5
# Fields of a syntax node.
_N_NODE_PARTS = 8


def warn_of_changes(ufunc: np.ufunc) -> None:
    """Warn if a kernel's names now have other values than the compiled code."""
    for kernel, name, old, new in _changes(ufunc):
        place = next(_places(kernel[2], name), None)
        if place is not None:
            _warn(kernel, place, _message(name, kernel[0], old, new), name)


def changed_names(ufunc: np.ufunc) -> list[str]:
    """Return the names of a kernel that now have other values than the compiled code."""
    return [name for _, name, _, _ in _changes(ufunc)]


def _changes(
    ufunc: np.ufunc,
) -> Iterator[tuple[tuple[Any, ...], str, tuple[Any, ...], tuple[Any, ...]]]:
    """Yield the kernel, and each name with its data then and now."""
    function = ufunc.__dict__.get("__wrapped__")
    syntax = ufunc.__dict__["_made_from"][0].get("syntax") if "_made_from" in ufunc.__dict__ else ()
    if not isinstance(function, FunctionType) or not syntax:
        return  # a C++ body, or unpickled: the names are in another process
    kernel = syntax[0]
    for name, binding in kernel[4]:
        now = _value_of(function, name)
        new = bind_data(now)
        old = binding[:_N_VALUE_PARTS]
        if new is not None and repr(new[:_N_VALUE_PARTS]) != repr(old):
            yield kernel, name, old, new


def _message(name: str, kernel: str, old: tuple[Any, ...], new: tuple[Any, ...]) -> str:
    shown = "the lambda" if kernel == "<lambda>" else kernel
    if {old[0], new[0]} <= {"number", "typed"}:
        return (
            f"'{name}' was {old[2]} when {shown} was declared and is {new[2]} now; {old[2]} is used"
        )
    return f"'{name}' has changed since {shown} was declared; the old value is used"


def _value_of(function: FunctionType, name: str) -> object:
    """Return the value of a dotted name; None if it no longer exists."""
    root, *members = name.split(".")
    try:
        names = inspect.getclosurevars(function)
    except ValueError:  # a variable of the enclosing function was deleted
        return None
    value = names.nonlocals.get(root, names.globals.get(root))
    for member in members:
        value = getattr(value, member, None)
    return value


def _places(nodes: object, name: str) -> Iterator[Place]:
    """Find the uses of a name, in source order."""
    if not isinstance(nodes, tuple):
        return
    if len(nodes) == _N_NODE_PARTS and _dotted(nodes) == name:
        yield nodes[3:7]
        return
    for node in nodes:
        yield from _places(node, name)


def _dotted(node: tuple[Any, ...]) -> str:
    kind, text, *_, fields = node
    if kind == "Attribute":
        return f"{_dotted(fields[1][0])}.{text}"
    return str(text) if kind == "Name" else ""


def _warn(kernel: tuple[Any, ...], place: Place, message: str, name: str) -> None:
    file, function, first_line, lines = kernel[6]
    hint = f"make {name.rpartition('.')[2]} an argument"
    shown = lines[place[0] - first_line :]
    issue_warning(
        _core.render_diagnostic(message, hint, place, file, function, shown), file, place[0]
    )
