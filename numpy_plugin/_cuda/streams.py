"""CUDA's default streams and streams of other libraries, for `stream=` and `with`."""

from __future__ import annotations

from typing import Protocol

from numpy_plugin import _core
from numpy_plugin._core import Stream

__all__ = ["AnyStream", "DefaultStream", "HasStream"]


class HasStream(Protocol):
    """A stream of a library with the protocol of `cuda.core`, such as CuPy's and torch's."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return 0 and the stream's handle."""
        ...


class DefaultStream:
    """One of CUDA's two default streams, on this thread's device."""

    __module__ = "numpy_plugin.cuda"

    def __init__(self, handle: int, name: str) -> None:
        """Keep the handle and the name."""
        self._handle = handle
        self._name = name
        self._entered: list[Stream] = []

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the version of the protocol and the handle."""
        return 0, self._handle

    def __enter__(self) -> Stream:
        """Make it the current stream of this thread."""
        self._entered.append(_core.external_stream(self))
        return self._entered[-1].__enter__()

    def __exit__(self, *exception: object) -> None:
        """Restore the stream that was current before."""
        self._entered.pop().__exit__(*exception)

    def __repr__(self) -> str:
        """Return the name."""
        return f"<cuda.{self._name}>"


AnyStream = Stream | HasStream | int | None
