"""Local arrays of kernels: `numpy_plugin.local_array` and `cuda.local.array`."""

from __future__ import annotations

from typing import Any

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = ["array"]

__dir__ = public_names(globals())


@without_own_frames
def array(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Create an array of zeros local to the kernel, for each element of a call.

    Args:
        shape: the size, or one size per dimension: plain numbers known at compile time.
        dtype: a dtype of NumPy or of this package.

    Raises:
        RuntimeError: it is called outside a kernel.
    """
    raise RuntimeError(
        "a local array can only be made inside a kernel; "
        "outside of one use numpy.zeros(shape, dtype)"
    )


#: Its name in `numpy_plugin`.
local_array = array
