"""`match` on numbers, which is a chain of `if` and `elif`."""

from __future__ import annotations

import ast

__all__ = ["as_branches"]


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
