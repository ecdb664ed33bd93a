"""Vectors of up to four numbers in device kernels: `cuda.float32x4(1, 2, 3, 4)`, `v.x`.

A vector is a tuple: its components are x, y, z and w, or v[0] to v[3].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy_plugin._frontend import types
from numpy_plugin._frontend.device import DeviceFunction

__all__ = ["VECTOR_NAMES", "vector_type"]

# The names in C of each component's type.
_IN_C = {
    "int8": ("char",),
    "int16": ("short",),
    "int32": ("int",),
    "int64": ("long", "longlong"),
    "uint8": ("uchar",),
    "uint16": ("ushort",),
    "uint32": ("uint",),
    "uint64": ("ulong", "ulonglong"),
    "float32": ("float",),
    "float64": ("double",),
}

# The component's type and the number of components of each name.
VECTOR_NAMES = {
    f"{spelling}{n}": (dtype, n)
    for dtype, in_c in _IN_C.items()
    for spelling in (f"{dtype}x", *in_c)
    for n in range(1, 5)
}


def vector_type(name: str) -> DeviceFunction[..., Any]:
    """Return the constructor of a name in the table."""
    dtype, n = VECTOR_NAMES[name]
    function = _constructors(getattr(types, dtype))[n - 1]
    function.__name__ = function.__qualname__ = name
    return DeviceFunction(function)


def _constructors(dtype: Any) -> tuple[Callable[..., Any], ...]:
    def of_1(x: Any) -> Any:
        return (dtype(x),)

    def of_2(x: Any, y: Any) -> Any:
        return (dtype(x), dtype(y))

    def of_3(x: Any, y: Any, z: Any) -> Any:
        return (dtype(x), dtype(y), dtype(z))

    def of_4(x: Any, y: Any, z: Any, w: Any) -> Any:
        return (dtype(x), dtype(y), dtype(z), dtype(w))

    return of_1, of_2, of_3, of_4
