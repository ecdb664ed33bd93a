"""`device`: functions that kernels can call."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Generic, NoReturn, ParamSpec, TypeVar

from numpy_plugin._errors import KernelError
from numpy_plugin._source import Source, find_source

__all__ = ["DeviceFunction", "device", "rebuild_device_function"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class DeviceFunction(Generic[Parameters, Result]):
    """A function that kernels call and that Python calls as the plain function it was.

    Its source is read when it is declared; it is typed where a kernel calls it. `pickle` sends one
    of a module by its name and any other by value, as its syntax tree: that one only kernels call.
    """

    def __init__(self, function: Callable[Parameters, Result]) -> None:
        """Read the function's source."""
        self.source: Source | None = find_source(function)
        self.syntax: tuple[tuple[object, ...], ...] | None = None
        self.__wrapped__ = function
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        """Call the function in Python."""
        return self.__wrapped__(*args, **kwargs)

    def __copy__(self) -> DeviceFunction[Parameters, Result]:
        """Return the function itself."""
        return self

    def __deepcopy__(self, memo: object) -> DeviceFunction[Parameters, Result]:
        """Return the function itself."""
        return self

    def __reduce__(self) -> str | tuple[object, ...]:
        """Return the name to import, or what to make an equal one of."""
        if self.__module__ != "__main__" and _imported(self) is self:
            return self.__qualname__
        from numpy_plugin._syntax import function_syntax

        attributes = (self.__name__, self.__qualname__, self.__module__, self.__doc__)
        return rebuild_device_function, (function_syntax(self), *attributes)

    def __repr__(self) -> str:
        """Return the function's name as Python would show it."""
        return f"<device function {self.__qualname__}>"


def _imported(function: DeviceFunction[..., Any]) -> object:
    """Return what stands under a function's name in its module."""
    found: object = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found


def rebuild_device_function(
    syntax: tuple[tuple[object, ...], ...], name: str, qualname: str, module: str, doc: str | None
) -> DeviceFunction[..., Any]:
    """Make a device function of its syntax; what a pickle calls. Python cannot call it."""

    def sent(*args: object, **kwargs: object) -> NoReturn:
        raise TypeError(
            f"device function '{name}' was unpickled: only kernels can call it\n"
            "  hint: define it in a module, which pickle then imports"
        )

    function: DeviceFunction[..., Any] = DeviceFunction.__new__(DeviceFunction)
    function.source = None
    function.syntax = syntax
    function.__wrapped__ = sent
    function.__name__ = name
    function.__qualname__ = qualname
    function.__module__ = module
    function.__doc__ = doc
    return function


def device(function: Callable[Parameters, Result]) -> DeviceFunction[Parameters, Result]:
    """Declare a function that kernels can call; types are those of each call.

    Raises:
        KernelError: the function's source cannot be read.
    """
    try:
        return DeviceFunction(function)
    except KernelError as error:
        error.__traceback__ = None
        raise
