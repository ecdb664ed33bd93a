"""The names that programs written for Numba import.

`from numba import vectorize, float32` becomes `from numpy_plugin.numba import vectorize, float32`;
`njit` and the rest stay Numba's. What is made here are this package's ufuncs and kernels.
"""

from typing import NoReturn

from numpy_plugin._errors.exceptions import PerformanceWarning as NumbaPerformanceWarning
from numpy_plugin._frontend.declare import guvectorize, vectorize
from numpy_plugin._public_names import public_names
from numpy_plugin.numba import config, cuda, types
from numpy_plugin.numba.types import *  # noqa: F403
from numpy_plugin.numba.types import __all__ as _type_names

__all__ = ["NumbaPerformanceWarning", "config", "cuda", "guvectorize", "types", "vectorize"]
__all__ += [name for name in _type_names if name != "Array"]

__dir__ = public_names(globals())


def __getattr__(name: str) -> NoReturn:
    """Raise an AttributeError: other names stay Numba's."""
    message = f"{__name__} has no '{name}'"
    hint = "" if name.startswith("_") else f"\n  hint: from numba import {name}; it stays Numba's"
    raise AttributeError(message + hint)
