"""Exceptions of kernels in built modules, which have a copy of this text and run without this
package: `raise_in_call` is called by the module's C++ code.
"""

from __future__ import annotations

import importlib
import struct
import threading
from typing import Any, NoReturn

import numpy as np

from numpy_plugin._errors.raised import make_exception

#: For each ufunc and loop, its exceptions: module and name of the class, arguments, and the place:
#: file, line, function. An argument is a list of texts and values: dtype, conversion, format.
EXCEPTIONS: dict[str, list[list[tuple[str, str, list[list[Any]], str, int, str]]]] = {}

#: What an element raised: the ufunc's name, and the numbers of its loop and of the exception, and
#: the bits of the values in its text.
Raised = tuple[str, int, int, tuple[int, ...]]

_search = threading.local()


class _Found(Exception):
    """Ends a repeated call in which an element raised."""

    def __init__(self, raised: Raised) -> None:
        """Keep what it raised."""
        super().__init__(raised)
        self.raised = raised


def raise_in_call(
    name: str,
    loop: int,
    number: int,
    values: tuple[int, ...],
    ufunc: np.ufunc | None,
    args: tuple[Any, ...] | None,
    named: dict[str, Any] | None,
) -> NoReturn:
    """Raise the exception with a number, with the index of the first element that raises it."""
    raised: Raised = (name, loop, number, values)
    if getattr(_search, "is_on", False):
        raise _Found(raised)
    element = None
    if ufunc is not None and args is not None:
        _search.is_on = True
        try:
            with np.errstate(all="ignore"):
                raised, element = _first_raised(ufunc, args, named or {}) or (raised, None)
        finally:
            _search.is_on = False
    raise _exception(raised, element)


def _exception(raised: Raised, element: tuple[int, ...] | None) -> BaseException:
    name, loop, number, values = raised
    module, kind_name, arguments, file, line, function = EXCEPTIONS[name][loop][number - 1]
    kind: Any = importlib.import_module(module)
    for part in kind_name.split("."):
        kind = getattr(kind, part)
    left = list(values)
    given = [_argument(parts, left) for parts in arguments]
    return make_exception(kind, given, element, name, (file, line, function))


def _argument(parts: list[Any], left: list[int]) -> object:
    if len(parts) == 1 and not isinstance(parts[0], str):
        return _value(parts[0][0], left)
    return "".join(part if isinstance(part, str) else _formatted(part, left) for part in parts)


def _value(dtype: str, left: list[int]) -> Any:
    """Return the next value as a NumPy scalar: its bits are a float64's, uint64's or int64's."""
    bits = struct.pack("=Q", left.pop(0))
    code = {"f": "=d", "u": "=Q"}.get(np.dtype(dtype).kind, "=q")
    return np.asarray(struct.unpack(code, bits)[0]).astype(dtype)[()]


def _formatted(part: tuple[str, str, str], left: list[int]) -> str:
    dtype, conversion, form = part
    value = _value(dtype, left)
    if conversion in ("r", "a"):
        value = repr(value)
    elif conversion == "s":
        value = str(value)
    return format(value, form)


def _first_raised(
    ufunc: np.ufunc, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Raised, tuple[int, ...]] | None:
    """Return what the first element in C order raises, and its index; None if it can't be found.

    The call is repeated on halves of its operands.
    """
    kept = {key: value for key, value in named.items() if key not in ("out", "where")}
    outputs = [*args[ufunc.nin :], *_as_tuple(named.get("out"))]
    inputs = args[: ufunc.nin]
    if kept.keys() & {"axes", "axis", "keepdims"} or _are_overwritten(inputs, outputs):
        return None
    operands = list(zip(inputs, _core_ranks(ufunc), strict=False))
    if "where" in named:
        operands.append((named["where"], 0))
    operands = [(value if _is_number(value) else np.asarray(value), n) for value, n in operands]
    shape = np.broadcast_shapes(*(_loop_shape(*operand) for operand in operands))

    def raised_in(part: list[slice]) -> Raised | None:
        values = [_sliced(value, n_core, part) for value, n_core in operands]
        call = {**kept, "out": None, "where": values.pop()} if "where" in named else kept
        try:
            ufunc(*values, **call)
        except _Found as found:
            return found.raised
        return None

    part = [slice(0, size) for size in shape]
    for axis, size in enumerate(shape):
        begin, end = 0, size
        while end - begin > 1:
            middle = begin + (end - begin) // 2
            part[axis] = slice(begin, middle)
            begin, end = (begin, middle) if raised_in(part) is not None else (middle, end)
        part[axis] = slice(begin, end)
    raised = raised_in(part)
    return None if raised is None else (raised, tuple(place.start for place in part))


def _as_tuple(out: Any) -> tuple[Any, ...]:
    return out if isinstance(out, tuple) else (out,)


def _are_overwritten(inputs: tuple[Any, ...], outputs: list[Any]) -> bool:
    arrays = [out for out in outputs if isinstance(out, np.ndarray)]
    return any(
        isinstance(value, np.ndarray) and np.may_share_memory(value, out)
        for value in inputs
        for out in arrays
    )


def _core_ranks(ufunc: np.ufunc) -> list[int]:
    """Return the number of core dimensions of each input."""
    if ufunc.signature is None:
        return [0] * ufunc.nin
    inputs = ufunc.signature.partition("->")[0].strip("()").split("),(")
    return [len([name for name in text.split(",") if name]) for text in inputs]


def _is_number(value: Any) -> bool:
    """Whether a value takes its type from the other operands."""
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)


def _loop_shape(value: Any, n_core: int) -> tuple[int, ...]:
    shape: tuple[int, ...] = np.shape(value)
    return shape[: len(shape) - n_core]


def _sliced(value: Any, n_core: int, part: list[slice]) -> Any:
    """Return an operand's elements for a part of the loop; axes of one element serve all."""
    shape = _loop_shape(value, n_core)
    own = part[len(part) - len(shape) :]
    if not own:
        return value
    return value[tuple(slice(0, 1) if n == 1 else s for n, s in zip(shape, own, strict=True))]
