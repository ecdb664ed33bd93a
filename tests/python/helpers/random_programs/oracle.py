"""What a program gives: its Python, run for one element at a time over arrays of length 1.

Arrays and not NumPy's scalars: a scalar's powers and warnings are its own. What Python does
otherwise than a kernel (`min` of two types, `int(x)`, products of complex numbers) has a name here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from random_programs.dtypes import COMPLEX, DTYPES
from random_programs.tree import Program


def _to_integers(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Cast floats as x86 does, whatever this machine's values of those out of range are."""
    wide = np.dtype("i8" if dtype.itemsize == 8 or dtype == "u4" else "i4")
    with np.errstate(all="ignore"):
        values = np.trunc(array.astype("f8"))
    is_upper = (values >= 2.0**63) & (dtype == "u8")
    values = np.where(is_upper, values - 2.0**63, values)
    low = float(np.iinfo(wide).min)
    is_within = (values >= low) & (values < -low)
    result = np.where(is_within, values, low).astype(wide).astype(dtype)
    return np.where(is_upper, result ^ dtype.type(1 << 63), result) if dtype == "u8" else result


def _converter(name: str) -> Callable[[object], np.ndarray]:
    dtype = DTYPES[name]

    def convert(value: object) -> np.ndarray:
        array = value if isinstance(value, np.ndarray) else np.array([value])
        if array.dtype == dtype:
            return array
        if dtype.kind not in "iu" or array.dtype.kind not in "fV":
            return array.astype(dtype)
        array.astype("i8" if name == "u4" else dtype)  # for its flags
        return _to_integers(array, dtype)

    return convert


CONVERTERS = {name: _converter(name) for name in DTYPES}


def _multiply(target: str) -> Callable[[object, object], np.ndarray]:
    convert = CONVERTERS[target]

    def multiply(left: object, right: object) -> np.ndarray:
        a, b = convert(left), convert(right)
        result = np.empty(1, a.dtype)
        result.real = a.real * b.real - a.imag * b.imag
        result.imag = a.real * b.imag + a.imag * b.real
        return result

    return multiply


def _least(left: object, right: object) -> object:
    return right if right < left else left  # type: ignore[operator]


def _greatest(left: object, right: object) -> object:
    return right if right > left else left  # type: ignore[operator]


def _second_of_equal(function: np.ufunc) -> Callable[[object, object], np.ndarray]:
    """Return fmin or fmax: which of two zeros NumPy gives is a matter of the element's position."""

    def choose(left: object, right: object) -> np.ndarray:
        result = np.asarray(function(left, right))
        if result.dtype.char not in "fd":
            return result
        return np.where(np.equal(left, right), np.asarray(right).astype(result.dtype), result)

    return choose


def _trips(*bounds: object) -> range:
    return range(*[int(bound[0]) if isinstance(bound, np.ndarray) else bound for bound in bounds])


NAMES: dict[str, object] = {
    **{f"as_{name}": convert for name, convert in CONVERTERS.items()},
    **{f"multiply_{name}": _multiply(name) for name in COMPLEX},
    "least": _least,
    "greatest": _greatest,
    "trips": _trips,
    "fmin": _second_of_equal(np.fmin),
    "fmax": _second_of_equal(np.fmax),
    "np": np,
    "math": math,
}


def expected(
    program: Program, operands: dict[str, np.ndarray], **more_names: object
) -> list[np.ndarray]:
    """Return the program's results for columns of operands."""
    names = NAMES | more_names
    for each in [*program.callees(), program]:
        exec(compile(each.source(is_kernel=False), each.name, "exec"), names)
    function = names[program.name]
    rows = []
    count = len(next(iter(operands.values())))
    for row in range(count):
        result = function(*[operand[row : row + 1] for operand in operands.values()])
        rows.append(result if isinstance(result, tuple) else (result,))
    return [np.concatenate(column) for column in zip(*rows, strict=True)]
