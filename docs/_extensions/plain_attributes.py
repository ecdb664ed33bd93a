"""Keeps napoleon away from docstrings of attributes: it takes text before a colon as a type."""

from __future__ import annotations

from typing import Any

ATTRIBUTES = ("attribute", "data", "property")

_kept: list[list[str]] = []


def hide(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Take the lines away before napoleon reads them."""
    if what in ATTRIBUTES:
        _kept.append(lines[:])
        lines.clear()


def show(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Put the lines back."""
    if what in ATTRIBUTES:
        lines[:] = _kept.pop()


def setup(app: Any) -> dict[str, bool]:
    """Add the extension to a Sphinx application."""
    app.connect("autodoc-process-docstring", hide, priority=400)
    app.connect("autodoc-process-docstring", show, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
