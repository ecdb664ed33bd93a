"""Functions inside a kernel: `def`, `lambda` and those of generators.

Each becomes a function of its own, typed at each call. Variables of the function around it that it
reads are its first parameters, whose arguments are evaluated at the call: Python looks names up
there too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from numpy_plugin._frontend.array_calls import LibraryName, Refused, library_name
from numpy_plugin._frontend.comprehensions import reduction
from numpy_plugin._frontend.lists import Lists, listed
from numpy_plugin._frontend.names import (
    FunctionNode,
    blocks,
    free_names,
    parameters,
    stored_names,
)

__all__ = ["Closures", "LocalFunction"]

Position = tuple[int, int]


class LocalFunction:
    """A function inside another one.

    Attributes:
        name: its name in messages.
        node: the `def` or `lambda`.
        scope: the names of the function around it.
        passed: the variables of that function that are its first arguments.
        index: among the functions of the kernel; -1 before the first call.
    """

    def __init__(self, name: str, node: FunctionNode, scope: Closures) -> None:
        """Keep what describes the function."""
        self.name = name
        self.node = node
        self.scope = scope
        self.passed: list[str] = []
        self.index = -1


class Closures:
    """The functions that one function can call by a local name, and the names that they read."""

    def __init__(
        self,
        node: FunctionNode,
        local: LocalFunction | None,
        add: Callable[[LocalFunction], int],
        value_of: Callable[[ast.expr], Any],
    ) -> None:
        """Find the functions.

        Args:
            node: the function, a kernel or one inside it.
            local: the latter.
            add: takes a function that is called and returns its index.
            value_of: returns the value of an expression that names something global.
        """
        self.add = add
        self.value_of = value_of
        self.lists: Lists | None = None
        self.stored = stored_names(node)
        self.renamed: dict[str, str] = {}
        # The functions, with the variables to pass to each.
        self.callables: dict[str, tuple[LocalFunction, list[str]]] = {}
        self.ranges: dict[str, tuple[Position, Position]] = {}  # where each can be called
        self.definitions: set[int] = set()
        if local is not None:
            self.take_outer(local)
        if isinstance(node, ast.FunctionDef):
            for block in blocks(node.body):
                self.find_functions(block)
        self.variables = {*self.stored, *self.renamed.values()} - self.ranges.keys()
        self.find_passed([self.callables[name][0] for name in self.ranges])

    def take_outer(self, local: LocalFunction) -> None:
        """Name the variables of the function around this one, and the functions called there."""
        for name in local.passed:
            own = name
            while own in self.stored:
                own += "_"
            self.renamed[name] = own
        for name, (function, passed) in local.scope.callables.items():
            if name not in self.stored and self.renamed.keys() >= set(passed):
                self.callables[name] = (function, [self.renamed[item] for item in passed])

    def parameters(self, node: FunctionNode) -> list[ast.arg]:
        """Return the parameters of the function, those for variables around it first."""
        first = [ast.copy_location(ast.arg(name), node) for name in self.renamed.values()]
        return [*first, *parameters(node)]

    def find_functions(self, block: list[ast.stmt]) -> None:
        """Add the functions that a block defines, each the only value of its name."""
        for statement in block:
            named = _named_function(statement)
            if named is None or self.stored[named[0]] != 1:
                continue
            name, node = named
            self.callables[name] = (LocalFunction(name, node, self), [])
            self.ranges[name] = (_end(statement), _end(block[-1]))
            self.definitions.add(id(statement))

    def find_passed(self, functions: Iterable[LocalFunction]) -> None:
        """Find the variables that functions read, and those that the functions they call read."""
        reads = {function: free_names(function.node) for function in functions}
        has_changed = True
        while has_changed:
            has_changed = False
            for function, names in reads.items():
                found = names & self.variables
                for name in names & self.callables.keys():
                    found.update(self.callables[name][1])
                if len(found) > len(function.passed):
                    has_changed = True
                    function.passed[:] = sorted(found)
                    if function.name in self.callables:
                        self.callables[function.name] = (function, function.passed)

    def find_lists(self, node: FunctionNode, local: LocalFunction | None) -> None:
        """Find the lists of the function, whose own names are known by now."""
        self.lists = Lists(node, self.value_of, None if local is None else local.scope.lists)

    def block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements that stand for those of a block."""
        return block if self.lists is None else self.lists.block(block)

    def converted(self, node: ast.AST) -> ast.AST:
        """Return what stands for a definition, a call or the name of a function; else the node."""
        if id(node) in self.definitions:
            return ast.copy_location(ast.Pass(), node)
        if isinstance(node, (ast.Call, ast.Name, ast.ListComp)) and self.lists is not None:
            node = self.lists.converted(node)
        if isinstance(node, ast.ListComp):
            return listed(node, self.made, self.value_of)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Name) and node.id in self.callables and type(node) is ast.Name:
            return self.name(node, node.id, self.callables[node.id][0])
        return node

    def call(self, node: ast.Call) -> ast.Call:
        """Return the call of a local function with the variables that it reads."""
        if isinstance(node.func, ast.Lambda):
            return self.called(LocalFunction("<lambda>", node.func, self), node)
        if isinstance(node.func, ast.Name) and node.func.id in self.callables:
            return self.passing(node, node.func, self.callables[node.func.id][1])
        made = reduction(node, self.value_of)
        if made is None:
            return node
        return self.made(*made, node)

    def made(
        self, function: ast.FunctionDef, arguments: list[ast.expr], place: ast.expr
    ) -> ast.Call:
        """Return the call of a function that stands for an expression."""
        call = ast.copy_location(ast.Call(place, arguments, []), place)
        return self.called(LocalFunction(function.name, function, self), call)

    def called(self, function: LocalFunction, node: ast.Call) -> ast.Call:
        """Return the call of a function without a name."""
        self.find_passed([function])
        callee = self.name(node.func, function.name, function)
        return self.passing(node, callee, function.passed)

    def passing(self, node: ast.Call, callee: ast.Name, names: list[str]) -> ast.Call:
        """Return a call with variables before its other arguments."""
        first = [ast.copy_location(ast.Name(name, ast.Load()), node.func) for name in names]
        return ast.copy_location(ast.Call(callee, [*first, *node.args], node.keywords), node)

    def name(self, place: ast.expr, name: str, function: LocalFunction) -> LibraryName:
        """Return the name that is bound to a function where it can be called."""
        first, last = self.ranges.get(name, ((0, 0), _end(place)))
        if not first <= (place.lineno, place.col_offset) <= last:
            problem = f"'{name}' may not be defined here\ndefine it before, in the same block"
            return library_name(place, f"<{name}>", Refused(problem))
        if function.index < 0:
            function.index = self.add(function)
        return library_name(place, f"<{name} {function.index}>", function)


def _named_function(statement: ast.stmt) -> tuple[str, FunctionNode] | None:
    """Return the name and the node of a function that a statement defines."""
    if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
        return statement.name, statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Lambda):
        return None
    target = statement.targets[0]
    if len(statement.targets) > 1 or not isinstance(target, ast.Name):
        return None
    return target.id, statement.value


def _end(node: ast.stmt | ast.expr) -> Position:
    return (node.end_lineno or node.lineno, node.end_col_offset or 0)
