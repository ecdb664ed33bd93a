"""Exceptions that kernels raise, with the place where they were raised."""

from __future__ import annotations

import ast
import contextlib
from types import TracebackType

__all__ = ["make_exception"]


def make_exception(
    kind: type[BaseException],
    arguments: list[object],
    element: tuple[int, ...] | None,
    ufunc: str,
    place: tuple[str, int, str],
) -> BaseException:
    """Return the exception that a kernel raised.

    Args:
        kind: its class.
        arguments: the arguments of the class.
        element: the index of the first element that raised; None if it is not known.
        ufunc: the name of the ufunc.
        place: file, line and function of the statement that raised.
    """
    exception = kind(*arguments)
    with contextlib.suppress(AttributeError):  # a class with slots
        exception.element = element  # type: ignore[attr-defined]
    of_element = "" if element is None else f" for element {_shown(element)}"
    exception.add_note(f"raised by '{ufunc}'{of_element}, {place[0]}:{place[1]}")
    return exception.with_traceback(_traceback_at(*place))


def _shown(element: tuple[int, ...]) -> str:
    return str(element[0]) if len(element) == 1 else str(element)


def _traceback_at(file: str, line: int, name: str) -> TracebackType | None:
    """Return a traceback with one entry: a line of a kernel, which no interpreter ran."""
    function = ast.parse("def kernel():\n    raise Exception").body[0]
    for node in ast.walk(function):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    function.name = name if name.isidentifier() else "kernel"  # type: ignore[attr-defined]
    namespace: dict[str, object] = {}
    exec(compile(ast.Module([function], []), file, "exec"), namespace)
    try:
        namespace[function.name]()  # type: ignore[attr-defined,operator]
    except Exception as error:
        own = error.__traceback__
        return own.tb_next if own is not None else None
    return None
