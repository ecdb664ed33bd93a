"""Options of CuPy's and PyCUDA's kernels, for both targets."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from numpy_plugin import _core
from numpy_plugin._cuda.kernel import option_list
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.wrong_call import check_encodable, mistaken
from numpy_plugin._frontend.options import KernelOptions, checked_options

__all__ = [
    "CompilerOptions",
    "bound",
    "check_text",
    "read_options",
    "ufunc_options",
    "without_standard",
]

_FAST = ("-use_fast_math", "--use_fast_math")


class CompilerOptions(NamedTuple):
    """NVRTC's options, split into those with a meaning on every target, and the others."""

    defines: str
    is_fast: bool
    others: list[str]


def read_options(options: Iterable[str]) -> CompilerOptions:
    """Split NVRTC's options; macros become lines of a preamble."""
    defines: list[str] = []
    others: list[str] = []
    words = without_standard(option_list(options))
    for word in words:
        if word.startswith("-D"):
            name, _, value = word.removeprefix("-D").partition("=")
            defines.append(f"#define {name} {value or 1}\n")
        elif word not in _FAST:
            others.append(word)
    return CompilerOptions("".join(defines), any(word in _FAST for word in words), others)


def ufunc_options(maker: str, name: str, preamble: str, options: CompilerOptions) -> dict[str, Any]:
    """Return the options of a ufunc that a maker declares; macros precede its preamble."""
    given = {"name": name, "preamble": options.defines + preamble, "fastmath": options.is_fast}
    return checked_options(maker, KernelOptions, given)


def without_standard(words: list[str]) -> list[str]:
    """Return NVRTC's options without a standard: C++20, the default, has all earlier ones."""
    return [word for word in words if not re.fullmatch(r"--?std=c\+\+\d+", word)]


def check_text(argument: str, value: object) -> str:
    """Return a text.

    Raises:
        TypeError: it is not a str.
        ValueError: it has surrogates.
    """
    if not isinstance(value, str):
        raise mistaken(TypeError, wrong_class(argument, "a str", value), "", argument)
    check_encodable(argument, value)
    return value


def bound(
    form: Callable[..., Any], name: str, declared: tuple[Any, ...], keywords: dict[str, Any]
) -> dict[str, Any]:
    """Return a declaration's arguments by the parameters of an overload, with its defaults.

    Raises:
        TypeError: one is missing, unknown or given twice; the message names the declaration.
    """
    known = inspect.signature(form)
    known = known.replace(parameters=list(known.parameters.values())[1:])  # without the class
    for keyword in keywords:
        if keyword not in known.parameters:
            near = _core.nearest(keyword, list(known.parameters))
            hint = f"did you mean '{near}'?" if near else f"it has {', '.join(known.parameters)}"
            message = f"{name} has no argument '{keyword}'"
            raise mistaken(TypeError, message, hint, keyword, is_name=True)
    try:
        given = known.bind(*declared, **keywords)
    except TypeError as error:
        raise mistaken(
            TypeError, f"{name}: {error}", "it takes " + ", ".join(known.parameters)
        ) from None
    given.apply_defaults()
    return given.arguments
