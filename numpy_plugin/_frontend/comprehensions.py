"""Functions for the generators in calls of `sum`, `any`, `all`, `min`, `max` and `math.prod`.

The function has the loops of the generator, and what the call does with each item. What is iterated
over first is evaluated before, as in Python.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin._frontend.array_calls import library_name
from numpy_plugin._frontend.names import target_names

__all__ = ["Comprehension", "loops", "made_function", "reduction", "statements"]

Comprehension = ast.GeneratorExp | ast.ListComp


class _Form(NamedTuple):
    """Statements before the loops, for each `item`, and after the loops; names are variables."""

    before: str
    each: str
    after: str


_FORMS = {
    "sum": _Form("", "total = total + item", "return total"),
    "prod": _Form("", "product = product * item", "return product"),
    "any": _Form("", "if item: return True", "return False"),
    "all": _Form("", "if not item: return False", "return True"),
    # All items of a list are evaluated.
    "any list": _Form("result = False", "if item: result = True", "return result"),
    "all list": _Form("result = True", "if not item: result = False", "return result"),
}
_EXTREMUM = _Form(
    "result: ...\nis_first = True",
    "value = item\n"
    "if is_first:\n    result = value\nelse:\n    result = {name}(result, value)\n"
    "is_first = False",
    "if is_first: {otherwise}\nreturn result",
)
_EMPTY = "raise ValueError('{name}() iterable argument is empty')"
# Names in messages.
_SHOWN = {"total": "the sum", "product": "the product"}
# The functions, with a keyword, the variable that has its value, and the value without it.
_FUNCTIONS: dict[Any, tuple[str, str, str, int | None]] = {
    sum: ("sum", "start", "total", 0),
    math.prod: ("prod", "start", "product", 1),
    any: ("any", "", "", None),
    all: ("all", "", "", None),
    min: ("min", "default", "default", None),
    max: ("max", "default", "default", None),
}
_BUILTINS = {"min": min, "max": max, "ValueError": ValueError, "IndexError": IndexError}
# Functions whose arguments are iterated over, and those with an iteration of their own.
_JOINING = (zip, enumerate, reversed)
_ITERATING = (range, np.arange, np.ndindex, np.ndenumerate)


def reduction(
    call: ast.Call, value_of: Callable[[ast.expr], Any]
) -> tuple[ast.FunctionDef, list[ast.expr]] | None:
    """Return the function for a call with a generator, and its arguments; None for other calls."""
    if not call.args or not isinstance(call.args[0], Comprehension):
        return None
    function = value_of(call.func)
    row = next((row for known, row in _FUNCTIONS.items() if known is function), None)
    if row is None:
        return None
    name, keyword, variable, usual = row
    given = {item.arg: item.value for item in call.keywords}
    if len(call.args) == 2 and name == "sum":
        given.setdefault("start", call.args[1])
    elif len(call.args) > 1:
        return None
    if given.keys() - {keyword}:
        return None
    made = call.args[0]
    first = given.get(keyword, None if usual is None else ast.Constant(usual))
    own = [] if first is None else [(_own_name(variable), first)]
    if keyword == "default":
        otherwise = _EMPTY if first is None else "return default"
        form = _Form(*(part.replace("{otherwise}", otherwise) for part in _EXTREMUM))
        form = _Form(*(part.replace("{name}", name) for part in form))
    else:
        is_list = isinstance(made, ast.ListComp) and name in ("any", "all")
        form = _FORMS[f"{name} list" if is_list else name]
    each = statements(form.each, made, made.elt)
    loop, arguments = loops(made, each, value_of)
    body = [*statements(form.before, made), loop, *statements(form.after, made)]
    return made_function("<genexpr>", made, [*own, *arguments], body)


def _own_name(name: str) -> str:
    """Return the name of a variable that no program has."""
    return _SHOWN.get(name, f".{name}")


def made_function(
    name: str, place: ast.expr, arguments: list[tuple[str, ast.expr]], body: list[ast.stmt]
) -> tuple[ast.FunctionDef, list[ast.expr]]:
    """Return a function with parameters for arguments, and the arguments."""
    names = [ast.copy_location(ast.arg(item), place) for item, _ in arguments]
    header = ast.arguments([], names, None, [], [], None, [])
    made = ast.copy_location(ast.FunctionDef(name, header, body, []), place)
    values = [value for _, value in arguments]
    for value in values:
        if not hasattr(value, "lineno"):
            ast.copy_location(value, place)
    return made, values


def loops(
    made: Comprehension, each: list[ast.stmt], value_of: Callable[[ast.expr], Any]
) -> tuple[ast.stmt, list[tuple[str, ast.expr]]]:
    """Return the loops around statements for each item, and arguments that they iterate over."""
    targets = target_names(made.generators)
    arguments: list[tuple[str, ast.expr]] = []
    first = _outside(made.generators[0].iter, targets, arguments, value_of)
    for part in reversed(made.generators):
        for test in reversed(part.ifs):
            each = [ast.copy_location(ast.If(test, each, []), test)]
        source = first if part is made.generators[0] else part.iter
        each = [ast.copy_location(ast.For(part.target, source, each, []), made)]
    return each[0], arguments


def _outside(
    source: ast.expr,
    targets: set[str],
    arguments: list[tuple[str, ast.expr]],
    value_of: Callable[[ast.expr], Any],
) -> ast.expr:
    """Return what is iterated over, with parameters for what is evaluated before."""
    if isinstance(source, ast.Call):
        function = value_of(source.func)
        if any(function is item for item in _JOINING):
            parts = [_outside(item, targets, arguments, value_of) for item in source.args]
            return ast.copy_location(ast.Call(source.func, parts, source.keywords), source)
        is_outside = not any(function is item for item in _ITERATING)
    elif isinstance(source, ast.Name):
        is_outside = source.id in targets
    else:
        is_outside = not isinstance(source, (ast.Constant, ast.Attribute, ast.Tuple, ast.List))
    if not is_outside:
        return source
    name = f".{len(arguments)}"
    arguments.append((name, source))
    return ast.copy_location(ast.Name(name, ast.Load()), source)


def statements(
    text: str, place: ast.expr | ast.stmt, item: ast.expr | None = None
) -> list[ast.stmt]:
    """Return statements whose variables are those of no program."""
    made = _Variables(place, item).visit(ast.parse(text))
    assert isinstance(made, ast.Module), text
    return made.body


class _Variables(ast.NodeTransformer):
    """Gives nodes a place, and names to variables that no program has; `item` is an expression."""

    def __init__(self, place: ast.expr | ast.stmt, item: ast.expr | None) -> None:
        self.place = place
        self.item = item

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return a variable, the item, or a name of Python's."""
        if node.id == "item" and self.item is not None:
            return self.item
        if node.id in _BUILTINS:
            return library_name(self.place, f"<{node.id}>", _BUILTINS[node.id])
        return ast.copy_location(ast.Name(_own_name(node.id), node.ctx), self.place)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit the children."""
        made = super().generic_visit(node)
        if isinstance(made, (ast.expr, ast.stmt)):
            ast.copy_location(made, self.place)
        return made
