"""A program as text: its scopes, and what its names are imported as, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from numpy_plugin._check.counterparts import all_names

__all__ = ["Imported", "Program", "Scope", "read_program"]


class Imported(NamedTuple):
    """A name that a program imports.

    Attributes:
        name: the name in the program.
        origin: what it is, dotted from its package.
        statement: the import.
        alias: the part of the import for this name.
    """

    name: str
    origin: str
    statement: ast.Import | ast.ImportFrom
    alias: ast.alias


class Scope:
    """The names of a module or a function, and what binds them."""

    def __init__(self, node: ast.Module | ast.FunctionDef, outer: Scope | None) -> None:
        """Collect the names that the statements of one scope bind."""
        self.node = node
        self.outer = outer
        self.imports: dict[str, Imported] = {}
        self.import_statements: list[ast.Import | ast.ImportFrom] = []
        self.bindings: dict[str, list[ast.AST]] = {}
        if isinstance(node, ast.FunctionDef):
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    self._bind(argument.arg, argument)
        for statement in node.body:
            self._add(statement)

    def find(self, name: str) -> Scope | None:
        """Return the scope that binds a name: this one or one around it."""
        scope: Scope | None = self
        while scope is not None and name not in scope.bindings:
            scope = scope.outer
        return scope

    def origin(self, node: ast.AST) -> str:
        """Return what an expression is imported as, dotted; "" if it is nothing imported."""
        if isinstance(node, ast.Attribute):
            owner = self.origin(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        if not isinstance(node, ast.Name):
            return ""
        scope = self.find(node.id)
        if scope is None:
            return ""
        if node.id in scope.imports:
            return scope.imports[node.id].origin
        binding = scope.bindings[node.id][-1]  # such as `vectorize = numba.vectorize`
        value = binding.value if isinstance(binding, ast.Assign) else None
        is_itself = isinstance(value, ast.Name) and value.id == node.id
        return scope.origin(value) if value is not None and not is_itself else ""

    def _bind(self, name: str, node: ast.AST) -> None:
        self.bindings.setdefault(name, []).append(node)

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self.import_statements.append(node)
            for imported in _imported(node):
                self._bind(imported.name, node)
                self.imports.setdefault(imported.name, imported)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._bind(node.name, node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in _stored_names(target):
                    self._bind(name, node)
        else:
            for name in _stored_names(node, deep=False):
                self._bind(name, node)
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                    self._add(child)


class Program:
    """A file with its tree, and the scope of each node."""

    def __init__(self, path: Path, text: str) -> None:
        """Parse the text.

        Raises:
            SyntaxError: it is not Python.
        """
        self.path = path
        self.text = text
        self.tree = ast.parse(text, str(path))
        self.scopes: dict[ast.AST, Scope] = {}
        self._add_scope(self.tree, None)

    def nodes(self) -> Iterator[tuple[ast.AST, Scope]]:
        """Yield every node in the order of the text, outer ones first, and the scope it is in."""
        yield from self._nodes(self.tree, self.scopes[self.tree])

    def scope_of(self, function: ast.FunctionDef) -> Scope:
        """Return the scope inside a function."""
        return self.scopes[function]

    def _add_scope(self, node: ast.Module | ast.FunctionDef, outer: Scope | None) -> None:
        scope = Scope(node, outer)
        self.scopes[node] = scope
        for child in _functions_in(node):
            self._add_scope(child, scope)

    def _nodes(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        for child in ast.iter_child_nodes(node):
            yield child, scope
            inner = self.scopes[child] if isinstance(child, ast.FunctionDef) else scope
            yield from self._nodes(child, inner)


def read_program(path: Path) -> Program:
    """Read and parse a file.

    Raises:
        OSError: it cannot be read.
        SyntaxError: it is not Python, or not text.
    """
    import tokenize

    with tokenize.open(path) as file:  # in the encoding that the file declares
        return Program(path, file.read())


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[Imported]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            if alias.name == "*":
                for name in all_names(home):
                    yield Imported(name, f"{home}.{name}", node, alias)
                continue
            yield Imported(alias.asname or alias.name, f"{home}.{alias.name}", node, alias)
        elif alias.asname:
            yield Imported(alias.asname, alias.name, node, alias)
        else:
            root = alias.name.partition(".")[0]
            yield Imported(root, root, node, alias)


def _stored_names(node: ast.AST, *, deep: bool = True) -> Iterator[str]:
    """Yield the names that an expression, or a statement without the statements in it, binds."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        return
    for child in ast.iter_child_nodes(node):
        if deep or not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _stored_names(child)


def _functions_in(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the functions defined in a scope itself, also in branches and classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child
        elif not isinstance(child, (ast.AsyncFunctionDef, ast.Lambda)):
            yield from _functions_in(child)
