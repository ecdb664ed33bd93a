"""`numba.cuda.atomic`: the functions of `numpy_plugin.cuda.atomic`, with Numba's rule for nan."""

from __future__ import annotations

from typing import Any

from numpy_plugin._cuda import atomic
from numpy_plugin._cuda.thread_functions import kernel_function
from numpy_plugin._public_names import public_names

__all__: list[str] = []
__all__ += atomic.__all__

__dir__ = public_names(globals())

add = atomic.add
and_ = atomic.and_
cas = atomic.cas
compare_and_swap = atomic.compare_and_swap
dec = atomic.dec
exch = atomic.exch
inc = atomic.inc
nanmax = atomic.nanmax
nanmin = atomic.nanmin
or_ = atomic.or_
sub = atomic.sub
xor = atomic.xor


@kernel_function
def max(a: Any, i: Any, value: Any) -> Any:
    """Store a larger value: `if value > a[i]: a[i] = value`; nan is not stored, and stays."""


@kernel_function
def min(a: Any, i: Any, value: Any) -> Any:
    """Store a smaller value: `if value < a[i]: a[i] = value`; nan is not stored, and stays."""
