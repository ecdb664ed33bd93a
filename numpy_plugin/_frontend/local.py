"""Local arrays: what `numpy_plugin.local_array` and `cuda.local.array` are inside a kernel."""

from __future__ import annotations

from typing import Any

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = ["array"]

__dir__ = public_names(globals())


@without_own_frames
def array(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Make an array of a kernel's own, for each element of a call; its elements begin as zeros.

    Args:
        shape: the size, or one size a dimension: plain numbers that are known when the kernel is
            compiled.
        dtype: a dtype of NumPy or of this package.

    Raises:
        RuntimeError: the function is called outside of a kernel.
    """
    raise RuntimeError(
        "a local array can only be made inside a kernel; "
        "outside of one use numpy.zeros(shape, dtype)"
    )
