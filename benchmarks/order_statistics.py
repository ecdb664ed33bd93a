"""`make bench`: sorts, order statistics and extrema in kernels, beside NumPy and Numba.

Each kernel calls NumPy's function for a row of an array, as does Numba's generalized ufunc; NumPy
itself is called with `axis=-1`. All run on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from results import Page, measured
from variants import library

import numpy_plugin as npp
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands.bench import Measurement

__all__ = ["CASES", "DTYPES", "PAGE", "SIZES", "contestants", "measure"]

SIZES = (16, 365, 8760)
DTYPES = ("float32", "float64", "int32")
N_ELEMENTS = 100_000
ROUNDS = 25
TARGET = 0.9

Array = npt.NDArray[Any]


def _median(x: Any, out: Any) -> None:
    out[0] = np.median(x)


def _nanmedian(x: Any, out: Any) -> None:
    out[0] = np.nanmedian(x)


def _percentile(x: Any, out: Any) -> None:
    out[0] = np.percentile(x, 90.0)


def _sort(x: Any, out: Any) -> None:
    out[:] = np.sort(x)


def _max(x: Any, out: Any) -> None:
    out[0] = np.max(x)


def _argmax(x: Any, out: Any) -> None:
    out[0] = np.argmax(x)


def _nanmin(x: Any, out: Any) -> None:
    out[0] = np.nanmin(x)


def _all(x: Any, out: Any) -> None:
    out[0] = np.all(x)


class Case(NamedTuple):
    """A kernel of a row, and the same of all rows by NumPy."""

    kernel: Callable[[Any, Any], None]
    numpys: Callable[[Array], Array]
    layout: str = "(n)->()"

    def signature(self, dtype: str) -> str:
        """Return the types of the loop, which are NumPy's."""
        result = self.numpys(np.zeros((1, 1), dtype)).dtype
        return f"void({dtype}[:], {result}[:])"


CASES = {
    "median": Case(_median, lambda x: np.median(x, axis=-1)),
    "nanmedian": Case(_nanmedian, lambda x: np.nanmedian(x, axis=-1)),
    "percentile": Case(_percentile, lambda x: np.percentile(x, 90.0, axis=-1)),
    "sort": Case(_sort, lambda x: np.sort(x, axis=-1), "(n)->(n)"),
    "max": Case(_max, lambda x: np.max(x, axis=-1)),
    "argmax": Case(_argmax, lambda x: np.argmax(x, axis=-1)),
    "nanmin": Case(_nanmin, lambda x: np.nanmin(x, axis=-1)),
    "all": Case(_all, lambda x: np.all(x, axis=-1)),
}


def contestants(name: str, dtype: str) -> dict[str, Callable[[Array], Array]]:
    """Return the functions of an array by name."""
    case = CASES[name]
    signature = case.signature(dtype)
    found: dict[str, Callable[[Array], Array]] = {
        "numpy_plugin": npp.guvectorize([signature], case.layout, target="cpu")(case.kernel),
        "NumPy": case.numpys,
    }
    numba = library("numba")
    if numba is not None:
        found["Numba"] = numba.guvectorize([signature], case.layout)(case.kernel)
    return found


def measure(n_elements: int = N_ELEMENTS) -> list[Measurement]:
    """Return the time of an element, and how much faster it is than the others."""
    rows = []
    for name in CASES:
        for dtype in DTYPES:
            functions = contestants(name, dtype)
            for size in SIZES:
                shape = max(n_elements // size, 1), size
                x = (np.random.default_rng(0).normal(size=shape) * 1e6).astype(dtype)
                calls = {who: partial(f, x) for who, f in functions.items()}
                rows += _rows(f"{name} {dtype}, rows of {size}", median_times(calls, ROUNDS), x)
    return rows


def _rows(what: str, times: dict[str, float], x: Array) -> list[Measurement]:
    ours = times.pop("numpy_plugin")
    return [
        Measurement(what, ours / x.size * 1e9, "ns an element"),
        *(
            Measurement(f"{what}, faster than {other}", seconds / ours, "times", TARGET, False)
            for other, seconds in times.items()
        ),
    ]


PAGE = Page("order_statistics", "Order statistics, sorts and extrema in kernels", measured(measure))
