"""Tables that notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["html_table"]


def html_table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of plain text; without headers, it has none."""
    head = "".join(f"<th>{_escaped(header)}</th>" for header in headers)
    body = "".join(_row(row) for row in rows)
    return (
        f"<table><caption>{_escaped(caption)}</caption>"
        + (f"<thead><tr>{head}</tr></thead>" if head else "")
        + f"<tbody>{body}</tbody></table>"
    )


def _row(cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<td>{_escaped(cell)}</td>" for cell in cells) + "</tr>"


def _escaped(text: str) -> str:
    from html import escape  # imports a table of all characters

    return escape(text)
