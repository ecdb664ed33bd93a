"""`cuda.const`: constant arrays in kernels."""

from __future__ import annotations

from typing import Any

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = ["array_like"]

__dir__ = public_names(globals())


@without_own_frames
def array_like(ary: Any) -> Any:
    """Return a NumPy array of the module or of an enclosing function, captured at declaration.

    In a kernel you can also use the array by name.
    """
    raise RuntimeError("cuda.const.array_like is for kernels; outside of one use the array")
