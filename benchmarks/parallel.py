"""`make bench`: calls on one thread and on two, by size and form of the operands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from results import Page, measured

import numpy_plugin as npp
from numpy_plugin._benchmark.timing import repeated, times_of_rounds
from numpy_plugin._commands.bench import Measurement

__all__ = ["FORMS", "PAGE", "SIZES", "measure"]

SIZES = (1_000, 10_000, 100_000, 2_000_000)
ROUNDS = 15
#: Calls of a run are repeated until they take about this many elements.
ELEMENTS_OF_A_RUN = 2_000_000

Call = Callable[[], Any]


@npp.vectorize(["float64(float64)"], target="parallel")
def exponential(x: Any) -> Any:
    return np.exp(x)


@npp.vectorize(["float64(float64, float64)"], target="parallel")
def product(x: Any, y: Any) -> Any:
    return np.exp(x) * np.cos(y)


@npp.vectorize(["float64(float64, float64)"], target="parallel")
def axpby(x: Any, y: Any) -> Any:
    return 3.0 * x + 0.5 * y


@npp.vectorize(["int64(float64, float64)"], target="parallel")
def escape_time(x: Any, y: Any) -> Any:
    re, im, n = 0.0, 0.0, 0
    while re * re + im * im < 4.0 and n < 100:
        re, im, n = re * re - im * im + x, 2.0 * re * im + y, n + 1
    return n


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="parallel")
def norm_of_row(row: Any, out: Any) -> None:
    total = 0.0
    for i in range(row.size):
        total += row[i] * row[i]
    out[0] = np.sqrt(total)


@npp.vectorize(["float64(float64, float64)"], identity=0, target="parallel")
def add(x: Any, y: Any) -> Any:
    return x + y


@npp.vectorize(["float64(float64, float64)"], target="parallel")
def decay(x: Any, y: Any) -> Any:
    return 0.5 * x + y


def _contiguous(function: Callable[..., Any], n_operands: int) -> Callable[[int], Call]:
    def make(n: int) -> Call:
        operands = [np.linspace(-1.0, 1.0, n) for _ in range(n_operands)]
        out = np.empty(n)
        return lambda: function(*operands, out=out)

    return make


def _plane(n: int) -> Call:
    """Return a call whose work is concentrated in a part of its elements."""
    side = round(n**0.5)
    x, y = np.meshgrid(np.linspace(-2.0, 4.0, side), np.linspace(-1.2, 1.2, side))
    out = np.empty(x.shape, np.int64)
    return lambda: escape_time(x, y, out=out)


def _strided(n: int) -> Call:
    side = round(n**0.5)
    table = np.linspace(-1.0, 1.0, 2 * side * side).reshape(side, 2 * side)[:, ::2]
    out = np.empty((side, side))
    return lambda: product(table, table.T, out=out)


def _rows(n: int) -> Call:
    table = np.linspace(-1.0, 1.0, n).reshape(-1, 50)
    out = np.empty(len(table))
    return lambda: norm_of_row(table, out=out)


def _reduction(n: int) -> Call:
    values = np.linspace(-1.0, 1.0, n)
    return lambda: add.reduce(values)


def _cast(n: int) -> Call:
    integers, x, out = np.arange(n, dtype=np.int32) % 9, np.linspace(-1.0, 1.0, n), np.empty(n)
    return lambda: product(integers, x, out=out)


def _masked(n: int) -> Call:
    x, out = np.linspace(-1.0, 1.0, n), np.empty(n)
    mask = np.random.default_rng(1).random(n) < 0.5
    return lambda: product(x, x, out=out, where=mask)


def _over_lines(method: str, axis: int) -> Callable[[int], Call]:
    def make(n: int) -> Call:
        side = round(n**0.5)
        table = np.linspace(-1.0, 1.0, side * side).reshape(side, side)
        return lambda: getattr(decay, method)(table, axis=axis)

    return make


#: Calls on a number of elements.
FORMS: dict[str, Callable[[int], Call]] = {
    "exp": _contiguous(exponential, 1),
    "exp * cos": _contiguous(product, 2),
    "axpby": _contiguous(axpby, 2),
    "exp * cos of slices": _strided,
    "escape time": _plane,
    "norms of 50": _rows,
    "add.reduce": _reduction,
    "exp * cos of integers": _cast,
    "exp * cos where random": _masked,
    "decay.reduce of rows": _over_lines("reduce", 1),
    "decay.reduce of columns": _over_lines("reduce", 0),
    "decay.accumulate of rows": _over_lines("accumulate", 1),
}

#: Sets the number of threads, by its name.
_THREADS = {f"{n}": partial(npp.set_num_threads, n) for n in (1, 2)}


def measure(sizes: tuple[int, ...] = SIZES) -> list[Measurement]:
    """Return the time of one thread over that of two, the best of several rounds."""
    before = npp.get_num_threads()
    rows = []
    try:
        for name, make in FORMS.items():
            for n in sizes:
                call, n_calls = make(n), max(1, ELEMENTS_OF_A_RUN // n)
                runs = dict.fromkeys(_THREADS, repeated(call, n_calls))
                times = times_of_rounds(runs, ROUNDS, before=_THREADS)
                one, two = (min(times[name]) for name in _THREADS)
                label = f"{name}, {n:,} elements, two threads over one"
                target = 0.95 if n < 10_000 else 1.9
                rows.append(Measurement(label, one / two, "times", target, False))
    finally:
        npp.set_num_threads(before)
    return rows


PAGE = Page("parallel", "Two threads", measured(measure))
