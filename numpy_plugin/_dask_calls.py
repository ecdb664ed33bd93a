"""Calls of ufuncs on dask arrays: lazy results, whose types are known without running the kernel.

dask calls an unknown function on zeros to learn the type of its result. A kernel can raise an
exception for zeros, or divide by them, so dask gets the types from here. It also gets multiple
results and outer products, which it supports for NumPy's own ufuncs only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["call_on_dask", "outer_on_dask"]

# NumPy's types of Python numbers take part in promotion with their kind only.
_WEAK = (int, float, complex)


def call_on_dask(ufunc: np.ufunc, /, *inputs: Any, **keywords: Any) -> Any:
    """Return the dask arrays of a call; NotImplemented where dask's own dispatch makes it.

    Raises:
        TypeError: the ufunc has no loop for the types of the operands.
    """
    if len(inputs) != ufunc.nin or not {"dtype", "signature"}.isdisjoint(keywords):
        return NotImplemented
    dtypes = _result_dtypes(ufunc, inputs)
    if ufunc.signature is None and ufunc.nout == 1:
        return ufunc(*inputs, dtype=dtypes[0], **keywords)
    if not {"out", "where"}.isdisjoint(keywords):
        return NotImplemented
    from dask.array import apply_gufunc

    if ufunc.signature is None:
        inputs = _in_common_chunks(inputs)
    layout = ufunc.signature or ",".join(["()"] * ufunc.nin) + "->" + ",".join(["()"] * ufunc.nout)
    keywords.setdefault("output_dtypes", dtypes if ufunc.nout > 1 else dtypes[0])
    return apply_gufunc(ufunc, layout, *inputs, **keywords)


def _in_common_chunks(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands with one set of chunks, as `apply_gufunc` needs them; numbers stay weak."""
    from dask.array.core import asarray, unify_chunks

    arrays = [asarray(item) for item in operands]
    pairs = [part for item in arrays for part in (item, tuple(range(item.ndim))[::-1])]
    _, unified = unify_chunks(*pairs)
    return tuple(new if new.ndim else old for new, old in zip(unified, operands, strict=True))


def outer_on_dask(ufunc: np.ufunc, /, *inputs: Any, **keywords: Any) -> Any:
    """Return the outer product of two operands; NotImplemented for other numbers of operands."""
    if len(inputs) != 2 or ufunc.nin != 2 or ufunc.signature is not None or "out" in keywords:
        return NotImplemented
    from dask.array import asarray

    left, right = map(asarray, inputs)
    return ufunc(left[(..., *[np.newaxis] * right.ndim)], right, **keywords)


def _result_dtypes(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> tuple[np.dtype[Any], ...]:
    """Return the types of the results."""
    given = [_type_of(item) for item in inputs]
    resolved: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    return resolved[ufunc.nin :]


def _type_of(operand: Any) -> Any:
    """Return an operand's type as NumPy's promotion takes it."""
    if type(operand) in _WEAK:
        return type(operand)
    dtype = getattr(operand, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) else np.asarray(operand).dtype
