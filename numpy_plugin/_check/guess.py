"""Types for kernels whose types are those of each launch: suggested by how they use parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from numpy_plugin._check.program import Program, Scope

__all__ = ["guessed_types"]


def guessed_types(function: Callable[..., Any], program: Program) -> list[str]:
    """Return a type for each parameter: an array where it is indexed, an integer where it counts.

    All others are float64, as are the elements of arrays that do not index.
    """
    code = function.__code__
    for node, scope in program.nodes():
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            names = [each.arg for each in node.args.args]
            if names == list(code.co_varnames[: code.co_argcount]) and _is_of(node, function):
                inner = program.scopes.get(node, scope)
                return [_Uses(name, node, program, inner, set()).type_name() for name in names]
    return ["float64"] * code.co_argcount


def _is_of(node: ast.FunctionDef | ast.Lambda, function: Callable[..., Any]) -> bool:
    code = function.__code__
    is_there = node.lineno >= code.co_firstlineno
    return is_there and getattr(node, "name", "<lambda>") == code.co_name


class _Uses:
    """The uses of one parameter in a function."""

    def __init__(
        self, name: str, node: ast.AST, program: Program, scope: Scope, seen: set[ast.arg]
    ) -> None:
        """Look at a function; `seen` are the parameters of others that it has been passed on as."""
        self.name = name
        self.n_dimensions = 0
        self.is_integer = False
        self._program, self._scope, self._seen = program, scope, seen
        for each in ast.walk(node):
            self._look(each)

    def type_name(self) -> str:
        """Return the type."""
        dtype = "int64" if self.is_integer else "float64"
        if not self.n_dimensions:
            return dtype
        return f"{dtype}[{','.join(':' * self.n_dimensions)}]"

    def _is_own(self, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Name) and node.id == self.name

    def _needs(self, n_dimensions: int) -> None:
        self.n_dimensions = max(self.n_dimensions, n_dimensions)

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Subscript):
            self._look_at_index(node)
        elif isinstance(node, ast.Attribute) and self._is_own(node.value):
            if node.attr in ("shape", "size", "ndim", "strides"):
                self._needs(1)
        elif isinstance(node, ast.Assign):
            self._look_at_shape(node)
        elif isinstance(node, ast.Call):
            self._look_at_call(node)
        elif isinstance(node, (ast.For, ast.comprehension)) and self._is_own(node.iter):
            self._needs(1)

    def _look_at_index(self, node: ast.Subscript) -> None:
        if n_indices := self._n_indices(node):
            self._needs(n_indices)
        axis = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if self._is_shape(node.value) and isinstance(axis, int):
            self._needs(axis + 1)
        for each in ast.walk(node.slice):
            is_element = isinstance(each, ast.Subscript) and self._is_own(each.value)
            if self._is_own(each) or is_element:
                self.is_integer |= not self._is_size(each, node.slice)

    def _is_size(self, node: ast.AST, index: ast.expr) -> bool:
        """Whether a parameter in an index is there for its shape or its length."""
        return any(
            (isinstance(each, ast.Attribute) and each.value is node)
            or (
                isinstance(each, ast.Call) and node in each.args and ast.unparse(each.func) == "len"
            )
            for each in ast.walk(index)
        )

    def _n_indices(self, node: ast.Subscript) -> int:
        """Return how many indices a[i, j] or a[i][j] has; 0 for another array's."""
        n = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        if self._is_own(node.value):
            return n
        outer = self._n_indices(node.value) if isinstance(node.value, ast.Subscript) else 0
        return outer + n if outer else 0

    def _look_at_shape(self, node: ast.Assign) -> None:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and self._is_shape(value):
            self._needs(len(target.elts))

    def _is_shape(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and self._is_own(node.value) and node.attr == "shape"

    def _look_at_call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        called = ast.unparse(node.func).rpartition(".")[2]
        for i, argument in enumerate(node.args):
            if name and isinstance(argument, ast.Subscript) and self._n_indices(argument):
                self._look_in_function(name, i, self._n_indices(argument))
            if not self._is_own(argument):
                continue
            if called in ("range", "prange"):
                self.is_integer = True
            elif name == "len":
                self._needs(1)
            elif isinstance(node.func, ast.Attribute) and ".atomic" in ast.unparse(node.func):
                self._look_at_atomic(node.args, i)
            elif name:
                self._look_in_function(name, i)

    def _look_at_atomic(self, arguments: list[ast.expr], position: int) -> None:
        if position == 0 and len(arguments) > 1:
            index = arguments[1]
            self._needs(len(index.elts) if isinstance(index, ast.Tuple) else 1)

    def _look_in_function(self, name: str, position: int, n_indices: int = 0) -> None:
        """Look at a function that is passed the parameter, or an element or row of it."""
        home = self._scope.find(name)
        node = home.bindings[name][-1] if home is not None else None
        if not isinstance(node, ast.FunctionDef) or position >= len(node.args.args):
            return
        parameter = node.args.args[position]
        if parameter in self._seen:
            return
        self._seen.add(parameter)
        scope = self._program.scope_of(node)
        inner = _Uses(parameter.arg, node, self._program, scope, self._seen)
        self._needs(n_indices + inner.n_dimensions)
        self.is_integer |= inner.is_integer
