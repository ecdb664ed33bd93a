"""`match` on numbers and `(d := x - y)` in kernels, as statements that mean the same."""

from __future__ import annotations

import ast
import copy
from typing import Any

from numpy_plugin._frontend.names import FunctionNode

__all__ = ["as_branches", "with_assignments"]

# ---- named expressions ---------------------------------------------------------------------------

# Fields whose expression is evaluated first, or after what an update reads.
_FIRST: dict[type[ast.AST], str] = {
    ast.Assign: "value",
    ast.AnnAssign: "value",
    ast.AugAssign: "value",
    ast.Assert: "test",
    ast.Expr: "value",
    ast.For: "iter",
    ast.If: "test",
    ast.Return: "value",
}


def with_assignments(node: FunctionNode) -> FunctionNode:
    """Return a function that assigns before statements what `:=` names in them.

    `:=` stays, to be refused, where it is not reached in any case, or where what is evaluated
    before it may tell the difference.
    """
    if not _has_names(node):
        return node
    changed: FunctionNode = _Statements().visit(copy.deepcopy(node))
    return changed


def _has_names(node: ast.AST) -> bool:
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))


class _Statements(ast.NodeTransformer):
    """Puts assignments before statements with named expressions."""

    def visit(self, node: ast.AST) -> Any:
        """Return a statement's assignments and the statement; other nodes as they are."""
        if isinstance(node, ast.expr):
            return node
        self.generic_visit(node)
        if isinstance(node, ast.While):
            return _loop(node) if _has_names(node.test) else node
        field = _FIRST.get(type(node), "")
        value = getattr(node, field, None)
        if not isinstance(value, ast.expr) or not _has_names(value):
            return node
        if isinstance(node, ast.If) and not node.orelse:
            return _nested(node)
        assignments = _Assignments(node.target if isinstance(node, ast.AugAssign) else None)
        setattr(node, field, assignments.visit(value))
        return [*assignments.made, node]


def _operands(test: ast.expr) -> list[ast.expr]:
    """Return what has to be true: the operands of `and`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return test.values
    return [test]


def _nested(branch: ast.If) -> list[ast.stmt]:
    """Return a branch inside one for each operand of `and` that names something."""
    body = branch.body
    for test in reversed(_operands(branch.test)):
        assignments = _Assignments()
        inner = ast.If(assignments.visit(test), body, [])
        body = [*assignments.made, ast.copy_location(inner, test)]
    return body


def _loop(loop: ast.While) -> ast.While:
    """Return an endless loop that assigns, tests and breaks; itself if it has an `else`."""
    if loop.orelse:
        return loop
    body: list[ast.stmt] = []
    for test in _operands(loop.test):
        assignments = _Assignments()
        is_over = ast.UnaryOp(ast.Not(), assignments.visit(test))
        leave = ast.If(is_over, [ast.copy_location(ast.Break(), test)], [])
        for each in (is_over, leave):
            ast.copy_location(each, test)
        body += [*assignments.made, leave]
    endless = ast.copy_location(ast.Constant(True), loop.test)
    return ast.copy_location(ast.While(endless, [*body, *loop.body], []), loop)


class _Assignments(ast.NodeTransformer):
    """Takes out named expressions, in the order of evaluation."""

    def __init__(self, before: ast.AST | None = None) -> None:
        """Start with what is evaluated before."""
        self.made: list[ast.stmt] = []
        self.read: set[str] = set()
        self.has_called = False
        if before is not None:
            self.pass_by(before)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        """Return the name, which is assigned before."""
        name = node.target.id
        before = set(self.read), self.has_called
        node.value = self.visit(node.value)
        is_seen = name in self.read or before[1] or _has_names(node.value)
        self.read, self.has_called = before
        self.read.add(name)
        if is_seen:
            return node
        self.made.append(ast.copy_location(ast.Assign([node.target], node.value), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node.target)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Note the name."""
        self.read.add(node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Note a call, which may do more than return a value."""
        self.generic_visit(node)
        self.has_called = True
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Visit the first operand: others are not reached in any case."""
        node.values[0] = self.visit(node.values[0])
        for each in node.values[1:]:
            self.pass_by(each)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Visit the condition."""
        node.test = self.visit(node.test)
        self.pass_by(node.body)
        self.pass_by(node.orelse)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Visit the first two operands."""
        node.left = self.visit(node.left)
        node.comparators[0] = self.visit(node.comparators[0])
        for each in node.comparators[1:]:
            self.pass_by(each)
        return node

    def pass_by(self, node: ast.AST) -> ast.AST:
        """Note the names and calls of what is not reached in any case, or later."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                self.read.add(each.id)
            self.has_called |= isinstance(each, ast.Call)
        return node

    visit_Lambda = visit_GeneratorExp = visit_ListComp = visit_SetComp = visit_DictComp = pass_by


# ---- match ---------------------------------------------------------------------------------------


def as_branches(match: ast.Match) -> ast.stmt:
    """Return the branches that a `match` takes; itself if its patterns are more than numbers."""
    if any(isinstance(node, ast.Call) for node in ast.walk(match.subject)):
        return match  # is called once
    rest: list[ast.stmt] = []
    for case in reversed(match.cases):
        branch = _branch(match.subject, case, rest)
        if branch is None:
            return match
        rest = branch
    is_one = len(rest) == 1 and isinstance(rest[0], ast.If)
    return ast.copy_location(rest[0], match) if is_one else match


def _branch(subject: ast.expr, case: ast.match_case, rest: list[ast.stmt]) -> list[ast.stmt] | None:
    """Return the statements for a case and those after it; None if there are none."""
    pattern = case.pattern
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        if case.guard is not None:
            return None if pattern.name else [_if(case.guard, case, rest)]
        if pattern.name is None:
            return case.body
        name = ast.copy_location(ast.Name(pattern.name, ast.Store()), pattern)
        return [ast.copy_location(ast.Assign([name], subject), pattern), *case.body]
    values = _values(pattern)
    if values is None:
        return None
    tuple_ = ast.copy_location(ast.Tuple(values, ast.Load()), pattern)
    test: ast.expr = (
        ast.Compare(subject, [ast.Eq()], values)
        if len(values) == 1
        else ast.Compare(subject, [ast.In()], [tuple_])
    )
    ast.copy_location(test, pattern)
    if case.guard is not None:
        test = ast.copy_location(ast.BoolOp(ast.And(), [test, case.guard]), pattern)
    return [_if(test, case, rest)]


def _values(pattern: ast.pattern) -> list[ast.expr] | None:
    """Return the values that a pattern compares with."""
    if isinstance(pattern, ast.MatchValue):
        return [pattern.value]
    if not isinstance(pattern, ast.MatchOr):
        return None
    parts = [_values(each) for each in pattern.patterns]
    return None if None in parts else [value for part in parts if part for value in part]


def _if(test: ast.expr, case: ast.match_case, rest: list[ast.stmt]) -> ast.If:
    return ast.copy_location(ast.If(test, case.body, rest), test)
