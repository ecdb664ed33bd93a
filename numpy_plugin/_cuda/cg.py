"""`cuda.cg`: all threads of a launch as a group that waits for its members."""

from __future__ import annotations

from numpy_plugin._cuda.thread_functions import kernel_function
from numpy_plugin._public_names import public_names

__all__ = ["GridGroup", "this_grid"]

__dir__ = public_names(globals())


class GridGroup:
    """All threads of a launch."""

    def sync(self) -> None:
        """Wait for all threads of the launch; their earlier writes become visible to all of them.

        All blocks of such a launch run at once: a grid may have as many as the device has room for.
        """
        sync_grid()


@kernel_function
def this_grid() -> GridGroup:  # type: ignore[empty-body]
    """Return the group of all threads of the launch: `cuda.cg.this_grid().sync()`."""


@kernel_function
def sync_grid() -> None:
    """Wait for all threads of the launch."""
