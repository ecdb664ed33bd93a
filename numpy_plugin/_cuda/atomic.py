"""`cuda.atomic`: atomic operations on array elements.

Use them only in functions passed to `cuda.kernel`. Each takes an array of `int32`, `uint32`,
`int64`, `uint64`, `float32` or `float64`, in global or shared memory, and an index, which is a
tuple for several dimensions, and returns the element's old value.
"""

from __future__ import annotations

from typing import Any

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
def add(a: Any, i: Any, value: Any) -> Any:
    """Add a value: `a[i] += value`."""
    refuse("atomic.add")


@without_own_frames
def sub(a: Any, i: Any, value: Any) -> Any:
    """Subtract a value: `a[i] -= value`."""
    refuse("atomic.sub")


@without_own_frames
def max(a: Any, i: Any, value: Any) -> Any:
    """Store the maximum: `a[i] = np.maximum(a[i], value)`; nan propagates."""
    refuse("atomic.max")


@without_own_frames
def min(a: Any, i: Any, value: Any) -> Any:
    """Store the minimum: `a[i] = np.minimum(a[i], value)`; nan propagates."""
    refuse("atomic.min")


@without_own_frames
def nanmax(a: Any, i: Any, value: Any) -> Any:
    """Store the maximum: `a[i] = np.fmax(a[i], value)`; nan counts as missing."""
    refuse("atomic.nanmax")


@without_own_frames
def nanmin(a: Any, i: Any, value: Any) -> Any:
    """Store the minimum: `a[i] = np.fmin(a[i], value)`; nan counts as missing."""
    refuse("atomic.nanmin")


@without_own_frames
def and_(a: Any, i: Any, value: Any) -> Any:
    """Bitwise AND for integers: `a[i] &= value`."""
    refuse("atomic.and_")


@without_own_frames
def or_(a: Any, i: Any, value: Any) -> Any:
    """Bitwise OR for integers: `a[i] |= value`."""
    refuse("atomic.or_")


@without_own_frames
def xor(a: Any, i: Any, value: Any) -> Any:
    """Bitwise XOR for integers: `a[i] ^= value`."""
    refuse("atomic.xor")


@without_own_frames
def exch(a: Any, i: Any, value: Any) -> Any:
    """Store a value: `a[i] = value`."""
    refuse("atomic.exch")


@without_own_frames
def inc(a: Any, i: Any, value: Any) -> Any:
    """Increment an unsigned integer, wrapping to 0 after `value`."""
    refuse("atomic.inc")


@without_own_frames
def dec(a: Any, i: Any, value: Any) -> Any:
    """Decrement an unsigned integer, wrapping from 0 to `value`."""
    refuse("atomic.dec")


@without_own_frames
def cas(a: Any, i: Any, old: Any, value: Any) -> Any:
    """Store a value if the element equals `old`, for integers."""
    refuse("atomic.cas")


@without_own_frames
def compare_and_swap(a: Any, old: Any, value: Any) -> Any:
    """Store a value if the first element of a 1-dimensional array equals `old`, for integers."""
    refuse("atomic.compare_and_swap")
