"""The tree of a reduction on devices, element by element: a reference for its bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SLOTS, CHUNK = 128, 2048


def _join_neighbours(items: list[Any], join: Callable[[Any, Any], Any]) -> Any:
    while len(items) > 1:
        pairs = [items[i : i + 2] for i in range(0, len(items), 2)]
        present = [[item for item in pair if item is not None] for pair in pairs]
        items = [None if not p else p[0] if len(p) == 1 else join(*p) for p in present]
    return items[0]


def _reduce_chunk(items: Sequence[Any], join: Callable[[Any, Any], Any]) -> Any:
    slots: list[Any] = [None] * SLOTS
    for i, item in enumerate(items):
        slot = i % SLOTS
        if item is not None:
            slots[slot] = item if slots[slot] is None else join(slots[slot], item)
    return _join_neighbours(slots, join)


def reduce_tree(items: Sequence[Any], join: Callable[[Any, Any], Any]) -> Any:
    """Reduce items, of which None stands for those that a mask excludes."""
    while True:
        items = [_reduce_chunk(items[i : i + CHUNK], join) for i in range(0, len(items), CHUNK)]
        if len(items) == 1:
            return items[0]
