"""Names that `dir(module)` and completion show for a public module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["public_names"]


def public_names(module: dict[str, Any]) -> Callable[[], list[str]]:
    """Return the `__dir__` of a module with these globals: its `__all__`, not its imports."""

    def names() -> list[str]:
        return [*module["__all__"], *(name for name in module if name.startswith("__"))]

    return names
