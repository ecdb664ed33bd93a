"""Numba's stencils in kernels: functions of an element's neighbors, called with whole arrays.

`a[-1] + a[1]` of a stencil becomes a loop over the elements that have all their neighbors.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from numpy_plugin._frontend.array_calls import library_name
from numpy_plugin._frontend.array_functions import item_type
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.source import Source, fail, source_data

__all__ = ["stencil_function"]

# Distances from an element to the first and to the last of its neighbors along each axis.
_Neighborhood = list[tuple[int, int]]


def stencil_function(stencil: Any) -> DeviceFunction[..., Any]:
    """Return the function of whole arrays that a stencil is.

    Raises:
        KernelError: an index is no number that is written out, and no `neighborhood` is declared.
    """
    made = DeviceFunction(stencil.kernel_ir.func_id.func)
    assert made.source is not None, stencil
    node = made.source.node
    assert isinstance(node, ast.FunctionDef), node
    name, options = node.name, stencil.options
    absolute = set(options.get("standard_indexing", ()))
    parameters = [item.arg for item in node.args.args if item.arg not in absolute]
    indices = _relative_indices(node, parameters)
    neighborhood = options.get("neighborhood") or _neighborhood(made.source, name, indices)
    body = _Elements(parameters, len(neighborhood)).made(node)
    arrays = {index.value.id for index in indices if isinstance(index.value, ast.Name)}
    arguments = ast.arguments([], node.args.args, None, [], [], None, [])
    whole = ast.FunctionDef(name, arguments, [], [])
    whole.body = [
        body,
        *_size_checks([item for item in parameters if item in arrays], len(neighborhood)),
        *_loops(body.name, parameters[0], list(neighborhood), options.get("cval", 0)),
    ]
    for item in ast.walk(whole):
        if isinstance(item, (ast.stmt, ast.expr, ast.arg)) and not hasattr(item, "lineno"):
            ast.copy_location(item, node.body[-1])
    made.source = made.source._replace(node=ast.copy_location(whole, node))
    return made


def _relative_indices(node: ast.FunctionDef, parameters: list[str]) -> list[ast.Subscript]:
    return [
        item
        for item in ast.walk(node)
        if isinstance(item, ast.Subscript)
        and isinstance(item.value, ast.Name)
        and item.value.id in parameters
    ]


def _items(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _offsets(index: ast.Subscript) -> list[int] | None:
    """Return the numbers of an index; None if it has others."""
    try:
        offsets = [ast.literal_eval(item) for item in _items(index.slice)]
    except ValueError:
        return None
    return offsets if all(type(offset) is int for offset in offsets) else None


def _neighborhood(source: Source, name: str, indices: list[ast.Subscript]) -> _Neighborhood:
    """Return the distances that the indices have."""
    found: _Neighborhood = []
    for index in indices:
        offsets = _offsets(index)
        if offsets is None or (found and len(offsets) != len(found)):
            line, last = (n + source.line_offset for n in (index.lineno, index.end_lineno or 0))
            fail(
                name,
                "this index of a stencil is no number, or has another number of axes",
                "numba.stencil(neighborhood=((-1, 1),)) says how far indices reach on each axis",
                (line, index.col_offset, last, index.end_col_offset or 0),
                source_data(source, name),
            )
        pairs = zip(found or [(0, 0)] * len(offsets), offsets, strict=True)
        found = [(min(low, offset), max(high, offset)) for (low, high), offset in pairs]
    return found


class _Elements(ast.NodeTransformer):
    """Makes the function of one element of a stencil, whose place is its first parameters."""

    def __init__(self, parameters: list[str], n_dimensions: int) -> None:
        self.parameters = parameters
        self.n_dimensions = n_dimensions

    def made(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Return the function; arrays are those of the function around it."""
        places = [ast.arg(_place(axis)) for axis in range(self.n_dimensions)]
        arguments = ast.arguments([], places, None, [], [], None, [])
        made = ast.FunctionDef(f"{node.name}_element", arguments, [], [])
        made.body = [self.visit(statement) for statement in node.body]
        ast.copy_location(made, node)
        # It ends before its calls, which have the place of its last statement.
        made.end_lineno, made.end_col_offset = node.lineno, node.col_offset
        return made

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Return the element at a distance from the place."""
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id not in self.parameters:
            return node
        items = [
            ast.copy_location(ast.BinOp(_read(_place(axis), item), ast.Add(), item), item)
            for axis, item in enumerate(_items(node.slice))
        ]
        index = items[0] if len(items) == 1 else ast.Tuple(list(items), ast.Load())
        node.slice = ast.copy_location(index, node)
        return node


def _place(axis: int) -> str:
    return f"<place{axis}>"  # no name of a program


def _read(name: str, place: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), place)


def _size_checks(arrays: list[str], n_dimensions: int) -> list[ast.stmt]:
    """Return the statements that require other arrays to be no smaller than the first."""
    text = "".join(
        f"if {other}.shape[{axis}] < {arrays[0]}.shape[{axis}]:\n"
        f"    raise ValueError('Secondary stencil array has some dimension smaller the same "
        f"dimension in the first stencil input.')\n"
        for other in arrays[1:]
        for axis in range(n_dimensions)
    )
    return _without_places(ast.parse(text).body)


def _loops(element: str, array: str, neighborhood: _Neighborhood, border: Any) -> list[ast.stmt]:
    """Return the statements that make the result, and compute its elements."""
    n_dimensions = len(neighborhood)
    places = ", ".join(f"place{axis}" for axis in range(n_dimensions))
    zeros = ", ".join("0" for _ in range(n_dimensions))
    text = f"result = full({array}.shape, {border!r}, item_type({element}({zeros})).dtype)\n"
    for axis, (low, high) in enumerate(neighborhood):
        last = f"{array}.shape[{axis}] - {max(0, high)}"
        text += " " * axis + f"for place{axis} in range({-min(0, low)}, {last}):\n"
    text += " " * n_dimensions + f"result[{places}] = {element}({places})\nreturn result\n"
    made = [_Names({element, array}).visit(item) for item in ast.parse(text).body]
    return _without_places(made)


class _Names(ast.NodeTransformer):
    """Binds the names of library functions, and makes all but the given ones no program's."""

    def __init__(self, given: set[str]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Return the name."""
        values = {"full": np.full, "item_type": item_type, "range": range}
        if node.id in values:
            return library_name(node, f"<{node.id}>", values[node.id])
        return node if node.id in self.given else ast.Name(f"<{node.id}>", node.ctx)


def _without_places(statements: list[ast.stmt]) -> list[ast.stmt]:
    for statement in statements:
        for item in ast.walk(statement):
            for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                vars(item).pop(name, None)
    return statements
