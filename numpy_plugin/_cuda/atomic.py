"""`cuda.atomic`: operations on an array's element that no other thread comes between.

They have a meaning in functions given to `cuda.kernel` alone. Each takes an array of `int32`,
`uint32`, `int64`, `uint64`, `float32` or `float64`, in global or in shared memory, an index, which
is a tuple for several dimensions, and gives the element as it was before.
"""

from __future__ import annotations

from typing import Any

from numpy_plugin._cuda.thread_functions import refuse
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._public_names import public_names

__all__ = ["add", "and_", "cas", "dec", "exch", "inc", "max", "min", "or_", "sub", "xor"]

__dir__ = public_names(globals())


@without_own_frames
def add(a: Any, i: Any, value: Any) -> Any:
    """Add a value: `a[i] += value`."""
    refuse("atomic.add")


@without_own_frames
def sub(a: Any, i: Any, value: Any) -> Any:
    """Subtract a value: `a[i] -= value`."""
    refuse("atomic.sub")


@without_own_frames
def max(a: Any, i: Any, value: Any) -> Any:
    """Keep the greater: `a[i] = np.maximum(a[i], value)`."""
    refuse("atomic.max")


@without_own_frames
def min(a: Any, i: Any, value: Any) -> Any:
    """Keep the lesser: `a[i] = np.minimum(a[i], value)`."""
    refuse("atomic.min")


@without_own_frames
def and_(a: Any, i: Any, value: Any) -> Any:
    """Keep the bits of both: `a[i] &= value`, of integers."""
    refuse("atomic.and_")


@without_own_frames
def or_(a: Any, i: Any, value: Any) -> Any:
    """Set bits: `a[i] |= value`, of integers."""
    refuse("atomic.or_")


@without_own_frames
def xor(a: Any, i: Any, value: Any) -> Any:
    """Change bits: `a[i] ^= value`, of integers."""
    refuse("atomic.xor")


@without_own_frames
def exch(a: Any, i: Any, value: Any) -> Any:
    """Store a value: `a[i] = value`."""
    refuse("atomic.exch")


@without_own_frames
def inc(a: Any, i: Any, value: Any) -> Any:
    """Count up, and begin again at 0 behind `value`, of unsigned integers."""
    refuse("atomic.inc")


@without_own_frames
def dec(a: Any, i: Any, value: Any) -> Any:
    """Count down, and begin again at `value` below 0, of unsigned integers."""
    refuse("atomic.dec")


@without_own_frames
def cas(a: Any, i: Any, old: Any, value: Any) -> Any:
    """Store a value where the element is `old`, of integers."""
    refuse("atomic.cas")
