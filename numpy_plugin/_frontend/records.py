"""Records: structured dtypes in signatures, and structured arrays as tuples of their fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._frontend.array_calls import LibraryName

__all__ = [
    "RecordFields",
    "RecordTuple",
    "array_fields",
    "check_alignment",
    "field_form",
    "field_texts",
    "field_types",
    "n_numbers",
    "record_fields",
    "unaligned_field",
]


class Field(NamedTuple):
    """A field of a structured dtype."""

    name: str
    dtype: np.dtype[Any]  # of its elements
    shape: tuple[int, ...]


class RecordFields(tuple[Any, ...]):
    """The fields of a record, or of an array of records, as one argument of a kernel."""

    # The number of the records' dimensions and the fields' names, as in "1:x,y".
    names: str


class RecordTuple(ast.Tuple):
    """An expression for a record of the fields that are its elements."""

    names: str


def field_texts(dtype: np.dtype[Any], n_dimensions: int) -> Iterator[str]:
    """Yield the types of the fields, each as an operand of its own."""
    for field in field_types(dtype):
        n_all = n_dimensions + len(field.shape)
        if field.dtype.names:
            yield from field_texts(field.dtype, n_all)
        else:
            yield field.dtype.name + (f"[{','.join(':' * n_all)}]" if n_all else "")


def field_form(dtype: np.dtype[Any], n_dimensions: int) -> tuple[object, ...]:
    """Return the names of the fields, and the same for those that are records."""
    inner = tuple(
        field_form(field.dtype, n_dimensions) if field.dtype.names else None
        for field in field_types(dtype)
    )
    return (names_text(dtype, n_dimensions), inner)


def n_numbers(dtype: np.dtype[Any]) -> int:
    """Return the number of fields, those of nested records included; 1 for a number."""
    if dtype.names is None:
        return 1
    return sum(n_numbers(field.dtype) for field in field_types(dtype))


@lru_cache(maxsize=256)
def field_types(dtype: np.dtype[Any]) -> tuple[Field, ...]:
    """Return the fields of a structured dtype.

    Raises:
        TypeError: kernels cannot use one of them.
    """
    found = []
    for name in dtype.names or ():
        field = dtype[name]
        if "," in name or ":" in name:
            raise TypeError(
                f"kernels cannot use the field {name!r}: its name has a comma or a colon"
            )
        if field.base.names is None and not _core.dtype_name(field.base):
            raise TypeError(
                f"kernels cannot use the field {name!r} of dtype {field.base}; "
                "expected numbers, or records of them"
            )
        if not field.base.isnative:
            raise TypeError(
                f"kernels cannot use the field {name!r} of dtype {field.base}, which has "
                "non-native byte order\n  hint: a.astype(a.dtype.newbyteorder('='))"
            )
        found.append(Field(name, field.base, field.shape))
    return tuple(found)


def names_text(dtype: np.dtype[Any], n_dimensions: int) -> str:
    """Return the form of a record's names that the core reads."""
    return f"{n_dimensions}:{','.join(field.name for field in field_types(dtype))}"


def record_fields(value: Any, n_dimensions: int) -> RecordFields:
    """Return the fields of an array of records, or of a single one, which has no dimensions.

    Raises:
        TypeError: kernels cannot use one of them.
    """
    dtype = value.dtype
    made = RecordFields(_fields(value, n_dimensions))
    made.names = names_text(dtype, n_dimensions)
    return made


def _fields(value: Any, n_dimensions: int) -> Iterator[Any]:
    for field in field_types(value.dtype):
        part = value[field.name]
        yield record_fields(part, n_dimensions) if field.dtype.names else part


def check_alignment(array: DeviceArray, where: str) -> None:
    """Raise a ValueError where a device cannot access the fields of an array's dtype."""
    problem = unaligned_field(array.dtype)
    if problem:
        raise ValueError(f"{where}: {problem}\n  hint: np.dtype([...], align=True)")


@lru_cache(maxsize=256)
def unaligned_field(dtype: np.dtype[Any]) -> str:
    """Return what is wrong with the place of a field in its record; "" if nothing is."""
    for name, inner, offset in _numbers(dtype):
        alignment = inner.alignment
        if offset % alignment or dtype.itemsize % alignment:
            return (
                f"the field {name!r} is at offset {offset} of records of {dtype.itemsize} bytes; "
                f"expected multiples of {alignment} for {inner}"
            )
    return ""


def _numbers(dtype: np.dtype[Any]) -> Iterator[tuple[str, np.dtype[Any], int]]:
    """Yield the name, dtype and offset of every field that holds numbers."""
    for name, (inner, offset, *_) in (dtype.fields or {}).items():
        if inner.base.names:
            for inner_name, base, inner_offset in _numbers(inner.base):
                yield f"{name}.{inner_name}", base, offset + inner_offset
        else:
            yield name, inner.base, offset


def array_fields(call: ast.Call, shape: ast.expr, dtype: np.dtype[Any]) -> RecordTuple:
    """Return the expression for an array of records: a call like this one for each field."""
    n_dimensions = len(shape.elts) if isinstance(shape, ast.Tuple) else 1
    made = RecordTuple([], ast.Load())
    made.names = names_text(dtype, n_dimensions)
    for field in field_types(dtype):
        sizes = [ast.Constant(size) for size in field.shape]
        own = shape.elts if isinstance(shape, ast.Tuple) else [shape]
        whole = ast.Tuple([*own, *sizes], ast.Load()) if sizes else shape
        part: ast.expr
        if field.dtype.names:
            part = array_fields(call, whole, field.dtype)
        else:
            part = ast.Call(call.func, [whole, _dtype_node(field.dtype)], [])
        made.elts.append(part)
    for node in ast.walk(made):
        if isinstance(node, ast.expr) and not hasattr(node, "lineno"):
            ast.copy_location(node, call)
    return ast.copy_location(made, call)


def _dtype_node(dtype: np.dtype[Any]) -> ast.expr:
    made = LibraryName(id=f"<{dtype.name}>", ctx=ast.Load())
    made.value = dtype
    return made
