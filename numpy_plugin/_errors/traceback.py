"""Tracebacks of user errors: they end at the user's own line.

The internals of a public function do not help users who called it wrongly, so its frames are
removed from the traceback of everything it raises. For a bug in this package they are kept.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import ParamSpec, TypeVar

__all__ = ["calling_frame", "is_own_frame", "without_own_frames"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_PREFIX = "numpy_plugin."


def is_own_frame(frame: FrameType) -> bool:
    """Whether a frame runs code of this package."""
    return f"{frame.f_globals.get('__package__')}.".startswith(_PREFIX)


def calling_frame() -> FrameType:
    """Return the frame that called into this package: the innermost frame outside it."""
    frame = sys._getframe()
    while frame.f_back is not None and is_own_frame(frame):
        frame = frame.f_back
    return frame


def without_own_frames(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a public function so that its exceptions have no frames of this package.

    A bare `raise` adds no entry for its own frame.
    """

    @functools.wraps(function)
    def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            show = error.__dict__.pop("_show", None)
            if show is not None:  # deferred until the call is known
                show(error)
            if not _is_own_bug(error):
                error.__traceback__ = _outside(error.__traceback__)
            raise

    return called


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_own_bug(error: Exception) -> bool:
    """Whether an assertion of this package failed, so that its frames are needed."""
    if not isinstance(error, (AssertionError, SystemError)):
        return False
    *_, last = _entries(error.__traceback__)
    return is_own_frame(last.tb_frame)


def _outside(traceback: TracebackType | None) -> TracebackType | None:
    """Return the entries of all frames except this package's."""
    kept = [entry for entry in _entries(traceback) if not is_own_frame(entry.tb_frame)]
    following = None
    for entry in reversed(kept):
        entry.tb_next = following
        following = entry
    return following
