"""NumPy's own errors for wrong calls of its functions and methods on device arrays.

NumPy is called with host arrays of zeros in the place of the device arrays, of the same shapes and
dtypes.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray

__all__ = ["call_or_raise_numpys_error", "calls_numpys", "numpys_method"]

#: Errors of wrong arguments, not of devices.
_OF_ARGUMENTS = (TypeError, ValueError, IndexError, AttributeError, ArithmeticError)

#: NumPy gets no more elements: it may compute with them before it raises.
_MOST_ELEMENTS = 1 << 20

#: NumPy writes out of bounds where `out` has no axes.
_ACCUMULATIONS = ("accumulate", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum")


#: Functions that call NumPy's, by these, with the values of all but the first argument: what they
#: raise is NumPy's error, which may show these values. Errors of methods have other texts.
_CALLING_NUMPYS: dict[Callable[..., Any], Callable[..., Any]] = {}


def calls_numpys(numpys: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that calls NumPy's one."""

    def register(own: Callable[..., Any]) -> Callable[..., Any]:
        _CALLING_NUMPYS[own] = numpys
        return own

    return register


def call_or_raise_numpys_error(
    own: Callable[..., Any],
    numpys: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> Any:
    """Call `own`; where the arguments are wrong, raise what NumPy's function raises, if it does."""
    if _CALLING_NUMPYS.get(own) is numpys:
        return own(*args, **named)
    if not _are_usual(own, args, named):
        error = _error_of_numpy(numpys, args, named)
        if error is not None:
            raise error
    try:
        return own(*args, **named)
    except _OF_ARGUMENTS:
        error = _error_of_numpy(numpys, args, named)
        if error is None:
            raise
    raise error from None


@functools.cache
def numpys_method(name: str) -> Callable[..., Any]:
    """Return the function that calls a method of NumPy's arrays."""

    def call(array: Any, *args: Any, **named: Any) -> Any:
        return getattr(array, name)(*args, **named)

    call.__name__ = name
    return call


def _is_flag(value: Any) -> bool:
    return type(value) in (bool, int)


def _is_axis(value: Any) -> bool:
    values = value if type(value) is tuple else (value,)
    return value is None or all(
        type(each) is int or isinstance(each, np.integer) for each in values
    )


def _is_copy(value: Any) -> bool:
    return value is None or type(value) is bool


def _is_mask(value: Any) -> bool:
    return type(value) is bool or (isinstance(value, DeviceArray) and value.dtype == np.bool_)


def _is_order(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in "CFAK")


def _is_out(value: Any) -> bool:
    values = value if type(value) is tuple and len(value) > 1 else (value,)
    return all(each is None or isinstance(each, DeviceArray) for each in values)


#: Whether the value of a parameter of this name is one that every NumPy function takes; the others
#: are not converted here.
_USUAL: dict[str, Callable[[Any], bool]] = {
    "axis": _is_axis,
    "copy": _is_copy,
    "keepdims": _is_flag,
    "order": _is_order,
    "out": _is_out,
    "subok": _is_flag,
    "where": _is_mask,
}


@functools.cache
def _parameters(own: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of parameters that are given by position."""
    parameters = inspect.signature(own).parameters.values()
    return tuple(
        each.name
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    )


def _are_usual(own: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    positional = zip(_parameters(own), args, strict=False) if len(args) > 1 else ()
    return all(
        name not in _USUAL or value is np._NoValue or _USUAL[name](value)
        for name, value in (*positional, *named.items())
    )


def _error_of_numpy(
    numpys: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
) -> Exception | None:
    """Return what NumPy raises; None if it takes the call."""
    values = [*args, *named.values()]
    if not all(map(_is_for_numpy, values)):
        return None
    if numpys.__name__ in _ACCUMULATIONS and any(_has_no_axes(each) for each in values[1:]):
        return None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            numpys(*map(_stand_in, args), **{key: _stand_in(named[key]) for key in named})
    except _OF_ARGUMENTS as error:
        return error.with_traceback(None)
    return None


def _is_for_numpy(value: Any) -> bool:
    """Whether a value has a stand-in, or needs none: another library's array has none."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_for_numpy, value))
    if isinstance(value, (DeviceArray, np.ndarray)):
        return value.size <= _MOST_ELEMENTS
    return not hasattr(type(value), "__dlpack__") and not hasattr(
        type(value), "__cuda_array_interface__"
    )


def _has_no_axes(value: Any) -> bool:
    return isinstance(value, (DeviceArray, np.ndarray)) and value.ndim == 0


def _stand_in(value: Any) -> Any:
    """Return a host array that NumPy may read and write for an array, also within a sequence."""
    if isinstance(value, DeviceArray):
        return np.zeros(value.shape, value.dtype)
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(_stand_in, value))
    return value
