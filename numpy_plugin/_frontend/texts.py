"""Texts that a kernel's messages have by name: of its module, or of a variable of its own."""

from __future__ import annotations

import ast
from collections import Counter

__all__ = ["local_texts", "message_parts"]


def local_texts(body: list[ast.stmt]) -> dict[str, str]:
    """Return the variables that are assigned once, a text, before anything else can happen.

    They are used in messages alone.
    """
    found = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            target, text = statement.targets[0], statement.value.value
            if len(statement.targets) == 1 and isinstance(target, ast.Name):
                found[target.id] = text
    texts = {name: text for name, text in found.items() if isinstance(text, str)}
    if not texts:
        return {}
    nodes = [node for statement in body for node in ast.walk(statement)]
    in_messages = {id(part) for node in nodes for part in message_parts(node)}
    uses: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, ast.Name) and id(node) not in in_messages:
            uses[node.id] += 1
    return {name: text for name, text in texts.items() if uses[name] == 1}


def message_parts(node: ast.AST) -> list[ast.expr]:
    """Return what the messages of an exception or of `print` are made of; [] for other nodes."""
    found: list[ast.expr] = []
    if isinstance(node, ast.Assert):
        found = [node.msg] if node.msg is not None else []
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        found = [*node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        found = list(node.exc.args)
    for item in found:  # grows during the loop
        if isinstance(item, ast.JoinedStr):
            found += item.values
        elif isinstance(item, ast.FormattedValue) and item.format_spec is not None:
            found.append(item.format_spec)
        elif isinstance(item, ast.FormattedValue):
            found.append(item.value)
    return found
