"""Errors in the cell of `%%ufunc`: shown at the cell's own lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from numpy_plugin import _core
from numpy_plugin._errors.call_place import CallPlace
from numpy_plugin._errors.exceptions import CompilerError, Diagnostic, SignatureError
from numpy_plugin._errors.literal_place import show_in_file
from numpy_plugin._errors.mistake import Mistake
from numpy_plugin._errors.place import shown_file

__all__ = ["shown_in_cell"]

_MAGIC = "%%ufunc "


@contextmanager
def shown_in_cell(line: str, cell: str) -> Iterator[None]:
    """Move the places of errors in a body or a signature to the cell they were written in.

    `line` follows the magic's name in the first line of the cell, and `cell` follows that line.
    """
    file = _cell_name()
    try:
        yield
    except Exception as error:
        show = error.__dict__.pop("_show", None)
        if isinstance(show, partial) and isinstance(error, CompilerError):
            _show_body(show, error, file, cell)
        elif isinstance(show, partial) and isinstance(show.args[0], Mistake):
            _show_mistake(show.args[0], error, file, _MAGIC + line)
        raise


def _cell_name() -> str:
    """Return the name of the running cell, such as "Cell In[3]"."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return shown_file(frame.f_code.co_filename)


def _show_body(show: partial[Any], error: CompilerError, file: str, cell: str) -> None:
    if show.func is not show_in_file:
        return
    data = show.args[0]
    labels = [label for label, _ in data[1]]
    numbers = [number for number, label in enumerate(labels) if label.startswith("<body of ")]
    literals = [(number, file, "", 2, 0, cell.splitlines()) for number in numbers]
    if literals:
        text, diagnostics = _core.show_in_literals(data, literals)
        error.args = (text,)
        error.diagnostics = [Diagnostic(*each) for each in diagnostics]


def _show_mistake(mistake: Mistake, error: Exception, file: str, line: str) -> None:
    """Underline the wrong part of the first line, if it is there once."""
    start, end = mistake.range or (0, 0)
    wrong = mistake.text.encode()[start:end]
    written = line.encode()
    if not wrong or written.count(wrong) != 1:
        return
    column = written.index(wrong)
    place = CallPlace((1, column, 1, column + len(wrong)), file, "", [line])
    error.args = (place.rendered(mistake), *error.args[1:])
    if isinstance(error, SignatureError):
        _, number, shown_column = place.start()
        error.diagnostics = [Diagnostic(file, number, shown_column, mistake.message, mistake.hint)]
