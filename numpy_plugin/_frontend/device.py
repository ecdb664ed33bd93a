"""`device`: functions that kernels can call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.source import Source, find_source

__all__ = ["DeviceFunction", "device"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class DeviceFunction(Generic[Parameters, Result]):
    """A function that kernels call and that Python calls as the plain function it was.

    Its source is read when it is declared; it is typed where a kernel calls it.
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

    @without_own_frames
    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        """Call the function in Python."""
        return self.__wrapped__(*args, **kwargs)

    def __copy__(self) -> DeviceFunction[Parameters, Result]:
        """Return the function itself."""
        return self

    def __deepcopy__(self, memo: object) -> DeviceFunction[Parameters, Result]:
        """Return the function itself."""
        return self

    def __repr__(self) -> str:
        """Return the function's name as Python would show it."""
        return f"<device function {self.__qualname__}>"


@without_own_frames
def device(function: Callable[Parameters, Result]) -> DeviceFunction[Parameters, Result]:
    """Declare a function that kernels can call; types are those of each call.

    Raises:
        KernelError: the function's source cannot be read.
    """
    return DeviceFunction(function)
