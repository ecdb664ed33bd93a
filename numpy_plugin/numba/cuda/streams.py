"""Streams under Numba's names."""

from __future__ import annotations

from numpy_plugin import cuda as _cuda
from numpy_plugin._cuda.streams import DefaultStream

__all__ = ["default_stream", "legacy_default_stream", "per_thread_default_stream"]


def default_stream() -> DefaultStream:
    """Return the stream that CUDA calls the default stream."""
    return _cuda.legacy_default


def legacy_default_stream() -> DefaultStream:
    """Return CUDA's legacy default stream."""
    return _cuda.legacy_default


def per_thread_default_stream() -> DefaultStream:
    """Return CUDA's default stream of each thread."""
    return _cuda.per_thread_default
