"""The keywords that declarations share: their types, their defaults, what is said of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from numpy_plugin import _core
from numpy_plugin._external import DeviceCodes

__all__ = ["GeneralizedOptions", "KernelOptions", "LoopOptions", "checked_options"]


class LoopOptions(TypedDict, total=False):
    """What every declaration takes: `vectorize` says what each means."""

    name: str | None
    target: str
    identity: object
    doc: str | None
    math: str
    fastmath: bool
    cache: bool


class KernelOptions(LoopOptions, total=False):
    """What `vectorize` takes beside; Numba's `nopython` changes nothing here."""

    preamble: str
    link: DeviceCodes
    nopython: bool


class GeneralizedOptions(KernelOptions, total=False):
    """What `guvectorize` takes beside."""

    writable_args: Sequence[int | str]


_DEFAULTS: dict[str, Any] = {
    "name": None,
    "target": "auto",
    "identity": None,
    "doc": None,
    "math": "vector",
    "fastmath": False,
    "cache": True,
    "preamble": "",
    "link": (),
    "writable_args": (),
}


def checked_options(
    function: str, kind: type, given: dict[str, Any], others: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the options given, and the defaults of the rest.

    `kind` is one of the classes above; `others` are the function's own arguments, which may have
    been meant.

    Raises:
        TypeError: a keyword that the function does not take; the text names the nearest one.
    """
    known = [*kind.__annotations__, *others]
    for keyword in given:
        if keyword not in kind.__annotations__:
            near = _core.nearest(keyword, known)
            hint = f"\n  hint: did you mean '{near}'?" if near else ""
            raise TypeError(f"{function} has no argument '{keyword}'{hint}")
    return {**_DEFAULTS, **given}
