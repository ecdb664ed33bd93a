"""Errors in C++ code that is a literal in the call: shown in the user's own file."""

from __future__ import annotations

from typing import Any

from numpy_plugin import _core
from numpy_plugin._errors.call_place import find_literal
from numpy_plugin._errors.exceptions import CompilerError, Diagnostic
from numpy_plugin._errors.traceback import calling_frame

__all__ = ["show_in_file"]

# The labels of sources begin with the name of their argument.
_ARGUMENTS = ("body", "preamble")


def show_in_file(data: Any, error: CompilerError) -> None:
    """Move an error's places into the file of the call, if the call contains the code literally.

    Modifies the error, whose data come from the core.
    """
    frame = calling_frame()
    literals = []
    for number, (label, lines) in enumerate(data[1]):
        argument = label[1:].partition(" of ")[0]
        if argument not in _ARGUMENTS:
            continue
        place = find_literal(frame, argument, lines)
        if place is not None:
            where, file, function, file_lines = place
            literals.append((number, file, function, where[0], where[1], file_lines))
    if literals:
        text, diagnostics = _core.show_in_literals(data, literals)
        error.args = (text,)
        error.diagnostics = [Diagnostic(*each) for each in diagnostics]
