"""The functions of a reduction as ufuncs: the map, the combining function, the last step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.numpy_ufuncs import device_kernel
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.place import NO_PLACE
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.declare import Options
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.syntax import called_syntax, text_syntax

__all__ = ["combining_ufunc", "finishing_ufunc", "mapping_ufunc"]

#: A function of a reduction: Python, a ufunc of this package, or one of NumPy's.
Function = Callable[..., Any] | np.ufunc


def mapping_ufunc(function: Function, options: dict[str, Any]) -> np.ufunc:
    """Return the map as a ufunc from operands to the accumulators' items."""
    if isinstance(function, np.ufunc):
        return _checked(function, "map")
    return Options(None, None, **options).from_function(_python_function(function, "map"))


def combining_ufunc(function: Function, n_items: int, options: dict[str, Any]) -> np.ufunc:
    """Return the combining function as a ufunc: items of two accumulators, items of one.

    Raises:
        TypeError: a ufunc takes or returns other numbers of items.
    """
    if not isinstance(function, np.ufunc):
        items = [_names("a", n_items), _names("b", n_items)]
        return _wrapped(_python_function(function, "reduce"), items, options)
    ufunc = _checked(function, "reduce")
    if (ufunc.nin, ufunc.nout) != (2 * n_items, n_items):
        message = (
            f"reduce combines accumulators of {n_items} items, found '{ufunc.__name__}' with "
            f"{ufunc.nin} operands and {ufunc.nout} results"
        )
        raise mistaken(TypeError, message, "", "reduce")
    return ufunc


def finishing_ufunc(function: Function, n_items: int, options: dict[str, Any]) -> np.ufunc:
    """Return the last step as a ufunc from an accumulator's items to the results."""
    if not isinstance(function, np.ufunc):
        items = [_names("a", n_items)]
        return _wrapped(_python_function(function, "finish"), items, options)
    ufunc = _checked(function, "finish")
    if ufunc.nin != n_items:
        message = (
            f"finish takes accumulators of {n_items} items, found '{ufunc.__name__}' with "
            f"{ufunc.nin} operands"
        )
        raise mistaken(TypeError, message, "", "finish")
    return ufunc


def _checked(ufunc: np.ufunc, argument: str) -> np.ufunc:
    """Return a ufunc of this package for a given one.

    Raises:
        TypeError: it has core dimensions, or there is no kernel for it.
    """
    own = ufunc if _core.is_own_ufunc(ufunc) else device_kernel(ufunc)
    if own is None:
        message = f"{argument} is the NumPy ufunc '{ufunc.__name__}', which has no kernel"
        raise mistaken(TypeError, message, "write it as a function", argument)
    if own.signature is not None:
        message = f"{argument} takes numbers; '{ufunc.__name__}' works on core arrays"
        raise mistaken(TypeError, message, "", argument)
    return own


def _python_function(function: object, argument: str) -> Callable[..., Any]:
    if isinstance(function, DeviceFunction):
        return function.__wrapped__
    if callable(function) and hasattr(function, "__code__"):
        return function
    message = wrong_class(argument, "a function or a ufunc", function)
    raise mistaken(TypeError, message, "lambda a, b: a + b", argument)


def _names(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(1, count + 1)]


def _wrapped(
    function: Callable[..., Any], accumulators: list[list[str]], options: dict[str, Any]
) -> np.ufunc:
    """Return the ufunc that packs items into tuples and calls the function; a single is bare."""
    if len(accumulators[0]) == 1:
        return Options(None, None, **options).from_function(function)
    packed = ", ".join(f"({', '.join(items)})" for items in accumulators)
    parameters = [name for items in accumulators for name in items]
    binding = ("device", function.__name__, None, "", (), 1, NO_PLACE, 0)
    kernel = text_syntax(
        function.__name__, parameters, [f"return function({packed})"], {"function": binding}
    )
    syntax = (*kernel, *called_syntax(DeviceFunction(function), len(kernel)))
    return Options(None, None, **options).from_syntax(syntax, function.__name__, "")
