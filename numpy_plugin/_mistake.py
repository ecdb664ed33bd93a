"""Mistakes in the arguments of declarations: raised here, underlined in the person's own call."""

from __future__ import annotations

from typing import Any

from numpy_plugin._errors import Diagnostic, SignatureError, issue_warning
from numpy_plugin._traceback import calling_frame

__all__ = ["Mistake", "mistaken", "show_in_call", "warn_of_mistake"]


class Mistake:
    """What is wrong with an argument, before its place in the call is known.

    Attributes:
        message: what is wrong, in one sentence.
        hint: what to write instead; empty where there is nothing sure to say.
        argument: the parameter's name, which need not be in the call; empty: the call as a whole.
        item: which of several values, from 0; -1: the argument is one value.
        text: the argument's text where it has one, else empty.
        range: the bytes of `text` that are wrong; None: all of the argument.
        is_name: it is the argument's name that is wrong.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        argument: str = "",
        item: int = -1,
        text: str = "",
        range: tuple[int, int] | None = None,
        *,
        is_name: bool = False,
    ) -> None:
        """Keep what is known of the mistake."""
        self.message = message
        self.hint = hint
        self.argument = argument
        self.item = item
        self.text = text
        self.range = range
        self.is_name = is_name


def mistaken(
    kind: type[Exception],
    message: str,
    hint: str = "",
    argument: str = "",
    item: int = -1,
    *,
    is_name: bool = False,
) -> Exception:
    """Return the exception to raise for a mistake in an argument of a declaration."""
    error = kind(f"{message}\n  hint: {hint}" if hint else message)
    mistake = Mistake(message, hint, argument, item, is_name=is_name)
    error.__dict__["_mistake"] = mistake
    return error


def show_in_call(error: Any) -> None:
    """Underline an error's mistake in the call that led into this package, where it can be found.

    The error is changed, and has its mistake no more.
    """
    from numpy_plugin._call_place import find_place

    mistake: Mistake = error.__dict__.pop("_mistake")
    place = find_place(calling_frame(), mistake)
    if place is not None:
        error.args = (place.rendered(mistake), *error.args[1:])
    if isinstance(error, SignatureError):
        file, line, column = ("", 0, 0) if place is None else place.start()
        error.diagnostics = [Diagnostic(file, line, column, mistake.message, mistake.hint)]


def warn_of_mistake(text: str, mistake: Mistake) -> None:
    """Warn at the line that called this package; `text` is shown where it has no place there."""
    from numpy_plugin._call_place import find_place

    frame = calling_frame()
    place = find_place(frame, mistake)
    shown = text if place is None else place.rendered(mistake)
    line = frame.f_lineno if place is None else place.where[0]
    issue_warning(shown, frame.f_code.co_filename, line)
