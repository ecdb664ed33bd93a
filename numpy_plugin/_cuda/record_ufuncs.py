"""Ufuncs of records on device arrays: a call of the kernel's ufunc with the fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray, make_array_beside
from numpy_plugin._frontend.records import check_alignment, field_types, n_numbers

__all__ = ["call_record_ufunc"]


def call_record_ufunc(
    ufunc: np.ufunc, inputs: tuple[Any, ...], out: Any = None, **named: Any
) -> Any:
    """Call a ufunc of records; each result is a `DeviceArray`, of records where they are declared.

    Raises:
        TypeError: an operand is not of the declared records.
        ValueError: the device cannot access a field.
    """
    dtypes, n_inputs, *_ = ufunc.__dict__["_made_from"][0]["records"]
    given = [None] * ufunc.nout if out is None else list(out if isinstance(out, tuple) else (out,))
    operands = [*inputs, *given]
    for number, (operand, dtype) in enumerate(zip(operands, dtypes, strict=True)):
        if dtype.names and operand is not None:
            _check_records(operand, dtype, f"operand {number} of {ufunc.__name__!r}")
    kernel: np.ufunc = ufunc.__dict__["_kernel"]
    spread = [
        part
        for operand, dtype in zip(operands, dtypes, strict=True)
        for part in _parts(operand, dtype)
    ]
    results = kernel(*spread[: kernel.nin], out=tuple(spread[kernel.nin :]), **named)
    parts = iter(results if isinstance(results, tuple) else (results,))
    made = [
        _joined(parts, dtype, operand)
        for operand, dtype in zip(given, dtypes[n_inputs:], strict=True)
    ]
    return made[0] if len(made) == 1 else tuple(made)


def _check_records(operand: Any, dtype: np.dtype[Any], where: str) -> None:
    found = getattr(operand, "dtype", None)
    if found != dtype:
        raise TypeError(f"{where} is of records {dtype}, found {found or type(operand).__name__}")
    if isinstance(operand, DeviceArray):
        check_alignment(operand, where)


def _parts(operand: Any, dtype: np.dtype[Any]) -> Iterator[Any]:
    """Yield the operands of the kernel for one operand; None for results to be made."""
    if operand is None:
        yield from [None] * n_numbers(dtype)
    elif dtype.names:
        for field in field_types(dtype):
            yield from _parts(operand[field.name], field.dtype)
    else:
        yield operand


def _joined(parts: Iterator[Any], dtype: np.dtype[Any], given: Any) -> Any:
    """Return a result: the given array, or new records of the kernel's results."""
    if dtype.names is None:
        return next(parts)
    fields = [next(parts) for _ in range(n_numbers(dtype))]
    if given is not None:
        return given
    made = make_array_beside(fields[0], fields[0].shape, dtype, "C", "a ufunc of records")
    for target, values in zip(_parts(made, dtype), fields, strict=True):
        target[...] = values
    return made
