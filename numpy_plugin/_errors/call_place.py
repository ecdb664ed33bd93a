"""Places of arguments in the text of a call, found from the calling frame."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from types import FrameType
from typing import NamedTuple

from numpy_plugin import _core
from numpy_plugin._errors.mistake import Mistake
from numpy_plugin._errors.place import Place, shown_file

__all__ = ["CallPlace", "find_decorated", "find_literal", "find_place"]

# Keywords and positions to search for an argument, best first.
_SPELLINGS: dict[str, tuple[str | int, ...]] = {
    "kernel name": ("name", 1),
    "layout": ("layout", 1, 0),
    "name": ("name", 0),
    "options": ("options", 2),
    "signature": ("signature", "name", "source", 1, 0),
    "signatures": ("signatures", "signature", 0, 1),
    "source": ("source", 0),
}


class CallPlace(NamedTuple):
    """A range of a user's file: lines from 1, columns from 0 in bytes."""

    where: Place
    file: str
    function: str
    lines: list[str]

    def start(self) -> tuple[str, int, int]:
        """Return the file, the line and the column, which count from 1; columns in characters."""
        line, column = self.where[:2]
        return self.file, line, len(self.lines[0].encode()[:column].decode()) + 1

    def rendered(self, mistake: Mistake) -> str:
        """Return the text of a mistake at this place."""
        return _core.render_diagnostic(mistake.message, mistake.hint, *self)


def find_place(frame: FrameType, mistake: Mistake) -> CallPlace | None:
    """Return the place of a mistake in a frame's current call; None if it can't be found.

    The frame's instruction gives the place of the call, so only its own text is parsed.
    """
    call, lines, first = _call_at(frame)
    while call is not None and isinstance(call.func, ast.Call):
        call = call.func  # a decorator that is called immediately
    found = _find_in_call(call, lines, mistake) if call is not None else None
    return _in_file(frame, found, lines, first) if found is not None else None


def find_decorated(frame: FrameType) -> CallPlace | None:
    """Return the place of the function that a frame's call decorates: `g` in `vectorize(s)(g)`."""
    call, lines, first = _call_at(frame)
    if call is None or not call.args or _has_star(call.args[:1]):
        return None
    return _in_file(frame, _place_of(call.args[0]), lines, first)


def find_literal(frame: FrameType, argument: str, lines: list[str]) -> CallPlace | None:
    """Return where the lines of an argument begin in its plain string literal."""
    call, call_lines, first = _call_at(frame)
    if call is None:
        return None
    for node in _values_of(call, argument):
        found = _plain_literal(node, call_lines)
        if found is None or found[1].decode().splitlines()[: len(lines)] != lines:
            continue
        line, column = _place_of(node)[:2]
        start = column + len(found[0])
        return _in_file(frame, (line, start, line, start), call_lines, first)
    return None


def _call_at(frame: FrameType) -> tuple[ast.Call | None, list[str], int]:
    """Return a frame's current call, its lines, and the number of the first line."""
    code = frame.f_code
    position = next(islice(code.co_positions(), frame.f_lasti // 2, None), None)
    if position is None or None in position:
        return None, [], 0
    first, last, column, end_column = (number or 0 for number in position)
    lines = linecache.getlines(code.co_filename, frame.f_globals)[first - 1 : last]
    return _parse_call(lines, column, end_column), lines, first


def _in_file(frame: FrameType, found: Place, lines: list[str], first: int) -> CallPlace:
    code = frame.f_code
    line, start, end_line, end = found
    where = (line + first - 1, start, end_line + first - 1, end)
    shown = [each.rstrip("\r\n") for each in lines[line - 1 :]]
    return CallPlace(where, shown_file(code.co_filename), code.co_name, shown)


def _parse_call(lines: list[str], column: int, end_column: int) -> ast.Call | None:
    """Return the call between a column of the first line and a column of the last line.

    Text before it is replaced by spaces, so columns stay those of the file.
    """
    if not lines:
        return None
    text = [line.encode() for line in lines]
    text[-1] = text[-1][:end_column]
    if column > 0:
        text[0] = b"(" + b" " * (column - 1) + text[0][column:]
        text.append(b")")
    try:
        node = ast.parse(b"".join(text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    return node if isinstance(node, ast.Call) else None


def _find_in_call(call: ast.Call, lines: list[str], mistake: Mistake) -> Place | None:
    if mistake.is_name:
        return next(
            (_name_of(word) for word in call.keywords if word.arg == mistake.argument), None
        )
    nodes = list(_values_of(call, mistake.argument)) if mistake.argument else []
    if mistake.range is not None:
        places = (_inside(node, lines, mistake) for node in _items(nodes, mistake.item))
        return next((place for place in places if place is not None), None)
    for node in _items(nodes, mistake.item):
        if not mistake.text or not isinstance(node, (ast.Name, ast.Attribute)):
            return _place_of(node)
    return None if nodes else _place_of(call)


def _values_of(call: ast.Call, argument: str) -> Iterator[ast.expr]:
    """Yield the expressions that may be an argument's value, the likeliest first."""
    for spelling in _SPELLINGS.get(argument, (argument,)):
        if isinstance(spelling, str):
            yield from (word.value for word in call.keywords if word.arg == spelling)
        elif len(call.args) > spelling and not _has_star(call.args[: spelling + 1]):
            yield call.args[spelling]
    if argument == "ufuncs" and call.args:
        yield ast.Tuple(call.args)


def _items(nodes: Iterable[ast.expr], item: int) -> Iterator[ast.expr]:
    """Yield the item of each value that is a list literal, and single values themselves."""
    for node in nodes:
        if not isinstance(node, (ast.List, ast.Tuple)) or item < 0:
            if item <= 0:
                yield node
        elif len(node.elts) > item and not _has_star(node.elts[: item + 1]):
            yield node.elts[item]


def _has_star(nodes: Iterable[ast.expr]) -> bool:
    return any(isinstance(node, ast.Starred) for node in nodes)


def _inside(node: ast.expr, lines: list[str], mistake: Mistake) -> Place | None:
    """Return the place of a substring inside its string literal.

    Spaces may differ, because the names of operands were split and joined.
    """
    if isinstance(node, (ast.List, ast.Tuple)) and mistake.range is not None:
        number = mistake.text.encode()[: mistake.range[0]].count(b",")  # names, joined by commas
        return next((_place_of(item) for item in _items([node], number)), None)
    found = _plain_literal(node, lines)
    if found is None:
        return None
    opening, inner = found
    offsets = _same_stretch(mistake.text.encode(), inner, mistake.range or (0, 0))
    if offsets is None:
        return None
    line, column = _place_of(node)[:2]
    (line, start), (end_line, end) = (
        _line_and_column(opening + inner[:offset], line, column) for offset in offsets
    )
    return line, start, end_line, end


def _plain_literal(node: ast.expr, lines: list[str]) -> tuple[bytes, bytes] | None:
    """Return the opening quotes of a literal and the text between the quotes.

    None if the text is not the value: it has escapes, or the literal has several parts.
    """
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    line, column, end_line, end_column = _place_of(node)
    text = [each.encode() for each in lines[line - 1 : end_line]]
    text[-1] = text[-1][:end_column]
    literal = b"".join(text)[column:]
    opening = re.match(rb"[rRuU]?(\"\"\"|'''|\"|')", literal)
    if opening is None:
        return None
    inner = literal[opening.end() : -len(opening[1])]
    return (opening[0], inner) if inner.decode() == node.value else None


def _same_stretch(text: bytes, other: bytes, stretch: tuple[int, int]) -> tuple[int, int] | None:
    """Return the range of `other` that matches a range of `text`; only spaces may differ."""
    if text == other:
        return stretch
    if b"".join(text.split()) != b"".join(other.split()):
        return None
    solid = [at for at, character in enumerate(other) if not chr(character).isspace()]
    first, last = (len(b"".join(text[:end].split())) for end in stretch)
    begin = solid[first] if first < len(solid) else len(other)
    return begin, solid[last - 1] + 1 if last > first else begin


def _line_and_column(before: bytes, line: int, column: int) -> tuple[int, int]:
    """Return the place where a text ends that begins at the given line and column."""
    breaks = before.count(b"\n")
    if breaks == 0:
        return line, column + len(before)
    return line + breaks, len(before) - before.rindex(b"\n") - 1


def _place_of(node: ast.expr) -> Place:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _name_of(word: ast.keyword) -> Place:
    end = word.col_offset + len((word.arg or "").encode())
    return word.lineno, word.col_offset, word.lineno, end
