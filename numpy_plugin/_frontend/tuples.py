"""Tuples, records and None as arguments of kernels.

Each item of a tuple is a parameter, and the kernel puts them together; arrays of records are tuples
of their fields. None is no parameter, and the kernel assigns it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray
from numpy_plugin._frontend.bindings import field_names
from numpy_plugin._frontend.records import check_alignment, record_fields
from numpy_plugin._frontend.syntax import FunctionData
from numpy_plugin._frontend.types import RecordType, signature_text

__all__ = [
    "Tuples",
    "flattened",
    "has_tuples",
    "record_forms",
    "record_types_text",
    "tuples_of",
    "with_records",
    "with_tuples",
]

# For each argument None, or NONE for None itself, or the names of a tuple's fields and the same for
# its items.
Tuples = tuple[Any, ...]
NONE = "None"
_Node = tuple[Any, ...]
_Place = tuple[int, int, int, int]


# Begins the names of a single record, which is the only one of an array.
_SINGLE = "*"


def with_records(arguments: tuple[object, ...], kernel: str) -> tuple[object, ...]:
    """Return the arguments with tuples of fields in the place of records and arrays of them.

    Raises:
        TypeError: kernels cannot use a field.
        ValueError: the device cannot access a field.
    """
    if not any(map(_has_fields, arguments)):
        return arguments
    return tuple(
        _fields_of(item, f"argument {number} of {kernel!r}") if _has_fields(item) else item
        for number, item in enumerate(arguments, 1)
    )


def _has_fields(item: object) -> bool:
    return getattr(getattr(item, "dtype", None), "names", None) is not None


def _fields_of(item: Any, where: str) -> tuple[object, ...]:
    if isinstance(item, DeviceArray):
        check_alignment(item, where)
    try:
        if item.ndim > 0:
            return record_fields(item, item.ndim)
        fields = record_fields(_as_array(item), 1)
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None
    fields.names = _SINGLE + fields.names
    return fields


def _as_array(record: Any) -> Any:
    """Return an array of one record that shares its memory."""
    shared = np.asarray(record) if isinstance(record, np.void) else record
    return shared.reshape(1)


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


def record_forms(operands: tuple[Any, ...]) -> Tuples:
    """Return which operands of a kernel's signature are records, and of what; () if none is."""
    return tuple(_form(item) if isinstance(item, RecordType) else None for item in operands)


def record_types_text(operands: tuple[Any, ...]) -> str:
    """Return the signature of a kernel with a parameter for each field of its records."""
    texts = (
        item.text(item.n_dimensions or 1) if isinstance(item, RecordType) else signature_text(item)
        for item in operands
    )
    return f"void({', '.join(texts)})"


def _form(record: RecordType) -> tuple[object, ...]:
    if record.n_dimensions > 0:
        return record.form(record.n_dimensions)
    names, inner = record.form(1)
    return (f"{_SINGLE}{names}", inner)


def with_tuples(
    syntax: FunctionData, tuples: Tuples, function: Callable[..., object]
) -> FunctionData:
    """Return a kernel's syntax with a parameter for each item of its tuples, and none for None.

    Args:
        syntax: the kernel's and its device functions' syntax.
        tuples: which parameters are tuples or None.
        function: the kernel's function, whose names the new parameters can't have.
    """
    code = function.__code__
    taken = {*code.co_varnames, *code.co_names, *code.co_freevars}
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
            made = _node(
                "Tuple", names.removeprefix(_SINGLE), self.place, ("elts", nodes) if nodes else ()
            )
            return self.first_of(made) if names.startswith(_SINGLE) else made
        name = next(free for free in _variants(name) if free not in self.taken)
        self.taken.add(name)
        self.parameters.append(_node("arg", name, self.place))
        return _node("Name", name, self.place)

    def first_of(self, array: _Node) -> _Node:
        """Return the expression `array[0]`."""
        zero: _Node = ("Constant", "", 0, *self.place, ())
        return _node("Subscript", "", self.place, ("value", (array,), "slice", (zero,)))


def _variants(name: str) -> Iterator[str]:
    while True:
        yield name
        name += "_"


def _node(kind: str, text: str, place: _Place, fields: tuple[object, ...] = ()) -> _Node:
    return (kind, text, None, *place, fields)
