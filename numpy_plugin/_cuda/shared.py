"""`cuda.shared`: arrays that the threads of a block share."""

from __future__ import annotations

from typing import Any

from numpy_plugin._cuda.thread_functions import refuse
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = ["array"]

__dir__ = public_names(globals())


@without_own_frames
def array(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Make an array that all threads of a block see; its elements begin with any value.

    Has a meaning in functions given to `cuda.kernel` alone.

    Args:
        shape: the size, or one size a dimension: plain numbers that are known when the kernel is
            compiled. 0: the dynamic shared memory of the launch,
            `kernel[grid, block, stream, shared_bytes]`, whose `size` the launch decides.
        dtype: a dtype of NumPy or of this package.
    """
    refuse("shared.array")
