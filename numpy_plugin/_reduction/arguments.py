"""The arguments of a reduction's call, checked and brought into one shape, by NumPy's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin._cuda.spaces import Space
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._reduction.definition import Definition, find_loop

__all__ = ["Call", "broadcast_shape", "read_call", "reduced_axes"]

Array = npt.NDArray[Any]
DTypes = tuple[np.dtype[Any], ...]


@dataclass
class Call:
    """Operands of the loops' dtypes, which are broadcast to a shape and reduced over some axes."""

    name: str
    operands: list[Any]
    shape: tuple[int, ...]
    axes: list[int]
    mask: Any
    initial: list[Array]  # of the host
    result_dtypes: tuple[np.dtype[Any], ...]
    result_shape: tuple[int, ...]
    outputs: list[Any] = field(default_factory=list)  # as they were given; None: a new array


def read_call(
    reduction: Definition,
    space: Space,
    operands: tuple[Any, ...],
    *,
    axis: Any,
    out: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    shape: Any,
) -> Call:
    """Check the arguments of a call.

    Raises:
        TypeError: the number of operands or outputs, or a dtype, does not fit.
        ValueError: shapes don't match, or no accumulator to begin with is known.
    """
    if len(operands) != reduction.nin:
        message = f"'{reduction.name}' takes {reduction.nin} operands, {len(operands)} given"
        raise TypeError(message)
    arrays = [space.array(operand) for operand in operands]
    types = tuple(
        type(operand) if type(operand) in (int, float, complex) else array.dtype
        for operand, array in zip(operands, arrays, strict=True)
    )
    loop = find_loop(reduction, types)
    mask = None if where is True else _mask(space.array(where))
    whole = broadcast_shape(arrays, shape)
    axes = reduced_axes(axis, len(whole))
    if mask is not None:
        np.broadcast_to(np.broadcast_to(np.True_, mask.shape), whole)  # or NumPy's error
    call = Call(
        reduction.name,
        [
            array if array.dtype == dtype else array.astype(dtype)
            for array, dtype in zip(arrays, loop.operands, strict=True)
        ],
        whole,
        axes,
        mask,
        _initial(reduction, initial, loop.items),
        loop.results,
        _result_shape(whole, axes, keepdims),
    )
    call.outputs = _outputs(reduction, space, out, call)
    _check_elements(reduction, call)
    return call


def broadcast_shape(arrays: Sequence[Any], shape: Any) -> tuple[int, ...]:
    """Return the shape that all arrays, and the given one, are broadcast to."""
    if shape is None and len(arrays) == 1:
        own: tuple[int, ...] = arrays[0].shape
        return own
    sizes = () if shape is None else tuple(np.atleast_1d(np.asarray(shape, np.intp)).tolist())
    return np.broadcast_shapes(sizes, *map(np.shape, arrays))


def reduced_axes(axis: Any, ndim: int) -> list[int]:
    """Return the axes that `axis` names, in order; None names all."""
    if axis is None:
        return list(range(ndim))
    return sorted(np.lib.array_utils.normalize_axis_tuple(axis, ndim))


def _mask(mask: Any) -> Any:
    if mask.dtype != np.bool_:
        raise TypeError(f"where must be a bool array, found {mask.dtype}")
    return mask


def _initial(reduction: Definition, given: Any, items: DTypes) -> list[Array]:
    """Return the accumulator to begin with, an array for each item; none if none is known."""
    value = reduction.identity if given is None else given
    if value is None:
        return []
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != len(items):
        message = (
            f"the accumulators of '{reduction.name}' have {len(items)} items, found {len(values)}"
        )
        raise mistaken(TypeError, message, "", "identity" if given is None else "initial")
    return [np.array(item, dtype) for item, dtype in zip(values, items, strict=True)]


def _result_shape(whole: tuple[int, ...], axes: list[int], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple(1 if number in axes else size for number, size in enumerate(whole))
    return tuple(size for number, size in enumerate(whole) if number not in axes)


def _outputs(reduction: Definition, space: Space, out: Any, call: Call) -> list[Any]:
    if out is None:
        return [None] * reduction.nout
    outputs = list(out) if isinstance(out, tuple) else [out]
    if len(outputs) != reduction.nout:
        raise ValueError(
            f"out of '{reduction.name}' must be {reduction.nout} arrays, found {len(outputs)}"
        )
    for given, dtype in zip(outputs, call.result_dtypes, strict=True):
        if given is None:
            continue
        output = space.output(given)
        if output.shape != call.result_shape:
            raise ValueError(
                f"out of '{reduction.name}' must have the shape {call.result_shape}, "
                f"found {output.shape}"
            )
        if not np.can_cast(dtype, output.dtype, "same_kind"):
            raise TypeError(
                f"Cannot cast reduction '{reduction.name}' output from {dtype} to "
                f"{output.dtype} with casting rule 'same_kind'"
            )
    return outputs


def _check_elements(reduction: Definition, call: Call) -> None:
    """Raise NumPy's errors for outputs that have no element and no accumulator to begin with."""
    if call.initial:
        return
    if call.mask is not None:
        raise ValueError(
            f"reduction operation '{reduction.name}' does not have an identity, so to use a where "
            "mask one has to specify 'initial'"
        )
    if 0 in [call.shape[axis] for axis in call.axes]:
        raise ValueError(
            f"zero-size array to reduction operation {reduction.name} which has no identity"
        )
