"""Ufuncs of records: the kernel's ufunc has an operand for each field, NumPy's has the records."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.exceptions import SignatureError
from numpy_plugin._frontend.records import n_numbers, unaligned_field
from numpy_plugin._frontend.syntax import FunctionData
from numpy_plugin._frontend.tuples import with_tuples
from numpy_plugin._frontend.types import (
    ArrayType,
    KernelType,
    RecordType,
    Signature,
    own_type,
    record_operands,
    record_type,
    signature_text,
)

__all__ = [
    "RecordData",
    "RecordSignature",
    "make_record_ufunc",
    "record_signature",
    "spread_operands",
]

# Of a ufunc of records in its declaration's data: the operands' dtypes, the number of inputs, the
# layout ("" if it is elementwise), and the names of the inputs.
RecordData = tuple[list[np.dtype[Any]], int, str, list[str]]


class RecordSignature(NamedTuple):
    """The signature of a ufunc of records."""

    operands: tuple[Any, ...]  # types, inputs first
    n_inputs: int
    text: str  # with an operand for each field
    layout: str | None

    @property
    def n_fields(self) -> list[int]:
        """The number of the kernel's operands that each operand has."""
        return [
            n_numbers(item.dtype) if isinstance(item, RecordType) else 1 for item in self.operands
        ]

    @property
    def field_layout(self) -> str | None:
        """The layout with an operand for each field."""
        if self.layout is None:
            return None
        groups = _groups(self.layout)
        spread = [",".join([group] * n) for group, n in zip(groups, self.n_fields, strict=True)]
        n = self.n_inputs
        return f"{','.join(spread[:n])}->{','.join(spread[n:])}"

    def data(self, names: Sequence[str]) -> RecordData:
        """Return the records of a declaration's data."""
        dtypes = [_dtype(item) for item in self.operands]
        return dtypes, self.n_inputs, self.layout or "", list(names)[: self.n_inputs]

    def syntax(self, syntax: FunctionData, function: Callable[..., object]) -> FunctionData:
        """Return a kernel's syntax with a parameter for each field."""
        if self.layout is None:
            return with_tuples(syntax, self._forms([0] * self.n_inputs), function)
        n_core = [
            len([name for name in group[1:-1].split(",") if name.strip()])
            for group in _groups(self.layout)
        ]
        return with_tuples(syntax, self._forms(n_core), function)

    def _forms(self, n_core: Sequence[int]) -> tuple[Any, ...]:
        """Return what the kernel's parameters are: outputs without core dimensions have one."""
        forms: list[object] = []
        for number, (item, n_dimensions) in enumerate(zip(self.operands, n_core, strict=False)):
            if not isinstance(item, RecordType):
                forms.append(None)
                continue
            least = item.n_dimensions if number < self.n_inputs else 1
            forms.append(item.form(n_dimensions or min(least, 1)))
        return tuple(forms)


def record_signature(signatures: Any, layout: str | None) -> RecordSignature | None:
    """Return the signature of a declaration of which an operand is a record; None for others.

    Raises:
        SignatureError: there are several signatures, or the signature does not match the layout.
        TypeError: kernels of ufuncs cannot use one of the fields.
    """
    given = own_type(signatures)
    is_one = not isinstance(given, (list, tuple)) or _is_types(given)
    found = [_signature(item) for item in ([given] if is_one else given)]
    if not any(record_operands(item) for item in found):
        return None
    if len(found) > 1:
        raise SignatureError(
            f"a ufunc of records has one signature, found {len(found)}\n"
            "  hint: declare a ufunc for each"
        )
    signature = found[0]
    assert signature is not None
    for item in signature.operands:
        _check_fields(item)
        if layout is not None:
            _check_places(item)
    if layout is None:
        return RecordSignature(signature.operands, signature.n_inputs, str(signature), None)
    return _with_layout(signature, layout)


def _with_layout(signature: Signature, layout: str) -> RecordSignature:
    inputs, arrow, _ = layout.partition("->")
    groups = _groups(layout)
    if not arrow or len(groups) != len(signature.operands):
        found = "has no '->'" if not arrow else f"has {len(groups)} operands"
        raise SignatureError(
            f"layout {layout!r} {found}, the signature of records has {len(signature.operands)}"
            '\n  hint: name inputs and outputs, as in "(n),()->(n)"'
        )
    text = signature_text(signature)
    return RecordSignature(signature.operands, len(_groups(inputs)), text, layout)


def make_record_ufunc(kernel: np.ufunc, records: RecordData, doc: str) -> np.ufunc:
    """Return the ufunc of records whose fields are the operands of a ufunc."""
    dtypes, n_inputs, layout, _ = records
    made = _core.make_record_ufunc(kernel, dtypes, n_inputs, kernel.__name__, doc, layout)
    made.__dict__["_kernel"] = kernel
    return made


def spread_operands(written: Sequence[str], n_fields: Sequence[int]) -> list[str]:
    """Return the kernel's operands for operands given by their index, as text.

    Raises:
        SignatureError: an operand is given by its name, or there is none of that index.
    """
    starts = [0, *accumulate(n_fields)]
    found: list[str] = []
    for text in written:
        if not text.isdecimal() or int(text) >= len(n_fields):
            raise SignatureError(
                f"writable_args of a ufunc of {len(n_fields)} records or numbers are indices from "
                f"0 to {len(n_fields) - 1}, found {text!r}"
            )
        index = int(text)
        found += map(str, range(starts[index], starts[index + 1]))
    return found


def _groups(layout: str) -> list[str]:
    return re.findall(r"\([^()]*\)", layout)


def _is_types(items: list[Any] | tuple[Any, ...]) -> bool:
    """Whether these are the types of one signature."""
    kinds = (RecordType, ArrayType)
    return isinstance(items, tuple) and any(isinstance(record_type(i), kinds) for i in items)


def _signature(item: Any) -> Signature | None:
    if isinstance(item, Signature):
        return item
    if not isinstance(item, tuple):
        return None
    types = tuple(map(record_type, item))
    if not any(isinstance(each, RecordType) for each in types):
        return None
    return Signature(f"void({', '.join(map(signature_text, types))})", types, ())


def _check_fields(item: Any) -> None:
    dtype = item.dtype if isinstance(item, RecordType) else np.dtype("f8")
    for name, (field, *_) in (dtype.fields or {}).items():
        if field.shape:
            raise TypeError(
                f"the field {name!r} of a ufunc's operand has shape {field.shape}; expected a "
                "number\n  hint: pass the field as an operand of its own, with core dimensions"
            )
        if field.names:
            _check_fields(RecordType(field))


def _check_places(item: Any) -> None:
    problem = unaligned_field(item.dtype) if isinstance(item, RecordType) else ""
    if problem:
        raise TypeError(f"{problem}\n  hint: np.dtype([...], align=True)")


def _dtype(item: Any) -> np.dtype[Any]:
    if isinstance(item, (RecordType, KernelType)):
        return item.dtype
    return np.dtype(item.name) if isinstance(item, ArrayType) else np.dtype(item)
