"""Mistakes in the arguments of a declaration."""

from __future__ import annotations

__all__ = ["Mistake", "wrong_class"]


class Mistake:
    """A mistake in an argument, before its place in the call is known.

    Attributes:
        message: what is wrong, in one sentence.
        hint: a suggested correction; empty if none is certain.
        argument: the parameter's name, which may be absent from the call; empty: the whole call.
        item: the index of the wrong value among several; -1: the argument is one value.
        text: the argument's text if it has one, else empty.
        range: the bytes of `text` that are wrong; None: the whole argument.
        is_name: whether the argument's name is wrong.
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
        """Keep the attributes of the mistake."""
        self.message = message
        self.hint = hint
        self.argument = argument
        self.item = item
        self.text = text
        self.range = range
        self.is_name = is_name


def wrong_class(argument: str, expected: str, value: object) -> str:
    """Return the message for a value of the wrong class, in Python's wording."""
    found = "None" if value is None else type(value).__name__
    return f"{argument} must be {expected}, not {found}"
