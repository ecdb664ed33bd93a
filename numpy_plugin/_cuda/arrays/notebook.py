"""The table that notebooks show of a device array."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from numpy_plugin._core import DeviceArray

__all__ = ["html_of"]

#: Elements shown at each end of a long axis, as by `repr`.
_EDGE = 3
_MAX_SHOWN = 10


def _ends(array: DeviceArray, axis: int) -> Any:
    """Return the elements of the first and last indices of each long axis from this one on."""
    if axis == array.ndim:
        return array.copy_to_host()
    n = array.shape[axis]
    if n <= _MAX_SHOWN:
        return _ends(array, axis + 1)
    place = (slice(None),) * axis
    first, last = array[(*place, slice(None, _EDGE))], array[(*place, slice(n - _EDGE, None))]
    return np.concatenate([_ends(first, axis + 1), _ends(last, axis + 1)], axis)


def _shown(values: Any, axis: int, n: int) -> list[Any]:
    """Return the entries along an axis, with a mark for those left out."""
    rows = [values[i] for i in range(values.shape[axis])]
    return [*rows[:_EDGE], None, *rows[_EDGE:]] if n > _MAX_SHOWN else rows


def _row(cells: list[Any]) -> str:
    texts = ("…" if cell is None else html.escape(str(cell)) for cell in cells)
    return f"<tr>{''.join(f'<td>{text}</td>' for text in texts)}</tr>"


def html_of(array: DeviceArray) -> str:
    """Return a table of an array of one or two axes; the `repr` of all others.

    Copies only the elements that it shows.
    """
    if array.ndim not in (1, 2) or array.size == 0:
        return f"<pre>{html.escape(repr(array))}</pre>"
    table = array if array.ndim == 2 else array[None]
    values = _ends(table, 0)
    rows = _shown(values, 0, table.shape[0])
    wide = table.shape[1] > _MAX_SHOWN
    n_cells = 2 * _EDGE + 1 if wide else table.shape[1]
    lines = [
        _row([None] * n_cells if row is None else _shown(row, 0, table.shape[1])) for row in rows
    ]
    caption = f"DeviceArray, shape {array.shape}, {array.dtype}, on {array.device.name}"
    return f"<table><caption>{html.escape(caption)}</caption>{''.join(lines)}</table>"
