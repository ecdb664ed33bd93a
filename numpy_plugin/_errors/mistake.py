"""Mistakes in the arguments of a declaration."""

from __future__ import annotations

__all__ = ["Mistake", "wrong_class"]


class Mistake:
    """A mistake in an argument, before its place in the call is known.

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


def wrong_class(argument: str, expected: str, value: object) -> str:
    """Return the message for a value of another class than expected, as Python words it."""
    found = "None" if value is None else type(value).__name__
    return f"{argument} must be {expected}, not {found}"
