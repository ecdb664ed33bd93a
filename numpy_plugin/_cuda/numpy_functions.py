"""NumPy's own functions on device arrays: those that read no values, those that only call
ufuncs, and comparisons of whole arrays. All others raise a TypeError that names the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray, as_device_array
from numpy_plugin._cuda.numpy_ufuncs import host_only_error
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["call_numpys_function"]

#: NumPy's implementations of these use only an array's attributes, views and ufuncs.
_AS_NUMPY_HAS_THEM = {
    *("numpy.can_cast", "numpy.common_type", "numpy.diff", "numpy.fix", "numpy.flip"),
    *("numpy.iscomplexobj", "numpy.isneginf", "numpy.isposinf", "numpy.isrealobj"),
    *("numpy.linalg.matmul", "numpy.linalg.vecdot", "numpy.moveaxis", "numpy.ndim"),
    *("numpy.permute_dims", "numpy.result_type", "numpy.rollaxis", "numpy.shape", "numpy.size"),
    *("numpy.transpose", "numpy.tril_indices_from", "numpy.triu_indices_from", "numpy.unstack"),
}

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
    name = f"{function.__module__}.{function.__name__}"
    if name in _OWN:
        return _OWN[name](*args, **named)
    if name not in _AS_NUMPY_HAS_THEM:
        raise host_only_error(name)
    return _HOST_ARRAY.__array_function__(function, (np.ndarray,), args, named)


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if np.shape(a1) != np.shape(a2):
        return False
    same = np.equal(a1, a2)
    if equal_nan:
        same = same | (np.not_equal(a1, a1) & np.not_equal(a2, a2))
    return _are_all_true(same)


def _array_equiv(a1: Any, a2: Any) -> bool:
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return _are_all_true(np.equal(a1, a2))


def _are_all_true(values: Any) -> bool:
    return bool(as_device_array(values, None).copy_to_host().all())


_OWN: dict[str, Callable[..., Any]] = {
    "numpy.array_equal": _array_equal,
    "numpy.array_equiv": _array_equiv,
}
