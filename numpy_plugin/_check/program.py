"""A program as text: its scopes, and what its names are imported as, without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from numpy_plugin._check.counterparts import all_names, is_known

if TYPE_CHECKING:
    from numpy_plugin._check.modules import Modules

__all__ = ["Imported", "Program", "Scope", "read_program", "walk"]


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

    def __init__(
        self, node: ast.Module | ast.FunctionDef, outer: Scope | None, program: Program
    ) -> None:
        """Collect the names that the statements of one scope bind."""
        self.node = node
        self.outer = outer
        self._program = program
        self.imports: dict[str, Imported] = {}
        self.import_statements: list[ast.Import | ast.ImportFrom] = []
        self.bindings: dict[str, list[ast.AST]] = {}
        if isinstance(node, ast.FunctionDef):
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    self._bind(argument.arg, argument)
        waiting: list[ast.AST] = [*reversed(node.body)]
        while waiting:
            waiting += reversed([*self._add(waiting.pop())])

    def find(self, name: str) -> Scope | None:
        """Return the scope that binds a name: this one or one around it."""
        scope: Scope | None = self
        while scope is not None and name not in scope.bindings:
            scope = scope.outer
        return scope

    def origin(self, node: ast.AST) -> str:
        """Return what an expression is imported as, dotted; "" if it is nothing imported.

        What a module of the program's own directories imports is followed.
        """
        origin = self.plain_origin(node)
        return self._program.resolve(origin) if origin else ""

    def plain_origin(self, node: ast.AST) -> str:
        """Return that of the program's own import."""
        members: list[str] = []
        followed: set[ast.AST] = set()  # `x = x.T` reads what was bound to x before
        scope = self
        while True:
            while isinstance(node, ast.Attribute):
                members.append(node.attr)
                node = node.value
            home = scope.find(node.id) if isinstance(node, ast.Name) else None
            if home is None or not isinstance(node, ast.Name):
                return ""
            scope = home
            if node.id in scope.imports:
                return ".".join([scope.imports[node.id].origin, *reversed(members)])
            others = [each for each in scope.bindings[node.id] if each not in followed]
            binding = others[-1] if others else None  # such as `vectorize = numba.vectorize`
            if not isinstance(binding, ast.Assign):
                return ""
            followed.add(binding)
            node = binding.value

    def _bind(self, name: str, node: ast.AST) -> None:
        self.bindings.setdefault(name, []).append(node)

    def _add(self, node: ast.AST) -> Iterator[ast.AST]:
        """Bind the names of a statement; yield the statements in it."""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self.import_statements.append(node)
            for imported in _imported(node, self._program):
                self._bind(imported.name, node)
                self.imports.setdefault(imported.name, imported)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._bind(node.name, node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in _stored_names(target):
                    self._bind(name, node)
        else:
            for name in _stored_names(node):
                self._bind(name, node)
            yield from filter(_is_statement, ast.iter_child_nodes(node))


class Program:
    """A file with its tree, and the scope of each node."""

    def __init__(self, path: Path, text: str, modules: Modules | None = None) -> None:
        """Parse the text; `modules` has those of the program's own directories.

        Raises:
            SyntaxError: it is not Python.
        """
        self.path = path
        self.text = text
        self.modules = modules
        try:
            self.tree = ast.parse(text, str(path))
        except (MemoryError, RecursionError):
            raise SyntaxError("an expression in it is nested too deeply for Python") from None
        self.scopes: dict[ast.AST, Scope] = {}
        self._add_scope(self.tree, None)

    def nodes(self) -> Iterator[tuple[ast.AST, Scope]]:
        """Yield every node in the order of the text, outer ones first, and the scope it is in."""
        waiting: list[tuple[ast.AST, Scope]] = [(self.tree, self.scopes[self.tree])]
        while waiting:
            node, outer = waiting.pop()
            if node is not self.tree:
                yield node, outer
            scope = self.scopes.get(node, outer)
            waiting += [(child, scope) for child in reversed([*ast.iter_child_nodes(node)])]

    def resolve(self, origin: str) -> str:
        """Return what an imported name is, by way of the program's own modules."""
        return self.modules.resolve(origin, self.path) if self.modules is not None else origin

    def star_names(self, module: str) -> list[str]:
        """Return the names that `from module import *` binds, as far as they matter here."""
        if is_known(module) or self.modules is None:
            return all_names(module)
        return self.modules.public_names(module, self.path)

    def has(self, name: str) -> bool:
        """Whether the module binds a name."""
        return name in self.scopes[self.tree].bindings

    def scope_of(self, function: ast.FunctionDef) -> Scope:
        """Return the scope inside a function."""
        return self.scopes[function]

    def _add_scope(self, node: ast.Module | ast.FunctionDef, outer: Scope | None) -> None:
        scope = Scope(node, outer, self)
        self.scopes[node] = scope
        for child in _functions_in(node):
            self._add_scope(child, scope)


def read_program(path: Path, modules: Modules | None = None) -> Program:
    """Read and parse a file.

    Raises:
        OSError: it cannot be read.
        SyntaxError: it is not Python, or not text.
    """
    import tokenize

    with tokenize.open(path) as file:  # in the encoding that the file declares
        return Program(path, file.read(), modules)


def _imported(node: ast.Import | ast.ImportFrom, program: Program) -> Iterator[Imported]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            prefix = f"{home}." if node.module else home
            if alias.name == "*":
                for name in program.star_names(home):
                    yield Imported(name, prefix + name, node, alias)
                continue
            yield Imported(alias.asname or alias.name, prefix + alias.name, node, alias)
        elif alias.asname:
            yield Imported(alias.asname, alias.name, node, alias)
        else:
            root = alias.name.partition(".")[0]
            yield Imported(root, root, node, alias)


def walk(node: ast.AST, is_entered: Callable[[ast.AST], object] = bool) -> Iterator[ast.AST]:
    """Yield a node and those in it in the order of the text, but not what is in some of them.

    Trees of long sums are deep: no walk over a program is a recursion.
    """
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if is_entered(each):
            waiting += reversed([*ast.iter_child_nodes(each)])


def _is_statement(node: ast.AST) -> bool:
    return isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case))


def _stored_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that an expression, or a statement without the statements in it, binds."""
    for each in walk(node, lambda inner: inner is node or not _is_statement(inner)):
        if isinstance(each, ast.Name) and isinstance(each.ctx, (ast.Store, ast.Del)):
            yield each.id


def _functions_in(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the functions defined in a scope itself, also in branches and classes."""
    others = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for each in walk(node, lambda inner: inner is node or not isinstance(inner, others)):
        if isinstance(each, ast.FunctionDef) and each is not node:
            yield each
