"""The group of all threads of a launch, `g = cuda.cg.this_grid()`, and its barrier, `g.sync()`."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

from numpy_plugin._frontend.array_calls import library_name
from numpy_plugin._frontend.names import FunctionNode

__all__ = ["with_grid_barriers"]

# The module of these functions, which is not loaded without them.
_HOME = "numpy_plugin._cuda.cg"


def with_grid_barriers(node: FunctionNode, value_of: Callable[[ast.expr], Any]) -> FunctionNode:
    """Return a function that calls the barrier of the grid itself, and has no variables of grids.

    Args:
        node: the function.
        value_of: returns the value of an expression that names something global.
    """

    def is_grid(value: ast.AST) -> bool:
        function = value_of(value.func) if isinstance(value, ast.Call) else None
        home = getattr(function, "__module__", "")
        return home == _HOME and getattr(function, "__name__", "") == "this_grid"

    if not any(is_grid(each) for each in ast.walk(node)):
        return node
    stored: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            stored[each.id] += 1
        if isinstance(each, ast.Assign) and is_grid(each.value):
            groups.update(item.id for item in each.targets if isinstance(item, ast.Name))
    names = {name for name, count in groups.items() if stored[name] == count}
    made: FunctionNode = _Barriers(names, is_grid).visit(copy.deepcopy(node))
    return made


class _Barriers(ast.NodeTransformer):
    """Puts calls of the barrier in the place of those of the group's method."""

    def __init__(self, names: set[str], is_grid: Callable[[ast.AST], bool]) -> None:
        self.names = names
        self.is_grid = is_grid

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Return nothing to do for a variable of the grid; other assignments as they are."""
        if self.is_grid(node.value) and all(self.is_group(item) for item in node.targets):
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Return the call of the barrier for `g.sync()`; other calls as they are."""
        self.generic_visit(node)
        callee = node.func
        if not isinstance(callee, ast.Attribute) or callee.attr != "sync" or node.args:
            return node
        if not self.is_grid(callee.value) and not self.is_group(callee.value):
            return node
        barrier = library_name(callee, "<sync_grid>", import_module(_HOME).sync_grid)
        return ast.copy_location(ast.Call(barrier, [], node.keywords), node)

    def is_group(self, node: ast.expr) -> bool:
        """Whether an expression is a variable of the grid."""
        return isinstance(node, ast.Name) and node.id in self.names
