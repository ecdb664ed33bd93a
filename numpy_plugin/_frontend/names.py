"""Which names of a function are its own, and which it reads from around it, as Python decides."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

__all__ = ["FunctionNode", "blocks", "free_names", "parameters", "stored_names", "target_names"]

FunctionNode: TypeAlias = ast.FunctionDef | ast.Lambda

_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *_COMPREHENSIONS)


def parameters(node: FunctionNode) -> list[ast.arg]:
    """Return the parameters that are no keyword-only ones."""
    return [*node.args.posonlyargs, *node.args.args]


def blocks(statements: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield a block and all blocks in it, without those of functions and classes."""
    yield statements
    for statement in statements:
        if isinstance(statement, _SCOPES):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from blocks(getattr(statement, name, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from blocks(part.body)


def stored_names(node: FunctionNode) -> Counter[str]:
    """Return how many statements give a value to each local name of a function."""
    found = Counter(item.arg for item in ast.walk(node.args) if isinstance(item, ast.arg))
    outer: set[str] = set()
    pending: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else [node.body]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
            found[item.id] += 1
        elif isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[item.name] += 1
        elif isinstance(item, (ast.Global, ast.Nonlocal)):
            outer.update(item.names)
        elif isinstance(item, ast.alias):
            found[item.asname or item.name.partition(".")[0]] += 1
        elif isinstance(item, (ast.MatchAs, ast.MatchStar)) and item.name:
            found[item.name] += 1
        if not isinstance(item, _SCOPES):
            pending += ast.iter_child_nodes(item)
    return Counter({name: count for name, count in found.items() if name not in outer})


def target_names(generators: list[ast.comprehension]) -> set[str]:
    """Return the names that the loops of a comprehension assign."""
    targets = [part.target for part in generators]
    names = [item for target in targets for item in ast.walk(target)]
    return {item.id for item in names if isinstance(item, ast.Name)}


def free_names(node: ast.AST) -> set[str]:
    """Return the names that a node reads from around it."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        around = [*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())]
        body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
        return _of_all(around) | (_of_all(body) - stored_names(node).keys())
    if isinstance(node, _COMPREHENSIONS):
        first, *others = node.generators
        targets = target_names(node.generators)
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = [*values, *first.ifs]
        for part in others:
            inner += [part.iter, *part.ifs]
        return free_names(first.iter) | (_of_all(inner) - targets)
    found = _of_all(ast.iter_child_nodes(node))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        found.update(node.names)
    return found


def _of_all(nodes: Iterable[ast.AST | None]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if node is not None:
            found |= free_names(node)
    return found
