"""`cuda.reduce`: reductions of device arrays by a function of two numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy_plugin._cuda.streams import AnyStream
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.declare import vectorize

__all__ = ["Reduce"]


class Reduce:
    """A reduction made from an associative function of two numbers, as `numba.cuda.Reduce`."""

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        """Make the ufunc that combines two numbers."""
        self._ufunc = vectorize(identity="reorderable")(functor)

    @without_own_frames
    def __call__(
        self,
        arr: Any,
        size: int | None = None,
        res: Any = None,
        init: Any = 0,
        stream: AnyStream = None,
    ) -> Any:
        """Reduce a one-dimensional array in one launch.

        Args:
            arr: a device array, or a host array, which is copied.
            size: the number of elements to reduce; None: all.
            res: a device array whose first element takes the result; nothing is returned then.
            init: the number to begin with.
            stream: the stream of the launch.

        Raises:
            TypeError: the array has more than one dimension.
        """
        from numpy_plugin import cuda

        array = cuda.as_device_array(arr) if hasattr(arr, "__cuda_array_interface__") else arr
        if not isinstance(array, cuda.DeviceArray):
            array = cuda.to_device(array)
        if array.ndim != 1:
            raise TypeError(f"only 1-dimensional arrays are reduced, found {array.ndim} dimensions")
        dtype = array.dtype
        first = dtype.type(init)
        total = self._ufunc.reduce(array[:size], initial=first, dtype=dtype, stream=stream)
        if res is None:
            return total.copy_to_host()[()]
        res[:1] = total
        return None
