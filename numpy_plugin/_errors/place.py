"""Places in a user's files, and the names of the files in messages."""

from __future__ import annotations

import sys

__all__ = ["NO_PLACE", "Place", "shown_file"]

#: Start line, start column, end line, end column; lines from 1, columns from 0 in bytes.
Place = tuple[int, int, int, int]
NO_PLACE: Place = (0, 0, 0, 0)


def shown_file(file: str) -> str:
    """Return a file's name as shown in messages; a notebook cell is shown by its number."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    if shell is None:
        return file
    try:
        kind, name = shell.compile.format_code_name(file)
    except (AttributeError, TypeError, ValueError):
        return file
    return f"{kind} {name}" if kind == "Cell" else file
