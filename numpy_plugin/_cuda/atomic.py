"""`cuda.atomic`: atomic operations on array elements.

Use them only in functions passed to `cuda.kernel`. Each takes an array of `int32`, `uint32`,
`int64`, `uint64`, `float32` or `float64`, in global or shared memory, and an index, which is a
tuple for several dimensions, and returns the element's old value.
"""

from __future__ import annotations

from typing import Any

from numpy_plugin._cuda.thread_functions import kernel_function
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


@kernel_function
def add(a: Any, i: Any, value: Any) -> Any:
    """Add a value: `a[i] += value`."""


@kernel_function
def sub(a: Any, i: Any, value: Any) -> Any:
    """Subtract a value: `a[i] -= value`."""


@kernel_function
def max(a: Any, i: Any, value: Any) -> Any:
    """Store the maximum: `a[i] = np.maximum(a[i], value)`; nan propagates."""


@kernel_function
def min(a: Any, i: Any, value: Any) -> Any:
    """Store the minimum: `a[i] = np.minimum(a[i], value)`; nan propagates."""


@kernel_function
def nanmax(a: Any, i: Any, value: Any) -> Any:
    """Store the maximum: `a[i] = np.fmax(a[i], value)`; nan counts as missing."""


@kernel_function
def nanmin(a: Any, i: Any, value: Any) -> Any:
    """Store the minimum: `a[i] = np.fmin(a[i], value)`; nan counts as missing."""


@kernel_function
def and_(a: Any, i: Any, value: Any) -> Any:
    """Bitwise AND for integers: `a[i] &= value`."""


@kernel_function
def or_(a: Any, i: Any, value: Any) -> Any:
    """Bitwise OR for integers: `a[i] |= value`."""


@kernel_function
def xor(a: Any, i: Any, value: Any) -> Any:
    """Bitwise XOR for integers: `a[i] ^= value`."""


@kernel_function
def exch(a: Any, i: Any, value: Any) -> Any:
    """Store a value: `a[i] = value`."""


@kernel_function
def inc(a: Any, i: Any, value: Any) -> Any:
    """Increment an unsigned integer, wrapping to 0 after `value`."""


@kernel_function
def dec(a: Any, i: Any, value: Any) -> Any:
    """Decrement an unsigned integer, wrapping from 0 to `value`."""


@kernel_function
def cas(a: Any, i: Any, old: Any, value: Any) -> Any:
    """Store a value if the element equals `old`, for integers."""


@kernel_function
def compare_and_swap(a: Any, old: Any, value: Any) -> Any:
    """Store a value if the first element of a 1-dimensional array equals `old`, for integers."""
