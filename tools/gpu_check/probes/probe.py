"""Probes are functions of a table: the result is said, an exception is a failure."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

__all__ = ["PROBES", "Missing", "imported", "probe"]

#: By name, in the order of their modules.
PROBES: dict[str, Callable[[], object]] = {}


class Missing(Exception):
    """The machine lacks what a probe needs."""


def probe(function: Callable[[], object]) -> Callable[[], object]:
    """Add a probe to the table. It returns what the report says of it, or None."""
    PROBES[function.__name__] = function
    return function


def imported(name: str) -> Any:
    """Return a module of another library."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(f"{name}: {error}") from error
