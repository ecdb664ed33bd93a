"""Progress of compilations that take longer than a second: on terminals and in notebooks only.

rich draws it on a terminal if it is installed. Called by a thread of C++ while something compiles.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["show_progress"]

#: What is compiled, the compiler, and the seconds so far.
Running = tuple[str, str, float]


class _Display(Protocol):
    def show(self, text: str) -> None: ...

    def remove(self) -> None: ...


class _Line:
    """A line of stderr that is written again and again."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._stream = sys.stderr

    def show(self, text: str) -> None:
        shown = text if len(text) < self._width else text[: self._width - 2] + "…"
        self._stream.write("\r" + shown.ljust(self._width - 1))
        self._stream.flush()

    def remove(self) -> None:
        self._stream.write("\r" + " " * (self._width - 1) + "\r")
        self._stream.flush()


class _Spinner:
    """A spinner of rich, which draws it in a thread of its own."""

    def __init__(self, console: Any, as_text: Callable[[str], Any]) -> None:
        self._as_text = as_text  # or rich would read "[:]" as its markup
        self._status = console.status("")
        self._status.start()

    def show(self, text: str) -> None:
        self._status.update(self._as_text(text))

    def remove(self) -> None:
        self._status.stop()


_display: _Display | None = None


def show_progress(running: list[Running]) -> bool:
    """Show the compilations, or that there is none any more; return whether anything is shown."""
    global _display
    if not running:
        if _display is not None:
            _display.remove()
        _display = None
        return False
    if _display is None:
        _display = _make_display()
    if _display is None:
        return False
    _display.show(_text(running))
    return True


def _text(running: list[Running]) -> str:
    subject, compiler, seconds = running[0]
    others = f" and {len(running) - 1} more" if len(running) > 1 else ""
    return f"compiling {subject} with {compiler}{others}: {seconds:.0f} s"


def _make_display() -> _Display | None:
    if _is_notebook():
        return _Line(width=120)
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return _Line(shutil.get_terminal_size().columns)
    return _Spinner(Console(stderr=True), Text)


def _is_notebook() -> bool:
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return getattr(shell, "kernel", None) is not None
