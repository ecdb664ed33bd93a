"""Errors in the arguments of declarations, underlined in the user's own call."""

from __future__ import annotations

from functools import partial

from numpy_plugin._errors.call_place import find_place
from numpy_plugin._errors.exceptions import Diagnostic, SignatureError, issue_warning
from numpy_plugin._errors.mistake import Mistake
from numpy_plugin._errors.traceback import calling_frame

__all__ = ["check_encodable", "mistaken", "show_in_call", "warn_of_mistake"]


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
    error.__dict__["_show"] = partial(show_in_call, mistake)
    return error


def show_in_call(mistake: Mistake, error: Exception) -> None:
    """Underline an error's mistake in the call into this package, if it can be found.

    Modifies the error.
    """
    place = find_place(calling_frame(), mistake)
    if place is not None:
        error.args = (place.rendered(mistake), *error.args[1:])
    if isinstance(error, SignatureError):
        file, line, column = ("", 0, 0) if place is None else place.start()
        error.diagnostics = [Diagnostic(file, line, column, mistake.message, mistake.hint)]


def warn_of_mistake(text: str, mistake: Mistake) -> None:
    """Warn at the line that called this package; show `text` if it has no place there."""
    frame = calling_frame()
    place = find_place(frame, mistake)
    shown = text if place is None else place.rendered(mistake)
    line = frame.f_lineno if place is None else place.where[0]
    issue_warning(shown, frame.f_code.co_filename, line)


def check_encodable(argument: str, value: str, number: int = -1) -> None:
    """Raise a ValueError for a str with surrogates, which source files can't contain."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        place = f"{value[error.start]!a} at index {error.start}"
        message = f"{argument} has {place}, which UTF-8 cannot encode"
        raise mistaken(ValueError, message, "", argument, number) from None
