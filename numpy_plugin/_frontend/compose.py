"""`compose`: ufuncs composed into one loop without temporaries."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Unpack

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.bindings import bind_ufunc
from numpy_plugin._frontend.declare import Options
from numpy_plugin._frontend.options import LoopOptions, checked_options
from numpy_plugin._frontend.syntax import text_syntax

__all__ = ["compose"]


@without_own_frames
def compose(
    *ufuncs: np.ufunc,
    **options: Unpack[LoopOptions],
) -> np.ufunc:
    """Compose ufuncs into one: `compose(f, g)(x)` is `f(g(x))`, in one loop.

    Three or more are composed from the right: `compose(f, g, h)(x)` is `f(g(h(x)))`. Each takes as
    many operands as the next one returns results. The types are those of the separate calls. If all
    have declared signatures, so has the composition: the last ufunc's operands with the first
    one's results, if the types match; otherwise it is compiled for the types of each call.

    Args:
        *ufuncs: two or more ufuncs of this package, or NumPy ufuncs that kernels can call.
        **options: `name` (default "f_of_g"), `doc` (default "f(g(x))"), `target`, `identity`,
            `math`, `fastmath` and `cache`, as for `vectorize`; they apply to the whole kernel.

    Returns:
        An object for which `type(f) is np.ufunc`.

    Raises:
        TypeError: an argument is not a ufunc, has core dimensions, or does not match the next one.
        KernelError: one of them cannot be called in a kernel.
    """
    chosen = checked_options("compose", LoopOptions, {**options})
    _check(ufuncs)
    names = _names(ufuncs)
    text = _Text(ufuncs, names)
    shown = "_of_".join(item.__name__ for item in ufuncs)
    own_name = shown if shown.isidentifier() else "composition"
    declared = Options(_signatures(ufuncs, names), None, **chosen)
    declared.check()
    bindings = {item: bind_ufunc(ufunc) for item, ufunc in zip(names, ufuncs, strict=True)}
    syntax = text_syntax(own_name, text.parameters, text.lines, bindings)
    return declared.from_syntax(syntax, own_name, text.shown)


def _check(ufuncs: Sequence[np.ufunc]) -> None:
    if len(ufuncs) < 2:
        message = f"compose takes at least 2 ufuncs, {len(ufuncs)} given"
        raise mistaken(TypeError, message, "compose(f, g) is f(g(x))")
    for number, item in enumerate(ufuncs):
        if not isinstance(item, np.ufunc):
            message = f"compose takes ufuncs, found {type(item).__name__}"
            hint = "make the function a ufunc with npp.vectorize" if callable(item) else ""
            raise mistaken(TypeError, message, hint, "ufuncs", number)
        if item.signature is not None:
            message = (
                f"compose takes ufuncs of numbers; '{item.__name__}' works on core arrays "
                f"{item.signature}"
            )
            raise mistaken(TypeError, message, "", "ufuncs", number)
    for number, (outer, inner) in enumerate(pairwise(ufuncs)):
        if outer.nin != inner.nout:
            message = (
                f"'{outer.__name__}' takes {_counted(outer.nin, 'operand')}, "
                f"'{inner.__name__}' returns {_counted(inner.nout, 'result')}"
            )
            hint = "for other compositions, write a function with npp.fuse"
            raise mistaken(TypeError, message, hint, "ufuncs", number)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _names(ufuncs: Sequence[np.ufunc]) -> list[str]:
    """Return a name for each ufunc: its own if it is an identifier; equal ufuncs share a name."""
    names: dict[int, str] = {}
    for ufunc in ufuncs:
        if id(ufunc) in names:
            continue
        own = ufunc.__name__
        name = own if own.isidentifier() and not keyword.iskeyword(own) else "ufunc"
        taken = set(names.values())
        number = 2
        while name in taken:
            name, number = f"{own if own.isidentifier() else 'ufunc'}_{number}", number + 1
        names[id(ufunc)] = name
    return [names[id(ufunc)] for ufunc in ufuncs]


class _Text:
    """The composition as source code."""

    def __init__(self, ufuncs: Sequence[np.ufunc], names: Sequence[str]) -> None:
        self.lines: list[str] = []
        self.parameters = self._fresh("x", ufuncs[-1].nin, names)
        arguments = self.parameters
        self.shown = ", ".join(arguments)
        for number, (ufunc, name) in enumerate(zip(ufuncs[::-1], names[::-1], strict=True)):
            call = f"{name}({', '.join(arguments)})"
            self.shown = f"{name}({self.shown})"
            if ufunc.nout == 1 or number == len(ufuncs) - 1:
                arguments = [call]
            else:
                arguments = self._fresh(f"y{number}_", ufunc.nout, names)
                self.lines.append(f"{', '.join(arguments)} = {call}")
        self.lines.append(f"return {arguments[0]}")

    @staticmethod
    def _fresh(word: str, count: int, names: Sequence[str]) -> list[str]:
        if count == 1 and word not in names:
            return [word]
        while any(name.startswith(word) for name in names):
            word += "_"
        return [f"{word}{number}" for number in range(1, count + 1)]


def _signatures(ufuncs: Sequence[np.ufunc], names: Sequence[str]) -> list[str] | None:
    """Return the last ufunc's declared signatures with the first one's results, if they match."""
    if not all(_has_declared_types(item) or not _core.is_own_ufunc(item) for item in ufuncs):
        return None
    *outer, inner = ufuncs
    if not _core.is_own_ufunc(inner):
        return None
    found = []
    for types in inner.types:
        operands, _, results = types.partition("->")
        fitting = _results(outer, results)
        if fitting is not None:
            found.append(f"{operands}->{fitting}")
    if not found:
        known = ", ".join(outer[-1].types)
        raise TypeError(
            f"'{names[-2]}' does not take any result of '{names[-1]}': the loops are {known} "
            f"and {', '.join(inner.types)}"
        )
    return found


def _has_declared_types(ufunc: np.ufunc) -> bool:
    """Whether signatures were declared, all with types that have NumPy type characters."""
    data: dict[str, Any] = ufunc.__dict__["_made_from"][0] if _core.is_own_ufunc(ufunc) else {}
    return bool(data.get("signatures")) and len(ufunc.types) == len(_core.signatures(ufunc))


def _results(outer: Sequence[np.ufunc], letters: str) -> str | None:
    """Return the outer ufuncs' result types for the inner one's; None if not accepted."""
    for ufunc in reversed(outer):
        try:
            given = (*map(np.dtype, letters), *[None] * ufunc.nout)
            dtypes = ufunc.resolve_dtypes(given)
        except TypeError:
            return None
        letters = "".join(item.char for item in dtypes[ufunc.nin :])
    return letters
