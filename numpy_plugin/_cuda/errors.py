"""When exceptions that kernels raise reach the caller."""

from __future__ import annotations

from numpy_plugin import _core

__all__ = ["ErrorMode"]


class ErrorMode:
    """The mode that was set; as a context manager it restores the one before."""

    __module__ = "numpy_plugin.cuda"

    def __init__(self, mode: str) -> None:
        """Set the mode."""
        self._outer = _core.error_mode()
        _core.set_error_mode(mode)

    def __enter__(self) -> None:
        """Keep the mode."""

    def __exit__(self, *exception: object) -> None:
        """Restore the mode that was set before."""
        _core.set_error_mode(self._outer)
