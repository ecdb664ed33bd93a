"""Calls of NumPy's functions that are written in the kernel language: the expressions for them."""

from __future__ import annotations

import ast
import copy
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["LibraryName", "counted_loop", "expanded_call", "expanded_statement"]

# NumPy's function: its parameters, and what stands for a call of it. Names that are not parameters
# are those of `array_functions`; "{side}" is the string given for a parameter.
_EXPANSIONS: dict[str, tuple[str, str]] = {
    "allclose": ("a, b", "np.all(np.isclose(a, b))"),
    "argsort": ("a, *, kind=None", "argsorted(empty(a.shape[0], int64), a)"),
    "average": ("a, *, weights", "average(a, weights)"),
    "cross": ("a, b", "crossed(a * b, a, b)"),
    "cumprod": ("a", "cumulated_product(a * one_of_products(a))"),
    "cumsum": ("a", "cumulated_sum(a + zero_of_sums(a))"),
    "diff": ("a", "a[1:] - a[:-1]"),
    "digitize": ("x, bins", "right_position(bins, x)"),
    "eye": ("N, *, dtype=None", "unit_matrix(np.zeros((N, N), dtype))"),
    "flatten": ("a", "flattened(empty(a.size, a.dtype), a)"),
    "flip": ("a", "a[::-1]"),
    "identity": ("n, *, dtype=None", "unit_matrix(np.zeros((n, n), dtype))"),
    "inner": ("a, b", "np.dot(a, b)"),
    "interp": ("x, xp, fp", "interpolated(x, xp, fp)"),
    "linalg.norm": ("x", "norm(x)"),
    "linspace": ("start, stop, num", "spaced(empty(num, float64), start, stop)"),
    "median": ("a", "median(sorted_in_place(a.copy()))"),
    "nanargmax": ("a", "nanargmax(a)"),
    "nanargmin": ("a", "nanargmin(a)"),
    "nanmax": ("a", "nanmax(a)"),
    "nanmean": ("a", "nanmean(a)"),
    "nanmedian": ("a", "nanmedian(sorted_in_place(a.copy()))"),
    "nanmin": ("a", "nanmin(a)"),
    "nanpercentile": ("a, q", "nanquantile(sorted_in_place(a.copy()), q / 100)"),
    "nanprod": ("a", "np.prod(np.where(np.isnan(a), 1, a))"),
    "nanquantile": ("a, q", "nanquantile(sorted_in_place(a.copy()), q)"),
    "nanstd": ("a, *, ddof=0", "np.sqrt(nanvar(a, ddof))"),
    "nansum": ("a", "np.sum(np.where(np.isnan(a), 0, a))"),
    "nanvar": ("a, *, ddof=0", "nanvar(a, ddof)"),
    "outer": (
        "a, b",
        "outer_product(empty((a.shape[0], b.shape[0]), zero_of_dots(a, b).dtype), a, b)",
    ),
    "percentile": ("a, q", "quantile(sorted_in_place(a.copy()), q / 100)"),
    "polyval": ("p, x", "polynomial(p, x)"),
    "ptp": ("a", "np.max(a) - np.min(a)"),
    "quantile": ("a, q", "quantile(sorted_in_place(a.copy()), q)"),
    "roll": ("a, shift", "rolled(a.copy(), a, shift)"),
    "searchsorted": ("a, v, *, side='left'", "{side}_position(a, v)"),
    "sort": ("a, *, kind=None", "sorted_in_place(a.copy())"),
    "transpose": ("a", "a.T"),
    "trapezoid": ("y, x", "np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0)"),
    "vdot": ("a, b", "np.dot(np.conjugate(a), b)"),
}

# Methods of arrays that are among them.
_METHODS = {"argsort", "cumprod", "cumsum", "flatten", "transpose"}


class LibraryName(ast.Name):
    """A name in an expression that stands for a call, bound to a value of the library's."""

    value: Any


def expanded_call(call: ast.Call, function: object) -> ast.expr | None:
    """Return the expression for a call of a function; None if there is none.

    Args:
        call: the call, whose arguments become part of the expression.
        function: the value of its callee; anything else for a method of an array.
    """
    name, arguments = _name_of(function), call.args
    if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS and not name:
        name, arguments = call.func.attr, [call.func.value, *arguments]
    if name not in _EXPANSIONS:
        return None
    parameters, text = _row(name)
    bound = _bound_arguments(parameters, arguments, call.keywords)
    expression = None if bound is None else _expression(text, bound)
    if bound is None or expression is None:
        return None
    made = _Substitution(call, bound).visit(copy.deepcopy(expression))
    return made if isinstance(made, ast.expr) else None


def _name_of(function: object) -> str:
    """Return a NumPy function's name in the table, else ""."""
    name = getattr(function, "__name__", "")
    if getattr(np, name, None) is function:
        return str(name)
    return f"linalg.{name}" if getattr(np.linalg, name, None) is function else ""


@cache
def _row(name: str) -> tuple[ast.arguments, str]:
    """Return a row of the table: the parameters and the expression."""
    parameters, expression = _EXPANSIONS[name]
    function = ast.parse(f"lambda {parameters}: 0", mode="eval").body
    assert isinstance(function, ast.Lambda), name
    return function.args, expression


def _expression(text: str, bound: dict[str, ast.expr]) -> ast.expr | None:
    """Return an expression of the table; None for a string that NumPy does not take."""
    strings = {
        name: value.value
        for name, value in bound.items()
        if isinstance(value, ast.Constant) and value.value in ("left", "right")
    }
    try:
        return _parsed(text.format(**strings))
    except KeyError:
        return None


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _bound_arguments(
    parameters: ast.arguments, arguments: list[ast.expr], keywords: list[ast.keyword]
) -> dict[str, ast.expr] | None:
    """Return the arguments by parameter; None if they do not fit."""
    names = [item.arg for item in parameters.args]
    all_names = names + [item.arg for item in parameters.kwonlyargs]
    bound = dict(zip(names, arguments, strict=False))
    given = [*bound, *(item.arg for item in keywords)]
    is_plain = not any(isinstance(item, ast.Starred) for item in arguments)
    if len(arguments) > len(names) or len(set(given)) < len(given) or not is_plain:
        return None
    bound.update((item.arg, item.value) for item in keywords if item.arg in all_names)
    if len(bound) < len(given):
        return None
    for item, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        if default is not None:
            bound.setdefault(item.arg, default)
    return bound if len(bound) == len(all_names) else None


def expanded_statement(statement: ast.Expr) -> ast.stmt:
    """Return the statement for `a.fill(x)` and `a.sort()`; others as they are."""
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return statement
    array, name, n_arguments = call.func.value, call.func.attr, len(call.args)
    if name == "fill" and n_arguments == 1:
        target = ast.Subscript(array, ast.Slice(), ast.Store())
        ast.copy_location(target, call)
        ast.copy_location(target.slice, call)
        return ast.copy_location(ast.Assign([target], call.args[0]), statement)
    if name == "sort" and n_arguments == 0:
        made = _Substitution(call, {"a": array}).visit(copy.deepcopy(_parsed("sorted_in_place(a)")))
        return ast.copy_location(ast.Expr(made), statement)
    return statement


def counted_loop(loop: ast.For, function: object) -> ast.For:
    """Return a loop over `np.arange` as one over `range`; other loops as they are."""
    if function is not np.arange or not isinstance(loop.iter, ast.Call) or loop.iter.keywords:
        return loop
    callee = _Substitution(loop.iter, {}).library_name("range", range)
    numbers = ast.copy_location(ast.Call(callee, loop.iter.args, []), loop.iter)
    made = ast.For(loop.target, numbers, loop.body, loop.orelse)
    return ast.copy_location(made, loop)


class _Substitution(ast.NodeTransformer):
    """Puts arguments in the place of parameters; all else has the place of the call."""

    def __init__(self, call: ast.Call, bound: dict[str, ast.expr]) -> None:
        self.call = call
        self.bound = bound

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return a function of NumPy's that the expression calls, or an argument's attribute."""
        if isinstance(node.value, ast.Name) and node.value.id == "np":
            return self.library_name(f"np.{node.attr}", getattr(np, node.attr))
        node.value = self.visit(node.value)
        return ast.copy_location(node, self.call)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the argument for a parameter, or a name of the library's."""
        if node.id in self.bound:
            return self.bound[node.id]
        # Imported at its first use, because the functions' sources are read then.
        library = import_module("numpy_plugin._frontend.array_functions")
        return self.library_name(node.id, getattr(library, node.id))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit the children."""
        made = super().generic_visit(node)
        if isinstance(made, ast.expr):
            ast.copy_location(made, self.call)
        return made

    def library_name(self, name: str, value: Any) -> LibraryName:
        """Return a name that no program has."""
        made = LibraryName(id=f"<{name}>", ctx=ast.Load())
        made.value = value
        return ast.copy_location(made, self.call)
