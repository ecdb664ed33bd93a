"""NumPy's functions and methods on device arrays: those of the table, and those of NumPy that use
only attributes, views and ufuncs. All others raise a TypeError that names the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.numpys_errors import call_or_raise_numpys_error, numpys_method
from numpy_plugin._cuda.arrays.table import FUNCTIONS, METHODS
from numpy_plugin._cuda.numpy_ufuncs import host_only_error
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["call_method", "call_numpys_function"]

#: NumPy's implementations of these use only an array's attributes, views and ufuncs.
_AS_NUMPY_HAS_THEM = {
    *(np.can_cast, np.common_type, np.dstack, np.fix, np.hstack, np.iscomplexobj, np.isneginf),
    *(np.isposinf, np.isrealobj, np.linalg.matmul, np.linalg.vecdot, np.ndim, np.result_type),
    *(np.shape, np.size, np.tril_indices_from, np.triu_indices_from, np.vstack),
}

#: Methods that have other arguments than NumPy's.
_OF_DEVICES = ("__array_namespace__", "to_device")

_HOST_ARRAY = np.empty(0)


@without_own_frames
def call_numpys_function(
    function: Callable[..., Any],
    types: Iterable[type],
    args: tuple[object, ...],
    named: dict[str, Any],
) -> Any:
    """Call a NumPy function with a device array among its arguments.

    Raises:
        TypeError: the function works on host arrays only.
    """
    if not all(issubclass(each, (DeviceArray, np.ndarray)) for each in types):
        return NotImplemented
    own = FUNCTIONS.get(function)
    if own is not None:
        return call_or_raise_numpys_error(own, function, args, named)
    if function not in _AS_NUMPY_HAS_THEM:
        raise host_only_error(f"{function.__module__}.{function.__name__}")
    return _HOST_ARRAY.__array_function__(function, (np.ndarray,), args, named)


@without_own_frames
def call_method(
    name: str, array: DeviceArray, args: tuple[object, ...], named: dict[str, Any]
) -> Any:
    """Call a method of a device array that Python implements."""
    is_numpys = callable(getattr(np.ndarray, name, None)) and name not in _OF_DEVICES
    if not is_numpys:
        return METHODS[name](array, *args, **named)
    return call_or_raise_numpys_error(METHODS[name], numpys_method(name), (array, *args), named)
