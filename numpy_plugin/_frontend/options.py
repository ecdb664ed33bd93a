"""Keywords common to declarations: their types, defaults, and errors for other keywords."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any, TypedDict

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.external import DeviceCodes

__all__ = [
    "GeneralizedOptions",
    "KernelOptions",
    "LoopOptions",
    "checked_options",
    "declared_options",
    "fast_math_names",
    "text_list",
]


class LoopOptions(TypedDict, total=False):
    """Options of every declaration, documented in `vectorize`."""

    name: str | None
    target: str
    identity: object
    doc: str | None
    math: str
    fastmath: bool | Set[str]
    cache: bool


class KernelOptions(LoopOptions, total=False):
    """Further options of `vectorize`; Numba's `nopython` has no effect."""

    preamble: str
    link: DeviceCodes
    nopython: bool


class GeneralizedOptions(KernelOptions, total=False):
    """Further options of `guvectorize`."""

    writable_args: Sequence[int | str]


# Options passed to C++ unchanged, and their defaults: declaration/options.def.
_DECLARED: dict[str, Any] = {
    keyword: getattr(_core.Declaration(), keyword)
    for keyword in KernelOptions.__annotations__
    if hasattr(_core.Declaration(), keyword)
}
_DEFAULTS: dict[str, Any] = {
    **_DECLARED,
    "name": None,  # the kernel's own
    "doc": None,  # likewise
    "identity": None,
    "link": (),
    "writable_args": (),
}
# Names in messages for the class of a keyword's values.
_WORDS: dict[type, str] = {str: "a str", bool: "a bool"}
_CLASSES: dict[str, type] = {keyword: type(value) for keyword, value in _DECLARED.items()}
_CLASSES["nopython"] = bool
_CLASSES["fastmath"] = object  # fast_math_names checks it
_EXAMPLES = {
    "name": 'name="hypot"',
    "target": 'target="cpu"',
    "doc": 'doc="the distance"',
    "math": 'math="libm"',
}
# Hints for arguments that other functions of this package take.
_ELSEWHERE = {"layout": "npp.guvectorize takes it", "writable_args": "npp.guvectorize takes it"}
# Options of Numba's that have no counterpart: hints, and the values that ask for nothing else.
_NUMBAS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "boundscheck": ("cuda.simulator() checks every access of device kernels", (None, False)),
    "debug": ("leave it out: exceptions name the kernel's own line", (False,)),
    "error_model": ("leave it out: divisions by zero follow np.errstate", ("numpy",)),
    "forceobj": ("np.vectorize calls Python code", (False,)),
    "inline": ("leave it out: the compiler decides", ("never", "always", False, True)),
    "locals": ("cast values where they are assigned, total = npp.float64(0)", ({},)),
    "looplift": ("np.vectorize calls Python code", (False, True)),
    "nogil": ("leave it out: loops run without the GIL", (False, True)),
    "parallel": ('target="parallel"', (False,)),
}


def checked_options(
    function: str, kind: type, given: dict[str, Any], others: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the given options, with defaults for the rest.

    `kind` is one of the classes above; `others` are the function's own arguments, for suggestions.

    Raises:
        TypeError: an unknown keyword (the message suggests the closest one), or a value of the
            wrong class.
    """
    known = [*kind.__annotations__, *others]
    given = {keyword: value for keyword, value in given.items() if not _is_idle(keyword, value)}
    for keyword in given:
        if keyword not in kind.__annotations__:
            near = _core.nearest(keyword, known)
            instead, _ = _NUMBAS.get(keyword) or ("" if near else _ELSEWHERE.get(keyword, ""), ())
            hint = instead or (f"did you mean '{near}'?" if near else "")
            message = f"{function} has no argument '{keyword}'"
            raise mistaken(TypeError, message, hint, keyword, is_name=True)
        _check_kind(keyword, given[keyword])
    fastmath = fast_math_names(given.get("fastmath", False))
    return {**_DEFAULTS, **given, "fastmath": fastmath}


def _is_idle(keyword: str, value: object) -> bool:
    """Whether an option of Numba's asks for what is done anyway."""
    return any(value == each for each in _NUMBAS.get(keyword, ("", ()))[1])


def fast_math_names(given: object) -> list[str]:
    """Return the liberties that a value of `fastmath` names, as listed in base/fast_math.def.

    Raises:
        TypeError: it is neither a bool nor a set of str.
        ValueError: it contains another name.
    """
    known: list[str] = _core.fast_math_names()
    if isinstance(given, bool):
        return known if given else []
    hint = 'fastmath={"contract", "reassoc"}'
    if not isinstance(given, Set):
        message = wrong_class("fastmath", "a bool or a set of str", given)
        raise mistaken(TypeError, message, hint, "fastmath")
    for name in given:
        if not isinstance(name, str):
            message = wrong_class("a name in fastmath", "a str", name)
            raise mistaken(TypeError, message, hint, "fastmath")
        if name not in (*known, "fast"):
            message = f"fastmath has no '{name}'; expected some of {', '.join(known)}, fast"
            near = _core.nearest(name, known)
            raise mistaken(
                ValueError, message, f"did you mean '{near}'?" if near else "", "fastmath"
            )
    return known if "fast" in given else [name for name in known if name in given]


def _check_kind(keyword: str, value: object) -> None:
    """Raise a TypeError if a keyword's value has the wrong class."""
    kind = _CLASSES.get(keyword, object)
    is_default = value is None and keyword in _DEFAULTS and _DEFAULTS[keyword] is None
    if not isinstance(value, kind) and not is_default:
        message = wrong_class(keyword, _WORDS[kind], value)
        raise mistaken(TypeError, message, _EXAMPLES.get(keyword, ""), keyword)


def declared_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the checked options that are passed to C++ unchanged."""
    return {keyword: options[keyword] for keyword in _DECLARED}


def text_list(argument: str, values: object, hint: str) -> list[str]:
    """Return the items of a str with commas, or of a sequence of str.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(values, str):
        return [part.strip() for part in values.split(",")] if values.strip() else []
    if values is None:
        return []
    if not isinstance(values, Iterable):
        message = wrong_class(argument, "a str or a sequence of str", values)
        raise mistaken(TypeError, message, hint, argument)
    items = list(values)
    for number, item in enumerate(items):
        if not isinstance(item, str):
            message = wrong_class(f"each of {argument}", "a str", item)
            raise mistaken(TypeError, message, hint, argument, number)
    return items


def argument_list(values: object) -> list[str]:
    """Return the names and indices in `writable_args`, each as a str.

    Raises:
        TypeError: it is not a sequence of names and indices.
    """
    hint = 'writable_args=("a",), or the index: writable_args=(0,)'
    if isinstance(values, str) or not isinstance(values, Iterable):
        message = wrong_class("writable_args", "a sequence", values)
        raise mistaken(TypeError, message, hint, "writable_args")
    items = list(values)
    for number, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            message = wrong_class("each of writable_args", "a name or an index", item)
            raise mistaken(TypeError, message, hint, "writable_args", number)
    return [str(item) for item in items]
