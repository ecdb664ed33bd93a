"""The change that makes a program use this package: imports, and names of modules."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from numpy_plugin._check.counterparts import JITS, MOVED, counterpart, is_moved, value_of
from numpy_plugin._check.program import Program, Scope

__all__ = ["Missing", "changed_text", "diff", "missing_names"]


_MAX_COLUMNS = 88
# Opens a device, which happens here at its first use.
_AUTOINIT = "pycuda.autoinit"


class Missing(NamedTuple):
    """A name that a program uses and that has no counterpart."""

    name: str
    line: int
    why: str


class _Edit(NamedTuple):
    """A replacement; lines from 1, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def diff(program: Program) -> str:
    """Return the change as a unified diff; "" if there is nothing to change."""
    name = str(program.path)
    before, after = program.text.splitlines(), changed_text(program).splitlines()
    return "\n".join(difflib.unified_diff(before, after, name, name, "", "", 2, lineterm=""))


def changed_text(program: Program) -> str:
    """Return the program with its imports changed."""
    lines = program.text.splitlines(keepends=True)
    for edit in sorted(_edits(program), reverse=True):
        first, last = edit.line - 1, edit.end_line - 1
        start = lines[first].encode()[: edit.column].decode()
        rest = lines[last].encode()[edit.end_column :].decode()
        lines[first : last + 1] = [start + edit.text + rest]
    return "".join(lines)


def missing_names(program: Program) -> list[Missing]:
    """Return the moved names that do not exist here, in the order of the text."""
    found: dict[str, Missing] = {}
    for node, scope in program.nodes():
        for origin, line in _used_origins(node, scope):
            is_known = origin in MOVED or any(origin.startswith(f"{each}.") for each in found)
            if is_moved(origin) and not is_known and not _exists(origin):
                found.setdefault(origin, Missing(origin, line, _why_missing(origin)))
    return list(found.values())


def _used_origins(node: ast.AST, scope: Scope) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Attribute):
        yield scope.origin(node), node.lineno
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            yield f"{node.module}.{alias.name}", node.lineno


def _exists(origin: str) -> bool:
    if origin.endswith(".*"):
        return True
    try:
        value_of(origin)
    except (AttributeError, ImportError):
        return False
    return True


def _why_missing(origin: str) -> str:
    try:
        value_of(origin)
    except (AttributeError, ImportError) as error:
        return str(error).splitlines()[0]
    return ""


def _edits(program: Program) -> Iterator[_Edit]:
    statements = [each for scope in program.scopes.values() for each in scope.import_statements]
    needs_pycuda = any(
        origin.startswith("pycuda.") and not is_moved(origin) and origin != _AUTOINIT
        for statement in statements
        for origin in _origins(statement)
    )
    for statement in statements:
        if _origins(statement) == [_AUTOINIT] and not needs_pycuda:
            yield _removal(statement, program)
        else:
            yield from _import_edits(statement, program)


def _origins(node: ast.Import | ast.ImportFrom) -> list[str]:
    home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [home + alias.name for alias in node.names]


def _removal(statement: ast.stmt, program: Program) -> _Edit:
    """Return the edit that removes a statement: its line, or what it does in a block."""
    line, column, end_line, end_column = _place(statement)
    if column or line == len(program.text.splitlines()):
        return _Edit(line, column, end_line, end_column, "pass" if column else "")
    return _Edit(line, 0, end_line + 1, 0, "")


def _import_edits(node: ast.Import | ast.ImportFrom, program: Program) -> Iterator[_Edit]:
    new = _changed_from(node, program) if isinstance(node, ast.ImportFrom) else None
    if isinstance(node, ast.Import):
        lines, renamed = _changed_import(node, program)
        yield from renamed
        new = lines
    if new:
        text = ("\n" + " " * node.col_offset).join(new)
        yield _Edit(*_place(node), text)


def _mover(program: Program) -> Callable[[str], bool]:
    """Return whether a name comes from here: not the types that njit is called with.

    It takes Numba's own, which ufuncs take, too.
    """
    arguments = [
        (argument, scope)
        for node, scope in program.nodes()
        if isinstance(node, ast.Call) and scope.origin(node.func) in JITS
        for argument in node.args
    ]
    kept = {scope.origin(each) for argument, scope in arguments for each in ast.walk(argument)}
    return lambda origin: is_moved(origin) and origin not in kept and _exists(origin)


def _changed_from(node: ast.ImportFrom, program: Program) -> list[str]:
    """Return the imports that replace `from numba import ...`; none if it stays."""
    kept: list[ast.alias] = []
    moved: dict[str, list[ast.alias]] = {}
    moves = _mover(program)
    for alias in node.names:
        origin = f"{node.module}.{alias.name}"
        if not node.level and alias.name == "*" and node.module in MOVED:
            return [f"from {MOVED[node.module]} import *"]
        if node.level or not moves(origin):
            kept.append(alias)
        else:
            moved.setdefault(counterpart(origin).rpartition(".")[0], []).append(alias)
    if not moved:
        return []
    lines = [_import_text(node.module or "", kept)] if kept else []
    return lines + [_import_text(home, names) for home, names in moved.items()]


def _import_text(home: str, names: list[ast.alias]) -> str:
    text = ast.unparse(ast.ImportFrom(home, names, 0))
    if len(text) <= _MAX_COLUMNS:
        return text
    items = "".join(f"    {ast.unparse(each)},\n" for each in names)
    return f"from {home} import (\n{items})"


def _changed_import(node: ast.Import, program: Program) -> tuple[list[str], list[_Edit]]:
    """Return the imports that replace `import numba`, and edits of the names used through it."""
    lines: list[str] = []
    edits: list[_Edit] = []
    moves = _mover(program)
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        uses = list(_uses(name, node, program))
        moved = [(each, origin) for each, origin in uses if moves(origin)]
        if not moved:
            lines.append(ast.unparse(ast.Import([alias])))
            continue
        is_whole = len(moved) == len(uses) and alias.name.partition(".")[0] == "numba"
        if is_whole:
            home = counterpart(alias.name if alias.asname else "numba")
            package, _, last = home.rpartition(".")
            same = f"from {package} import {last}"
            lines.append(same if name == last else f"import {home} as {name}")
            continue
        new = _free_name(program, "npn" if _are_numbas(moved) else "npp")
        home = "numpy_plugin.numba" if _are_numbas(moved) else "numpy_plugin"
        lines += [ast.unparse(ast.Import([alias])), f"import {home} as {new}"]
        for each, origin in moved:
            rest = counterpart(origin).removeprefix(f"{home}.")
            edits.append(_Edit(*_place(each), f"{new}.{rest}"))
    return (lines, edits) if edits or lines != [ast.unparse(node)] else ([], [])


def _are_numbas(moved: list[tuple[ast.Attribute, str]]) -> bool:
    """Whether names come from Numba."""
    return moved[0][1].startswith("numba.")


def _uses(
    name: str, statement: ast.Import, program: Program
) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield the longest members used through an imported module, and what they are."""
    inner: set[ast.AST] = set()
    for node, scope in program.nodes():
        if not isinstance(node, ast.Attribute) or node in inner:
            continue
        chain = list(_chain(node))
        home = scope.find(name)
        root = chain[-1].value
        is_own = isinstance(root, ast.Name) and root.id == name and home is not None
        if is_own and home is not None and statement in home.bindings[name]:
            inner.update(chain)
            moved = [each for each in chain if is_moved(scope.origin(each))]
            used = next((each for each in moved if _exists(scope.origin(each))), chain[0])
            yield used, scope.origin(used)


def _chain(node: ast.Attribute) -> Iterator[ast.Attribute]:
    """Yield `a.b.c`, then `a.b`."""
    yield node
    while isinstance(node.value, ast.Attribute):
        node = node.value
        yield node


def _free_name(program: Program, wanted: str) -> str:
    used = {name for scope in program.scopes.values() for name in scope.bindings}
    while wanted in used:
        wanted += "_"
    return wanted


def _place(node: ast.stmt | ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
