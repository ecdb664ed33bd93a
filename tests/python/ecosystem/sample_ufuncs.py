"""Ufuncs for tests with other libraries, and comparisons with NumPy's ufuncs of the same kind.

The operands of the tests are sides of right triangles in integers: `hypotenuse` and `np.hypot` then
give the same bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import numpy_plugin as npp

__all__ = [
    "SCALAR_UFUNCS",
    "check_call",
    "check_limit",
    "halves",
    "hypotenuse",
    "lazy_hypotenuse",
    "limits",
    "plus",
    "running",
    "split",
    "total",
]

Call = Callable[[np.ufunc], Any]


@npp.vectorize(
    ["float16(float16, float16)", "float32(float32, float32)", "float64(float64, float64)"]
)
def hypotenuse(x, y):
    return (x * x + y * y) ** 0.5


@npp.vectorize
def lazy_hypotenuse(x, y):
    return (x * x + y * y) ** 0.5


@npp.vectorize(["float64, float64(float64)"])
def split(x):
    """`np.modf`."""
    return x - np.trunc(x), np.trunc(x)


@npp.vectorize(["int64(int64, int64)", "float64(float64, float64)"], identity=0)
def plus(x, y):
    return x + y


@npp.vectorize
def halves(x):
    return x / 2


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(x, out):
    """`np.sum` of a row."""
    found = 0.0
    for i in range(x.shape[0]):
        found += x[i]
    out[0] = found


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def running(x, out):
    """`np.cumsum` of a row."""
    found = 0.0
    for i in range(x.shape[0]):
        found += x[i]
        out[i] = found


SCALAR_UFUNCS = [hypotenuse, lazy_hypotenuse]


def _without_name(text: str, ufunc: np.ufunc) -> str:
    """Return a text without the ufunc's name, also with a module before it."""
    return re.sub(rf"\b(?:\w+\.)*{ufunc.__name__}\b", "ufunc", text)


def _shown(result: Any, ufunc: np.ufunc) -> Any:
    """Return all that is to be the same: class, values, labels, masks, units, dtypes."""
    if isinstance(result, tuple):
        return tuple(_shown(item, ufunc) for item in result)
    types = getattr(result, "dtypes", getattr(result, "dtype", None))
    return type(result), _without_name(repr(result), ufunc), str(types)


def check_call(call: Call, ours: np.ufunc, numpys: np.ufunc) -> None:
    """Assert that a call gives the same with a ufunc of this package as with NumPy's."""
    assert _shown(call(ours), ours) == _shown(call(numpys), numpys)


def check_limit(call: Call, error: type[Exception], message: str, *ufuncs: np.ufunc) -> None:
    """Assert that the library refuses a call of each ufunc."""
    for ufunc in ufuncs:
        with pytest.raises(error, match=message):
            call(ufunc)


def limits(table: Mapping[str, tuple[Call, type[Exception], str]]) -> pytest.MarkDecorator:
    """Return the parameters of a test of calls that a library refuses."""
    return pytest.mark.parametrize(("call", "error", "message"), table.values(), ids=table.keys())
