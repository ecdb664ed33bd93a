"""`implicit`: the root of an equation, with the derivatives that the equation gives it."""

from __future__ import annotations

from typing import Any

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.bindings import bind_ufunc, device_binding
from numpy_plugin._frontend.declare import parameter_names
from numpy_plugin._frontend.derivatives import (
    Differentiable,
    device_function,
    syntax_of,
    value_and_derivative,
)
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
    names = parameter_names(syntax_of(slopes))
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
    module = residual.__dict__.get("__module__", "__main__")
    doc = f"The root of {residual.__name__}, with its derivatives."
    return device_function(syntax, name, module, doc, _Step(slopes, names.index(unknown)))


class _Step:
    """The same in Python."""

    def __init__(self, slopes: Any, unknown: int) -> None:
        self.slopes = slopes
        self.unknown = unknown

    def __call__(self, *operands: Any) -> Any:
        value, slope = self.slopes(*operands)
        return operands[self.unknown] - value / slope
