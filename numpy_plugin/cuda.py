"""CUDA devices: whether there is one, and which."""

from __future__ import annotations

from numpy_plugin import _core

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether a CUDA driver and at least one GPU can be used by this process."""
    return _core.device_info() is not None
