"""`device`: functions that kernels can call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.source import Source, find_source, kept_function

__all__ = ["DeviceFunction", "device"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class DeviceFunction(Generic[Parameters, Result]):
    """A function that kernels can call; Python calls it as the original function.

    Its source is read at its declaration; its types are inferred at each call in a kernel.
    """

    def __init__(self, function: Callable[Parameters, Result]) -> None:
        """Read the function's source."""
        function = kept_function(function)
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

    def __reduce__(self) -> Any:
        """Return what `pickle` needs: the name in its module, or the syntax."""
        from numpy_plugin._frontend.pickle import reduce_device_function

        return reduce_device_function(self)

    def __repr__(self) -> str:
        """Return the function's qualified name."""
        return f"<device function {self.__qualname__}>"


@without_own_frames
def device(function: Callable[Parameters, Result]) -> DeviceFunction[Parameters, Result]:
    """Declare a function that kernels can call; its types are those of each call.

    Raises:
        KernelError: the function's source cannot be read.
    """
    return DeviceFunction(function)
