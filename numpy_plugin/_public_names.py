"""Names that `dir(module)` and completion show for a public module; names imported on first use."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Condition, get_ident
from typing import Any

__all__ = ["imported_on_use", "public_names"]

# Depths of the imports in which threads are. fork() waits for other threads' imports, as its child
# would wait for ever for them; imports don't wait for each other, which could need one another.
_depths: dict[int, int] = {}
_changed = Condition()


def _wait_for_imports() -> None:
    _changed.acquire()
    _changed.wait_for(lambda: _depths.keys() <= {get_ident()})


os.register_at_fork(
    before=_wait_for_imports,
    after_in_parent=_changed.release,
    after_in_child=_changed.release,
)


@contextmanager
def _importing() -> Iterator[None]:
    thread = get_ident()
    with _changed:
        _depths[thread] = _depths.get(thread, 0) + 1
    try:
        yield
    finally:
        with _changed:
            _depths[thread] -= 1
            if _depths[thread] == 0:
                del _depths[thread]
                _changed.notify_all()


def public_names(module: dict[str, Any]) -> Callable[[], list[str]]:
    """Return the `__dir__` of a module with these globals: its `__all__`, not its imports."""

    def names() -> list[str]:
        return [*module["__all__"], *(name for name in module if name.startswith("__"))]

    return names


def imported_on_use(package: dict[str, Any]) -> tuple[Callable[[str], Any], list[str]]:
    """Return the `__getattr__` and the `__all__` of a package: the names that its stub imports.

    A name is imported when it is first used, from the module that `__init__.pyi` gives.
    """
    stub = Path(package["__file__"]).with_suffix(".pyi").read_text(encoding="utf-8")
    homes = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    own = package["__name__"]

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        module, original = homes[name]
        with _importing():
            if module is None:
                package[name] = import_module(f"{own}.{name}")
            else:
                package[name] = getattr(import_module(f"{own}.{module}"), original)
        return package[name]

    return find, sorted(homes)
