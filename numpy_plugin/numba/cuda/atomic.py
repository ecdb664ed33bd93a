"""`numba.cuda.atomic`: the functions of `numpy_plugin.cuda.atomic`, with Numba's rule for nan."""

from __future__ import annotations

from typing import Any

from numpy_plugin._cuda.atomic import (
    add,
    and_,
    cas,
    compare_and_swap,
    dec,
    exch,
    inc,
    nanmax,
    nanmin,
    or_,
    sub,
    xor,
)
from numpy_plugin._cuda.thread_functions import refuse
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = [
    "add",
    "and_",
    "cas",
    "compare_and_swap",
    "dec",
    "exch",
    "inc",
    "max",
    "min",
    "nanmax",
    "nanmin",
    "or_",
    "sub",
    "xor",
]

__dir__ = public_names(globals())


@without_own_frames
def max(a: Any, i: Any, value: Any) -> Any:
    """Store a larger value: `if value > a[i]: a[i] = value`; nan is not stored, and stays."""
    refuse("atomic.max")


@without_own_frames
def min(a: Any, i: Any, value: Any) -> Any:
    """Store a smaller value: `if value < a[i]: a[i] = value`; nan is not stored, and stays."""
    refuse("atomic.min")
