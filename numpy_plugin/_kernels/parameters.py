"""Parameter lists of kernels, `"T x, raw S y"`, and their types in a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.wrong_call import check_encodable, mistaken

__all__ = ["Parameter", "check_names", "parse", "resolve", "type_name", "wrong_count"]


class Parameter(NamedTuple):
    """A parameter; `type` is the name of a dtype, or a placeholder."""

    name: str
    type: str
    is_placeholder: bool
    is_raw: bool
    is_pointer: bool
    is_const: bool


def parse(argument: str, text: object) -> list[Parameter]:
    """Return the parameters that an argument lists.

    Raises:
        TypeError: it is not a str.
        SignatureError: it is malformed; the message underlines the place.
    """
    if not isinstance(text, str):
        message = wrong_class(argument, "a str", text)
        raise mistaken(TypeError, message, 'as in "T x, T y"', argument)
    check_encodable(argument, text)
    return [Parameter(*row) for row in _core.parse_parameters(argument, text)]


def check_names(parameters: Sequence[Parameter]) -> None:
    """Raise a ValueError where two parameters have one name."""
    names = [parameter.name for parameter in parameters]
    for name in names:
        if names.count(name) > 1:
            raise mistaken(ValueError, f"two parameters are named '{name}'", "rename one of them")


def type_name(argument: str, text: object) -> str:
    """Return the name of the dtype, or the placeholder, that a text names."""
    if not isinstance(text, str):
        text = np.dtype(text).name  # type: ignore[call-overload]
    return parse(argument, f"{text} x")[0].type


def resolve(
    name: str, parameters: Sequence[Parameter], n_inputs: int, arguments: Sequence[Any]
) -> list[str]:
    """Return the dtypes' names of all parameters; arguments are arrays, numbers or None.

    Raises:
        TypeError: two arguments disagree about a placeholder, or none tells it.
    """
    operands = [(parameter.name, parameter.type) for parameter in parameters]
    return _core.resolve_parameters(name, operands, n_inputs, [_given(each) for each in arguments])


_NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def _given(argument: Any) -> tuple[str, str]:
    """Return the dtype's name of an array, or that of a Python number."""
    if argument is None:
        return "", ""
    if type(argument) in _NUMBERS:
        return "", _NUMBERS[type(argument)]
    dtype = np.dtype(argument.dtype)
    name = _core.dtype_name(dtype)
    if name is None:
        raise TypeError(f"kernels have no type for arguments of dtype {dtype.name}")
    return name, ""


def wrong_count(name: str, parameters: Sequence[Parameter], n_inputs: int, found: int) -> TypeError:
    """Return the exception for a call with too few or too many arguments."""
    listed = ", ".join(f"{each.type} {each.name}" for each in parameters)
    n_all = len(parameters)
    expected = f"{n_inputs}" if n_inputs == n_all else f"{n_inputs} or {n_all}"
    return TypeError(
        f"Wrong number of arguments for '{name}': it takes {expected} ({listed}), found {found}"
    )
