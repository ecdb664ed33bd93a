"""`cuda.shared`: arrays that the threads of a block share."""

from __future__ import annotations

from typing import Any

from numpy_plugin._cuda.thread_functions import kernel_function
from numpy_plugin._public_names import public_names

__all__ = ["array"]

__dir__ = public_names(globals())


@kernel_function
def array(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Create an uninitialized array shared by all threads of a block.

    Use it only in functions passed to `cuda.kernel`.

    Args:
        shape: the size, or one size per dimension: plain numbers known at compile time. 0: the
            dynamic shared memory of the launch, `kernel[grid, block, stream, shared_bytes]`, which
            determines its `size`.
        dtype: a dtype of NumPy or of this package.
    """
