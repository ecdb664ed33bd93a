"""The types of random programs, and what NumPy makes of two of them.

A type is a dtype's short name, or `int` and `float` for plain numbers, which take the type they
meet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import ml_dtypes
import numpy as np

# Name, NumPy's dtype, spelling of the cast in a kernel.
_ROWS = [
    ("bool", np.bool_, "bool"),
    ("i1", np.int8, "np.int8"),
    ("i2", np.int16, "npp.int16"),
    ("i4", np.int32, "np.int32"),
    ("i8", np.int64, "np.int64"),
    ("u1", np.uint8, "npp.uint8"),
    ("u2", np.uint16, "np.uint16"),
    ("u4", np.uint32, "np.uint32"),
    ("u8", np.uint64, "np.uint64"),
    ("f2", np.float16, "np.float16"),
    ("bf16", ml_dtypes.bfloat16, "npp.bfloat16"),
    ("f4", np.float32, "np.float32"),
    ("f8", np.float64, "np.float64"),
    ("c8", np.complex64, "np.complex64"),
    ("c16", np.complex128, "np.complex128"),
]

DTYPES = {name: np.dtype(kind) for name, kind, _ in _ROWS}
CASTS = {name: cast for name, _, cast in _ROWS}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

SIGNED = ["i1", "i2", "i4", "i8"]
UNSIGNED = ["u1", "u2", "u4", "u8"]
INTEGERS = [*SIGNED, *UNSIGNED]
WHOLE = ["bool", *INTEGERS]
FLOATS = ["f2", "bf16", "f4", "f8"]
COMPLEX = ["c8", "c16"]
PLAIN = ["int", "float"]


def sample(name: str) -> object:
    """Return a value of a type, for asking NumPy."""
    if name in PLAIN:
        return 3 if name == "int" else 2.5
    return np.ones(1, DTYPES[name])


@cache
def type_of(function: Callable[..., object], *operands: str) -> str | None:
    """Return the type that a function of NumPy gives for operands; None where it has none."""
    if "bf16" in operands and "float" in operands:
        return None  # ml_dtypes promotes to float32 there, kernels do not
    try:
        result = function(*map(sample, operands))
    except (TypeError, ValueError):
        return None
    return NAMES.get(getattr(result, "dtype", None))


def holds(wide: str, narrow: str) -> bool:
    """Whether a variable of the one type may be given the other, too.

    A variable that begins as a bool is taken for one on the first walk, and cannot be negated then.
    """
    if wide == narrow:
        return True
    if narrow == "int":
        return wide != "bool"
    if narrow == "float":
        return wide in FLOATS + COMPLEX and wide != "bf16"
    if narrow == "bool":
        return False
    if "bf16" in (wide, narrow) or (narrow in ("i8", "u8") and wide not in INTEGERS):
        return False
    return bool(np.can_cast(DTYPES[narrow], DTYPES[wide], "safe"))


def values(name: str, count: int, generator: np.random.Generator) -> np.ndarray:
    """Return corners and ordinary numbers of a dtype."""
    dtype = DTYPES[name]
    if name == "bool":
        return generator.integers(0, 2, count).astype(bool)
    if name in INTEGERS:
        info = np.iinfo(dtype)
        corners = [info.min, info.max, info.min + 1, info.max - 1, 0, 1]
        ordinary = generator.integers(max(-9, info.min), 10, count)
    else:
        corners = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e4, 300.0, 2.0**31, -1e10, 1e-3]
        ordinary = generator.integers(-40, 41, count) / generator.choice([1, 2, 8, 10], count)
    is_corner = generator.random(count) < 0.25
    chosen = generator.choice(np.array(corners, dtype if name in INTEGERS else float), count)
    result = np.where(is_corner, chosen, ordinary)
    if name in COMPLEX:
        result = result.astype(complex) + 1j * generator.integers(-3, 4, count)
    with np.errstate(all="ignore"):
        return result.astype(dtype)
