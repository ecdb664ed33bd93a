"""Tuples and None as arguments of kernels.

Each item of a tuple is a parameter, and the kernel puts them together; None is no parameter, and
the kernel assigns it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from numpy_plugin._frontend.bindings import field_names
from numpy_plugin._frontend.syntax import FunctionData

__all__ = ["Tuples", "flattened", "has_tuples", "tuples_of", "with_tuples"]

# For each argument None, or NONE for None itself, or the names of a tuple's fields and the same for
# its items.
Tuples = tuple[Any, ...]
NONE = "None"
_Node = tuple[Any, ...]
_Place = tuple[int, int, int, int]


def has_tuples(arguments: tuple[object, ...]) -> bool:
    """Whether one of the arguments is a tuple or None."""
    return any(item is None or isinstance(item, tuple) for item in arguments)


def tuples_of(arguments: tuple[object, ...]) -> Tuples:
    """Return which arguments are None or tuples, and of what."""
    return tuple(_tuple_of(item) for item in arguments)


def _tuple_of(argument: object) -> object:
    if isinstance(argument, tuple):
        return field_names(argument), tuples_of(argument)
    return NONE if argument is None else None


def flattened(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Return the arguments with the items of tuples in their place, and without None."""
    if not has_tuples(arguments):
        return arguments
    found: list[object] = []
    for item in arguments:
        if item is not None:
            found += flattened(item) if isinstance(item, tuple) else (item,)
    return tuple(found)


def with_tuples(syntax: FunctionData, tuples: Tuples, used_names: Iterable[str]) -> FunctionData:
    """Return a kernel's syntax with a parameter for each item of its tuples, and none for None.

    Args:
        syntax: the kernel's and its device functions' syntax.
        tuples: which parameters are tuples or None.
        used_names: names that the new parameters can't have.
    """
    taken = set(used_names)
    name, parameters, body, *others = syntax[0]
    new_parameters: list[_Node] = []
    assignments: list[_Node] = []
    for parameter, inner in zip(parameters, tuples, strict=True):  # type: ignore[call-overload]
        if inner is None:
            new_parameters.append(parameter)
            continue
        parts = _Parts(parameter, taken)
        value = parts.expression(inner, parameter[1])
        new_parameters += parts.parameters
        target = _node("Name", parameter[1], parts.place)
        fields = ("targets", (target,), "value", (value,))
        assignments.append(_node("Assign", "", parts.place, fields))
    kernel = (name, tuple(new_parameters), (*assignments, *body), *others)  # type: ignore[misc]
    return (kernel, *syntax[1:])


class _Parts:
    """The parameters that stand for the items of one tuple."""

    def __init__(self, parameter: _Node, taken: set[str]) -> None:
        """Keep the place of the tuple's parameter."""
        self.place: _Place = parameter[3:7]
        self.taken = taken
        self.parameters: list[_Node] = []

    def expression(self, inner: Any, name: str) -> _Node:
        """Return the expression of an item, and add its parameters."""
        if inner == NONE:
            return _node("Constant", "NoneType", self.place)
        if inner is not None:
            names, items = inner
            nodes = tuple(self.expression(item, f"{name}_{i}") for i, item in enumerate(items))
            return _node("Tuple", names, self.place, ("elts", nodes) if nodes else ())
        name = next(free for free in _variants(name) if free not in self.taken)
        self.taken.add(name)
        self.parameters.append(_node("arg", name, self.place))
        return _node("Name", name, self.place)


def _variants(name: str) -> Iterator[str]:
    while True:
        yield name
        name += "_"


def _node(kind: str, text: str, place: _Place, fields: tuple[object, ...] = ()) -> _Node:
    return (kind, text, None, *place, fields)
