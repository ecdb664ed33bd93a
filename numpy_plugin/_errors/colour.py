"""Coloured errors for users: on a terminal, in IPython and in notebooks.

The text of an error is plain. Only code that is about to print it as a program's uncaught
exception, or as a cell's error, gets colours.
"""

from __future__ import annotations

import os
import re
import sys
from types import FrameType

__all__ = ["as_shown"]

#: Modules of prompts written in Python, since 3.13 including the interpreter's own.
_PROMPTS = ("_pyrepl.console", "code")

_BOLD, _RED, _GREEN, _MAGENTA, _CYAN = "1", "1;31", "32", "35", "36"

#: Patterns of an error's lines, with the colour of each group.
_STYLES = [
    (re.compile(r"[ \t]*(\^+)"), [_RED]),
    (re.compile(r"  (note): .*"), [_CYAN]),
    (re.compile(r"  (hint): .*"), [_GREEN]),
    (re.compile(r'  File ("[^"]*"), line (\d+)(?:, in (.*))?'), [_MAGENTA, _MAGENTA, _MAGENTA]),
    (re.compile(r"  (Cell In\[\d+\]), line (\d+)(?:, in (.*))?"), [_MAGENTA, _MAGENTA, _MAGENTA]),
]


def as_shown(text: str) -> str:
    """Return an error's text for the caller's caller, coloured if that is about to print it."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    frame = sys._getframe(1).f_back
    return _coloured(text) if _is_last_print(frame) or _is_ipython_print(frame) else text


def _is_last_print(frame: FrameType | None) -> bool:
    """Whether the interpreter or its prompt is the caller, and prints to a terminal."""
    while frame is not None and frame.f_globals.get("__name__") == "traceback":
        frame = frame.f_back
    is_prompt = frame is not None and frame.f_globals.get("__name__") in _PROMPTS
    stream = sys.stderr
    return (frame is None or is_prompt) and stream is not None and stream.isatty()


def _is_ipython_print(frame: FrameType | None) -> bool:
    """Whether IPython is printing a traceback in colour."""
    while frame is not None and frame.f_globals.get("__name__") != "IPython.core.ultratb":
        frame = frame.f_back
    if frame is None:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and str(shell.colors).lower() != "nocolor"


def _coloured(text: str) -> str:
    lines = text.split("\n")
    starts = [not before for before in ["", *lines[:-1]]]
    return "\n".join(map(_coloured_line, lines, starts))


def _coloured_line(line: str, is_message: bool) -> str:
    if is_message:
        return _painted(line, _BOLD)
    for pattern, colours in _STYLES:
        found = pattern.fullmatch(line)
        if found is not None:
            return _painted_groups(line, found, colours)
    return line


def _painted_groups(line: str, found: re.Match[str], colours: list[str]) -> str:
    for group in range(len(colours), 0, -1):  # from the end, so earlier positions stay valid
        begin, end = found.span(group)
        if begin >= 0:
            line = line[:begin] + _painted(line[begin:end], colours[group - 1]) + line[end:]
    return line


def _painted(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if text else text
