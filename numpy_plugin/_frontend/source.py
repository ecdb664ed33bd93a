"""The source of a function, as of its definition, and its syntax tree.

Only the function's own block is parsed: whole files take too long. The tree is compiled again and
compared with the function's code, to detect edited files.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, NoReturn, TypeGuard

import numpy as np

from numpy_plugin._errors.call_place import find_decorated
from numpy_plugin._errors.place import NO_PLACE, Place, shown_file
from numpy_plugin._errors.traceback import calling_frame

__all__ = ["Source", "fail", "find_source", "kept_function", "source_data"]

# Warnings of Python's compiler, already issued when it compiled the file.
_WARNED_WORDS = ("\\", "is", "assert")
_MAY_WARN = re.compile(r"\\|\bis\b|\bassert\s*\(")
_FUTURE_FLAGS = 0x1FE0000
_COROUTINE_FLAGS = 0x80 | 0x200
_STAR_FLAGS = 0x04 | 0x08
# Lines beyond those of any file.
_NO_LINES = 1 << 30

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Source(NamedTuple):
    """A function's syntax tree and the lines it was read from.

    Attributes:
        node: the `def` or `lambda`.
        line_offset: the offset from the tree's line numbers to those of the file.
        first_line: the number of the first line in the file.
        lines: without line ends.
        file: its name in messages.
    """

    node: ast.FunctionDef | ast.Lambda
    line_offset: int
    first_line: int
    lines: tuple[str, ...]
    file: str


def fail(
    name: str, message: str, hint: str = "", place: Place = NO_PLACE, source: Any = None
) -> NoReturn:
    """Raise a KernelError with one error; `source` is the result of `source_data`."""
    from numpy_plugin import _core

    _core.raise_kernel_error(message, hint, place, source or ("", name, 1, ()))


def source_data(source: Source, name: str) -> tuple[str, str, int, tuple[str, ...]]:
    """Return a source in the form that the core reads."""
    return (source.file, name, source.first_line, source.lines)


# Callables that are functions, or whose function is of no use without them.
_NOT_OPENED = (FunctionType, MethodType, classmethod, np.ufunc)


def is_numpys(item: Any) -> bool:
    """Whether a callable is NumPy's or SciPy's, which keep functions that work on whole arrays."""
    home = getattr(item, "__module__", None) or ""
    return home.partition(".")[0] in ("numpy", "scipy")


def kept_function(item: Any) -> Any:
    """Return the function that an object keeps as `py_func` (Numba's) or `__wrapped__`.

    Functions themselves, NumPy's, and objects that keep none, are returned as they are. A function
    with `__wrapped__` is code around another one; class methods take a class.
    """
    while not isinstance(item, _NOT_OPENED) and not is_numpys(item):
        inner = getattr(item, "py_func", getattr(item, "__wrapped__", None))
        if not callable(inner):
            break
        item = inner
    return item


def find_source(function: Callable[..., Any]) -> Source:
    """Find the text and the tree of a function.

    Raises:
        KernelError: it is not a Python function, or its source is unavailable.
    """
    if not isinstance(function, FunctionType):
        _fail_for_object(function)
    code = function.__code__
    _check_wrapping(function)
    try:
        source = _read_source(function)
    except RecursionError:
        fail(
            function.__name__,
            f"'{function.__name__}' is nested too deeply to parse again",
            "move parts of it into functions with @npp.device",
        )
    if code.co_flags & _COROUTINE_FLAGS:
        place = (source.node.lineno + source.line_offset, *_async_columns(source))
        fail(
            function.__name__,
            "an 'async' function cannot be a kernel",
            "use def",
            (place[0], place[1], place[0], place[2]),
            source_data(source, function.__name__),
        )
    return source


def _read_source(function: FunctionType) -> Source:
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    source = _parse(function, lines)
    if source is None:
        linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, function.__globals__)
        source = _parse(function, lines)
    if source is None:
        _fail_without_source(function, bool(lines))
    return source


def _async_columns(source: Source) -> tuple[int, int]:
    start = source.node.col_offset
    line = source.lines[source.node.lineno + source.line_offset - source.first_line]
    end = line.encode().find(b"(", start)
    return start, end if end > 0 else start + len("async def")


def _parse(function: FunctionType, lines: list[str]) -> Source | None:
    """Return the source of a function, or None if the text does not match its code."""
    code = function.__code__
    first = code.co_firstlineno
    if not 0 < first <= len(lines):
        return None
    block = _block(code, lines)
    offset = first - 2 if block[0][:1].isspace() else first - 1
    imported = [name for name in code.co_names if _is_module(function, name)]
    nodes = _read_nodes(block, code, offset, imported)
    if not nodes and imported:  # by a part of the file that was compiled on its own
        nodes = _read_nodes(block, code, offset, [])
    if not nodes:
        offset = 0
        nodes = _read_nodes(lines, code, offset, None)
    if not nodes:
        return None
    node: ast.FunctionDef = nodes[0]  # type: ignore[assignment]
    end = max(each.end_lineno or each.lineno for each in nodes) + offset
    text = tuple(line.rstrip("\n") for line in lines[first - 1 : end])
    source = Source(node, offset, first, text, shown_file(code.co_filename))
    if len(nodes) > 1:
        _fail_for_several(source, len(nodes))
    return source


def _fail_for_several(source: Source, count: int) -> NoReturn:
    node = source.node
    line = node.lineno + source.line_offset
    end_line = (node.end_lineno or node.lineno) + source.line_offset
    fail(
        "<lambda>",
        f"{count} lambdas on this line cannot be distinguished: Python has not kept their columns",
        "write each on a line of its own, or leave out -X no_debug_ranges",
        (line, node.col_offset, end_line, node.end_col_offset or 0),
        source_data(source, "<lambda>"),
    )


def _read_nodes(
    lines: list[str], code: CodeType, offset: int, imported: list[str] | None
) -> list[_FunctionNode]:
    """Return the functions in these lines that compile to this code."""
    # Only if necessary: each use resets what all filters have already shown.
    text = "".join(lines)
    may_warn = any(word in text for word in _WARNED_WORDS) and _MAY_WARN.search(text)
    with warnings.catch_warnings(action="ignore") if may_warn else contextlib.nullcontext():
        tree = _parse_block(lines)
        return _find_nodes(tree, code, offset, imported) if tree is not None else []


def _block(code: CodeType, lines: list[str]) -> list[str]:
    """Return the lines from the function's first up to the next line with no deeper indentation."""
    first = code.co_firstlineno
    last = max((line for _, _, line in code.co_lines() if line is not None), default=first)
    indentation = _indentation(lines[first - 1])
    end = last
    while end < len(lines):
        line = lines[end]
        is_text = bool(line.strip()) and not line.lstrip().startswith("#")
        if is_text and _indentation(line) <= indentation:
            break
        end += 1
    return lines[first - 1 : end]


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _parse_block(lines: list[str]) -> ast.Module | None:
    # The prefix preserves an indented block's columns in the file; a file may begin with blanks.
    prefix = "if 1:\n" if lines[0].strip() and lines[0][:1].isspace() else ""
    try:
        return ast.parse(prefix + "".join(lines))
    except (SyntaxError, ValueError):
        return None


def _is_module(function: FunctionType, name: str) -> bool:
    return isinstance(function.__globals__.get(name), ModuleType)


def _find_nodes(
    tree: ast.Module, code: CodeType, offset: int, imported: list[str] | None
) -> list[_FunctionNode]:
    """Return the functions in a tree that compile to this code: several if indistinguishable."""
    found = [node for node in ast.walk(tree) if _begins_as(node, code, offset)]
    if any(name.startswith(("@py_assert", "@pytest_ar")) for name in code.co_varnames):
        return found  # pytest rewrote the asserts
    same = []
    for node in found:
        own = _own_code(node, code, tree, imported)
        if own is not None and _is_equal(own, code):
            same.append((node, _places(own, _moved_lines(node)) == _places(code, offset)))
    placed = [node for node, is_there in same if is_there] or [node for node, _ in same]
    if len(placed) < 2:
        return placed
    texts: dict[str, _FunctionNode] = {}
    for node in placed:
        texts.setdefault(ast.dump(node), node)
    return list(texts.values())


def _begins_as(node: ast.AST, code: CodeType, offset: int) -> TypeGuard[_FunctionNode]:
    """Whether a node is a function with the code's name and first line."""
    if isinstance(node, ast.Lambda):
        name = "<lambda>"
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        name = node.name
    else:
        return False
    return name == code.co_name and _first_line(node) + offset == code.co_firstlineno


def _first_line(node: _FunctionNode) -> int:
    """Return the line where a function's code begins."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return decorators[0].lineno if decorators else node.lineno


def _own_code(
    node: _FunctionNode, code: CodeType, tree: ast.Module, imported: list[str] | None
) -> CodeType | None:
    """Return the code that a node compiles to; `imported=None`: as part of the whole tree."""
    module = tree if imported is None else _wrapped(node, code, imported)
    flags = code.co_flags & _FUTURE_FLAGS
    with _lines_of_its_own(node):
        first = node.lineno if imported is not None else _first_line(node)
        try:
            compiled = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
    inner = _inner_code(compiled, code.co_name)
    return next((found for found in inner if found.co_firstlineno == first), None)


def _moved_lines(node: _FunctionNode) -> int:
    """Return the number of lines that `_lines_of_its_own` moves a function."""
    return _NO_LINES if isinstance(node, ast.Lambda) else 0


@contextlib.contextmanager
def _lines_of_its_own(node: _FunctionNode) -> Iterator[None]:
    """Move a lambda to where no other function begins; a `def` already has its own lines.

    Its body moves, too: Python 3.12 compiles a step to another line as an instruction.
    """
    _move(node, _moved_lines(node))
    try:
        yield
    finally:
        _move(node, -_moved_lines(node))


def _move(node: _FunctionNode, lines: int) -> None:
    if isinstance(node, ast.Lambda):
        node.lineno += lines
        node.end_lineno = (node.end_lineno or 0) + lines
        ast.increment_lineno(node.body, lines)


def _places(code: CodeType, offset: int) -> list[tuple[int, int, int]]:
    """Return the places of a code's instructions; none if Python kept no columns."""
    return [
        (line - offset, column or 0, end_column)
        for line, _, column, end_column in code.co_positions()
        if line is not None and end_column
    ]


def _wrapped(node: _FunctionNode, code: CodeType, imported: list[str]) -> ast.Module:
    """Return a module with the function in a function that has its free variables.

    The compiler generates different code for calls of an imported module's members.
    """
    statement: ast.stmt
    if isinstance(node, ast.Lambda):
        statement = ast.Expr(node)
    else:
        statement = type(node)(**{field: getattr(node, field) for field in node._fields})
        statement.decorator_list = []
    imports = f"import {', '.join(imported)}\n" if imported else ""
    module = ast.parse(f"{imports}def _({', '.join(code.co_freevars)}): pass")
    wrapper = module.body[-1]
    assert isinstance(wrapper, ast.FunctionDef)
    wrapper.body = [ast.copy_location(statement, node)]
    return module


def _inner_code(code: CodeType, name: str) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_name == name:
                yield constant
            yield from _inner_code(constant, name)


def _is_equal(left: CodeType, right: CodeType) -> bool:
    if (
        left.co_code != right.co_code
        or _parameter_counts(left) != _parameter_counts(right)
        or left.co_names != right.co_names
        or left.co_varnames != right.co_varnames
        or left.co_freevars != right.co_freevars
        or len(left.co_consts) != len(right.co_consts)
    ):
        return False
    for one, other in zip(left.co_consts, right.co_consts, strict=True):
        if isinstance(one, CodeType) and isinstance(other, CodeType):
            if not _is_equal(one, other):
                return False
        elif type(one) is not type(other) or (
            repr(one) != repr(other) and not _are_sets(one, other)
        ):
            return False
    return True


def _parameter_counts(code: CodeType) -> tuple[int, int, int, int]:
    stars = code.co_flags & _STAR_FLAGS
    return code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, stars


def _are_sets(one: object, other: object) -> bool:
    """Whether both are equal sets, which may print in different orders."""
    return isinstance(one, frozenset) and one == other


def _fail_for_object(item: object) -> NoReturn:
    name = getattr(item, "__name__", "")
    inner = getattr(item, "__wrapped__", None)
    if isinstance(inner, FunctionType):
        _fail_for_wrapper(inner, type(item).__name__)
    if isinstance(item, BuiltinFunctionType):
        home = "" if item.__module__ in (None, "builtins") else f"{item.__module__}."
        names = ", ".join("xyzuvw"[: _operand_count(item)])
        _fail_at_call(
            name,
            f"{home}{name} is built in and has no Python source",
            f"lambda {names}: {home}{name}({names})",
        )
    hint = ""
    if isinstance(item, MethodType):
        hint = "make it a function of the numbers that it needs"
    shown = "None" if item is None else type(item).__name__
    _fail_at_call(name, f"a function is needed, found {shown}", hint)


def _operand_count(item: BuiltinFunctionType) -> int:
    """Return the number of arguments of a builtin function; 1 if it is unknown."""
    import inspect

    try:
        parameters = inspect.signature(item).parameters.values()
    except ValueError:
        return 1
    needed = [one for one in parameters if one.default is one.empty and one.kind != one.VAR_KEYWORD]
    return max(1, len(needed))


def _fail_at_call(name: str, message: str, hint: str) -> NoReturn:
    """Raise a KernelError for the argument of a declaration, underlined there."""
    place = find_decorated(calling_frame())
    if place is None:
        fail(name, message, hint)
    text = (place.file, place.function, place.where[0], tuple(place.lines))
    fail(name, message, hint, place.where, text)


def _check_wrapping(function: FunctionType) -> None:
    inner = getattr(function, "__wrapped__", None)
    if not isinstance(inner, FunctionType) or inner.__code__ is function.__code__:
        return
    _fail_for_wrapper(inner, function.__code__.co_qualname.split(".")[0])


def _fail_for_wrapper(inner: FunctionType, wrapper: str) -> NoReturn:
    name = inner.__name__
    place = NO_PLACE
    source = None
    lines = linecache.getlines(inner.__code__.co_filename, inner.__globals__)
    found = _parse(inner, lines)
    if found is not None and isinstance(found.node, ast.FunctionDef):
        source = source_data(found, name)
        places = {}
        for decorator in found.node.decorator_list:
            line = decorator.lineno + found.line_offset
            columns = (decorator.col_offset - 1, decorator.end_col_offset or 0)
            decorator_name = ast.unparse(decorator).split("(")[0].split(".")[-1]
            places[decorator_name] = (line, columns[0], line, columns[1])
        if places and wrapper not in places:
            wrapper = list(places)[-1]
        place = places.get(wrapper, NO_PLACE)
    fail(
        name,
        f"'{name}' is wrapped by '{wrapper}', whose code would be compiled instead",
        "put @npp.vectorize right above the def",
        place,
        source,
    )


def _fail_without_source(function: FunctionType, has_text: bool) -> NoReturn:
    name = function.__name__
    file = function.__code__.co_filename
    unreadable = f"the source of '{name}' cannot be read: "
    if file == "<timed exec>":
        fail(name, unreadable + "%%time hides it", f"define {name} in a cell of its own")
    if file == "<stdin>":
        fail(
            name,
            unreadable + "it was typed at the prompt of this Python",
            "put it in a file or a notebook, use Python 3.13, or give body=",
        )
    is_program = file == "<string>" and sys.argv[:1] == ["-c"]
    if is_program and function.__module__ == "__main__":
        fail(
            name,
            unreadable + "it is in the text passed to 'python -c'",
            "put it in a file, or use Python 3.13",
        )
    if file.startswith("<"):
        fail(
            name,
            unreadable + "it was created by exec",
            "write it to a file, or enter the text in linecache.cache before exec",
        )
    if not has_text and not os.path.exists(file):
        fail(name, unreadable + f"there is no file {file}", "put the file back, or give body=")
    fail(
        name,
        f"the source of '{name}' has changed since it was loaded",
        "reload the module, or restart Python",
    )
