"""The modules of a program's own directories, which are read and not run."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from pathlib import Path

from numpy_plugin._check.counterparts import is_known
from numpy_plugin._check.program import Program, read_program

__all__ = ["Modules"]


class Modules:
    """Modules that programs import from their own directories, each read once."""

    def __init__(self) -> None:
        """Read none so far."""
        self._programs: dict[Path, Program | None] = {}

    def find(self, origin: str, importer: Path) -> tuple[Program, list[str]] | None:
        """Return the module of a dotted name, and the names in it; None for other packages."""
        for path, names in _candidates(origin, importer):
            program = self._read(path)
            if program is not None and (not names or program.has(names[0])):
                return program, names
        return None

    def resolve(self, origin: str, importer: Path, seen: frozenset[str] = frozenset()) -> str:
        """Return what a name is that a module imports itself; others as they are."""
        found = self.find(origin, importer)
        if found is None or not found[1] or origin in seen:
            return origin
        program, (first, *members) = found
        inner = program.scopes[program.tree]
        own = inner.plain_origin(ast.Name(first, ast.Load()))
        if not own:
            return origin
        return self.resolve(".".join([own, *members]), program.path, seen | {origin})

    def public_names(self, module: str, importer: Path) -> list[str]:
        """Return the names that `from module import *` binds."""
        found = self.find(module, importer)
        if found is None or found[1]:
            return []
        bound = found[0].scopes[found[0].tree].bindings
        return [name for name in bound if not name.startswith("_")]

    def _read(self, path: Path) -> Program | None:
        if path not in self._programs:
            self._programs[path] = None  # for modules that import each other
            with contextlib.suppress(OSError, SyntaxError, UnicodeDecodeError):
                self._programs[path] = read_program(path, self)
        return self._programs[path]


def _candidates(origin: str, importer: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield files that may have the name, the longest module first, and the rest of the name."""
    names = origin.lstrip(".").split(".")
    level = len(origin) - len(origin.lstrip("."))
    if level:
        homes = [importer.resolve().parents[level - 1]] if level <= len(importer.parents) else []
    elif is_known(origin):
        return
    else:
        homes = [each for parent in importer.resolve().parents for each in (parent, parent / "src")]
    for home in homes:
        for n in range(len(names), 0, -1):
            path = home.joinpath(*names[:n])
            for file in (path / "__init__.py", path.with_suffix(".py")):
                if file.is_file():
                    yield file, names[n:]
        if level and (home / "__init__.py").is_file():
            yield home / "__init__.py", names
