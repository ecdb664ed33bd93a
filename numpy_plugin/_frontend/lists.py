"""Lists of numbers in a kernel: an array with room for all items, and how many it has.

The room is the number of trips of the loops around what appends. A list comprehension is the view
of the items in such an array; a list with `append` is the variables for the array and the number.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from numpy_plugin._frontend.array_calls import Refused, library_expression, library_name
from numpy_plugin._frontend.comprehensions import loops, made_function, statements
from numpy_plugin._frontend.names import FunctionNode, blocks, free_names

__all__ = ["Lists", "listed", "with_plain_lists"]

Call = Callable[[ast.FunctionDef, list[ast.expr], ast.expr], ast.expr]

_USES = "a list in a kernel has len, indices, loops, append, pop, and functions of Python and NumPy"
_NO_ROOM = "the length of '{}' must follow from 'for' loops that are known where it begins"
_ROOM = "npp.local_array(32, np.float64) has room for 32 numbers"
# Functions of Python that take a list as what it contains.
_READERS = (len, sum, min, max, any, all, zip, enumerate, reversed)


def with_plain_lists(node: FunctionNode) -> FunctionNode:
    """Return a function with `[x for _ in range(n)]` for `[x] * n`, and lists that begin empty."""
    grown = {name for each in ast.walk(node) if (name := _changed_list(each)) is not None}
    is_found = any(
        _repeated(each) is not None or _begun_list(each, grown) for each in ast.walk(node)
    )
    return _PlainLists(grown).visit(copy.deepcopy(node)) if is_found else node


def _repeated(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the item and the number of `[x] * n` or `n * [x]`; None for other nodes."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return None
    for items, number in ((node.left, node.right), (node.right, node.left)):
        if isinstance(items, ast.List) and len(items.elts) == 1:
            return items.elts[0], number
    return None


def _begun_list(node: ast.AST, grown: set[str]) -> tuple[str, list[ast.expr]] | None:
    """Return a list of `grown` and the items with which it begins; None for other nodes."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Name) or not isinstance(value, ast.List) or not value.elts:
        return None
    return (target.id, value.elts) if target.id in grown else None


class _PlainLists(ast.NodeTransformer):
    """Puts comprehensions and calls of `append` in the place of what begins with items."""

    def __init__(self, grown: set[str]) -> None:
        self.grown = grown

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """Return `y = []` and an `append` for each item; other assignments as they are."""
        self.generic_visit(node)
        name, items = _begun_list(node, self.grown) or ("", [])
        made: list[ast.stmt] = [node]
        for item in items:
            grown = ast.copy_location(ast.Name(name, ast.Load()), item)
            append = ast.copy_location(ast.Attribute(grown, "append", ast.Load()), item)
            call = ast.copy_location(ast.Call(append, [item], []), item)
            made.append(ast.copy_location(ast.Expr(call), item))
        if items:
            node.value = ast.copy_location(ast.List([], ast.Load()), node.value)
        return made

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Return the comprehension for `[x] * n`, other operators as they are."""
        self.generic_visit(node)
        found = _repeated(node)
        if found is None:
            return node
        item, number = found
        trips = ast.Call(library_name(node, "<range>", range), [number], [])
        target = ast.copy_location(ast.Name("_", ast.Store()), node)
        part = ast.comprehension(target, ast.copy_location(trips, node), [], 0)
        return ast.copy_location(ast.ListComp(item, [part]), node)


def listed(made: ast.ListComp, called: Call, value_of: Callable[[ast.expr], Any]) -> ast.expr:
    """Return the expression for a list comprehension; `called` calls a function for it."""
    filled = statements("made[n] = item\nn = n + 1", made, made.elt)
    loop, arguments = loops(made, filled, value_of)
    body = [*statements("n = 0", made), loop, *statements("return n", made)]
    names = {item: _operand(made, i) for i, (item, _) in enumerate(arguments)}
    array = _operand(made, len(names))
    given = [(item, names[item]) for item, _ in arguments]
    function, values = made_function("<listcomp>", made, [(".made", array), *given], body)
    count = called(function, values, made)
    first, _ = loops(made, statements("return item", made, made.elt), value_of)
    body = [first, *statements("raise ValueError()", made)]
    function, values = made_function("<listcomp>", made, given, body)
    item = called(function, values, made)
    assert isinstance(loop, ast.For), made
    parts = [(part.target, part.iter) for part in made.generators]
    parts[0] = (parts[0][0], _Names(names).visit(copy.deepcopy(loop.iter)))
    bound = {"n": trips(parts, made), "item": item}
    room = library_expression("empty(n, item_type(item).dtype)", made, bound)
    view = ast.Subscript(array, ast.Slice(None, count), ast.Load())
    for part in (view, view.slice):
        ast.copy_location(part, made)
    operands = [*(value for _, value in arguments), room]
    held = library_expression("vector", made, {})
    return ast.copy_location(ast.Call(held, [view, *operands], []), made)


def trips(parts: list[tuple[ast.expr, ast.expr]], place: ast.expr | ast.stmt) -> ast.expr:
    """Return how often statements in loops are executed at most; each has a target and items."""
    if not parts:
        return ast.copy_location(ast.Constant(1), place)
    target, source = parts[0]
    rest = trips(parts[1:], place)
    inner = free_names(rest) & {item.id for item in ast.walk(target) if isinstance(item, ast.Name)}
    if inner:
        each = ast.GeneratorExp(rest, [ast.comprehension(target, source, [], 0)])
        call = ast.Call(library_name(place, "<sum>", sum), [ast.copy_location(each, place)], [])
        return ast.copy_location(call, place)
    count = library_expression("trips(items)", place, {"items": source})
    if len(parts) == 1:
        return count
    return ast.copy_location(ast.BinOp(count, ast.Mult(), rest), place)


def _operand(place: ast.expr, number: int) -> ast.expr:
    return library_name(place, f"<{number}>", Refused("an operand has no value here"))


class _Names(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, names: dict[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the expression for a name."""
        return self.names.get(node.id, node)


class Lists:
    """The lists of one function by name, and what stands for their statements and uses."""

    def __init__(
        self, node: FunctionNode, value_of: Callable[[ast.expr], Any], outer: Lists | None
    ) -> None:
        """Find the lists.

        Args:
            node: the function.
            value_of: returns the value of an expression that names something global.
            outer: the lists of the function around it, if it is inside one.
        """
        self.value_of = value_of
        self.appended: dict[str, ast.stmt] = {}  # the statement that makes each list with `append`
        self.before: dict[int, list[ast.stmt]] = {}  # statements to execute before others
        self.refused: set[int] = outer.refused if outer is not None else set()
        self.truths: set[int] = outer.truths if outer is not None else set()
        if isinstance(node, ast.Lambda):
            if outer is None:
                self.find_uses(node, set())
            return
        stored = Counter(name for statement in node.body for name in _stored(statement))
        for block in blocks(node.body):
            for number, statement in enumerate(block):
                name = _empty_list(statement)
                if name is not None and stored[name] == 1:
                    self.add(name, block[number:], node.body)
        if outer is None:
            found = (_list_name(each) for block in blocks(node.body) for each in block)
            named = {name for name in found if name is not None}
            self.find_uses(node, self.appended.keys() | named)

    def add(self, name: str, block: list[ast.stmt], body: list[ast.stmt]) -> None:
        """Add a list that begins empty, at the first statement of a block."""
        paths = [path for each in block for path in _appends(each, name)]
        if not paths:
            return
        self.appended[name] = block[0]
        n_appends = sum(1 for each in body for _ in _appends(each, name))
        number, room = 0, None
        if None not in paths and len(paths) == n_appends:
            number, room = _room(name, [path for path in paths if path is not None], block)
        if room is None:
            problem = Refused(f"{_NO_ROOM.format(name)}\n{_ROOM}")
            room = library_name(_first_append(block, name), "<list>", problem)
        start = block[number]
        self.before.setdefault(id(start), []).append(_assigned(f".{name}", room, start))

    def find_uses(self, node: ast.AST, names: set[str]) -> None:
        """Find the uses of lists as conditions, and those that a kernel does not have."""
        for child in ast.iter_child_nodes(node):
            self.find_uses(child, names)
            if not isinstance(child, (ast.Name, ast.ListComp)):
                continue
            if isinstance(child, ast.Name) and (
                child.id not in names or not isinstance(child.ctx, ast.Load)
            ):
                continue
            if getattr(node, "test", None) is child or (
                isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
            ):
                self.truths.add(id(child))
            elif not self.is_usable(child, node):
                self.refused.add(id(child))

    def is_usable(self, node: ast.expr, parent: ast.AST) -> bool:
        """Whether a kernel has what a parent does with a list."""
        if isinstance(parent, ast.Call):
            function = self.value_of(parent.func)
            name = getattr(function, "__name__", "")
            is_numpys = getattr(np, name, None) is function
            return is_numpys or any(function is each for each in _READERS)
        if isinstance(parent, ast.Assign):
            target = parent.targets[0]
            is_new = isinstance(target, ast.Name) and isinstance(node, ast.ListComp)
            return len(parent.targets) == 1 and (is_new or isinstance(target, ast.Subscript))
        is_iterated = isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node
        is_changed = isinstance(parent, ast.Attribute) and parent.attr in ("append", "pop")
        is_indexed = isinstance(parent, ast.Subscript) and parent.value is node
        return is_iterated or is_changed or is_indexed

    def converted(self, node: ast.expr) -> ast.expr:
        """Return what stands for the use of a list; other nodes as they are."""
        if id(node) in self.refused:
            return library_name(node, "<list>", Refused(_USES))
        if id(node) in self.truths:
            self.truths.discard(id(node))
            count = ast.Call(library_name(node, "<len>", len), [node], [])
            zero = ast.copy_location(ast.Constant(0), node)
            test = ast.Compare(ast.copy_location(count, node), [ast.Gt()], [zero])
            return ast.copy_location(test, node)
        if isinstance(node, ast.Call) and len(node.args) == 1 and self.is_list(node.args[0]):
            return self.number(node.args[0]) if self.value_of(node.func) is len else node
        if not self.is_list(node):
            return node
        assert isinstance(node, ast.Name), node
        array = ast.copy_location(ast.Name(f".{node.id}", ast.Load()), node)
        items = ast.copy_location(ast.Slice(None, self.number(node)), node)
        return ast.copy_location(ast.Subscript(array, items, ast.Load()), node)

    def is_list(self, node: ast.expr) -> bool:
        """Whether an expression is the name of a list with `append`."""
        return isinstance(node, ast.Name) and type(node) is ast.Name and node.id in self.appended

    def number(self, node: ast.expr) -> ast.expr:
        """Return the variable that has the number of a list's items."""
        assert isinstance(node, ast.Name), node
        return ast.copy_location(ast.Name(f".number of {node.id}", ast.Load()), node)

    def block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements that stand for those of a block."""
        made: list[ast.stmt] = []
        for statement in block:
            made += self.before.get(id(statement), [])
            made += self.statement(statement)
        return made

    def statement(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements that stand for one."""
        name = _empty_list(statement)
        if name is not None and self.appended.get(name) is statement:
            return _changed("number = 0", name, statement)
        call = getattr(statement, "value", None)
        name = _changed_list(call)
        if name is None or name not in self.appended:
            return [statement]
        assert isinstance(call, ast.Call), name
        assert isinstance(call.func, ast.Attribute), name
        if isinstance(statement, ast.Expr) and call.func.attr == "append" and len(call.args) == 1:
            text = "item = value\narray[number] = item\nnumber = number + 1"
            return _changed(text, name, call, call.args[0])
        if (
            call.func.attr != "pop"
            or call.args
            or not isinstance(statement, (ast.Expr, ast.Assign))
        ):
            return [statement]
        text = "if number == 0: raise IndexError('pop from empty list')\nnumber = number - 1"
        made = _changed(text, name, call)
        if isinstance(statement, ast.Assign):
            item = _changed("array[number]", name, call)[0]
            assert isinstance(item, ast.Expr), name
            made.append(ast.copy_location(ast.Assign(statement.targets, item.value), statement))
        return made


def _empty_list(statement: ast.stmt) -> str | None:
    """Return the name to which a statement assigns an empty list."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    is_empty = isinstance(value, ast.List) and not value.elts
    return target.id if is_empty and isinstance(target, ast.Name) else None


def _list_name(statement: ast.stmt) -> str | None:
    """Return the name to which a statement assigns a list comprehension."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.ListComp):
        return None
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _changed_list(call: ast.AST | None) -> str | None:
    """Return the name in `y.append(x)` and `y.pop()`."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    return owner.id if isinstance(owner, ast.Name) else None


def _appends(
    statement: ast.stmt, name: str, path: list[tuple[ast.expr, ast.expr]] | None = None
) -> Iterator[list[tuple[ast.expr, ast.expr]] | None]:
    """Yield the loops around each `append` to a list; None where one is no `for`."""
    path = [] if path is None else path
    if isinstance(statement, ast.Expr) and _changed_list(statement.value) == name:
        assert isinstance(statement.value, ast.Call), name
        if getattr(statement.value.func, "attr", "") == "append":
            yield path
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return
    for field in ("body", "orelse", "finalbody"):
        for inner in getattr(statement, field, []):
            if field == "body" and isinstance(statement, ast.While):
                yield from (None for _ in _appends(inner, name))
            elif field == "body" and isinstance(statement, ast.For):
                yield from _appends(inner, name, [*path, (statement.target, statement.iter)])
            else:
                yield from _appends(inner, name, path)


def _stored(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement assigns."""
    for item in ast.walk(statement):
        if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
            yield item.id


def _grown(statement: ast.stmt) -> Iterator[str]:
    """Yield the lists that a statement changes."""
    for item in ast.walk(statement):
        name = _changed_list(item) if isinstance(item, ast.Call) else None
        if name is not None:
            yield name


def _room(
    name: str, paths: list[list[tuple[ast.expr, ast.expr]]], block: list[ast.stmt]
) -> tuple[int, ast.expr | None]:
    """Return the room for a list's items, and the statement of its block before which it is known.

    The expression is None where it is known before none of them.
    """
    counts = [trips(path, block[0]) for path in paths]
    size = counts[0]
    for count in counts[1:]:
        size = ast.copy_location(ast.BinOp(size, ast.Add(), count), block[0])
    used = next(i for i, each in enumerate(block) if any(True for _ in _appends(each, name)))
    for start in (0, used):
        changed = {item for each in block[start:] for item in (*_stored(each), *_grown(each))}
        if not free_names(size) & (changed - {name}):
            item = ast.copy_location(ast.Name(f".item of {name}", ast.Load()), block[0])
            bound = {"n": size, "item": item}
            return start, library_expression("empty(n, item_type(item).dtype)", block[0], bound)
    return 0, None


def _first_append(block: list[ast.stmt], name: str) -> ast.expr:
    """Return the first call of a list's `append`."""
    calls = (item for each in block for item in ast.walk(each) if isinstance(item, ast.Call))
    return next(item for item in calls if _changed_list(item) == name)


def _assigned(name: str, value: ast.expr, place: ast.stmt) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), place)
    return ast.copy_location(ast.Assign([target], value), place)


def _changed(
    text: str, name: str, place: ast.expr | ast.stmt, value: ast.expr | None = None
) -> list[ast.stmt]:
    """Return statements that change the variables of a list."""
    made = statements(text, place, None)
    variables = {"array": f".{name}", "number": f".number of {name}", "item": f".item of {name}"}
    bound = {f".{key}": own for key, own in variables.items()}
    for part in made:
        for item in ast.walk(part):
            if isinstance(item, ast.Name) and item.id in bound:
                item.id = bound[item.id]
    values = {} if value is None else {".value": value}
    return [_Names(values).visit(part) for part in made]
