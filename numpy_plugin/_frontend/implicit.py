"""`implicit`: the root of an equation, with the derivatives that the equation gives it."""

from __future__ import annotations

from typing import Any

import numpy as np

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.bindings import bind_ufunc, device_binding
from numpy_plugin._frontend.declare import parameter_names
from numpy_plugin._frontend.derivatives import Differentiable, value_and_derivative
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.syntax import FunctionData, function_syntax, moved_syntax, text_syntax

__all__ = ["implicit"]


@without_own_frames
def implicit(residual: Differentiable, wrt: str | int = 0) -> DeviceFunction[..., Any]:
    """Return the device function that gives a root of `residual` its derivatives.

    Kernels call it with a root that they found, however they did, and the residual's other
    operands. It makes one step of Newton's method, whose derivative at a root is that of the
    implicit function theorem, `-residual_p / residual_x`, whatever derivative the root came with;
    two calls, one of the other's result, are exact for second derivatives, too.

    Args:
        residual: a ufunc or a device function with one result, which is 0 at the root.
        wrt: the unknown: an operand of it, by its name or its index.

    Returns:
        A device function with the operands of `residual`, which returns the root.

    Raises:
        TypeError, ValueError, KernelError: as `derivative`.
    """
    slopes: Any = value_and_derivative(residual, wrt)
    names = parameter_names(_syntax(slopes))
    unknown = names[wrt] if isinstance(wrt, int) else wrt
    lines = [
        f"value_, slope_ = slopes_({', '.join(names)})",
        f"return {unknown} - value_ / slope_",
    ]
    name = f"{residual.__name__}_root"
    if isinstance(slopes, DeviceFunction):
        own: FunctionData = text_syntax(
            name, names, lines, {"slopes_": device_binding(slopes.__name__, 1)}
        )
        syntax = (*own, *moved_syntax(function_syntax(slopes), 1))
    else:
        syntax = text_syntax(name, names, lines, {"slopes_": bind_ufunc(slopes)})
    return _device_function(residual, name, syntax, _Step(slopes, names.index(unknown)))


class _Step:
    """The same in Python."""

    def __init__(self, slopes: Any, unknown: int) -> None:
        self.slopes = slopes
        self.unknown = unknown

    def __call__(self, *operands: Any) -> Any:
        value, slope = self.slopes(*operands)
        return operands[self.unknown] - value / slope


def _syntax(function: np.ufunc | DeviceFunction[..., Any]) -> FunctionData:
    if isinstance(function, DeviceFunction):
        return function_syntax(function)
    syntax: FunctionData = function.__dict__["_made_from"][0]["syntax"]
    return syntax


def _device_function(
    residual: np.ufunc | DeviceFunction[..., Any], name: str, syntax: FunctionData, step: _Step
) -> DeviceFunction[..., Any]:
    from numpy_plugin._frontend.pickle import rebuild_device_function

    module = residual.__dict__.get("__module__", "__main__")
    doc = f"The root of {residual.__name__}, with its derivatives."
    made = rebuild_device_function(syntax, name, name, module, doc)
    made.__wrapped__ = step
    return made
