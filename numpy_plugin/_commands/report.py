"""Output of the commands: lines, tables and progress; drawn by rich if it is installed.

Output to a file or a pipe is plain text, so that it can be searched and compared.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["line", "progress", "python", "table"]


def line(text: str = "") -> None:
    """Print one line; undecodable bytes of a path are shown as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def python(text: str) -> None:
    """Print Python source, coloured on a terminal."""
    console = _rich_console()
    if console is None:
        line(text.rstrip())
        return
    from rich.syntax import Syntax

    console.print(Syntax(text.rstrip(), "python", background_color="default"))


def table(
    title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, words: bool = False
) -> None:
    """Print a table: the first column has names, the others numbers or words."""
    console = _rich_console()
    if console is None:
        line(plain_table(title, headers, rows, words=words))
        return
    from rich.table import Table

    drawn = Table(title=title, title_justify="left", title_style="bold")
    for index, header in enumerate(headers):
        drawn.add_column(header, justify="right" if index and not words else "left")
    for row in rows:
        drawn.add_row(*row)
    console.print(drawn)


def plain_table(
    title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, words: bool = False
) -> str:
    """Return a table as plain text, numbers flush right and words flush left."""
    columns = list(zip(*([headers, *rows]), strict=True))
    widths = [max(map(len, column)) for column in columns]

    def text(row: Sequence[str]) -> str:
        cells = [row[0].ljust(widths[0])]
        cells += [
            cell.ljust(width) if words else cell.rjust(width)
            for cell, width in zip(row[1:], widths[1:], strict=True)
        ]
        return "  ".join(cells).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([title, text(headers), rule, *map(text, rows)])


@contextlib.contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Show the progress of `total` steps; yield the function that ends a step."""
    console = _rich_console()
    if console is None:
        print(f"{description} ...", file=sys.stderr, flush=True)
        yield lambda: None
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda: bar.advance(task)


def _rich_console() -> Any:
    """Return rich's console if stdout is a terminal and rich is installed, else None."""
    if not sys.stdout.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console()
